package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/audit"
	"github.com/seed-322c453a/sitemap/cmd/internal/findings"
)

// Since reads the output of sitemap check --format jsonl for the same target, to report the changes
// since then. The page calls it name. Since is called before the audit begins.
func (r *Report) Since(in io.Reader, name string) error {
	old := &earlierRun{
		name, map[findings.Key]int64{}, map[sitemap.Code]int64{}, map[sitemap.Code]int64{},
		map[string]findings.Line{},
	}
	other := ""
	for l, err := range findings.Lines(in) {
		switch {
		case err != nil:
			return err
		case l.Target != r.target:
			other = cmp.Or(other, l.Target)
		case l.Type == "problem":
			old.findings[l.Key()]++
			old.gone[l.Code]++
		case l.Type == "document":
			old.documents[l.Sitemap] = l
		}
	}
	if len(old.findings)+len(old.documents) == 0 {
		return fmt.Errorf("nothing about %s in it, but about %s", r.target,
			cmp.Or(other, "nothing else"))
	}
	r.earlier = old
	return nil
}

// A comparison holds the changes since the earlier audit, as the page shows them.
type comparison struct {
	Name           string
	Before, Now    struct{ Documents, URLs int64 }
	Fresh, Gone    int64
	Added, Removed int64
	Rules          []ruleChange
	Documents      []documentChange // the first of them
	More           int
}

// A ruleChange is how many findings of a rule are new and gone.
type ruleChange struct {
	Rule        audit.Rule
	Fresh, Gone int64
}

// A documentChange is a document that is new, gone or changed.
type documentChange struct {
	Name, Change string
	Before, Now  int64 // entries
}

// maxChanges is how many changed documents are shown.
const maxChanges = 200

// changes compares this audit with the earlier one.
func (r *Report) changes() *comparison {
	if r.earlier == nil {
		return nil
	}
	c := &comparison{Name: r.earlier.name}
	for _, rule := range audit.Rules() {
		change := ruleChange{rule, r.earlier.fresh[rule.Code], r.earlier.gone[rule.Code]}
		if change.Fresh > 0 || change.Gone > 0 {
			c.Rules = append(c.Rules, change)
			c.Fresh += change.Fresh
			c.Gone += change.Gone
		}
	}
	slices.SortStableFunc(c.Rules, func(a, b ruleChange) int {
		return cmp.Compare(b.Rule.Severity, a.Rule.Severity)
	})
	c.compare(r.documents, r.earlier.documents)
	return c
}

// compare compares the documents. URLs are the entries of those that are no index.
func (c *comparison) compare(now []*auditedDocument, old map[string]findings.Line) {
	ended := map[string]bool{}
	for _, d := range now {
		if d.Summary == nil {
			continue
		}
		ended[d.Name] = true
		c.Now.Documents++
		if d.Format != sitemap.SitemapIndex {
			c.Now.URLs += d.Entries
		}
		was, known := old[d.Name]
		change := documentChange{d.Name, "changed", was.Entries, d.Entries}
		switch {
		case !known:
			change.Change = "added"
			c.Added++
		case was.Error == nil && d.Error != "":
			change.Change = "cannot be read to its end"
		case was.Error != nil && d.Error == "":
			change.Change = "can be read again"
		case was.Entries == d.Entries:
			continue
		}
		c.Documents = append(c.Documents, change)
	}
	for name, was := range old {
		c.Before.Documents++
		if was.Format != sitemap.SitemapIndex.String() {
			c.Before.URLs += was.Entries
		}
		if !ended[name] {
			c.Removed++
			c.Documents = append(c.Documents, documentChange{name, "removed", was.Entries, 0})
		}
	}
	slices.SortFunc(c.Documents, func(a, b documentChange) int {
		return cmp.Or(cmp.Compare(a.Change, b.Change), cmp.Compare(a.Name, b.Name))
	})
	c.More = max(0, len(c.Documents)-maxChanges)
	c.Documents = c.Documents[:len(c.Documents)-c.More]
}
