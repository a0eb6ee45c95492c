package output

import (
	"strings"

	"github.com/seed-322c453a/sitemap/batch"
)

// A Format writes records, each as a line. Append appends the line of a record to b.
type Format struct {
	Header string
	Append func(b []byte, r *batch.URL) []byte
}

func appendText(b []byte, r *batch.URL) []byte { return append(append(b, r.Loc...), '\n') }

// special are the characters that put a field of CSV in quotes.
const special = ",\"\r\n"

// AppendRow appends a row of CSV. Spreadsheets take its cells for text, not for formulas.
func AppendRow(b []byte, cells ...string) []byte {
	plain := make([]string, len(cells))
	for i, cell := range cells {
		if plain[i] = cell; isFormula(cell) {
			plain[i] = "'" + cell
		}
	}
	return AppendRawRow(b, plain...)
}

// AppendRawRow appends a row of CSV.
func AppendRawRow(b []byte, cells ...string) []byte {
	for i, cell := range cells {
		if i > 0 {
			b = append(b, ',')
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
