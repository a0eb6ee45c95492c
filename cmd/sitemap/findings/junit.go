package findings

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seed-322c453a/sitemap/audit"
)

// A junitPrinter prints a test suite for each document, and in it a test case for each rule.
type junitPrinter struct {
	w      io.Writer
	o      Options
	suites []junitSuite
	index  map[string]int // of suites, by name
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

// suite returns the suite of a document.
func (p *junitPrinter) suite(name string) *junitSuite {
	i, ok := p.index[name]
	if !ok {
		i = len(p.suites)
		p.index[name] = i
		p.suites = append(p.suites, junitSuite{Name: name})
	}
	return &p.suites[i]
}

func (p *junitPrinter) Finding(f *audit.Finding, _ string) {
	s := p.suite(f.Sitemap)
	i := slices.IndexFunc(s.Cases, func(c junitCase) bool { return c.Name == string(f.Code) })
	if i < 0 {
		i = len(s.Cases)
		s.Cases = append(s.Cases, junitCase{Name: string(f.Code), Class: f.Sitemap})
	}
	c := &s.Cases[i]
	line := fmt.Sprintf("%s%s: %s: %s", f.Sitemap, location(f), f.Severity, f.Message)
	if f.Loc != "" && !strings.Contains(line, f.Loc) {
		line += " " + f.Loc
	}
	switch {
	case p.o.NeverBad || f.Severity < p.o.FailOn:
		c.Out += line + "\n"
	case c.Failure == nil:
		c.Failure = &junitFailure{
			Message: f.Message,
			Type:    f.Severity.String(),
			Text:    line + "\nfix: " + f.Fix + "\n",
		}
	default:
		c.Failure.Text += line + "\n"
	}
}

func (p *junitPrinter) Document(d *Document) {
	s := p.suite(d.Name)
	if d.Code != "" && !d.Known {
		p.Finding(ofDocument(d), "")
	} else if len(s.Cases) == 0 {
		s.Cases = []junitCase{{Name: "document", Class: d.Name, Out: d.Text}}
	}
}

func (p *junitPrinter) End(Totals) error {
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
