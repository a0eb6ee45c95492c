package discover

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/fetch"
	"github.com/seed-322c453a/sitemap/internal/input"
	"github.com/seed-322c453a/sitemap/internal/location"
	"github.com/seed-322c453a/sitemap/internal/space"
)

const (
	// MaxRobots is how many decoded bytes of a robots.txt are read (RFC 9309,
	// section 2.5). What lies behind is reported as sitemap.TooLarge.
	MaxRobots = 500 << 10
	// maxRobotsProblems bounds Robots.Problems.
	maxRobotsProblems = 1_000
)

// Robots is a robots.txt. It is not changed once it is made, and safe for
// concurrent use.
type Robots struct {
	// URL is where it was asked for.
	URL string
	// Sitemaps are those that it names, in its order, each once, with what it
	// grants them.
	Sitemaps []*Sitemap
	// Problems are what was repaired, assumed or dropped of its Sitemap records, at
	// most 1,000. Problem.Field is "sitemap".
	Problems []sitemap.Problem

	none   error    // why it names none, if it names none
	hops   []string // URLs that redirects led to, the one that answered last
	answer *answer  // by which it came, of one that broke off
	rules  rules
}

// ParseRobots reads the Sitemap records, groups and rules of a robots.txt. Base
// is its location, or the URL of its site without a path, which relative records are
// resolved against and whose host its grants are for, see RobotsGrants; nil if it is not
// known.
//
// It reads at most MaxRobots bytes, of any charset that a byte order mark tells,
// else of UTF-8. Lines end with LF, CR LF or CR. No line can lose another. Beyond
// "Sitemap: URL" (sitemaps.org, "Specifying the Sitemap location in your
// robots.txt file") it reads Site-map, Sitemaps, Sitemap-index and Sitemap_index,
// a missing colon, a bare URL with "sitemap" in it, several URLs, and quotes and
// brackets around them. An HTML page where robots.txt should be names nothing.
//
// The error is that of r; what was read before it is returned with it, but for the
// line that it cut.
func ParseRobots(r io.Reader, base *url.URL) (*Robots, error) {
	var loc string
	if base != nil {
		if base.Host != "" && (base.Path == "" || base.Path == "/") && base.RawQuery == "" {
			base = &url.URL{Scheme: base.Scheme, User: base.User, Host: base.Host, Path: "/robots.txt"}
		}
		loc = sitemap.Redact(base.String())
	}
	return parseRobots(r, base, loc)
}

// parseRobots reads what was asked for at loc and served at base, by way of
// hops.
func parseRobots(r io.Reader, base *url.URL, loc string, hops ...string) (*Robots, error) {
	text, cut, err := readRobots(r)
	p := &robotsReader{
		robots:   &Robots{URL: loc, hops: hops},
		resolver: location.Resolver{Base: base},
		scope:    Scope{RobotsGrants(loc, hops...)},
		self:     map[string]bool{docKey(loc): true},
		seen:     map[string]bool{},
	}
	if base != nil {
		p.self[docKey(base.String())] = true
	}
	for _, hop := range hops {
		p.self[docKey(hop)] = true
	}
	for k := range maps.Clone(p.self) { // by either scheme
		if plain, ok := strings.CutPrefix(k, "https://"); ok {
			p.self["http://"+plain] = true
		} else {
			p.self["https://"+strings.TrimPrefix(k, "http://")] = true
		}
	}
	html := isHTML(text)
	if html {
		p.problem(sitemap.RobotsHTML, "", false)
	} else {
		p.read(text)
	}
	p.robots.none = p.whyNone(text, html)
	if cut {
		p.problem(sitemap.TooLarge, "", false)
	}
	return p.robots, err
}

var (
	errNamesNone   = errors.New("names no sitemap")
	errRecordsBad  = errors.New("names no sitemap: its Sitemap records hold no usable URL")
	errRobotsHTML  = errors.New("names no sitemap: an HTML page instead of a robots.txt")
	errRobotsEmpty = errors.New("names no sitemap: empty")
)

// whyNone returns why a robots.txt names no sitemap, nil if it names some.
func (p *robotsReader) whyNone(text []byte, html bool) error {
	switch {
	case len(p.robots.Sitemaps) > 0:
		return nil
	case html:
		return errRobotsHTML
	case len(trimBlanks(bytes.TrimSpace(text))) == 0:
		return errRobotsEmpty
	case slices.ContainsFunc(p.robots.Problems, func(p sitemap.Problem) bool { return p.Dropped }):
		return errRecordsBad
	}
	return errNamesNone
}

