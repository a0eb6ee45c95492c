package discover

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/temoto/robotstxt"

	"github.com/seed-322c453a/sitemap/fetch"
	"github.com/seed-322c453a/sitemap/internal/location"
)

// This file is all that knows temoto/robotstxt. It is fed records that it cannot
// fail on, since it gives up a whole file for one bad line, and only as many as it
// can hold: a wildcard costs it some kilobytes.

const (
	maxRules     = 20_000
	maxWildcards = 2_000
	maxRuleLen   = 8 << 10
)

// MaxCrawlDelay is the longest Crawl-delay that a Client keeps to; a longer one
// counts as this.
const MaxCrawlDelay = fetch.MaxDelay

// rules are the groups of a robots.txt. The zero rules allow all.
type rules struct {
	data   *robotstxt.RobotsData
	agents map[string]bool
	size   int // about, in memory
}

// group returns the rules for agent, or nil: the group that names its product
// token, else that of "*" (RFC 9309, section 2.2.1).
func (r rules) group(agent string) *robotstxt.Group {
	if r.data == nil {
		return nil
	}
	if agent = productToken(agent); !r.agents[agent] {
		agent = "*"
	}
	return r.data.FindGroup(groupName(agent))
}

// nowhere is a path that libraryPath never returns, and nobody the name of a group for no agent.
const nowhere, nobody = "/!", "!"

// groupName returns what the library knows an agent's group by. It takes names of one letter
// for no better than "*".
func groupName(agent string) string {
	if agent == "*" {
		return agent
	}
	return "x-" + agent
}

func (r rules) allowed(agent, path string) bool {
	g := r.group(agent)
	return g == nil || path == "/robots.txt" || g.Test(libraryPath(path))
}

func (r rules) delay(agent string) time.Duration {
	if g := r.group(agent); g != nil {
		return g.CrawlDelay
	}
	return 0
}

// A groupFilter collects the records of groups that are sound.
type groupFilter struct {
	text groupText // groups, without what they disallow
	// What they disallow: of rules that match as much, the library takes the first, which is to
	// be Allow. It does not count the asterisk that a rule ends with, so such a rule comes first.
	disallows, starred groupText
	current            []string // the agents of the current group
	agents             map[string]bool
	count              int
	wildcards          int
	bare               bool // the last record names an agent
}

// A groupText is the text of groups for the library.
type groupText struct {
	strings.Builder
	group []string // that its last rule is of
}

// rule adds a rule of a group.
func (t *groupText) rule(group []string, key, value string) {
	if len(t.group) == 0 || &t.group[0] != &group[0] || len(t.group) != len(group) {
		for _, name := range group {
			t.WriteString("user-agent: " + name + "\n")
		}
		t.group = group
	}
	t.WriteString(key + ": " + value + "\n")
}

// add takes one record, its key in lower case.
func (f *groupFilter) add(key string, value []byte) {
	if f.count >= maxRules {
		return
	}
	switch key {
	case "user-agent", "useragent":
		if f.agents == nil {
			f.agents = map[string]bool{}
		}
		name := nobody
		if agent := productToken(string(value[:min(len(value), maxRuleLen)])); agent != "" {
			name = groupName(agent)
			if !f.agents[agent] { // else one without rules would have those of "*"
				f.agents[agent] = true
				f.text.rule([]string{name}, "allow", nowhere)
			}
		}
		if !f.bare {
			f.current = nil
		}
		f.current = append(f.current, name)
		f.count++
		f.bare = true
	case "allow", "disallow":
		path := escapePath(value)
		f.rule(key, path, path != "" && len(value) <= maxRuleLen && f.room(path))
	case "crawl-delay", "crawldelay":
		d, ok := parseDelay(string(value))
		f.rule("crawl-delay", d, ok)
	}
}

// rule adds a rule to the group. One that says nothing, as "Disallow:" does, or that is
// left out, ends the list of the group's agents all the same: behind it, the next agent
// starts another group (RFC 9309, section 2.1).
func (f *groupFilter) rule(key, value string, ok bool) {
	f.bare = false
	if len(f.current) == 0 || !ok {
		return
	}
	f.count++
	starred := strings.HasSuffix(value, "*")
	switch {
	case key == "crawl-delay":
		f.text.rule(f.current, key, value)
	case key == "allow" && starred:
		f.text.rule(f.current, key, libraryRule(value)+"$") // which counts for a little more than nothing
	case key == "allow":
		f.text.rule(f.current, key, libraryRule(value))
	case starred:
		f.starred.rule(f.current, key, libraryRule(value))
	default:
		f.disallows.rule(f.current, key, libraryRule(value))
	}
}

