package conformance

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/input"
	"github.com/seed-322c453a/sitemap/internal/xmlchar"
	"github.com/seed-322c453a/sitemap/internal/xmlscan"
)

// xmlFaults scans any XML document. The scanner ends, with no more tokens than bytes, and returns
// the text of well-formed documents. The text of a document with a DTD is not compared, since
// entities that the DTD declares are kept unchanged.
func (c *corpusCase) xmlFaults(t *testing.T) (why []string) {
	in := readFile(t, c.dir, c.Input[0])
	readBytes(in, sitemap.Options{}) // ends, and does not panic
	s := xmlscan.NewScanner(input.Open(bytes.NewReader(in), &sitemap.Options{}), nil)
	var name string
	var text []byte
	depth := 0
	for tokens := 0; s.Next() != xmlscan.EOF; tokens++ {
		if tokens > 4*len(in) {
			return []string{"no end of tokens"}
		}
		switch s.Kind {
		case xmlscan.StartTag:
			if name == "" {
				name = string(s.Name())
			}
			if !s.Empty {
				depth++
			}
		case xmlscan.EndTag:
			depth--
		case xmlscan.Text:
			if depth > 0 {
				text = xmlchar.Decode(text, s.Raw())
			}
		case xmlscan.CDATA:
			text = append(text, s.Data...)
		}
	}
	if !c.WellFormed {
		return nil
	}
	if c.Root.present && name != c.Root.value {
		why = append(why, fmt.Sprintf("root %q, want %q", name, c.Root.value))
	}
	// XML 1.0, section 2.11
	got := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(text))
	want := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(c.Text.value)
	if c.Text.present && !c.HasDTD && got != want {
		why = append(why, fmt.Sprintf("text %q, want %q", got, want))
	}
	return why
}
