package output

import (
	"bytes"
	"slices"
	"strings"

	"github.com/seed-322c453a/sitemap/batch"
)

// A Printer prints URLs: a [*Format], a table or a [*Sample].
type Printer interface {
	Begin(out *Writer)
	Print(r *batch.URL) error // r may be changed afterwards
	End() error
}

// A Format prints URLs, each as a line. Append appends the line of a URL to b.
type Format struct {
	Header string
	Append func(b []byte, r *batch.URL) []byte
	out    *Writer
	line   []byte
}

// Begin makes out the output, and prints the header unless there is something in it.
func (f *Format) Begin(out *Writer) {
	if f.out = out; out.Length == 0 {
		out.Begin(f.Header)
	}
}

// Print prints a URL.
func (f *Format) Print(r *batch.URL) error {
	f.line = f.Append(f.line[:0], r)
	_, err := f.out.Write(f.line)
	return err
}

// End does nothing.
func (f *Format) End() error { return nil }

func appendText(b []byte, r *batch.URL) []byte { return append(append(b, r.Loc...), '\n') }

// AppendRow appends a row of CSV. Unless isRaw is set, spreadsheets take its cells for text, not
// for formulas.
func AppendRow(b []byte, isRaw bool, cells ...string) []byte {
	for i, cell := range cells {
		if i > 0 {
			b = append(b, ',')
		}
		b = endCell(append(b, cell...), len(b), isRaw)
	}
	return append(b, '\n')
}

// endCell makes the text from start on a cell of CSV (RFC 4180, section 2). Unless isRaw is set, it
// gets an apostrophe if a spreadsheet may take it for a formula.
func endCell(b []byte, start int, isRaw bool) []byte {
	if !isRaw && len(b) > start && strings.IndexByte("=+-@\t\r", b[start]) >= 0 {
		b = slices.Insert(b, start, '\'')
	}
	if bytes.ContainsAny(b[start:], ",\"\r\n") {
		quoted := strings.ReplaceAll(string(b[start:]), `"`, `""`)
		b = append(append(append(b[:start], '"'), quoted...), '"')
	}
	return b
}