// libraryPath returns a path as the library is to compare it: with two letters for each byte,
// of which the first and the second are never the same. So a pattern, which the library looks
// for anywhere, matches from the path's start only, and counts for as much as its text.
func libraryPath(path string) string {
	b := make([]byte, 1, 1+2*len(path))
	b[0] = '/'
	for i := range len(path) {
		b = append(b, 'a'+path[i]>>4, 'A'+path[i]&15)
	}
	return string(b)
}

// libraryRule is libraryPath for the path of a rule, in which asterisks, and a dollar at its
// end, keep their meaning. That of a Disallow that ends with an asterisk is one byte short to
// the library, which only an Allow that does so too and is one byte shorter gains by.
func libraryRule(path string) string {
	if !strings.HasPrefix(path, "/") && !strings.HasPrefix(path, "*") {
		path = "/" + path
	}
	path, ends := strings.CutSuffix(path, "$")
	parts := strings.Split(path, "*")
	for i := range parts {
		parts[i] = libraryPath(parts[i])[1:]
	}
	rule := "/" + strings.Join(parts, "*")
	if ends {
		rule += "$$" // as long as what stands for a byte
	}
	return rule
}

// room counts the wildcards, of which there may be so many.
func (f *groupFilter) room(path string) bool {
	if !strings.ContainsAny(path, "*$") {
		return true
	}
	f.wildcards++
	return f.wildcards <= maxWildcards && len(path) <= maxRuleLen/8
}

// rules hands the records to the library.
func (f *groupFilter) rules() rules {
	if f.count == 0 {
		return rules{}
	}
	text := f.starred.String() + f.text.String() + f.disallows.String()
	data, err := robotstxt.FromString(text)
	if err != nil {
		// A record that the library fails on after all: no rules.
		return rules{}
	}
	return rules{data, f.agents, 100*f.count + len(text) + 4_000*min(f.wildcards, maxWildcards)}
}

// productToken returns an agent's name without version and comment, in lower
// case.
func productToken(s string) string {
	if i := strings.IndexFunc(s, func(r rune) bool { return r == '/' || r == ' ' || r == '\t' || r == ';' || r == ',' || r == '(' }); i >= 0 {
		s = s[:i]
	}
	s = strings.ToLower(s)
	if strings.IndexFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7f || r == '#' || r == ':' }) >= 0 {
		return ""
	}
	return s
}

// escapePath returns a path, of a rule or a URL, as one word of ASCII in the form in which they
// are compared: escaped in capitals, as far as it is not of unreserved characters (RFC 9309,
// section 2.2.2; RFC 3986, section 6.2.2).
func escapePath(path []byte) string {
	plain := 0
	for plain < len(path) && isPlain(path[plain]) {
		plain++
	}
	if plain == len(path) {
		return string(path)
	}
	var b strings.Builder
	b.Write(path[:plain])
	for i := plain; i < len(path); i++ {
		switch c := path[i]; {
		case c == ' ' || c == '\t' || c == '\v':
			// The library ends a value at a blank, and so do the crawlers.
			return b.String()
		case isPlain(c):
			b.WriteByte(c)
		case c == '%' && i+2 < len(path) && location.IsHex(path[i+1]) && location.IsHex(path[i+2]):
			escaped, _ := strconv.ParseUint(string(path[i+1:i+3]), 16, 8)
			i += 2
			if isUnreserved(byte(escaped)) {
				b.WriteByte(byte(escaped))
			} else {
				escapeByte(&b, byte(escaped))
			}
		case c >= ' ' && c != 0x7f:
			escapeByte(&b, c)
		}
	}
	return b.String()
}

func escapeByte(b *strings.Builder, c byte) {
	const hex = "0123456789ABCDEF"
	b.WriteByte('%')
	b.WriteByte(hex[c>>4])
	b.WriteByte(hex[c&15])
}

// isPlain reports whether a byte stands for itself in a path.
func isPlain(c byte) bool { return ' ' < c && c < 0x7f && strings.IndexByte("%\"<>\\^`{|}", c) < 0 }

func isUnreserved(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || strings.IndexByte("-._~", c) >= 0
}

// parseDelay reads a Crawl-delay and writes it as the library reads it.
func parseDelay(s string) (string, bool) {
	s, _, _ = strings.Cut(s, " ")
	d, err := strconv.ParseFloat(strings.Replace(s, ",", ".", 1), 64)
	if err != nil || math.IsNaN(d) || d < 0 {
		return "", false
	}
	return strconv.FormatFloat(min(d, 1e6), 'f', -1, 64), true
}
