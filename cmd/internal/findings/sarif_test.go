package findings_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/xeipuuv/gojsonschema"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/cmd/internal/findings"
)

// readSARIF returns the run of a report that is valid by the schema of OASIS, and that GitHub
// takes.
func readSARIF(t *testing.T, text string) *sarif.Run {
	t.Helper()
	report := &sarif.Report{}
	if err := json.Unmarshal([]byte(text), report); err != nil {
		t.Fatal(err)
	}
	var plain any
	if err := json.Unmarshal([]byte(text), &plain); err != nil {
		t.Fatal(err)
	}
	noEmptyArray(t, "", plain)
	schema, err := os.ReadFile("testdata/sarif-schema-2.1.0.json") // by OASIS
	if err != nil {
		t.Fatal(err)
	}
	valid, err := gojsonschema.Validate(gojsonschema.NewBytesLoader(schema),
		gojsonschema.NewGoLoader(plain))
	if err != nil || !valid.Valid() {
		t.Fatal(err, valid.Errors())
	}
	if len(report.Runs) != 1 || report.Version != "2.1.0" || report.Schema == "" {
		t.Fatalf("%d runs of version %s by %s", len(report.Runs), report.Version, report.Schema)
	}
	forGitHub(t, report.Runs[0])
	return report.Runs[0]
}

// noEmptyArray reports empty arrays other than the results of a sound site.
func noEmptyArray(t *testing.T, name string, v any) {
	switch v := v.(type) {
	case []any:
		if len(v) == 0 && name != "results" {
			t.Errorf("%s is an empty array", name)
		}
		for _, x := range v {
			noEmptyArray(t, name, x)
		}
	case map[string]any:
		for name, x := range v {
			noEmptyArray(t, name, x)
		}
	}
}

var fingerprintForm = regexp.MustCompile(`^[0-9a-f]{16}:[1-9]`)

// forGitHub holds a run to what the page "SARIF support for code scanning" of GitHub asks for.
func forGitHub(t *testing.T, run *sarif.Run) {
	t.Helper()
	if len(run.Results) > 25_000 || run.Tool.Driver.Name == nil || run.Tool.Driver.Version == nil {
		t.Errorf("%d results of %v %v",
			len(run.Results), run.Tool.Driver.Name, run.Tool.Driver.Version)
	}
	for _, rule := range run.Tool.Driver.Rules {
		short, full := *rule.ShortDescription.Text, *rule.FullDescription.Text
		if short == "" || full == "" || len(short) > 1024 || len(full) > 1024 || *rule.Help.Text == "" {
			t.Errorf("rule %s: %q, %q, %q", *rule.ID, short, full, *rule.Help.Text)
		}
	}
	prints := map[string]bool{}
	for _, r := range run.Results {
		at := r.Locations[0].PhysicalLocation.ArtifactLocation
		if _, ok := run.OriginalUriBaseIds[*at.URIBaseID]; !ok {
			t.Errorf("%s has the unknown base %s", *at.URI, *at.URIBaseID)
		}
		if u, err := url.Parse(*at.URI); err != nil || u.IsAbs() || strings.HasPrefix(*at.URI, "/") {
			t.Errorf("%q is no relative reference", *at.URI)
		}
		fingerprint := r.PartialFingerprints["primaryLocationLineHash"]
		if prints[fingerprint] || !fingerprintForm.MatchString(fingerprint) {
			t.Errorf("fingerprint %q", fingerprint)
		}
		prints[fingerprint] = true
		if *r.Message.Text == "" || *run.Tool.Driver.Rules[r.RuleIndex].ID != *r.RuleID {
			t.Errorf("message %q of %s", *r.Message.Text, *r.RuleID)
		}
	}
}

var ofSARIF = findings.Options{Version: "v0.9.0"}

func TestSARIF(t *testing.T) {
	run := readSARIF(t, printed(t, "sarif", 6, ofSARIF))
	var levels []string
	for _, r := range run.Results {
		levels = append(levels, r.Level)
	}
	if got := strings.Join(levels, " "); got != "error error error error error error note error" {
		t.Error(got)
	}
	at := run.Results[0].Locations[0].PhysicalLocation
	if *at.ArtifactLocation.URI != "a%20b,c:d.xml" && *at.ArtifactLocation.URI != "./a%20b,c:d.xml" || *at.Region.StartLine != 1 || *at.Region.StartColumn != 9 {
		t.Errorf("place %v %v", *at.ArtifactLocation.URI, at.Region)
	}
	if run.Results[6].Locations[0].PhysicalLocation.Region != nil {
		t.Error("a finding without a line has a region")
	}
	if len(run.Invocations) != 0 {
		t.Error("a note about findings that are left out")
	}
}

