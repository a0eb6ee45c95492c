package findings_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/audit"
	"github.com/seed-322c453a/sitemap/cmd/internal/findings"
)

// found returns a finding with characters that formats must escape.
func found(code sitemap.Code, s sitemap.Severity, line int) audit.Finding {
	return audit.Finding{
		Code: code, Severity: s, Sitemap: "a b,c:d.xml", Pos: sitemap.Position{Line: line}, Column: 9,
		Loc: "https://example.com/1", Text: "a\n\"b\"%", Message: "ü, \"b\"% <x>\nnext", Fix: "Do it.",
		Excerpt: audit.Excerpt{Text: "ä\t<lastmod>x", Caret: 3},
	}
}

// printed prints two documents: one with n findings of a rule and one info, and one that was cut.
func printed(t *testing.T, format string, n int, o findings.Options) string {
	t.Helper()
	var out bytes.Buffer
	p := findings.New(format, &out, o)
	for i := range n {
		f := found("bad_lastmod", sitemap.SeverityError, i+1)
		p.Finding(&f, "example.com")
	}
	f := found("zone_assumed", sitemap.SeverityInfo, 0)
	p.Finding(&f, "example.com")
	p.Document(&findings.DocumentEnd{Name: "a b,c:d.xml", Text: "urlset", JSON: []byte(`{"type":"document"}` + "\n")})
	p.Document(&findings.DocumentEnd{Name: "cut.xml", Target: "example.org", JSON: []byte(`{"type":"document"}` + "\n"), Code: "truncated", Message: "line 3: ends"})
	p.Document(&findings.DocumentEnd{Name: "known.xml", JSON: []byte(`{"type":"document"}` + "\n"), Code: "fetch_failed", Message: "gone", Known: true})
	p.Document(&findings.DocumentEnd{Name: "sound.xml", Text: "text", JSON: []byte(`{"type":"document"}` + "\n")})
	if err := p.End(findings.Totals{Documents: 4, URLs: 1234, Errors: int64(n) + 1, Infos: 1}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// printedOf prints a finding with a message, value, line and URL.
func printedOf(t *testing.T, format, message string) string {
	t.Helper()
	var out bytes.Buffer
	p := findings.New(format, &out, findings.Options{})
	f := found("bad_lastmod", sitemap.SeverityError, 1)
	f.Message, f.Text, f.Loc, f.Excerpt.Text = message, message, message, message
	p.Finding(&f, "example.com")
	if err := p.End(findings.Totals{}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestText(t *testing.T) {
	const one = "a b,c:d.xml:%d:9: error: ü, \"b\"%% <x>\ufffdnext [bad_lastmod]\n    ä <lastmod>x\n      ^\n    entry: https://example.com/1\n"
	const tail = "a b,c:d.xml: info: ü, \"b\"% <x>\ufffdnext [zone_assumed]\n    ä <lastmod>x\n      ^\n    entry: https://example.com/1\n    fix: Do it.\n"
	rule, _ := audit.RuleOf("truncated")
	end := "cut.xml: error: line 3: ends [truncated]\n    fix: " + rule.Fix + "\n"
	var five string
	for i := range 5 {
		five += fmt.Sprintf(one, i+1)
	}
	want := five + "    fix: Do it.\n    2,995 more [bad_lastmod]: --all\n" + tail + end +
		"4 documents, 1,234 URLs: 3,001 errors, 0 warnings, 1 info\n"
	if got := printed(t, "text", 3000, findings.Options{}); got != want {
		t.Errorf("printed\n%s\nwant\n%s", got, want)
	}
	all := fmt.Sprintf(one, 1) + "    fix: Do it.\n" + fmt.Sprintf(one, 2) + "    fix: Do it.\n"
	if got := printed(t, "text", 2, findings.Options{All: true, Verbose: true}); !strings.HasPrefix(got, all) || !strings.Contains(got, "\nsound.xml: text\n") {
		t.Errorf("printed\n%s", got)
	}
	if got := printed(t, "text", 1, findings.Options{Color: true}); !strings.Contains(got, "\x1b[31merror\x1b[0m") || strings.Contains(want, "\x1b") {
		t.Errorf("in colour\n%s", got)
	}
}

func TestJSONL(t *testing.T) {
	const fields = "code,severity,sitemap,line,column,loc,text,message,fix,dropped,target"
	types := []string{}
	for line := range strings.Lines(printed(t, "jsonl", 6, findings.Options{})) {
		var v map[string]any
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatal(err)
		}
		types = append(types, v["type"].(string))
		for name := range strings.SplitSeq(fields, ",") {
			if _, ok := v[name]; v["type"] == "problem" && !ok {
				t.Errorf("%s without %s", line, name)
			}
		}
		if v["type"] == "problem" && v["message"] != "ü, \"b\"% <x>\nnext" {
			t.Errorf("message %q", v["message"])
		}
	}
	if got := strings.Join(types, " "); got != "problem problem problem problem problem problem problem document document document document total" {
		t.Error(got)
	}
	rows, err := csv.NewReader(strings.NewReader(printed(t, "csv", 6, findings.Options{}))).ReadAll()
	if err != nil || strings.Join(rows[0], ",") != fields || len(rows) != 1+6+1+1 {
		t.Fatalf("%d rows, %v, %v", len(rows), rows[0], err)
	}
	if want := []string{"bad_lastmod", "error", "a b,c:d.xml", "1", "9", "https://example.com/1", "a\n\"b\"%", "ü, \"b\"% <x>\nnext", "Do it.", "false", "example.com"}; !slices.Equal(rows[1], want) {
		t.Errorf("row %q", rows[1])
	}
	if rows[8][0] != "truncated" || rows[8][2] != "cut.xml" || rows[8][10] != "example.org" {
		t.Errorf("row %q", rows[8])
	}
}

func TestJUnit(t *testing.T) {
	var report struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Suites   []struct {
			Name  string `xml:"name,attr"`
			Cases []struct {
				Name    string  `xml:"name,attr"`
				Failure *string `xml:"failure"`
				Out     string  `xml:"system-out"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal([]byte(printed(t, "junit", 6, findings.Options{FailOn: sitemap.SeverityError})), &report); err != nil {
		t.Fatal(err)
	}
	var cases []string
	for _, s := range report.Suites {
		for _, c := range s.Cases {
			cases = append(cases, fmt.Sprintf("%s/%s/%t", s.Name, c.Name, c.Failure != nil))
		}
	}
	want := "a b,c:d.xml/bad_lastmod/true a b,c:d.xml/zone_assumed/false cut.xml/truncated/true known.xml/document/false sound.xml/document/false"
	if got := strings.Join(cases, " "); got != want || report.Tests != 5 || report.Failures != 2 {
		t.Errorf("%s, %d tests, %d failures", got, report.Tests, report.Failures)
	}
	if out := report.Suites[3].Cases[0].Out; out != "text\n" {
		t.Errorf("the last document is %q", out)
	}
	if n := strings.Count(*report.Suites[0].Cases[0].Failure, "error: "); n != 6 {
		t.Errorf("%d findings in a case", n)
	}
}

// Many findings of rules side by side stay together by rule, in their order.
func TestJUnit_Many(t *testing.T) {
	var out bytes.Buffer
	p := findings.New("junit", &out, findings.Options{FailOn: sitemap.SeverityError})
	const n = 50_100 // more than is held in memory
	rules := []sitemap.Code{"bad_lastmod", "empty_loc", "zone_assumed"}
	for i := range n {
		f := found(rules[i%3], sitemap.Severity(2-i%3), i)
		f.Loc, f.Message = "", fmt.Sprintf("<%d>", i)
		p.Finding(&f, "example.com")
	}
	if err := p.End(findings.Totals{}); err != nil {
		t.Fatal(err)
	}
	var report struct {
		Cases []struct {
			Failure string `xml:"failure"`
			Out     string `xml:"system-out"`
		} `xml:"testsuite>testcase"`
	}
	if err := xml.Unmarshal(out.Bytes(), &report); err != nil || len(report.Cases) != 3 {
		t.Fatal(err, len(report.Cases))
	}
	for i, c := range report.Cases {
		next := i
		for line := range strings.Lines(c.Failure + c.Out) {
			if _, message, _ := strings.Cut(line, "<"); !strings.HasPrefix(line, "fix: ") {
				if message != fmt.Sprintf("%d>\n", next) {
					t.Fatalf("%s: %q instead of %d", rules[i], line, next)
				}
				next += 3
			}
		}
		if next < n {
			t.Errorf("%s: ends before %d", rules[i], next)
		}
	}
}

func TestGitHub(t *testing.T) {
	lines := strings.SplitAfter(printed(t, "github", 1, findings.Options{}), "\n")
	want := "::error file=a b%2Cc%3Ad.xml,line=1,col=9,title=bad_lastmod::ü, \"b\"%25 <x>%0Anext%0Ahttps://example.com/1%0ADo it.\n"
	if lines[0] != want || !strings.HasPrefix(lines[1], "::notice file=a b%2Cc%3Ad.xml,title=zone_assumed::") || !strings.HasPrefix(lines[2], "::error file=cut.xml,title=truncated::") || len(lines) != 4 {
		t.Errorf("printed %q", lines)
	}
}

func TestBaseline(t *testing.T) {
	b, err := findings.ReadBaseline(strings.NewReader(printed(t, "jsonl", 1, findings.Options{})))
	if err != nil {
		t.Fatal(err)
	}
	moved, other := found("bad_lastmod", sitemap.SeverityError, 99),
		found("bad_lastmod", sitemap.SeverityError, 1)
	other.Text = "another"
	if !b.Has(&moved) || b.Has(&other) {
		t.Errorf("moved %t, other %t", b.Has(&moved), b.Has(&other))
	}
	for _, none := range []string{"{\"type\":\"total\"}\n{", "{\"type\":\"total\"}\n{\"loc\":\"https://example.com/\"}"} {
		if _, err := findings.ReadBaseline(strings.NewReader(none)); err == nil || !strings.Contains(err.Error(), "line 2") {
			t.Errorf("%s: %v", none, err)
		}
	}
	if b, err := findings.ReadBaseline(strings.NewReader("")); err != nil || len(b) != 0 {
		t.Errorf("of an empty file: %v, %v", b, err)
	}
}

// A finding whose text is a time or a count is the same one in the next run.
func TestBaseline_TimesAndCounts(t *testing.T) {
	key := func(text string) findings.Key { return findings.KeyOf("lastmod_future", "s.xml", "", text) }
	for _, same := range [][2]string{
		{"2026-11-01", "2026-11-02T10:00:00Z"}, {"Mon, 23 Nov 2026 10:00:00 GMT", "Tue, 24 Nov 2026 10:00:00 GMT"},
		{"50,001", "50,002"}, {"93 %", "94%"},
	} {
		if key(same[0]) != key(same[1]) {
			t.Errorf("%q and %q differ", same[0], same[1])
		}
	}
	if key("yesterday") == key("today") || key("https://example.com/1") == key("https://example.com/2") {
		t.Error("other texts are the same")
	}
}

// Characters that steer a terminal or a spreadsheet do not reach it.
func TestHostileValues(t *testing.T) {
	const hostile = "a\u009b31m\x1b[31m\u202eb"
	for _, format := range findings.Formats {
		text := printedOf(t, format, hostile)
		bad := "\u009b\x1b"
		if format == "text" || format == "github" || format == "junit" { // for people
			bad += "\u202e"
		}
		if strings.ContainsAny(text, bad) {
			t.Errorf("%s: printed %q", format, text)
		}
		if (format == "jsonl" || format == "sarif") && !strings.Contains(text, `a\u009b31m\u001b[31m`) {
			t.Errorf("%s: printed %q", format, text)
		}
	}
}

// Cells that a spreadsheet takes for formulas are text, unless they are wanted raw.
func TestCSV_Formulas(t *testing.T) {
	for _, text := range []string{"=1+1", "+1", "-1", "@a", "\tx", "\rx", "'a", "a=1"} {
		for _, raw := range []bool{false, true} {
			var out bytes.Buffer
			p := findings.New("csv", &out, findings.Options{Raw: raw})
			f := found("bad_lastmod", sitemap.SeverityError, 1)
			f.Text = text
			p.Finding(&f, "example.com")
			rows, err := csv.NewReader(&out).ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			want := text
			if !raw {
				want = strings.ReplaceAll(want, "\r", "\ufffd")
			}
			if !raw && strings.IndexByte("=+-@\t", text[0]) >= 0 {
				want = "'" + want
			}
			if got := rows[1][6]; got != want {
				t.Errorf("raw %t: %q, want %q", raw, got, want)
			}
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space") }

// A format reports that its output cannot be written.
func TestFullOutput(t *testing.T) {
	for _, format := range findings.Formats {
		p := findings.New(format, full{}, findings.Options{})
		f := found("bad_lastmod", sitemap.SeverityError, 1)
		p.Finding(&f, "example.com")
		p.Document(&findings.DocumentEnd{Name: "s.xml", JSON: []byte("{}\n")})
		if p.End(findings.Totals{}) == nil {
			t.Errorf("%s: no error", format)
		}
	}
}
