package robots

import (
	"bytes"
	"slices"
	"strings"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/chars"
	"github.com/seed-322c453a/sitemap/internal/location"
	"github.com/seed-322c453a/sitemap/internal/pattern"
)

// maxProblems bounds [File.Problems].
const maxProblems = 1_000

// A Record is a sitemap that a robots.txt names.
type Record struct {
	Loc  string `json:"loc"`  // an absolute http or https URL, as listed
	Line int    `json:"line"` // the number of the line, from 1
}

// A lineReader reads the lines of a robots.txt.
type lineReader struct {
	resolver location.Resolver
	host     string // of the robots.txt, "" if it is not known

	pos      sitemap.Position
	grouper  grouper
	records  []Record
	problems []sitemap.Problem
	seen     map[string]bool // the locations of records
}

// knownKey matches a key at the start of a line or after white space, and escapedBreak one after a
// line break that is written as an escape.
var (
	knownKey     = pattern.Of(`(?i)(?:^|[\s\x{a0}])` + key)
	escapedBreak = pattern.Of(`(?i)\\n` + key)
	key          = `((?:user-?agent|allow|disallow|crawl-?delay|host|clean-param|request-rate|` +
		`visit-time|noindex|content-signal|content-usage|` + strings.Join(sitemapKeys, "|") +
		`)[\s\x{a0}]*:)`
)

// unescape replaces escapes of line breaks by line breaks, and keeps the positions of other bytes.
var unescape = strings.NewReplacer(`\r\n`, "   \n", `\n`, " \n")

// read reads all lines of text. A file on one line with several keys before a comment has lost its
// line breaks: it is read as if each key started a line. So is one in which a script has left them
// as escapes. Other readers find no sitemap in it.
func (p *lineReader) read(text []byte) {
	p.pos.Line = 1
	whole, isSplit := trimBlanks(text), false
	isLine := !bytes.ContainsAny(whole, "\r\n")
	switch {
	case isLine && escapedBreak().Match(text):
		text, isSplit = []byte(unescape.Replace(string(text))), true
	case isLine:
		text, _, _ = bytes.Cut(text, []byte("#"))
		if keys := knownKey().FindAllSubmatchIndex(text, -1); len(keys) > 1 {
			isSplit = true
			start := 0
			for _, key := range keys {
				p.line(text[start:key[2]])
				start, p.pos.Offset = key[2], int64(key[2])
			}
			text = text[start:]
		}
	}
	for ; len(text) > 0; p.pos.Line++ {
		end := bytes.IndexAny(text, "\r\n")
		if end < 0 {
			end = len(text)
		}
		p.line(text[:end])
		if bytes.HasPrefix(text[end:], []byte("\r\n")) {
			end++
		}
		end = min(end+1, len(text))
		p.pos.Offset += int64(end)
		text = text[end:]
	}
	if isSplit && len(p.records) > 0 {
		p.pos = sitemap.Position{Line: 1}
		p.problem(sitemap.LineCut, whole, false)
	}
}

// sitemapKeys are the key of a Sitemap record and its usual misspellings.
var sitemapKeys = []string{"sitemap", "site-map", "sitemaps", "sitemap-index", "sitemap_index"}

// keyless matches a URL after a key without a colon, or a URL alone that contains "sitemap".
var keyless = pattern.Of(`(?i)^(?:(?:` + strings.Join(sitemapKeys, "|") + `)[\s\x{a0}]+([` +
	quotes + `]*https?://.+)|([` + quotes + `]*https?://.*sitemap.*))$`)

// line reads one line: a key, a colon and a value, without a comment (RFC 9309, section 2.2).
func (p *lineReader) line(line []byte) {
	line, _, _ = bytes.Cut(line, []byte("#"))
	line = trimBlanks(line)
	if bytes.IndexByte(line, 0) >= 0 {
		p.problem(sitemap.ControlChar, line, false)
		line = bytes.ReplaceAll(line, []byte{0}, nil)
	}
	key, value, colon := bytes.Cut(line, []byte(":"))
	field := Field{string(trimBlanks(key)), string(trimBlanks(value)), p.pos.Line}
	name := strings.ToLower(field.Key)
	words := strings.FieldsFunc(string(line), isBlank)
	m := keyless().FindSubmatch(line)
	switch {
	case m != nil:
		p.problem(sitemap.TextAsLoc, line, false)
		p.record(append(m[1], m[2]...)) // of which one is empty
	case colon && slices.Contains(sitemapKeys, name):
		if name != sitemapKeys[0] {
			p.problem(sitemap.NonstandardKey, line, false)
		}
		p.record(value)
	case colon && name != "" && !absolute().Match(line):
		if !p.grouper.add(field) {
			p.problemIn(name, sitemap.NonstandardRule, line, false)
		}
	case !colon && len(words) == 2 && spellings[strings.ToLower(words[0])] != "": // "Disallow /x"
		p.grouper.add(Field{words[0], words[1], p.pos.Line})
	}
}

// record takes the value of one Sitemap record.
func (p *lineReader) record(value []byte) {
	value = trimBlanks(value)
	if href, ok := location.Anchor(value); ok {
		p.problem(sitemap.ElementInLoc, value, false)
		value = href
	}
	locs, cut := splitValue(value)
	switch {
	case len(locs) == 0 && cut:
		p.problem(sitemap.JunkLine, value, true)
	case len(locs) == 0:
		p.problem(sitemap.EmptyLoc, nil, true)
	case len(locs) > 1:
		p.problem(sitemap.SeveralLocs, value, false)
	case cut:
		p.problem(sitemap.LineCut, value, false)
	}
	for _, raw := range locs {
		p.location(raw)
	}
}

// location takes one location of a record. It drops that of the robots.txt itself.
func (p *lineReader) location(raw []byte) {
	loc, codes, drop := p.resolver.Clean(raw)
	for _, c := range codes {
		p.problem(c, raw, false)
	}
	o, path, err := location.ParseOrigin(loc)
	switch {
	case loc == "":
		p.problem(drop, raw, true)
	case err == nil && o.Host == p.host && path == "/robots.txt" && !strings.Contains(loc, "?"):
		p.problem(sitemap.BogusLoc, raw, true)
	case p.seen[loc]:
		p.problem(sitemap.DuplicateLoc, raw, false)
	default:
		p.seen[loc] = true
		p.records = append(p.records, Record{loc, p.pos.Line})
	}
}

func (p *lineReader) problem(code sitemap.Code, text []byte, dropped bool) {
	p.problemIn("sitemap", code, text, dropped)
}

func (p *lineReader) problemIn(field string, code sitemap.Code, text []byte, dropped bool) {
	if len(p.problems) < maxProblems {
		p.problems = append(p.problems, sitemap.Problem{
			Code: code, Pos: p.pos, Field: field, Text: excerpt(string(text)), Dropped: dropped,
		})
	}
}

// excerpt returns at most 256 bytes of text, without the user names and passwords of URLs in it.
func excerpt(text string) string {
	// The time of Redact is quadratic in the URLs of a word.
	if text = text[:min(len(text), location.MaxLen)]; strings.Contains(text, "@") {
		words := strings.SplitAfter(separator().ReplaceAllString(text, ", $1"), " ")
		for i, w := range words {
			if before, _, ok := strings.Cut(w, "@"); ok && strings.ContainsAny(before, `:/\`) {
				words[i] = sitemap.Redact(w)
			}
		}
		text = strings.Join(words, "")
	}
	return strings.Clone(chars.Excerpt(text)) // it may be a part of a long line
}