func TestSARIF_NoFindings(t *testing.T) {
	var out bytes.Buffer
	if err := findings.New("sarif", &out, ofSARIF).End(findings.Totals{}); err != nil {
		t.Fatal(err)
	}
	if run := readSARIF(t, out.String()); len(run.Results) != 0 {
		t.Errorf("%d results", len(run.Results))
	}
}

// sarifOf returns the report about findings.
func sarifOf(t *testing.T, o findings.Options, documents ...string) *sarif.Run {
	t.Helper()
	var out bytes.Buffer
	p := findings.New("sarif", &out, o)
	for i, name := range documents {
		f := found("bad_lastmod", sitemap.SeverityError, i+1)
		f.Sitemap = name
		p.Finding(&f, "example.com")
	}
	if err := p.End(findings.Totals{}); err != nil {
		t.Fatal(err)
	}
	return readSARIF(t, out.String())
}

func TestSARIF_References(t *testing.T) {
	inside, err := filepath.Abs("testdata/s.xml")
	if err != nil {
		t.Fatal(err)
	}
	beside := strings.TrimPrefix(filepath.ToSlash(filepath.Dir(filepath.Dir(filepath.Dir(inside)))),
		"/") + "/s.xml"
	for _, test := range []struct{ name, want string }{
		{"https://example.com/a%20b/s.xml?page=1", "example.com/a%20b/s.xml?page=1"},
		{"http://localhost:8080/s.xml", "./localhost:8080/s.xml"},
		{"https://example.com", "example.com"},
		{"public/s.xml", "public/s.xml"},
		{inside, "testdata/s.xml"},
		{"./s.xml", "s.xml"},
		{"../s.xml", beside},
		{"/elsewhere/s.xml", "elsewhere/s.xml"},
	} {
		run := sarifOf(t, ofSARIF, test.name)
		if got := *run.Results[0].Locations[0].PhysicalLocation.ArtifactLocation.URI; got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

// A fingerprint does not depend on the line.
func TestSARIF_Fingerprints(t *testing.T) {
	first, moved := sarifOf(t, ofSARIF, "a.xml", "b.xml"), sarifOf(t, ofSARIF, "b.xml", "b.xml")
	a, b := first.Results[1].PartialFingerprints, moved.Results[0].PartialFingerprints
	if fmt.Sprint(a) != fmt.Sprint(b) {
		t.Errorf("%v, moved %v", a, b)
	}
}

// Of more findings than GitHub takes, the most severe ones are in the report.
func TestSARIF_Limit(t *testing.T) {
	if n := findings.SetMaxResults(t, 250); n != 25_000 {
		t.Errorf("GitHub takes 25,000 findings, not %d", n)
	}
	var out bytes.Buffer
	var note string
	p := findings.New("sarif", &out, findings.Options{Version: "v0.9.0", Note: func(s string) { note = s }})
	severities := []sitemap.Severity{sitemap.SeverityInfo, sitemap.SeverityWarning, sitemap.SeverityError}
	for i := range 450 {
		f := found("bad_lastmod", severities[i%3], i+1)
		f.Excerpt.Text = ""
		p.Finding(&f, "example.com")
	}
	if err := p.End(findings.Totals{}); err != nil {
		t.Fatal(err)
	}
	run := readSARIF(t, out.String())
	levels := map[string]int{}
	for _, r := range run.Results {
		levels[r.Level]++
	}
	if fmt.Sprint(levels) != "map[error:150 warning:100]" || *run.Results[0].Locations[0].PhysicalLocation.Region.StartLine != 2 {
		t.Errorf("%v", levels)
	}
	const want = "200 of 450 findings are left out, since GitHub takes no more than 250: " +
		"0 errors, 50 warnings, 150 infos"
	if got := *run.Invocations[0].ToolExecutionNotifications[0].Message.Text; got != want || note != want {
		t.Errorf("noted %q, %q", got, note)
	}
}