// readRobots returns the decoded text without the line that the limit or an error
// cuts.
func readRobots(r io.Reader) (text []byte, cut bool, err error) {
	// A robots.txt is UTF-8 (RFC 9309, section 2.3); a byte order mark still wins.
	in := input.Open(r, &sitemap.Options{ContentType: "text/plain; charset=utf-8"})
	defer in.Close()
	text, err = io.ReadAll(io.LimitReader(in, MaxRobots+1))
	if cut = len(text) > MaxRobots; cut {
		text, err = text[:MaxRobots], nil
	}
	if cut || err != nil {
		text = text[:bytes.LastIndexAny(text, "\r\n")+1]
	}
	return text, cut, err
}

// isHTML reports whether text starts as a page does, behind comments and an XML declaration.
func isHTML(text []byte) bool {
	for {
		text = bytes.TrimSpace(text)
		end := -1
		switch {
		case bytes.HasPrefix(text, []byte("<!--")):
			end = bytes.Index(text, []byte("-->"))
		case bytes.HasPrefix(text, []byte("<?xml")):
			end = bytes.IndexByte(text, '>')
		}
		if end < 0 {
			break
		}
		text = text[end+1:]
		text = bytes.TrimPrefix(text, []byte("->"))
	}
	for _, start := range []string{"<!doctype", "<html", "<head", "<body"} {
		if len(text) >= len(start) && bytes.EqualFold(text[:len(start)], []byte(start)) {
			return true
		}
	}
	return false
}

// A robotsReader reads the lines of a robots.txt.
type robotsReader struct {
	robots   *Robots
	resolver location.Resolver
	scope    Scope
	self     map[string]bool // docKeys of the robots.txt
	seen     map[string]bool // locations named so far
	pos      sitemap.Position
}

func (p *robotsReader) read(text []byte) {
	var groups groupFilter
	p.pos.Line = 1
	for len(text) > 0 {
		end := bytes.IndexAny(text, "\r\n")
		next := end + 1
		switch {
		case end < 0:
			end, next = len(text), len(text)
		case text[end] == '\r' && next < len(text) && text[next] == '\n':
			next++
		}
		p.line(text[:end], &groups)
		p.pos.Offset += int64(next)
		p.pos.Line++
		text = text[next:]
	}
	p.robots.rules = groups.rules()
}

// line reads one line: a record is a key, a colon and a value (RFC 9309, section
// 2.2), less what follows a number sign.
func (p *robotsReader) line(line []byte, groups *groupFilter) {
	line, _, _ = bytes.Cut(line, []byte("#"))
	line = trimBlanks(line)
	if len(line) == 0 {
		return
	}
	if bytes.IndexByte(line, 0) >= 0 {
		p.problem(sitemap.ControlChar, string(line), false)
		line = bytes.ReplaceAll(line, []byte{0}, nil)
	}
	key, value, colon := bytes.Cut(line, []byte(":"))
	name := strings.ToLower(string(trimBlanks(key)))
	switch {
	case colon && name == "sitemap":
		p.record(value)
	case colon && isSitemapTypo(name):
		p.problem(sitemap.MismatchedTag, string(line), false)
		p.record(value)
	case isBareURL(line):
		p.problem(sitemap.TextAsLoc, string(line), false)
		p.record(line)
	default:
		if first, rest, ok := cutBlank(line); ok && isSitemapKey(strings.ToLower(string(first))) && hasHTTP(trimQuotes(rest)) {
			p.problem(sitemap.TextAsLoc, string(line), false)
			p.record(rest)
			return
		}
		if colon {
			groups.add(name, trimBlanks(value))
		}
	}
}

func isSitemapTypo(key string) bool {
	return slices.Contains([]string{"site-map", "sitemaps", "sitemap-index", "sitemap_index"}, key)
}

func isSitemapKey(key string) bool { return key == "sitemap" || isSitemapTypo(key) }

// isBareURL reports whether line starts as an http URL that has "sitemap" in it.
func isBareURL(line []byte) bool {
	if !hasHTTP(trimQuotes(line)) {
		return false
	}
	return bytes.Contains(bytes.ToLower(line), []byte("sitemap"))
}

