package output

import (
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

// special are the characters that put a field of CSV in quotes.
const special = ",\"\r\n"

// AppendRow appends a row of CSV. Unless isRaw is set, spreadsheets take its cells for text, not for
// formulas.
func AppendRow(b []byte, isRaw bool, cells ...string) []byte {
	for i, cell := range cells {
		if i > 0 {
			b = append(b, ',')
		}
		if !isRaw && isFormula(cell) {
			cell = "'" + cell
		}
		b = appendCell(b, cell)
	}
	return append(b, '\n')
}

// isFormula reports whether a spreadsheet may take a cell for a formula. An apostrophe before it
// makes it text.
func isFormula[T string | []byte](cell T) bool {
	return len(cell) > 0 && strings.IndexByte("=+-@\t\r", cell[0]) >= 0
}

// appendCell appends a field of CSV, in quotes if it needs them (RFC 4180, section 2).
func appendCell(b []byte, s string) []byte {
	if !strings.ContainsAny(s, special) {
		return append(b, s...)
	}
	return append(append(append(b, '"'), strings.ReplaceAll(s, `"`, `""`)...), '"')
}
