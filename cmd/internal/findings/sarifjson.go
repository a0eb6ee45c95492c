package findings

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/audit"
)

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

// reference returns the name of a document as a relative reference: GitHub refuses a report with
// any other. That of a document from the web is its URL without the scheme, and that of a file
// which is not in the current folder its whole path.
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
