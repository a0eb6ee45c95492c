package main

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
)

// A record is an entry as it is printed.
type record struct {
	sitemap.Entry
	from    *discover.Sitemap // the document that lists it; nil for parse
	sitemap string            // its location, "" to leave it out
	trust   string            // "" if the entry was not judged
	onSite  bool              // only if the entry was judged
	target  string            // that led to it, as it was given; "" for parse
	fetched time.Time         // when the document came
	change  discover.Change   // "" without --state
}

// A format writes records, each as a line. Append appends the line of a record to b.
type format struct {
	header string
	append func(b []byte, r *record) []byte
}

func appendText(b []byte, r *record) []byte { return append(append(b, r.Loc...), '\n') }

// appendJSON appends fields by hand. Extensions, which are rare, go through encoding/json.
func appendJSON(b []byte, r *record) []byte {
	b = appendString(append(b, `{"loc":`...), r.Loc)
	b = appendField(b, "kind", r.Kind.String())
	if !r.LastMod.IsZero() {
		b = append(r.LastMod.AppendTo(append(b, `,"lastmod":"`...)), '"')
	}
	if !r.Published.IsZero() {
		b = append(r.Published.AppendTo(append(b, `,"published":"`...)), '"')
	}
	if r.LastMod.ZoneAssumed() || r.Published.ZoneAssumed() {
		b = append(b, `,"zone_assumed":true`...)
	}
	b = appendField(b, "changefreq", r.ChangeFreq.String())
	if p, ok := r.Priority.Get(); ok {
		b = strconv.AppendFloat(append(b, `,"priority":`...), p, 'f', -1, 64)
	}
	b = appendField(b, "sitemap", r.sitemap)
	if r.trust != "" {
		b = appendField(b, "trust", r.trust)
		b = strconv.AppendBool(append(b, `,"on_site":`...), r.onSite)
	}
	if r.trust != "" || r.sitemap != "" {
		b = appendField(b, "target", r.target)
		if !r.fetched.IsZero() {
			b = append(r.fetched.AppendFormat(append(b, `,"fetched":"`...), time.RFC3339), '"')
		}
		b = appendField(b, "change", string(r.change))
	}
	if r.Extensions != nil {
		if fields := bytes.Trim(marshal(r.Extensions), "{}"); len(fields) > 0 {
			b = append(append(b, ','), fields...)
		}
	}
	return append(b, '}', '\n')
}

// marshal returns v as JSON in which HTML characters are not escaped.
func marshal(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // v is a type of ours that JSON can represent
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// appendField appends a field unless its value is "".
func appendField(b []byte, name, value string) []byte {
	if value == "" {
		return b
	}
	b = append(append(append(b, `,"`...), name...), `":`...)
	return appendString(b, value)
}

// appendString appends s as a JSON string.
func appendString(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			return append(b, marshal(s)...)
		}
	}
	return append(append(append(b, '"'), s...), '"')
}

// special are the characters that put a field of CSV in quotes.
const special = ",\"\r\n"

// appendCell appends a field of CSV, in quotes if it needs them (RFC 4180, section 2).
func appendCell(b []byte, s string) []byte {
	if !strings.ContainsAny(s, special) {
		return append(b, s...)
	}
	return append(append(append(b, '"'), strings.ReplaceAll(s, `"`, `""`)...), '"')
}
