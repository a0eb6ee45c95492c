package findings

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/audit"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/internal/jsonl"
)

// maxResults is how many results GitHub takes in a report.
const maxResults = 25_000

// A sarifPrinter prints one report in SARIF 2.1.0 (OASIS) as GitHub takes it. It keeps the most
// severe findings, as many as a report may have, and writes them one by one at the end.
//
// The tests read the report with go-sarif. It is not written with it: its types write an empty
// array for each list that a result does not have, and hold the report as a whole.
type sarifPrinter struct {
	*writer
	o     Options
	found int
	kept  [sitemap.SeverityError + 1][]keptFinding // by severity
	left  [sitemap.SeverityError + 1]int64         // findings that are not kept
}

// A keptFinding is a finding and its number.
type keptFinding struct {
	audit.Finding
	number int
}

func (p *sarifPrinter) Finding(f *audit.Finding, _ string) {
	p.kept[f.Severity] = append(p.kept[f.Severity], keptFinding{*f, p.found})
	if p.found++; p.found <= maxResults {
		return
	}
	for s, list := range p.kept {
		if n := len(list); n > 0 {
			p.kept[s] = list[:n-1]
			p.left[s]++
			return
		}
	}
}

func (p *sarifPrinter) End(Totals) error {
	all := slices.Concat(p.kept[:]...)
	slices.SortFunc(all, func(a, b keptFinding) int { return cmp.Compare(a.number, b.number) })
	report, index := p.report(all)
	before, after, _ := strings.Cut(string(jsonl.Marshal(report)), `"results":[`)
	fmt.Fprintf(p, `%s"results":[`, before)
	comma, seen := "\n", map[Key]int{}
	for i := range all {
		f := &all[i].Finding
		document := reference(f.Sitemap)
		key := KeyOf(f.Code, document, f.Loc, f.Text)
		seen[key]++
		result := sarifResult(f, index[f.Code], document, fmt.Sprintf("%x:%d", key[:8], seen[key]))
		fmt.Fprintf(p, "%s%s", comma, jsonl.Marshal(result))
		comma = ",\n"
	}
	fmt.Fprintln(p, after)
	return p.err
}

// report returns the report without its results, and the index of each rule in it.
func (p *sarifPrinter) report(all []keptFinding) (r object, index map[sitemap.Code]int) {
	var rules []object
	index = map[sitemap.Code]int{}
	for _, f := range all {
		if _, ok := index[f.Code]; !ok {
			index[f.Code] = len(rules)
			rules = append(rules, sarifRule(f.Code))
		}
	}
	note := p.leftOut()
	if note != "" && p.o.Note != nil {
		p.o.Note(note)
	}
	return sarifReport(p.o.Version, rules, note), index
}

// leftOut says how many findings are not in the report, or returns "".
func (p *sarifPrinter) leftOut() string {
	if p.found <= maxResults {
		return ""
	}
	const note = "%s of %s findings are left out, since GitHub takes no more than %s: %s, %s, %s"
	return fmt.Sprintf(note, cli.Thousands(int64(p.found-maxResults)),
		cli.Thousands(int64(p.found)), cli.Thousands(maxResults),
		cli.Plural(p.left[sitemap.SeverityError], "error"),
		cli.Plural(p.left[sitemap.SeverityWarning], "warning"),
		cli.Plural(p.left[sitemap.SeverityInfo], "info"))
}
