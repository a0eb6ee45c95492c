package report

import (
	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/audit"
	"github.com/seed-322c453a/sitemap/cmd/internal/findings"
)

// An earlierRun is the earlier audit of a target.
type earlierRun struct {
	name      string
	findings  map[findings.Key]int64 // how often, without those that were found again
	gone      map[sitemap.Code]int64 // findings that were not found again
	documents map[string]findings.Line
}

func (e *earlierRun) add(l findings.Line) {
	switch l.Type {
	case "problem":
		e.findings[l.Key()]++
		e.gone[l.Code]++
	case "document":
		e.documents[l.Sitemap] = l
	}
}

// isFresh reports whether the earlier audit lacks a finding. Of findings with one key, as many are
// fresh as there are more of them now.
func (e *earlierRun) isFresh(f *audit.Finding) bool {
	key := findings.KeyOf(f.Code, f.Sitemap, f.Loc, f.Text)
	if e.findings[key] == 0 {
		return true
	}
	e.findings[key]--
	e.gone[f.Code]--
	return false
}
