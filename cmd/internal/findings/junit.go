package findings

import (
	"cmp"
	"context"
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

// A junitPrinter prints a test suite for each document, and in it a test case for each rule. Their
// texts, which grow for several cases in turn, are sorted on disk.
type junitPrinter struct {
	w      *writer
	failOn sitemap.Severity
	all    junitSuites
	index  map[string]*junitSuite   // by the names of their documents
	lines  *disksort.Sorter[string] // each after its place
	turn   int                      // of the next line
	next   func() (string, bool)    // the sorted lines
}

func newJUnit(w *writer, o Options) *junitPrinter {
	return &junitPrinter{
		w: w, failOn: o.FailOn, all: junitSuites{Name: "sitemap check"},
		index: map[string]*junitSuite{},
		lines: disksort.New(context.Background(), "", disksort.LongChunk, disksort.Strings),
	}
}

// junitSuites are the suites of a run.
type junitSuites struct {
	XMLName  xml.Name      `xml:"testsuites"`
	Name     string        `xml:"name,attr"`
	Tests    int           `xml:"tests,attr"`
	Failures int           `xml:"failures,attr"`
	Suites   []*junitSuite `xml:"testsuite"`
}

// A junitSuite is a document.
type junitSuite struct {
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Cases    []*junitCase `xml:"testcase"`
	index    int
}

// A junitCase is about one rule in a document.
type junitCase struct {
	Name     string     `xml:"name,attr"`
	Document string     `xml:"classname,attr"`
	Failure  *junitText `xml:"failure"`
	Others   *junitText `xml:"system-out"` // findings that are no failures
}

// A junitText is an element with the next lines of the printer.
type junitText struct {
	attr  []xml.Attr
	lines int
	p     *junitPrinter
}

// A line is sorted by its place: its suite, the case in it, failures or others, and its turn.
const junitPlace, placeSize = "%010d%03d%d%010d", 24

// suite returns the suite of a document.
func (p *junitPrinter) suite(name string) *junitSuite {
	s := p.index[name]
	if s == nil {
		s = &junitSuite{Name: junitSafe(name), index: len(p.all.Suites)}
		p.index[name] = s
		p.all.Suites = append(p.all.Suites, s)
	}
	return s
}

// add adds a line to the case of a rule.
func (p *junitPrinter) add(s *junitSuite, code, line string, failure *audit.Finding) {
	i := slices.IndexFunc(s.Cases, func(c *junitCase) bool { return c.Name == code })
	if i < 0 {
		i = len(s.Cases)
		s.Cases = append(s.Cases, &junitCase{Name: code, Document: s.Name})
		s.Tests++
		p.all.Tests++
	}
	text, kind := &s.Cases[i].Others, 1
	if failure != nil {
		text, kind = &s.Cases[i].Failure, 0
	}
	if *text == nil {
		*text = &junitText{p: p}
		if failure != nil {
			(*text).attr = []xml.Attr{
				{Name: xml.Name{Local: "message"}, Value: junitSafe(failure.Message)},
				{Name: xml.Name{Local: "type"}, Value: failure.Severity.String()},
			}
			line += "\nfix: " + failure.Fix
			s.Failures++
			p.all.Failures++
		}
	}
	(*text).lines++
	p.lines.Add(fmt.Sprintf(junitPlace, s.index, i, kind, p.turn) + line)
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
	if s := p.suite(d.Name); len(s.Cases) == 0 {
		p.add(s, "document", d.Text, nil)
	}
}

func (p *junitPrinter) End(Totals) error {
	defer p.lines.Close()
	next, stop := iter.Pull(p.lines.Sorted())
	defer stop()
	p.next = next
	io.WriteString(p.w, xml.Header)
	x := xml.NewEncoder(p.w)
	x.Indent("", "  ")
	err := x.Encode(&p.all)
	io.WriteString(p.w, "\n")
	return cmp.Or(p.w.err, err, p.lines.Err())
}

// MarshalXML writes the element.
func (t *junitText) MarshalXML(x *xml.Encoder, start xml.StartElement) error {
	start.Attr = t.attr
	x.EncodeToken(start)
	for range t.lines {
		line, _ := t.p.next()
		x.EncodeToken(xml.CharData(junitSafe(line[placeSize:]) + "\n"))
	}
	return x.EncodeToken(start.End())
}

// junitSafe replaces characters that control a terminal.
func junitSafe(s string) string { return cli.Harmless(s, "\n\t") }
