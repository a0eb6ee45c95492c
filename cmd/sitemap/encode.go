package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
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
}

// A format writes records, each as a line. Append appends the line of a record to b.
type format struct {
	header string
	append func(b []byte, r *record) []byte
}

const csvHeader = "loc,kind,lastmod,changefreq,priority"

// formatOf returns the format of records that come from a file.
func formatOf(name string) (format, error) {
	switch name {
	case "text":
		return format{append: appendText}, nil
	case "jsonl":
		return format{append: appendJSON}, nil
	case "csv":
		return format{csvHeader + "\n", func(b []byte, r *record) []byte {
			return append(appendCSV(b, r), '\n')
		}}, nil
	}
	return format{}, fmt.Errorf("unknown format %q: want text, jsonl or csv", name)
}

// walkFormatOf returns the format of records that come from a walk: in CSV they have more columns.
func walkFormatOf(name string) (format, error) {
	if name == "csv" {
		return format{csvHeader + ",sitemap,trust,on_site\n", appendWalkedCSV}, nil
	}
	return formatOf(name)
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

func appendCSV(b []byte, r *record) []byte {
	b = append(appendCell(b, r.Loc), ',')
	b = append(append(b, r.Kind.String()...), ',')
	b = append(r.LastMod.AppendTo(b), ',')
	b = append(append(b, r.ChangeFreq.String()...), ',')
	if p, ok := r.Priority.Get(); ok {
		b = strconv.AppendFloat(b, p, 'f', -1, 64)
	}
	return b
}

func appendWalkedCSV(b []byte, r *record) []byte {
	b = append(appendCSV(b, r), ',')
	b = append(appendCell(b, r.sitemap), ',')
	b = append(append(b, r.trust...), ',')
	if r.trust != "" {
		b = strconv.AppendBool(b, r.onSite)
	}
	return append(b, '\n')
}

// appendCell appends a field of CSV, in quotes if it needs them (RFC 4180, section 2).
func appendCell(b []byte, s string) []byte {
	if !strings.ContainsAny(s, ",\"\r\n") {
		return append(b, s...)
	}
	return append(append(append(b, '"'), strings.ReplaceAll(s, `"`, `""`)...), '"')
}
