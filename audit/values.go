package audit

import (
	"fmt"
	"hash/maphash"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/seed-322c453a/sitemap"
)

const (
	newsAge       = 48 * time.Hour
	farFuture     = 24 * time.Hour
	stale         = 365 * 24 * time.Hour
	fetchWindow   = time.Minute // around the time of the response
	manyEntries   = 20          // above which equal values say something
	maxRemembered = 1 << 20     // locations of a document that are compared
)

// values are what the values of a document's entries are together.
type values struct {
	entries   int64
	mods      int64
	otherMods bool         // two lastmods differ
	firstMod  sitemap.Time // of the document
	newest    sitemap.Time
	latest    time.Time // when newest starts
	modAt     mark      // of the first lastmod
	fresh     bool      // all lastmods so far are those of the response

	priorities    int64
	priority      float64
	otherPriority bool
	priorityAt    mark

	seen occurrences
	full bool
}

// add judges the values of an entry.
func (v *values) add(d *document, e *sitemap.Entry) {
	v.entries++
	d.entry = e
	at := func(local string) int64 { return d.structure.fieldOffset(e.Pos.Offset, local) }
	v.location(d, e, at)
	if !e.LastMod.IsZero() {
		v.lastMod(d, e, at)
	}
	if p, ok := e.Priority.Get(); ok {
		if v.priorities++; v.priorities == 1 {
			v.priority, v.priorityAt = p, d.mark(at("priority"))
		}
		v.otherPriority = v.otherPriority || p != v.priority
	}
}

func (v *values) lastMod(d *document, e *sitemap.Entry, at func(string) int64) {
	t := e.LastMod
	if v.mods++; v.mods == 1 {
		v.firstMod, v.newest, v.modAt, v.fresh = t, t, d.mark(at("lastmod")), !d.Date.IsZero()
	}
	v.otherMods = v.otherMods || t != v.firstMod
	start := t.Start()
	if start.After(v.latest) {
		v.newest, v.latest = t, start
	}
	v.fresh = v.fresh && t.Precision() >= sitemap.Minute &&
		start.Sub(d.Date).Abs() <= fetchWindow
	if start.After(d.now.Add(farFuture)) {
		d.find(
			"lastmod_future",
			at("lastmod"),
			t.String(),
			fmt.Sprintf("lastmod %q is in the future", t),
		)
	}
}

var seed, pathSeed = maphash.MakeSeed(), maphash.MakeSeed()

const formFactor = 0x9e3779b97f4a7c15 // odd, so that forms give different keys

// location judges the location of an entry.
func (v *values) location(d *document, e *sitemap.Entry, at func(string) int64) {
	odd := indexUnescaped(e.Loc)
	isBracket := odd >= 0 && (e.Loc[odd] == '[' || e.Loc[odd] == ']')
	if why := notURI(e.Loc, isBracket); why != "" && d.structure != nil {
		d.find(sitemap.BadLoc, at("loc"), e.Loc, why)
	}
	if odd >= 0 && !isBracket {
		r, _ := utf8.DecodeRuneInString(e.Loc[odd:])
		d.find("unescaped_loc", at("loc"), e.Loc,
			fmt.Sprintf("the URL contains %q, which must be escaped", r))
	}
	if id := sessionID(e.Loc); id != "" {
		d.find(
			"session_id",
			at("loc"),
			e.Loc,
			fmt.Sprintf("the URL has a session ID: %s", quoted(id)),
		)
	}
	if v.seen.n >= maxRemembered {
		v.full = true
		return
	}
	key, form := keyOf(e.Loc)
	first, isNew := v.seen.add(key, occurrence{form, uint32(e.Pos.Line)})
	if isNew {
		return
	}
	if first.form != form { // then the key alone does not say whether this form came before
		first, isNew = v.seen.add(key^uint64(form)*formFactor, occurrence{form, uint32(e.Pos.Line)})
	}
	switch {
	case isNew:
		d.find(
			"same_page_variants",
			at("loc"),
			e.Loc,
			fmt.Sprintf("%s and a URL before it differ only in "+
				"http or https, www, the default port or a fragment", quoted(e.Loc)),
		)
	case e.Kind == sitemap.Sitemap:
		d.find("sitemap_listed_twice", at("loc"), e.Loc, listedBefore(e.Loc, first.line))
	default:
		d.find("duplicate_loc", at("loc"), e.Loc, listedBefore(e.Loc, first.line))
	}
}

func listedBefore(loc string, line uint32) string {
	return fmt.Sprintf("%s is listed before, on line %d", quoted(loc), line)
}

// sessionKeys are names of parameters that hold a session ID.
var sessionKeys = []string{
	"jsessionid", "phpsessid", "sessionid", "session_id", "sid", "oscsid", "zenid", "cfid", "cftoken",
}