func hasHTTP(b []byte) bool {
	for _, scheme := range []string{"http://", "https://"} {
		if len(b) > len(scheme) && bytes.EqualFold(b[:len(scheme)], []byte(scheme)) {
			return true
		}
	}
	return false
}

// record takes the locations of one record's value.
func (p *robotsReader) record(value []byte) {
	values, cut := splitValue(value)
	switch {
	case len(values) == 0 && cut:
		p.problem(sitemap.JunkLine, string(trimBlanks(value)), true)
	case len(values) == 0:
		p.problem(sitemap.EmptyLoc, "", true)
	case len(values) > 1:
		p.problem(sitemap.SeveralLocs, string(trimBlanks(value)), false)
	case cut:
		p.problem(sitemap.LineCut, string(trimBlanks(value)), false)
	}
	for _, v := range values {
		p.name(v)
	}
}

// splitValue returns the locations in a record's value. Cut says that there was
// more: quotes, or words that are no URL.
func splitValue(value []byte) (locs [][]byte, cut bool) {
	var words [][]byte
	for rest := trimBlanks(value); len(rest) > 0; {
		var word []byte
		word, rest, _ = cutBlank(rest)
		for _, part := range splitCommas(word) {
			bare := trimQuotes(cutBehind(unwrap(unlist(part))))
			cut = cut || len(bare) != len(part) || len(part) == 0
			if len(bare) > 0 {
				words = append(words, bare)
			}
		}
	}
	if len(words) < 2 {
		return words, cut
	}
	for _, w := range words {
		if hasHTTP(w) {
			locs = append(locs, w)
		}
	}
	if len(locs) == 0 && bytes.ContainsAny(words[0], "/.") {
		locs = words[:1]
	}
	return locs, cut || len(locs) < len(words)
}

// splitCommas splits at the commas, semicolons and bars that a URL follows or that
// nothing follows.
func splitCommas(word []byte) [][]byte {
	var parts [][]byte
	start := 0
	for i, c := range word {
		if (c == ',' || c == ';' || c == '|') && (i == len(word)-1 || hasHTTP(bytes.TrimLeft(word[i+1:], quotes+"([{"))) {
			parts = append(parts, word[start:i])
			start = i + 1
		}
	}
	return append(parts, word[start:])
}

// unlist returns an item of a list in JSON, which the brackets of that may stand around.
func unlist(part []byte) []byte {
	if bytes.HasPrefix(part, []byte(`["`)) || bytes.HasSuffix(part, []byte(`"]`)) {
		part = bytes.TrimSuffix(bytes.TrimPrefix(part, []byte("[")), []byte("]"))
	}
	return part
}

// unwrap returns the URL within "(URL)", "[name](URL)", "url=URL": one before which
// there is no path and no query that it could be part of. A bracket at its end
// belongs to it unless there is one before it.
func unwrap(word []byte) []byte {
	i := bytes.Index(word, []byte("://"))
	for i > 0 && 'a' <= word[i-1]|0x20 && word[i-1]|0x20 <= 'z' {
		i--
	}
	if i <= 0 || !hasHTTP(word[i:]) || bytes.ContainsAny(word[:i], "/?.#") {
		return word
	}
	loc := word[i:]
	for _, c := range slices.Backward(word[:i]) {
		if n := strings.IndexByte("([{", c); n >= 0 {
			loc = bytes.TrimSuffix(trimQuotes(loc), []byte{")]}"[n]})
		}
	}
	return loc
}

const quotes = "\"'<>`“”„‘’‚«»‹›"

// trimQuotes takes quotes and angle brackets from both ends.
func trimQuotes(b []byte) []byte { return bytes.Trim(b, quotes) }

// cutBehind cuts off what is stuck to the end of a URL: a tag of HTML, the other half of a link in
// Markdown, or the key of the next line.
func cutBehind(word []byte) []byte {
	if !hasHTTP(word) {
		return word
	}
	if i := bytes.Index(word, []byte("](")); i > 0 && hasHTTP(word[i+2:]) {
		return word[:i]
	}
	if i := bytes.IndexByte(word, '<'); i > 0 && isTags(word[i:]) {
		return word[:i]
	}
	for _, key := range []string{"sitemap:", "user-agent:"} {
		n := len(word) - len(key)
		if n > 0 && strings.EqualFold(string(word[n:]), key) && !bytes.ContainsAny(word[n-1:n], "/=:&?-_.") {
			return word[:n]
		}
	}
	return word
}

