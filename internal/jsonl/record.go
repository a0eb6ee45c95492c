// Package jsonl writes entries and errors as the lines of JSON that the command prints and that the
// parts of a batch hold.
package jsonl

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
)

// A Record is an entry as it is printed.
type Record struct {
	sitemap.Entry
	Sitemap string          // the location of the document that lists it, "" to leave it out
	Trust   string          // "" if the entry was not judged
	OnSite  bool            // only if the entry was judged
	Target  string          // that led to it, as it was given; "" for parse
	Fetched time.Time       // when the document came
	Change  discover.Change // "" without --state
}

// Append appends the line of a record. It appends fields by hand; extensions, which are rare, go
// through encoding/json.
func Append(b []byte, r *Record) []byte {
	b = AppendString(append(b, `{"loc":`...), r.Loc)
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
	b = appendField(b, "sitemap", r.Sitemap)
	if r.Trust != "" {
		b = appendField(b, "trust", r.Trust)
		b = strconv.AppendBool(append(b, `,"on_site":`...), r.OnSite)
	}
	if r.Trust != "" || r.Sitemap != "" {
		b = appendField(b, "target", r.Target)
		if !r.Fetched.IsZero() {
			b = append(r.Fetched.AppendFormat(append(b, `,"fetched":"`...), time.RFC3339), '"')
		}
		b = appendField(b, "change", string(r.Change))
	}
	if r.Extensions != nil {
		if fields := bytes.Trim(Marshal(r.Extensions), "{}"); len(fields) > 0 {
			b = append(append(b, ','), fields...)
		}
	}
	return append(b, '}', '\n')
}

// Marshal returns v as JSON in which HTML characters are not escaped.
func Marshal(v any) []byte {
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
	return AppendString(b, value)
}

// AppendString appends s as a JSON string.
func AppendString(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			return append(b, Marshal(s)...)
		}
	}
	return append(append(append(b, '"'), s...), '"')
}

// Parse reads a line that Append has made. It loses whether a zone was assumed.
func Parse(line []byte) (Record, error) {
	fields := struct {
		Loc        string                    `json:"loc"`
		Kind       sitemap.Kind              `json:"kind"`
		LastMod    sitemap.Time              `json:"lastmod"`
		Published  sitemap.Time              `json:"published"`
		ChangeFreq sitemap.ChangeFreq        `json:"changefreq"`
		Priority   sitemap.Optional[float64] `json:"priority"`
		Sitemap    string                    `json:"sitemap"`
		Trust      string                    `json:"trust"`
		OnSite     bool                      `json:"on_site"`
		Target     string                    `json:"target"`
		Fetched    time.Time                 `json:"fetched"`
		Change     discover.Change           `json:"change"`
		sitemap.Extensions
	}{}
	err := json.Unmarshal(line, &fields)
	r := Record{
		Entry: sitemap.Entry{
			Loc: fields.Loc, Kind: fields.Kind, LastMod: fields.LastMod, Published: fields.Published,
			ChangeFreq: fields.ChangeFreq, Priority: fields.Priority,
		},
		Sitemap: fields.Sitemap, Trust: fields.Trust, OnSite: fields.OnSite,
		Target: fields.Target, Fetched: fields.Fetched, Change: fields.Change,
	}
	if !reflect.ValueOf(fields.Extensions).IsZero() {
		r.Extensions = &fields.Extensions
	}
	return r, err
}