// sessionID returns the first parameter in a URL that holds a session ID, or "".
func sessionID(loc string) string {
	if strings.IndexByte(loc, '?') < 0 && strings.IndexByte(loc, ';') < 0 { // as most
		return ""
	}
	for {
		i := strings.IndexAny(loc, "?&;")
		if i < 0 {
			return ""
		}
		loc = loc[i+1:]
		name, value, _ := strings.Cut(loc, "=")
		isKey := slices.ContainsFunc(
			sessionKeys,
			func(key string) bool { return strings.EqualFold(key, name) },
		)
		if isKey || len(name) > 12 && strings.EqualFold(name[:12], "aspsessionid") {
			if end := strings.IndexAny(value, "&;#"); end >= 0 {
				value = value[:end]
			}
			if value != "" {
				return name + "=" + value
			}
		}
	}
}

// keyOf returns a hash of a location that variants of it share, and the form that tells it from
// them: its scheme, "www.", the default port and the fragment.
func keyOf(loc string) (key uint64, form uint32) {
	form = 1
	loc, fragment, ok := strings.Cut(loc, "#")
	if ok {
		form = uint32(maphash.String(seed, fragment))<<4 | 1
	}
	port := ":80"
	rest, ok := strings.CutPrefix(loc, "https://")
	if ok {
		form |= 2
		port = ":443"
	} else {
		rest = strings.TrimPrefix(rest, "http://")
	}
	if r, ok := strings.CutPrefix(rest, "www."); ok {
		rest = r
		form |= 4
	}
	host, path := rest, ""
	if i := strings.IndexByte(rest, '/'); i >= 0 {
		host, path = rest[:i], rest[i:]
	}
	if strings.HasSuffix(host, port) {
		form |= 8
		host = strings.TrimSuffix(host, port)
	}
	return maphash.String(seed, host) ^ maphash.String(pathSeed, path), form
}

// allowed holds the characters that a URL may contain as they are (RFC 3986, section 2). Brackets
// are allowed in the host only.
var allowed = func() (table [256]bool) {
	for _, c := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz" +
		"0123456789-._~:/?#@!$&'()*+,;=%") {
		table[c] = true
	}
	return table
}()

// indexUnescaped returns the index of the first character that a URL may not contain as it is, or
// -1.
func indexUnescaped(loc string) int {
	for i := range len(loc) {
		c := loc[i]
		if !allowed[c] &&
			(c != '[' && c != ']' || strings.Contains(loc[min(len("https://"), i):i], "/")) {
			return i
		}
	}
	return -1
}

// wholeDocument judges what the document is as a whole.
func (d *document) wholeDocument(declared string) {
	d.entry = nil
	d.encoding(declared)
	v := &d.values
	if v.full {
		d.findAt("duplicate_loc", d.start, "", fmt.Sprintf(
			"repetitions were looked for among the first %d URLs only", maxRemembered))
	}
	if v.mods > manyEntries && !v.otherMods {
		d.findAt("lastmod_all_equal", v.modAt, v.firstMod.String(),
			fmt.Sprintf("all %d lastmods are %q", v.mods, v.firstMod))
	}
	if v.mods > 1 && v.fresh {
		d.findAt("lastmod_is_fetch_time", v.modAt, v.firstMod.String(),
			fmt.Sprintf("all %d lastmods are the time of the request", v.mods))
	}
	if v.entries > 0 && v.mods < v.entries && d.summary.Format != sitemap.Text {
		d.findAt("lastmod_coverage", d.start, "", fmt.Sprintf("%d of %d entries have a lastmod (%d %%)",
			v.mods, v.entries, v.mods*100/v.entries))
	}
	if v.mods > 0 && v.newest.End().Before(d.now.Add(-stale)) {
		d.findAt("lastmod_stale", d.start, v.newest.String(),
			fmt.Sprintf("the newest lastmod, %q, is older than a year", v.newest))
	}
	if v.priorities > manyEntries && !v.otherPriority {
		d.findAt("priority_all_equal", v.priorityAt, fmt.Sprint(v.priority),
			fmt.Sprintf("all %d priorities are %v", v.priorities, v.priority))
	}
}

// encoding judges the encoding of a document that is not a feed.
func (d *document) encoding(declared string) {
	name := d.summary.Encoding
	if f := d.summary.Format; f == sitemap.RSS || f == sitemap.Atom {
		return
	}
	if name == "utf-8" &&
		(declared == "" || strings.EqualFold(declared, "utf-8") || strings.EqualFold(declared, "utf8")) {
		return
	}
	if name == "utf-8" {
		name = declared
	}
	d.findAt("not_utf8", d.top, name, fmt.Sprintf("the encoding is %s, not UTF-8", name))
}
