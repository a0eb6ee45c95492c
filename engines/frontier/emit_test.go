package frontier

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/engines/frontier/frontiertest"
)

const pageLines = `{"loc":"https://a.test/1","lastmod":"2024-05-06",` +
	`"sitemap":"https://a.test/s.xml","trust":"robots"}
{"type":"error","target":"a.test","sitemap":"https://a.test/t.xml","code":"timeout"}
{"loc":"https://a.test/2","trust":"location"}
{"loc":"https://www.a.test/3"}
{"type":"total","domain":"a.test","targets":1,"sitemaps":1,"urls":3}
`

// counts are numbers of answers.
type counts struct{ added, skipped, failed int }

func (c *counts) add(a Answer) {
	switch a {
	case Added:
		c.added++
	case Skipped:
		c.skipped++
	case Failed:
		c.failed++
	}
}

func TestEmit(t *testing.T) {
	t.Parallel()
	s := &frontiertest.Server{Fails: func(url string) bool { return strings.HasSuffix(url, "/3") }}
	q := open(t, s, 0)
	for i, want := range []counts{{2, 0, 1}, {0, 2, 1}} {
		var got counts
		err := Emit(t.Context(), q.Conn, "pages", strings.NewReader(pageLines), got.add)
		if got != want || err != nil {
			t.Errorf("Emit %d counts %v, %v, want %v", i, got, err, want)
		}
	}
	want := []string{
		"https://a.test/1 a.test isSitemap=false sitemap.lastModified=2024-05-06 " +
			"sitemap.trust=robots sitemap.url=https://a.test/s.xml",
		"https://a.test/2 a.test isSitemap=false sitemap.trust=location",
	}
	var got []string
	for _, u := range s.URLs("pages") {
		var fields []string
		for key, values := range u.Metadata {
			fields = append(fields, key+"="+strings.Join(values, ","))
		}
		slices.Sort(fields)
		got = append(got, u.URL+" "+u.Key+" "+strings.Join(fields, " "))
	}
	if !slices.Equal(got, want) {
		t.Errorf("the frontier has\n%s\nwant\n%s",
			strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// More pages than may be in flight at once.
func TestEmitMany(t *testing.T) {
	t.Parallel()
	s := &frontiertest.Server{}
	q := open(t, s, 0)
	const n = 3*inFlight + 1
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "{\"loc\":\"https://a.test/%d\"}\n", i)
	}
	var got counts
	err := Emit(t.Context(), q.Conn, "pages", strings.NewReader(b.String()), got.add)
	if got.added != n || len(s.URLs("pages")) != n || err != nil {
		t.Errorf("Emit counts %v, %v, want %d", got, err, n)
	}
}

func TestEmitFails(t *testing.T) {
	t.Parallel()
	many := strings.Repeat(pageLines, 1000)
	for _, test := range []struct {
		name, lines, want string
		cut, answers      int
	}{
		{"cut off", many[:len(many)-3], "batch: line 5000: unexpected EOF", 0, 3000},
		{"no JSON", pageLines + "x\n", "batch: line 6: ", 0, 3},
		{"server ends early", many, "not acknowledged", 2, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			q := open(t, &frontiertest.Server{Cut: test.cut}, 0)
			var got counts
			err := Emit(t.Context(), q.Conn, "pages", strings.NewReader(test.lines), got.add)
			answers := got.added + got.skipped
			if err == nil || !strings.Contains(err.Error(), test.want) || answers < test.answers {
				t.Errorf("Emit = %v, %d answers, want %q, at least %d", err, answers, test.want, test.answers)
			}
			if test.name == "cut off" && !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("Emit = %v, want io.ErrUnexpectedEOF", err)
			}
			if isDamaged := test.cut == 0; errors.Is(err, batch.ErrDamaged) != isDamaged {
				t.Errorf("Emit = %v, want damaged lines: %t", err, isDamaged)
			}
		})
	}
}
