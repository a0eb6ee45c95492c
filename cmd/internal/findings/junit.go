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

// A junitPrinter prints a test suite for each document, and in it a test case for each rule. Their
// texts, which grow for several cases in turn, are sorted on disk.
type junitPrinter struct {
	w      *writer
	failOn sitemap.Severity
	all    junitSuites
	index  map[string]*junitSuite // by the names of their documents
	lines  *disksort.Sorter[junitLine]
	turn   int                      // of the next line
	next   func() (junitLine, bool) // the sorted lines
}

func newJUnit(w *writer, o Options) *junitPrinter {
	return &junitPrinter{
		w: w, failOn: o.FailOn, all: junitSuites{Name: "sitemap check"},
		index: map[string]*junitSuite{}, lines: disksort.New(context.Background(), "", junitOrder),
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
	first *audit.Finding // of a failure
	lines int
	p     *junitPrinter
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

var junitOrder = disksort.Order[junitLine]{
	Compare: func(a, b junitLine) int { return slices.Compare(a.Place[:], b.Place[:]) },
	Encode:  func(l junitLine) ([]byte, error) { return json.Marshal(l) },
	Decode:  func(b []byte) (l junitLine, err error) { err = json.Unmarshal(b, &l); return l, err },
}

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
	text, kind := &s.Cases[i].Others, junitOthers
	if failure != nil {
		text, kind = &s.Cases[i].Failure, junitFailures
	}
	if *text == nil {
		*text = &junitText{p: p}
		if failure != nil {
			first := *failure
			(*text).first = &first
			line += "\nfix: " + first.Fix
			s.Failures++
			p.all.Failures++
		}
	}
	(*text).lines++
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
	if f := t.first; f != nil {
		start.Attr = []xml.Attr{
			{Name: xml.Name{Local: "message"}, Value: junitSafe(f.Message)},
			{Name: xml.Name{Local: "type"}, Value: f.Severity.String()},
		}
	}
	x.EncodeToken(start)
	for range t.lines {
		line, _ := t.p.next()
		x.EncodeToken(xml.CharData(junitSafe(line.Text) + "\n"))
	}
	return x.EncodeToken(start.End())
}

// junitSafe replaces characters that control a terminal.
func junitSafe(s string) string { return cli.Harmless(s, "\n\t") }
