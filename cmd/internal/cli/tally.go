package cli

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
)

// A Tally counts problems, for commands that do not list them.
type Tally struct {
	mu        sync.Mutex
	codes     map[string]int
	total     int
	documents int
	last      *discover.Sitemap
}

// Add counts p unless it is harmless.
func (t *Tally) Add(s *discover.Sitemap, p sitemap.Problem) {
	if p.Severity() == sitemap.SeverityInfo {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.codes == nil {
		t.codes = map[string]int{}
	}
	t.codes[string(p.Code)]++
	t.total++
	if s != t.last {
		t.last = s
		t.documents++
	}
}

// Print prints the counts in one line, if there are any.
func (t *Tally) Print(m *Log) {
	if t.total == 0 {
		return
	}
	var counts []string
	for _, code := range slices.SortedFunc(maps.Keys(t.codes), func(a, b string) int {
		return cmp.Or(cmp.Compare(t.codes[b], t.codes[a]), cmp.Compare(a, b))
	}) {
		counts = append(counts, Thousands(int64(t.codes[code]))+" "+code)
	}
	m.Printf("%s in %s: %s ('sitemap check' lists them)", Plural(t.total, "problem"),
		Plural(t.documents, "document"), strings.Join(counts, ", "))
}

// ProblemText returns a problem as a line: place, severity, code, and the text that it is about.
func ProblemText(name string, p sitemap.Problem) string {
	s := Printable(name)
	if p.Pos.Line > 0 {
		s += fmt.Sprintf(":%d", p.Pos.Line)
	}
	s += fmt.Sprintf(": %v: %v", p.Severity(), p.Code)
	if p.Field != "" {
		s += " in " + p.Field
	}
	if p.Text != "" {
		s += fmt.Sprintf(": %q", p.Text)
	}
	if p.Dropped {
		s += " (dropped)"
	}
	return s
}

// ProblemCount returns the number of problems of a document.
func ProblemCount(sum *discover.Summary) (n int) {
	for _, count := range sum.Problems {
		n += count
	}
	return n
}

// Listed returns the number of entries of a document.
func Listed(sum *discover.Summary) string {
	if sum.Format == sitemap.SitemapIndex {
		return Plural(sum.Entries, "sitemap")
	}
	return Plural(sum.Entries, "URL")
}

// Skipped returns why a document was not read, or "".
func Skipped(sum *discover.Summary) string {
	if sum.NotModified {
		return "not_modified"
	}
	return string(sum.Skipped)
}
