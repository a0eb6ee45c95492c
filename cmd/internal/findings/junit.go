package findings

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seed-322c453a/sitemap/audit"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
)

// A junitPrinter prints a test suite for each document, and in it a test case for each rule.
type junitPrinter struct {
	w      io.Writer
	o      Options
	suites []*junitSuite
	index  map[string]*junitSuite
	texts  spool
}

// A junitSuite is a document.
type junitSuite struct {
	name  string
	cases []*junitCase
}

// A junitCase holds the findings of one rule in a document, a line each.
type junitCase struct {
	code     string
	failure  *audit.Finding // the first one that counts as a failure, or nil
	failures spooled
	others   spooled
}

// suite returns the suite of a document.
func (p *junitPrinter) suite(name string) *junitSuite {
	s := p.index[name]
	if s == nil {
		s = &junitSuite{name: name}
		p.index[name] = s
		p.suites = append(p.suites, s)
	}
	return s
}

// of returns the case of a rule.
func (s *junitSuite) of(code string) *junitCase {
	i := slices.IndexFunc(s.cases, func(c *junitCase) bool { return c.code == code })
	if i < 0 {
		s.cases = append(s.cases, &junitCase{code: code})
		i = len(s.cases) - 1
	}
	return s.cases[i]
}

func (p *junitPrinter) Finding(f *audit.Finding, _ string) {
	c := p.suite(f.Sitemap).of(string(f.Code))
	line := fmt.Sprintf("%s%s: %s: %s", f.Sitemap, Location(f), f.Severity, f.Message)
	if f.Loc != "" && !strings.Contains(line, f.Loc) {
		line += " " + f.Loc
	}
	if p.o.NeverBad || f.Severity < p.o.FailOn {
		p.texts.add(&c.others, line)
		return
	}
	if c.failure == nil {
		first := *f
		c.failure = &first
		line += "\nfix: " + f.Fix
	}
	p.texts.add(&c.failures, line)
}

func (p *junitPrinter) Document(d *DocumentEnd) {
	s := p.suite(d.Name)
	if f := d.Finding(); f != nil {
		p.Finding(f, d.Target)
	} else if len(s.cases) == 0 {
		p.texts.add(&s.of("document").others, d.Text)
	}
}

func (p *junitPrinter) End(Totals) error {
	defer p.texts.close()
	tests, failures := 0, 0
	for _, s := range p.suites {
		tests += len(s.cases)
		failures += s.failures()
	}
	if _, err := io.WriteString(p.w, xml.Header); err != nil {
		return err
	}
	x := junitXML{Encoder: xml.NewEncoder(p.w)}
	x.Indent("", "  ")
	x.start("testsuites", "name", "sitemap check", "tests", fmt.Sprint(tests), "failures", fmt.Sprint(failures))
	for _, s := range p.suites {
		p.printSuite(&x, s)
	}
	x.end("testsuites")
	if x.err == nil {
		x.err = x.Close()
	}
	if x.err == nil {
		_, x.err = io.WriteString(p.w, "\n")
	}
	return x.err
}

// failures returns how many cases have failed.
func (s *junitSuite) failures() (n int) {
	for _, c := range s.cases {
		if c.failure != nil {
			n++
		}
	}
	return n
}

func (p *junitPrinter) printSuite(x *junitXML, s *junitSuite) {
	x.start("testsuite", "name", s.name, "tests", fmt.Sprint(len(s.cases)), "failures", fmt.Sprint(s.failures()))
	for _, c := range s.cases {
		x.start("testcase", "name", c.code, "classname", s.name)
		if f := c.failure; f != nil {
			x.start("failure", "message", f.Message, "type", f.Severity.String())
			x.text(&p.texts, &c.failures)
			x.end("failure")
		}
		if !c.others.isEmpty() {
			x.start("system-out")
			x.text(&p.texts, &c.others)
			x.end("system-out")
		}
		x.end("testcase")
	}
	x.end("testsuite")
}

// A junitXML writes elements. It keeps the first error.
type junitXML struct {
	*xml.Encoder
	err error
}

// start begins an element with names and values of attributes.
func (x *junitXML) start(name string, attributes ...string) {
	e := xml.StartElement{Name: xml.Name{Local: name}}
	for pair := range slices.Chunk(attributes, 2) {
		value := cli.Harmless(pair[1], "\n\t")
		e.Attr = append(e.Attr, xml.Attr{Name: xml.Name{Local: pair[0]}, Value: value})
	}
	x.token(e)
}

func (x *junitXML) end(name string) { x.token(xml.EndElement{Name: xml.Name{Local: name}}) }

func (x *junitXML) text(s *spool, t *spooled) {
	err := s.each(t, func(piece []byte) error {
		x.token(xml.CharData(cli.Harmless(string(piece), "\n\t")))
		return x.err
	})
	if x.err == nil {
		x.err = err
	}
}

func (x *junitXML) token(t xml.Token) {
	if x.err == nil {
		x.err = x.EncodeToken(t)
	}
}
