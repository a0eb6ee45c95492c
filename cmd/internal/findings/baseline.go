package findings

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"

	"github.com/seed-322c453a/sitemap/audit"
)

// A Baseline holds the findings of an earlier run, 16 bytes each.
type Baseline map[Key]struct{}

// ReadBaseline reads what an earlier run printed with --format jsonl. An empty file holds no findings.
func ReadBaseline(r io.Reader) (Baseline, error) {
	b := Baseline{}
	lines := bufio.NewReader(r)
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 && !b.add(line) {
			return nil, fmt.Errorf("line %d is not of sitemap check --format jsonl", n)
		}
		if err == io.EOF {
			return b, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// add adds the finding in a line, if there is one. It reports whether the line is of check.
func (b Baseline) add(line []byte) bool {
	var p problemLine
	if json.Unmarshal(line, &p) != nil {
		return false
	}
	if p.Type == "problem" {
		b[KeyOf(p.Code, p.Sitemap, p.Loc, p.Text)] = struct{}{}
	}
	return p.Type == "problem" || p.Type == "document" || p.Type == "total"
}

// Has reports whether the earlier run had the finding, wherever in the document it was.
func (b Baseline) Has(f *audit.Finding) bool {
	_, ok := b[KeyOf(f.Code, f.Sitemap, f.Loc, f.Text)]
	return ok
}
