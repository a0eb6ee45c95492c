package findings

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/audit"
)

// A sarifReport is a report without its results.
type sarifReport struct {
	Schema  string      `json:"$schema"`
	Version string      `json:"version"`
	Runs    [1]sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool struct {
		Driver sarifDriver `json:"driver"`
	} `json:"tool"`
	ColumnKind  string               `json:"columnKind"`
	Bases       map[string]sarifBase `json:"originalUriBaseIds"`
	Invocations []sarifInvocation    `json:"invocations,omitempty"`
	Results     [0]sarifResult       `json:"results"`
}

type sarifBase struct {
	Description sarifText `json:"description"`
}

type sarifInvocation struct {
	Successful    bool                `json:"executionSuccessful"`
	Notifications []sarifNotification `json:"toolExecutionNotifications"`
}

type sarifNotification struct {
	Level   string    `json:"level"`
	Message sarifText `json:"message"`
}

// newSARIFReport returns the report of a version of the command.
func newSARIFReport(version string, rules []sarifRule) *sarifReport {
	r := &sarifReport{
		Schema:  "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
		Version: "2.1.0",
	}
	run := &r.Runs[0]
	run.Tool.Driver = sarifDriver{"sitemap", version, "https://www.sitemaps.org/protocol.html", rules}
	run.ColumnKind = "unicodeCodePoints"
	run.Bases = map[string]sarifBase{sarifRoot: {sarifText{
		"The root of the repository. Documents from the web are named below it, by their URLs without the scheme.",
	}}}
	return r
}

// note adds a warning about the run.
func (r *sarifRun) note(text string) {
	r.Invocations = []sarifInvocation{{true, []sarifNotification{{"warning", sarifText{text}}}}}
}

type sarifDriver struct {
	Name        string      `json:"name"`
	Version     string      `json:"version,omitempty"`
	Information string      `json:"informationUri"`
	Rules       []sarifRule `json:"rules,omitempty"`
}

type sarifRule struct {
	ID      sitemap.Code `json:"id"`
	Short   sarifText    `json:"shortDescription"`
	Full    sarifText    `json:"fullDescription"`
	Help    sarifText    `json:"help"`
	Default struct {
		Level string `json:"level"`
	} `json:"defaultConfiguration"`
}

type sarifText struct {
	Text string `json:"text"`
}

func sarifRuleOf(code sitemap.Code) sarifRule {
	r, _ := audit.RuleOf(code)
	rule := sarifRule{
		ID: code, Short: sarifText{r.Summary}, Full: sarifText{r.Why},
		Help: sarifText{r.Fix + " Source: " + r.Source + "."},
	}
	rule.Default.Level = sarifLevel(r.Severity)
	return rule
}

type sarifResult struct {
	Rule         sitemap.Code     `json:"ruleId"`
	Index        int              `json:"ruleIndex"`
	Level        string           `json:"level"`
	Message      sarifText        `json:"message"`
	Locations    [1]sarifLocation `json:"locations"`
	Fingerprints struct {
		Line string `json:"primaryLocationLineHash"` // the name that GitHub knows
	} `json:"partialFingerprints"`
	Properties struct {
		Loc     string `json:"loc"`
		Text    string `json:"text"`
		Fix     string `json:"fix"`
		Dropped bool   `json:"dropped"`
	} `json:"properties"`
}

type sarifLocation struct {
	Physical struct {
		Artifact struct {
			URI  string `json:"uri"`
			Base string `json:"uriBaseId"`
		} `json:"artifactLocation"`
		Region *sarifRegion `json:"region,omitempty"`
	} `json:"physicalLocation"`
}

type sarifRegion struct {
	Line    int        `json:"startLine"`
	Column  int        `json:"startColumn,omitempty"`
	Snippet *sarifText `json:"snippet,omitempty"`
}

// sarifResultOf returns the result of a finding, without its fingerprint.
func sarifResultOf(f *audit.Finding, index int) *sarifResult {
	r := &sarifResult{Rule: f.Code, Index: index, Level: sarifLevel(f.Severity), Message: sarifText{f.Message}}
	r.Properties.Loc, r.Properties.Text, r.Properties.Fix = f.Loc, f.Text, f.Fix
	r.Properties.Dropped = f.Dropped
	where := &r.Locations[0].Physical
	where.Artifact.URI, where.Artifact.Base = reference(f.Sitemap), sarifRoot
	if f.Pos.Line > 0 {
		where.Region = &sarifRegion{Line: f.Pos.Line, Column: f.Column}
		if f.Excerpt.Text != "" {
			where.Region.Snippet = &sarifText{f.Excerpt.Text}
		}
	}
	return r
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

// reference returns the name of a document as a relative reference: GitHub refuses a report with any
// other. That of a document from the web is its URL without the scheme.
func reference(name string) string {
	if u, err := url.Parse(name); err == nil && u.Host != "" {
		relative := url.URL{Path: u.Host + u.Path, RawPath: u.Host + u.EscapedPath(), RawQuery: u.RawQuery}
		return relative.String()
	}
	if filepath.IsAbs(name) {
		here, err := os.Getwd()
		inside, relErr := filepath.Rel(here, name)
		if err == nil && relErr == nil && filepath.IsLocal(inside) {
			name = inside
		}
		name = name[len(filepath.VolumeName(name)):]
	}
	return (&url.URL{Path: strings.TrimLeft(filepath.ToSlash(name), "/")}).String()
}
