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

// AppendRow appends a row of CSV.
func AppendRow(b []byte, cells ...string) []byte {
	for i, cell := range cells {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendCell(b, cell)
	}
	return append(b, '\n')
}

// appendCell appends a field of CSV, in quotes if it needs them (RFC 4180, section 2).
func appendCell(b []byte, s string) []byte {
	if !strings.ContainsAny(s, special) {
		return append(b, s...)
	}
	return append(append(append(b, '"'), strings.ReplaceAll(s, `"`, `""`)...), '"')
}
