package batch

import (
	"bytes"
	"encoding"
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
	Fetched time.Time       // of the document; in a part, its own line has it
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

// parsePlain reads the line of a URL without extensions whose texts are ASCII without escapes, as
// most are, with its fields as AppendTo orders them. This takes a fifth of the time of
// encoding/json. It returns false for any other line.
func (u *URL) parsePlain(line []byte) bool {
	l := plainLine(line)
	u.Loc = string(l.cutText(`{"loc":"`))
	ok := l.cutValue(`,"kind":"`, &u.Kind) && l.cutValue(`,"lastmod":"`, &u.LastMod) &&
		l.cutValue(`,"published":"`, &u.Published)
	if l.cut(`,"zone_assumed":true`) {
		u.LastMod, u.Published = assumeZone(u.LastMod), assumeZone(u.Published)
	}
	ok = ok && l.cutValue(`,"changefreq":"`, &u.ChangeFreq) &&
		l.cutNumber(`,"priority":`, &u.Priority)
	u.Sitemap = string(l.cutText(`,"sitemap":"`))
	ok = ok && l.cutValue(`,"trust":"`, &u.Trust)
	u.OnSite = l.cut(`,"on_site":true`)
	l.cut(`,"on_site":false`)
	u.Target = string(l.cutText(`,"target":"`))
	ok = ok && l.cutValue(`,"fetched":"`, &u.Fetched)
	u.Change = discover.Change(l.cutText(`,"change":"`))
	return ok && u.Loc != "" && string(l) == "}\n"
}

// A plainLine is the rest of a line. Plain fields are cut from its start, so that anything else is
// left at the end.
type plainLine []byte

func (l *plainLine) cut(start string) (ok bool) {
	if ok = bytes.HasPrefix(*l, []byte(start)); ok {
		*l = (*l)[len(start):]
	}
	return ok
}

// cutText cuts a field that has a text, and returns the text.
func (l *plainLine) cutText(start string) []byte {
	text, ok := bytes.CutPrefix(*l, []byte(start))
	end := bytes.IndexByte(text, '"')
	if !ok || end <= 0 {
		return nil
	}
	for _, c := range text[:end] {
		if c < ' ' || c >= 0x80 || c == '\\' {
			return nil
		}
	}
	*l = text[end+1:]
	return text[:end]
}

// cutValue cuts a field that has a text, if it is there, and sets v. It returns false if it cannot.
func (l *plainLine) cutValue(start string, v encoding.TextUnmarshaler) bool {
	text := l.cutText(start)
	return text == nil || v.UnmarshalText(text) == nil
}

// cutNumber cuts a field that has a number, if it is there, and sets v. It returns false if it
// cannot.
func (l *plainLine) cutNumber(start string, v *sitemap.Optional[float64]) bool {
	if !l.cut(start) {
		return true
	}
	end := max(0, bytes.IndexAny(*l, ",}"))
	text := (*l)[:end]
	*l = (*l)[end:]
	n, _ := strconv.ParseFloat(string(text), 64)
	*v = sitemap.Some(n)
	return bytes.Equal(strconv.AppendFloat(nil, n, 'f', -1, 64), text)
}