// isTags reports whether s is nothing but tags, of which the last one may be cut.
func isTags(s []byte) bool {
	for len(s) > 0 && s[0] == '<' {
		_, s, _ = bytes.Cut(s, []byte(">"))
	}
	return len(s) == 0
}

// name takes one location.
func (p *robotsReader) name(raw []byte) {
	loc, codes, drop := p.resolver.Clean(raw)
	for _, c := range codes {
		p.problem(c, string(raw), false)
	}
	if drop != 0 {
		p.problem(drop, string(raw), true)
		return
	}
	switch {
	case p.self[docKey(loc)]:
		p.problem(sitemap.BogusLoc, loc, true)
		return
	case p.seen[loc]:
		p.problem(sitemap.DuplicateLoc, loc, false)
		return
	}
	p.seen[loc] = true
	p.robots.Sitemaps = append(p.robots.Sitemaps, &Sitemap{
		Loc: loc, RobotsURL: p.robots.URL, Line: p.pos.Line, Scope: p.scope,
	})
}

func (p *robotsReader) problem(code sitemap.Code, text string, dropped bool) {
	if len(p.robots.Problems) == maxRobotsProblems {
		return
	}
	p.robots.Problems = append(p.robots.Problems, sitemap.Problem{
		Code: code, Pos: p.pos, Field: "sitemap", Text: redactText(clip(text)), Dropped: dropped,
	})
}

// trimBlanks trims what stands around values unseen, NULs too.
func trimBlanks(b []byte) []byte {
	return bytes.TrimFunc(b, func(r rune) bool { return r == 0 || space.Is(r) })
}

// isBlank tells what robots.txt files have for blanks between values: ASCII white space,
// no-break spaces, NULs, byte order marks and zero width spaces.
func isBlank(r rune) bool {
	switch r {
	case ' ', '\t', '\v', '\f', 0, '\u00a0', '\ufeff', '\u200b', '\u3000', '\u2028', '\u2029', '\u0085':
		return true
	}
	return false
}

// cutBlank cuts b at its first blanks.
func cutBlank(b []byte) (word, rest []byte, ok bool) {
	i := bytes.IndexFunc(b, isBlank)
	if i < 0 {
		return b, nil, false
	}
	return b[:i], trimBlanks(b[i:]), true
}

// Allowed reports whether agent, a product token such as "sitemap" (RFC 9309,
// section 2.2.1), may fetch loc by the rules of this robots.txt: a URL, of which only path
// and query count, or these alone, from a slash on. The longest rule that matches counts, by
// its text, Allow where they are as long (section 2.2.2); asterisks at the end of a Disallow add
// nothing to it. A loc that cannot be read is not allowed.
func (r *Robots) Allowed(agent, loc string) bool {
	if strings.HasPrefix(loc, "/") && !strings.HasPrefix(loc, "//") {
		loc = "http://host" + loc
	}
	u, err := sitemap.ParseLoc(loc)
	if err != nil {
		return false
	}
	path := u.EscapedPath()
	if path == "" {
		path = "/"
	}
	if u.RawQuery != "" || u.ForceQuery {
		path += "?" + u.RawQuery
	}
	return r.rules.allowed(agent, escapePath([]byte(path)))
}

// CrawlDelay returns how long agent is asked to wait between requests, up to 1,000,000 s, 0 if it
// is not. A Client keeps to MaxCrawlDelay of it.
func (r *Robots) CrawlDelay(agent string) time.Duration { return r.rules.delay(agent) }

// WhyNone returns why the robots.txt names no sitemap, or nil if it names some. For one
// that does not exist it is the *fetch.Error that says so.
func (r *Robots) WhyNone() error { return r.none }

// size is about how much memory the robots.txt holds.
func (r *Robots) size() int {
	n := 1_000 + r.rules.size
	for _, hop := range r.hops {
		n += len(hop)
	}
	var fe *fetch.Error
	if errors.As(r.none, &fe) {
		n += len(fe.URL)
		for _, hop := range fe.Hops {
			n += len(hop.URL)
		}
	}
	for _, s := range r.Sitemaps {
		n += 200 + len(s.Loc)
	}
	for _, p := range r.Problems {
		n += 100 + len(p.Text)
	}
	return n
}
