package batch

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/discover/trust"
	"github.com/seed-322c453a/sitemap/internal/jsonl"
)

// A URL is a page that a sitemap lists. Its line has no type.
type URL struct {
	sitemap.Entry
	Sitemap string          // the location of the document that lists it, "" to leave it out
	Trust   trust.Level     // 0 if the entry was not judged
	OnSite  bool            `json:"on_site"` // only if the entry was judged
	Target  string          // the target that led to it, as it was listed
	Fetched time.Time       // when the document was fetched; in a part, the line of the document has it
	Change  discover.Change // "" without the state of earlier walks
}

// AppendTo appends the line of a URL. Fields are appended by hand for speed; extensions, which are
// rare, go through encoding/json.
func (u *URL) AppendTo(b []byte) []byte {
	b = jsonl.AppendString(append(b, `{"loc":`...), u.Loc)
	b = appendField(b, "kind", u.Kind.String())
	if !u.LastMod.IsZero() {
		b = append(u.LastMod.AppendTo(append(b, `,"lastmod":"`...)), '"')
	}
	if !u.Published.IsZero() {
		b = append(u.Published.AppendTo(append(b, `,"published":"`...)), '"')
	}
	if u.LastMod.ZoneAssumed() || u.Published.ZoneAssumed() {
		b = append(b, `,"zone_assumed":true`...)
	}
	b = appendField(b, "changefreq", u.ChangeFreq.String())
	if p, ok := u.Priority.Get(); ok {
		b = strconv.AppendFloat(append(b, `,"priority":`...), p, 'f', -1, 64)
	}
	b = appendField(b, "sitemap", u.Sitemap)
	if u.Trust != 0 {
		b = appendField(b, "trust", u.Trust.String())
		b = strconv.AppendBool(append(b, `,"on_site":`...), u.OnSite)
	}
	if u.Trust != 0 || u.Sitemap != "" {
		b = appendField(b, "target", u.Target)
		if !u.Fetched.IsZero() {
			b = append(u.Fetched.AppendFormat(append(b, `,"fetched":"`...), time.RFC3339), '"')
		}
		b = appendField(b, "change", string(u.Change))
	}
	if u.Extensions != nil {
		if fields := bytes.Trim(jsonl.Marshal(u.Extensions), "{}"); len(fields) > 0 {
			b = append(append(b, ','), fields...)
		}
	}
	return append(b, '}', '\n')
}

// appendField appends a field unless its value is "".
func appendField(b []byte, name, value string) []byte {
	if value == "" {
		return b
	}
	b = append(append(append(b, `,"`...), name...), `":`...)
	return jsonl.AppendString(b, value)
}

// parseURL parses a line that AppendTo wrote.
func parseURL(line []byte) (*URL, error) {
	if u := new(URL); u.parsePlain(line) {
		return u, nil
	}
	return decodeURL(line)
}

// decodeURL parses the line of any URL.
func decodeURL(line []byte) (*URL, error) {
	var u URL
	var x sitemap.Extensions
	fields := struct {
		*URL
		*sitemap.Extensions
		NoZone bool `json:"zone_assumed"`
	}{URL: &u, Extensions: &x}
	err := json.Unmarshal(line, &fields)
	if fields.NoZone {
		u.LastMod, u.Published = assumeZone(u.LastMod), assumeZone(u.Published)
	}
	if !reflect.ValueOf(x).IsZero() {
		u.Extensions = &x
	}
	return &u, err
}

// assumeZone marks a time as listed without a zone, if it could have been.
func assumeZone(t sitemap.Time) sitemap.Time {
	if _, offset := t.Start().Zone(); t.Precision() < sitemap.Minute || offset != 0 {
		return t
	}
	return t.AssumeZone()
}

// parsePlain reads the line of a URL without extensions whose texts are ASCII without escapes, as most
// are, in a fifth of the time that encoding/json takes. It returns false for any other line.
func (u *URL) parsePlain(line []byte) bool {
	rest, noZone := bytes.TrimSuffix(line, []byte("\n")), false
	for start := byte('{'); len(rest) > 0 && rest[0] == start; start = ',' {
		name, value, after, ok := cutField(rest[1:])
		if !ok || !u.set(name, value, &noZone) {
			return false
		}
		rest = after
	}
	if noZone {
		u.LastMod, u.Published = assumeZone(u.LastMod), assumeZone(u.Published)
	}
	return u.Loc != "" && string(rest) == "}"
}

// set sets a field. It returns false if it cannot.
func (u *URL) set(name, value []byte, noZone *bool) (ok bool) {
	text, isText := bytes.CutPrefix(value, []byte{'"'})
	if !isText {
		switch string(name) {
		case "priority":
			p, _ := strconv.ParseFloat(string(value), 64)
			u.Priority = sitemap.Some(p)
			return bytes.Equal(strconv.AppendFloat(nil, p, 'f', -1, 64), value)
		case "on_site":
			u.OnSite = string(value) == "true"
			return u.OnSite || string(value) == "false"
		case "zone_assumed":
			*noZone = string(value) == "true"
			return *noZone
		}
		return false
	}
	switch string(name) {
	case "loc":
		u.Loc = string(text)
	case "kind":
		return u.Kind.UnmarshalText(text) == nil
	case "lastmod":
		return u.LastMod.UnmarshalText(text) == nil
	case "published":
		return u.Published.UnmarshalText(text) == nil
	case "changefreq":
		return u.ChangeFreq.UnmarshalText(text) == nil
	case "sitemap":
		u.Sitemap = string(text)
	case "trust":
		return u.Trust.UnmarshalText(text) == nil
	case "target":
		u.Target = string(text)
	case "fetched":
		return u.Fetched.UnmarshalText(text) == nil
	case "change":
		u.Change = discover.Change(text)
	default:
		return false
	}
	return true
}

// cutField cuts a field from the start of b. Of a text, the value includes the first quotation mark.
func cutField(b []byte) (name, value, rest []byte, ok bool) {
	name, b, ok = cutText(b)
	if !ok || len(b) == 0 || b[0] != ':' {
		return nil, nil, nil, false
	}
	if value, rest, ok = cutText(b[1:]); ok {
		return name, b[1 : len(value)+2], rest, true
	}
	end := bytes.IndexAny(b, ",}")
	if end < 0 || b[1] == '"' {
		return nil, nil, nil, false
	}
	return name, b[1:end], b[end:], true
}

// cutText cuts a text in quotation marks from the start of b.
func cutText(b []byte) (text, rest []byte, ok bool) {
	if len(b) == 0 || b[0] != '"' {
		return nil, nil, false
	}
	for i, c := range b[1:] {
		switch {
		case c == '"':
			return b[1 : i+1], b[i+2:], true
		case c < ' ' || c == '\\' || c >= 0x80:
			return nil, nil, false
		}
	}
	return nil, nil, false
}
