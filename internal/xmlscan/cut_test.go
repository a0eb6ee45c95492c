package xmlscan

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/input"
)

// Long text is cut at the same places in any reads, and a "]]>" is never missed.
func TestScanner_LongText(t *testing.T) {
	for n := input.WindowSize - 10; n < input.WindowSize+5; n++ {
		doc := "<!--" + strings.Repeat("c", 3*input.WindowSize) + "--><a>" +
			strings.Repeat("t", n) + "]]>é&amp;" + strings.Repeat("u", n) + "</a>"
		var first string
		for i, r := range []io.Reader{strings.NewReader(doc),
			iotest.OneByteReader(strings.NewReader(doc)), iotest.HalfReader(strings.NewReader(doc)),
			&chunks{doc, 8191}} {
			var got strings.Builder
			in := input.Open(r, nil)
			s := NewScanner(in, func(p sitemap.Problem) { fmt.Fprintln(&got, p.Code, p.Pos) })
			for s.Next() != EOF {
				fmt.Fprintln(&got, s.Kind, len(s.Raw()))
			}
			in.Close()
			if i == 0 {
				first = got.String()
			}
			if got.String() != first || strings.Count(first, "mismatched_tag") != 1 {
				t.Errorf("%d bytes: got %s, want %s", n, got.String(), first)
			}
		}
	}
}

// chunks is a reader that returns this number of bytes at once.
type chunks struct {
	rest string
	size int
}

func (c *chunks) Read(p []byte) (int, error) {
	if c.rest == "" {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), c.size)], c.rest)
	c.rest = c.rest[n:]
	return n, nil
}
