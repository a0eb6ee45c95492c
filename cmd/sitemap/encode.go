package main

import (
	"strings"

	"github.com/seed-322c453a/sitemap/batch"
)

// A record is an entry as it is printed.
type record = batch.URL

// A format writes records, each as a line. Append appends the line of a record to b.
type format struct {
	header string
	append func(b []byte, r *record) []byte
}

func appendText(b []byte, r *record) []byte { return append(append(b, r.Loc...), '\n') }

// special are the characters that put a field of CSV in quotes.
const special = ",\"\r\n"

// appendCell appends a field of CSV, in quotes if it needs them (RFC 4180, section 2).
func appendCell(b []byte, s string) []byte {
	if !strings.ContainsAny(s, special) {
		return append(b, s...)
	}
	return append(append(append(b, '"'), strings.ReplaceAll(s, `"`, `""`)...), '"')
}
