package findings

import (
	"cmp"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/audit"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/internal/jsonl"
)

// maxResults is how many results GitHub takes in a report. It is a variable for tests.
var maxResults = 25_000

// A sarifPrinter prints one report in SARIF 2.1.0 (OASIS) as GitHub takes it. It keeps the most
// severe findings, as many as a report may have, and writes them one by one at the end.
//
// The tests read the report with go-sarif. The printer does not use its types: they write an empty
// array for each list that a result does not have, and they hold the whole report in memory.
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
	comma, seen, references := "\n", map[Key]int{}, map[string]string{}
	for i := range all {
		f := &all[i].Finding
		document, ok := references[f.Sitemap]
		if !ok {
			document = reference(f.Sitemap)
			references[f.Sitemap] = document
		}
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
		cli.Thousands(int64(p.found)), cli.Thousands(int64(maxResults)),
		cli.Plural(p.left[sitemap.SeverityError], "error"),
		cli.Plural(p.left[sitemap.SeverityWarning], "warning"),
		cli.Plural(p.left[sitemap.SeverityInfo], "info"))
}

// An object is one of JSON.
type object = map[string]any

// sarifReport returns the report of a version of the command, with an empty list of results. The
// note says what is left out, or is "".
func sarifReport(version string, rules []object, note string) object {
	driver := object{"name": "sitemap", "informationUri": "https://www.sitemaps.org/protocol.html"}
	if version != "" {
		driver["version"] = version
	}
	if len(rules) > 0 {
		driver["rules"] = rules
	}
	run := object{
		"tool": object{"driver": driver}, "columnKind": "unicodeCodePoints", "results": []object{},
		"originalUriBaseIds": object{sarifRoot: object{"description": sarifText(
			"The root of the repository. Documents from the web are named below it, " +
				"by their URLs without the scheme.",
		)}},
	}
	if note != "" {
		run["invocations"] = []object{{
			"executionSuccessful": true,
			"toolExecutionNotifications": []object{
				{"level": "warning", "message": sarifText(note)},
			},
		}}
	}
	return object{
		"$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/" +
			"sarif-schema-2.1.0.json",
		"version": "2.1.0", "runs": []object{run},
	}
}

func sarifText(text string) object { return object{"text": text} }

func sarifRule(code sitemap.Code) object {
	r, _ := audit.RuleOf(code)
	return object{
		"id": code, "shortDescription": sarifText(r.Summary), "fullDescription": sarifText(r.Why),
		"help":                 sarifText(r.Fix + " Source: " + r.Source + "."),
		"defaultConfiguration": object{"level": sarifLevel(r.Severity)},
	}
}

// sarifResult returns the result of a finding in the document with this reference. The rule has an
// index in the report. GitHub recognizes the result in later reports by its fingerprint.
func sarifResult(f *audit.Finding, index int, document, fingerprint string) object {
	place := object{"artifactLocation": object{"uri": document, "uriBaseId": sarifRoot}}
	if f.Pos.Line > 0 {
		region := object{"startLine": f.Pos.Line}
		if f.Column > 0 {
			region["startColumn"] = f.Column
		}
		if f.Excerpt.Text != "" {
			region["snippet"] = sarifText(f.Excerpt.Text)
		}
		place["region"] = region
	}
	return object{
		"ruleId": f.Code, "ruleIndex": index, "level": sarifLevel(f.Severity),
		"message":             sarifText(f.Message),
		"locations":           []object{{"physicalLocation": place}},
		"partialFingerprints": object{"primaryLocationLineHash": fingerprint},
		"properties": object{
			"loc": f.Loc, "text": f.Text, "fix": f.Fix, "dropped": f.Dropped,
		},
	}
}

// sarifLevel returns the level of a severity.
func sarifLevel(s sitemap.Severity) string {
	if s == sitemap.SeverityInfo {
		return "note"
	}
	return s.String()
}

// sarifRoot is the base of all references. GitHub takes it for the root of the repository.
const sarifRoot = "%SRCROOT%"

// reference returns the name of a document as a relative reference, since GitHub refuses a report
// with any other. For a document from the web, it is the URL without the scheme. For a file outside
// the current folder, it is the whole path.
func reference(name string) string {
	if u, err := url.Parse(name); err == nil && u.Host != "" {
		path, rawPath := u.Host+u.Path, u.Host+u.EscapedPath()
		return (&url.URL{Path: path, RawPath: rawPath, RawQuery: u.RawQuery}).String()
	}
	if path, err := filepath.Abs(name); err == nil {
		name = path[len(filepath.VolumeName(path)):]
		here, _ := os.Getwd()
		if inside, err := filepath.Rel(here, path); err == nil && filepath.IsLocal(inside) {
			name = inside
		}
	}
	return (&url.URL{Path: strings.TrimLeft(filepath.ToSlash(name), "/")}).String()
}
