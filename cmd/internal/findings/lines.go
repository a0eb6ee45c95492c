package findings

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strconv"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/audit"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
)

// A problemLine is a finding as jsonl prints it.
type problemLine struct {
	Type     string           `json:"type"`
	Code     sitemap.Code     `json:"code"`
	Severity sitemap.Severity `json:"severity"`
	Sitemap  string           `json:"sitemap"`
	Line     int              `json:"line"`
	Column   int              `json:"column"`
	Loc      string           `json:"loc"`
	Text     string           `json:"text"`
	Message  string           `json:"message"`
	Fix      string           `json:"fix"`
	Dropped  bool             `json:"dropped"`
	Target   string           `json:"target"`
}

func lineOf(f *audit.Finding, target string) problemLine {
	return problemLine{
		"problem", f.Code, f.Severity, f.Sitemap, f.Pos.Line, f.Column, f.Loc, f.Text, f.Message,
		f.Fix, f.Dropped, target,
	}
}

// A totalLine is the last line of jsonl.
type totalLine struct {
	Type      string `json:"type"`
	Documents int64  `json:"documents"`
	URLs      int64  `json:"urls"`
	Errors    int64  `json:"errors"`
	Warnings  int64  `json:"warnings"`
	Infos     int64  `json:"infos"`
	Judged    int64  `json:"pages_judged,omitempty"`
}

// A jsonPrinter prints one object a line.
type jsonPrinter struct {
	w   io.Writer
	err error
}

func (p *jsonPrinter) print(v any) {
	if p.err != nil {
		return
	}
	var line bytes.Buffer
	e := json.NewEncoder(&line)
	e.SetEscapeHTML(false)
	if p.err = e.Encode(v); p.err == nil {
		text := line.Bytes()
		if bytes.IndexByte(text, 0xc2) >= 0 { // the first byte of all that c1 matches
			text = c1.ReplaceAllFunc(text, func(b []byte) []byte { return fmt.Appendf(nil, "\\u%04x", b[1]) })
		}
		_, p.err = p.w.Write(text)
	}
}

// c1 matches control characters that JSON need not escape and that steer terminals.
var c1 = regexp.MustCompile("[\u0080-\u009f]")

func (p *jsonPrinter) Finding(f *audit.Finding, target string) { p.print(lineOf(f, target)) }

func (p *jsonPrinter) Document(d *DocumentEnd) {
	if p.err == nil {
		_, p.err = p.w.Write(d.JSON)
	}
}

func (p *jsonPrinter) End(t Totals) error {
	p.print(totalLine{"total", t.Documents, t.URLs, t.Errors, t.Warnings, t.Infos, t.Judged})
	return p.err
}

// A csvPrinter prints a row for each finding and for each error that ended a document.
type csvPrinter struct{ w *csv.Writer }

func newCSV(w io.Writer) *csvPrinter {
	p := &csvPrinter{csv.NewWriter(w)}
	p.w.Write([]string{
		"code", "severity", "sitemap", "line", "column", "loc", "text", "message", "fix", "dropped",
	})
	return p
}

func (p *csvPrinter) Finding(f *audit.Finding, _ string) {
	const layout = "\n\t"
	p.w.Write([]string{
		string(f.Code), f.Severity.String(), f.Sitemap, strconv.Itoa(f.Pos.Line),
		strconv.Itoa(f.Column), f.Loc, cli.Harmless(f.Text, layout), cli.Harmless(f.Message, layout), f.Fix,
		strconv.FormatBool(f.Dropped),
	})
}

func (p *csvPrinter) Document(d *DocumentEnd) {
	if d.Code != "" && !d.Known {
		p.Finding(OfDocument(d), "")
	}
}

func (p *csvPrinter) End(Totals) error {
	p.w.Flush()
	return p.w.Error()
}
