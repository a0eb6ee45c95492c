package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
)

// A record is an entry as it is printed.
type record struct {
	sitemap.Entry
	from    *discover.Sitemap // the document that lists it; nil for parse
	sitemap string            // its location, "" to leave it out
	trust   string            // "" where the entry was not judged
	onSite  bool              // told where the entry was judged
}

// A format writes records, each as a line. Its methods append to b.
type format interface {
	header(b []byte) []byte
	record(b []byte, r *record) []byte
}

// newFormat returns the format of a name: text, jsonl or csv. Walked says
// whether the records come from a walk, which gives them more columns.
func newFormat(name string, walked bool) (format, error) {
	switch name {
	case "text":
		return textFormat{}, nil
	case "jsonl":
		return new(jsonFormat), nil
	case "csv":
		return csvFormat{walked}, nil
	}
	return nil, fmt.Errorf("no format is called %q; there are text, jsonl and csv", name)
}

type textFormat struct{}

func (textFormat) header(b []byte) []byte { return b }

func (textFormat) record(b []byte, r *record) []byte {
	return append(append(b, r.Loc...), '\n')
}

// A jsonFormat writes JSON by appending. Only extensions, which are rare and
// deep, go through encoding/json.
type jsonFormat struct{ scratch bytes.Buffer }

func (*jsonFormat) header(b []byte) []byte { return b }

func (f *jsonFormat) record(b []byte, r *record) []byte {
	b = append(b, `{"loc":`...)
	b = appendString(b, r.Loc)
	b = append(b, `,"kind":"`...)
	b = append(b, r.Kind.String()...)
	b = append(b, '"')
	b = appendTime(b, "lastmod", r.LastMod)
	b = appendTime(b, "published", r.Published)
	if r.ChangeFreq != 0 {
		b = appendField(b, "changefreq", r.ChangeFreq.String())
	}
	if p, ok := r.Priority.Get(); ok {
		b = append(b, `,"priority":`...)
		b = strconv.AppendFloat(b, p, 'f', -1, 64)
	}
	if r.sitemap != "" {
		b = appendField(b, "sitemap", r.sitemap)
	}
	if r.trust != "" {
		b = appendField(b, "trust", r.trust)
		b = append(b, `,"on_site":`...)
		b = strconv.AppendBool(b, r.onSite)
	}
	if r.Extensions != nil {
		b = f.extensions(b, r.Extensions)
	}
	return append(b, '}', '\n')
}

// extensions appends the fields of x.
func (f *jsonFormat) extensions(b []byte, x *sitemap.Extensions) []byte {
	f.scratch.Reset()
	enc := json.NewEncoder(&f.scratch)
	enc.SetEscapeHTML(false)
	if enc.Encode(x) != nil {
		return b // the types of Extensions have no value that JSON has not
	}
	fields := bytes.TrimSuffix(bytes.TrimPrefix(f.scratch.Bytes(), []byte("{")), []byte("}\n"))
	if len(fields) == 0 {
		return b
	}
	return append(append(b, ','), fields...)
}

func appendTime(b []byte, name string, t sitemap.Time) []byte {
	if t.IsZero() {
		return b
	}
	b = append(b, ',', '"')
	b = append(b, name...)
	b = append(b, `":"`...)
	return append(t.AppendTo(b), '"')
}

func appendField(b []byte, name, value string) []byte {
	b = append(b, ',', '"')
	b = append(b, name...)
	b = append(b, '"', ':')
	return appendString(b, value)
}

// appendString appends s as a JSON string. Bytes that are not UTF-8 become
// U+FFFD; nothing is escaped that need not be (RFC 8259, section 7).
func appendString(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c >= ' ' && c != '"' && c != '\\' {
				i++
				continue
			}
			b = append(b, s[start:i]...)
			switch c {
			case '"', '\\':
				b = append(b, '\\', c)
			case '\n':
				b = append(b, '\\', 'n')
			case '\r':
				b = append(b, '\\', 'r')
			case '\t':
				b = append(b, '\\', 't')
			default:
				b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
			}
			i++
			start = i
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			b = append(b, s[start:i]...)
			b = utf8.AppendRune(b, utf8.RuneError)
			start = i + 1
		}
		i += n
	}
	return append(append(b, s[start:]...), '"')
}

type csvFormat struct{ walked bool }

func (f csvFormat) header(b []byte) []byte {
	b = append(b, "loc,kind,lastmod,changefreq,priority"...)
	if f.walked {
		b = append(b, ",sitemap,trust,on_site"...)
	}
	return append(b, '\n')
}

func (f csvFormat) record(b []byte, r *record) []byte {
	b = appendCSV(b, r.Loc)
	b = append(append(b, ','), r.Kind.String()...)
	b = r.LastMod.AppendTo(append(b, ','))
	b = append(append(b, ','), r.ChangeFreq.String()...)
	b = append(b, ',')
	if p, ok := r.Priority.Get(); ok {
		b = strconv.AppendFloat(b, p, 'f', -1, 64)
	}
	if f.walked {
		b = appendCSV(append(b, ','), r.sitemap)
		b = append(append(b, ','), r.trust...)
		b = append(b, ',')
		if r.trust != "" {
			b = strconv.AppendBool(b, r.onSite)
		}
	}
	return append(b, '\n')
}

// appendCSV appends a field, in quotes where RFC 4180 asks for them.
func appendCSV(b []byte, s string) []byte {
	special := false
	for i := 0; i < len(s) && !special; i++ {
		special = s[i] == ',' || s[i] == '"' || s[i] == '\n' || s[i] == '\r'
	}
	if !special {
		return append(b, s...)
	}
	b = append(b, '"')
	for i := range len(s) {
		if s[i] == '"' {
			b = append(b, '"')
		}
		b = append(b, s[i])
	}
	return append(b, '"')
}
