package input

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/seed-322c453a/sitemap"
)

// Errors of the source are neither truncation nor damage.
func TestGunzip_SourceErrors(t *testing.T) {
	long := document(100 << 10)
	once := gz(t, long)
	for _, fail := range []error{io.ErrUnexpectedEOF, errors.New("connection reset"),
		listError{"not", "comparable"}} {
		for _, c := range []struct {
			name, in, want string
		}{
			{"at once", "", ""},
			{"plain", long, long},
			{"in the magic", once[:1], once[:1]},
			{"in the header", once[:5], ""},
			{"in the data", once[:len(once)/2], long},
			{"in the trailer", once[:len(once)-3], long},
			{"after a member", once, long},
			{"after a member and half a magic", once + "\x1f", long},
			{"in the header of a second member", once + once[:4], long},
			{"inside two layers", gz(t, once)[:len(once)/2], long},
		} {
			t.Run(c.name, func(t *testing.T) {
				g := newGunzip(io.MultiReader(strings.NewReader(c.in), iotest.ErrReader(fail)))
				defer g.Close()
				got, err := io.ReadAll(g)
				if !strings.HasPrefix(c.want, string(got)) || len(got) < len(c.want)/3 {
					t.Errorf("read %d bytes, want at least a third of the first of %d", len(got),
						len(c.want))
				}
				if err == nil || err.Error() != fail.Error() {
					t.Errorf("err = %v, want %v", err, fail)
				}
				if _, again := g.Read(make([]byte, 1)); again == nil ||
					again.Error() != fail.Error() {
					t.Errorf("err = %v when asked again, want %v", again, fail)
				}
			})
		}
	}
}

// A listError cannot be compared: == panics on it.
type listError []string

func (e listError) Error() string { return strings.Join(e, " ") }

func TestGunzip_NoProgress(t *testing.T) {
	for _, in := range []string{"", "<urlset/>", gz(t, "<urlset/>")[:15], gz(t, "<urlset/>")} {
		g := newGunzip(io.MultiReader(strings.NewReader(in), idle{}))
		if _, err := io.ReadAll(g); err != io.ErrNoProgress {
			t.Errorf("err = %v after %d bytes, want %v", err, len(in), io.ErrNoProgress)
		}
	}
}

// idle never returns anything.
type idle struct{}

// An outer layer cannot feed an inner one without end.
func TestGunzip_InnerLimit(t *testing.T) {
	in := strings.Repeat("a", 1000)
	for _, c := range []struct {
		limit int64
		want  int
		err   error
	}{{1000, 1000, nil}, {999, 0, sitemap.ErrTooLarge}} {
		l := newLayer(strings.NewReader(in), c.limit)
		got, err := io.ReadAll(l)
		if len(got) != c.want || err != c.err {
			t.Errorf("limit %d: read %d bytes, %v; want %d, %v", c.limit, len(got), err, c.want,
				c.err)
		}
		l.release()
	}
}
