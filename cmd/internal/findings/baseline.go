package findings

import (
	"bufio"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/audit"
)

// A Baseline holds the findings of an earlier run, 16 bytes each.
type Baseline map[Key]struct{}

// ReadBaseline reads what an earlier run printed with --format jsonl.
func ReadBaseline(r io.Reader) (Baseline, error) {
	b := Baseline{}
	lines := bufio.NewReader(r)
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var p problemLine
			if jsonErr := json.Unmarshal(line, &p); jsonErr != nil {
				return nil, fmt.Errorf("line %d is not of sitemap check --format jsonl", n)
			}
			if p.Type == "problem" {
				b[KeyOf(p.Code, p.Sitemap, p.Loc, p.Text)] = struct{}{}
			}
		}
		if err == io.EOF {
			return b, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// Has reports whether the earlier run had the finding, wherever in the document it was.
func (b Baseline) Has(f *audit.Finding) bool {
	if len(b) == 0 {
		return false
	}
	_, ok := b[KeyOf(f.Code, f.Sitemap, f.Loc, f.Text)]
	return ok
}

// A Key identifies a finding, wherever in its document it is.
type Key [16]byte

// KeyOf returns the key of a finding with these fields.
func KeyOf(code sitemap.Code, document, loc, text string) Key {
	h := sha256.New()
	for _, s := range []string{string(code), document, loc, text} {
		s = string([]rune(s)) // as JSON has it
		fmt.Fprintf(h, "%d:%s", len(s), s)
	}
	return Key(h.Sum(nil))
}
