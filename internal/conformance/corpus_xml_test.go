package conformance

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/input"
	"github.com/seed-322c453a/sitemap/internal/xmlscan"
)

// xmlFaults scans any XML document: the scanner ends, with no more tokens than bytes,
// and gives the text of those that are well-formed. Entities that a DTD declares stay
// as they stand, so that the text of a document with a DTD is not compared.
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
				name = string(s.Name)
			}
			if !s.Empty {
				depth++
			}
		case xmlscan.EndTag:
			depth--
		case xmlscan.Text:
			if depth > 0 {
				text = xmlscan.Decode(text, s.Raw)
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
	got := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(text)) // XML 1.0, section 2.11
	want := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(c.Text.value)
	if c.Text.present && !c.HasDTD && got != want {
		why = append(why, fmt.Sprintf("text %q, want %q", got, want))
	}
	return why
}
