package findings

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/audit"
)

// A junitPrinter prints a test suite for each document, and in it a test case for each rule.
type junitPrinter struct {
	w      io.Writer
	o      Options
	suites []junitSuite
	index  map[string]int // of suites, by name
	cases  map[junitKey]*junitTexts
}

// A junitKey names a test case.
type junitKey struct {
	suite int
	code  sitemap.Code
}

// junitTexts are the texts of a test case.
type junitTexts struct {
	index         int // of the case
	failures, out strings.Builder
}

type junitReport struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	Failure *junitFailure `xml:"failure"`
	Out     string        `xml:"system-out,omitempty"`
}

type junitFailure struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

// suite returns the number of the suite of a document.
func (p *junitPrinter) suite(name string) int {
	i, ok := p.index[name]
	if !ok {
		i = len(p.suites)
		p.index[name] = i
		p.suites = append(p.suites, junitSuite{Name: name})
	}
	return i
}

func (p *junitPrinter) Finding(f *audit.Finding, _ string) {
	n := p.suite(f.Sitemap)
	s, key := &p.suites[n], junitKey{n, f.Code}
	text := p.cases[key]
	if text == nil {
		text = &junitTexts{index: len(s.Cases)}
		p.cases[key] = text
		s.Cases = append(s.Cases, junitCase{Name: string(f.Code), Class: f.Sitemap})
	}
	line := fmt.Sprintf("%s%s: %s: %s", f.Sitemap, Location(f), f.Severity, f.Message)
	if f.Loc != "" && !strings.Contains(line, f.Loc) {
		line += " " + f.Loc
	}
	if p.o.NeverBad || f.Severity < p.o.FailOn {
		text.out.WriteString(line + "\n")
		return
	}
	if c := &s.Cases[text.index]; c.Failure == nil {
		c.Failure = &junitFailure{Message: f.Message, Type: f.Severity.String()}
		line += "\nfix: " + f.Fix
	}
	text.failures.WriteString(line + "\n")
}

func (p *junitPrinter) Document(d *DocumentEnd) {
	s := &p.suites[p.suite(d.Name)]
	if d.Code != "" && !d.Known {
		p.Finding(OfDocument(d), "")
	} else if len(s.Cases) == 0 {
		s.Cases = []junitCase{{Name: "document", Class: d.Name, Out: d.Text}}
	}
}

func (p *junitPrinter) End(Totals) error {
	for key, text := range p.cases {
		c := &p.suites[key.suite].Cases[text.index]
		if c.Out = text.out.String(); c.Failure != nil {
			c.Failure.Text = text.failures.String()
		}
	}
	report := junitReport{Name: "sitemap check", Suites: p.suites}
	for i := range report.Suites {
		s := &report.Suites[i]
		s.Tests = len(s.Cases)
		for _, c := range s.Cases {
			if c.Failure != nil {
				s.Failures++
			}
		}
		report.Tests += s.Tests
		report.Failures += s.Failures
	}
	text, err := xml.MarshalIndent(report, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.w, "%s%s\n", xml.Header, text)
	return err
}
