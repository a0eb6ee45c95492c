package report

import (
	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/audit"
	"github.com/seed-322c453a/sitemap/cmd/internal/findings"
)

// An earlierRun is the earlier audit of a target.
type earlierRun struct {
	name      string
	findings  map[findings.Key]*oldFinding
	documents map[string]findings.Line
}

func (e *earlierRun) add(l findings.Line) {
	switch l.Type {
	case "problem":
		key := l.Key()
		if e.findings[key] == nil {
			e.findings[key] = &oldFinding{code: l.Code}
		}
		e.findings[key].count++
	case "document":
		e.documents[l.Sitemap] = l
	}
}

// isFresh reports whether the earlier audit lacks a finding. Of findings with one key, as many are
// fresh as there are more of them now.
func (e *earlierRun) isFresh(f *audit.Finding) bool {
	old := e.findings[findings.KeyOf(f.Code, f.Sitemap, f.Loc, f.Text)]
	if old == nil || old.count == 0 {
		return true
	}
	old.count--
	return false
}

// An oldFinding is a finding of an earlier audit.
type oldFinding struct {
	code  sitemap.Code
	count int64 // how often, without those that were found again
}
