package findings

import (
	"cmp"
	"context"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/audit"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/internal/disksort"
)

// A junitPrinter prints a test suite for each document, and in it a test case for each rule.
type junitPrinter struct {
	w      *writer
	failOn sitemap.Severity
	suites []*junitSuite
	index  map[string]*junitSuite
	lines  *disksort.Sorter[junitLine]
	turn   int // of the next line
}

func newJUnit(w *writer, o Options) *junitPrinter {
	lines := disksort.New(context.Background(), "", junitOrder)
	return &junitPrinter{w: w, failOn: o.FailOn, index: map[string]*junitSuite{}, lines: lines}
}

// A junitSuite is a document.
type junitSuite struct {
	name  string
	index int
	cases []*junitCase
}

// A junitCase is about one rule in a document.
type junitCase struct {
	code      string
	failure   *audit.Finding // the first one that counts as a failure, or nil
	hasOthers bool           // findings that do not
}

// A junitLine is a line of text in a case.
type junitLine struct {
	Place [4]int // the suite, the case in it, failures or others, and the turn
	Text  string
}

const (
	junitFailures = iota
	junitOthers
)

// junitOrder sorts the lines on disk, since those of several cases alternate.
var junitOrder = disksort.Order[junitLine]{
	Compare: func(a, b junitLine) int { return slices.Compare(a.Place[:], b.Place[:]) },
	Encode:  func(l junitLine) ([]byte, error) { return json.Marshal(l) },
	Decode:  func(b []byte) (l junitLine, err error) { err = json.Unmarshal(b, &l); return l, err },
}

// suite returns the suite of a document.
func (p *junitPrinter) suite(name string) *junitSuite {
	s := p.index[name]
	if s == nil {
		s = &junitSuite{name: name, index: len(p.suites)}
		p.index[name] = s
		p.suites = append(p.suites, s)
	}
	return s
}

// add adds a line to the case of a rule.
func (p *junitPrinter) add(s *junitSuite, code, line string, failure *audit.Finding) {
	i := slices.IndexFunc(s.cases, func(c *junitCase) bool { return c.code == code })
	if i < 0 {
		i = len(s.cases)
		s.cases = append(s.cases, &junitCase{code: code})
	}
	c, kind := s.cases[i], junitFailures
	switch {
	case failure == nil:
		c.hasOthers, kind = true, junitOthers
	case c.failure == nil:
		first := *failure
		c.failure = &first
		line += "\nfix: " + failure.Fix
	}
	p.lines.Add(junitLine{[4]int{s.index, i, kind, p.turn}, line})
	p.turn++
}

func (p *junitPrinter) Finding(f *audit.Finding, _ string) {
	line := fmt.Sprintf("%s%s: %s: %s", f.Sitemap, Location(f), f.Severity, f.Message)
	if f.Loc != "" && !strings.Contains(line, f.Loc) {
		line += " " + f.Loc
	}
	failure := f
	if f.Severity < p.failOn {
		failure = nil
	}
	p.add(p.suite(f.Sitemap), string(f.Code), line, failure)
}

func (p *junitPrinter) Document(d *DocumentEnd) {
	s := p.suite(d.Name)
	if f := d.Finding(); f != nil {
		p.Finding(f, d.Target)
	} else if len(s.cases) == 0 {
		p.add(s, "document", d.Text, nil)
	}
}

func (p *junitPrinter) End(Totals) error {
	defer p.lines.Close()
	tests, failures := 0, 0
	for _, s := range p.suites {
		tests += len(s.cases)
		failures += s.failures()
	}
	io.WriteString(p.w, xml.Header)
	next, stop := iter.Pull(p.lines.Sorted())
	defer stop()
	x := junitXML{Encoder: xml.NewEncoder(p.w), next: next}
	x.ahead, x.more = next()
	x.Indent("", "  ")
	x.start("testsuites", "name", "sitemap check", "tests", fmt.Sprint(tests), "failures", fmt.Sprint(failures))
	for _, s := range p.suites {
		x.suite(s)
	}
	x.end("testsuites")
	err := cmp.Or(p.lines.Err(), x.Close())
	io.WriteString(p.w, "\n")
	return cmp.Or(err, p.w.err)
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

// suite writes a suite.
func (x *junitXML) suite(s *junitSuite) {
	x.start("testsuite", "name", s.name, "tests", fmt.Sprint(len(s.cases)), "failures", fmt.Sprint(s.failures()))
	for i, c := range s.cases {
		x.start("testcase", "name", c.code, "classname", s.name)
		if f := c.failure; f != nil {
			x.start("failure", "message", f.Message, "type", f.Severity.String())
			x.text(s.index, i, junitFailures)
			x.end("failure")
		}
		if c.hasOthers {
			x.start("system-out")
			x.text(s.index, i, junitOthers)
			x.end("system-out")
		}
		x.end("testcase")
	}
	x.end("testsuite")
}

// A junitXML writes elements.
type junitXML struct {
	*xml.Encoder
	next  func() (junitLine, bool)
	ahead junitLine // the next line
	more  bool      // there is one
}

// start begins an element with names and values of attributes.
func (x *junitXML) start(name string, attributes ...string) {
	e := xml.StartElement{Name: xml.Name{Local: name}}
	for pair := range slices.Chunk(attributes, 2) {
		value := cli.Harmless(pair[1], "\n\t")
		e.Attr = append(e.Attr, xml.Attr{Name: xml.Name{Local: pair[0]}, Value: value})
	}
	x.EncodeToken(e)
}

func (x *junitXML) end(name string) { x.EncodeToken(xml.EndElement{Name: xml.Name{Local: name}}) }

// text writes the lines of a place.
func (x *junitXML) text(place ...int) {
	for x.more && slices.Equal(x.ahead.Place[:3], place) {
		x.EncodeToken(xml.CharData(cli.Harmless(x.ahead.Text, "\n\t") + "\n"))
		x.ahead, x.more = x.next()
	}
}
