package discover

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/temoto/robotstxt"
)

// This file is all that knows temoto/robotstxt. It is fed records that it cannot
// fail on, since it gives up a whole file for one bad line, and only as many as it
// can hold: a wildcard costs it some kilobytes.

const (
	maxRules     = 20_000
	maxWildcards = 2_000
	maxRuleLen   = 8 << 10
	// MaxCrawlDelay is the longest Crawl-delay that a Client keeps to; a longer one
	// counts as this.
	MaxCrawlDelay = 30 * time.Second
)

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
	return g == nil || path == "/robots.txt" || g.Test(path)
}

func (r rules) delay(agent string) time.Duration {
	if g := r.group(agent); g != nil {
		return g.CrawlDelay
	}
	return 0
}

// A groupFilter collects the records of groups that are sound.
type groupFilter struct {
	text      strings.Builder // groups, without what they disallow
	disallows strings.Builder // groups with that
	current   []string        // the agents of the current group, for disallows; nil if they are there
	agents    map[string]bool
	count     int
	wildcards int
	bare      bool // the last record names an agent
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
			f.agents[agent] = true
			name = groupName(agent)
		}
		if !f.bare {
			f.current = nil
		}
		f.current = append(f.current, name)
		f.emit(&f.text, "user-agent", name)
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
	switch {
	case f.agents == nil:
	case ok && key == "disallow":
		// Of rules that match as much, the library takes the first; it is to be Allow.
		for _, name := range f.current {
			f.disallows.WriteString("user-agent: " + name + "\n")
		}
		f.current = nil
		f.emit(&f.disallows, key, value)
		if f.bare { // without a rule, the next agent would join the group
			f.emit(&f.text, "allow", nowhere)
		}
	case ok:
		f.emit(&f.text, key, value)
	case f.bare:
		f.emit(&f.text, "allow", nowhere)
	}
	f.bare = false
}

// nowhere is a path that no URL has, and nobody the name of a group for no agent.
const nowhere, nobody = "/%00", "!"

// room counts the wildcards, of which there may be so many.
func (f *groupFilter) room(path string) bool {
	if !strings.ContainsAny(path, "*$") {
		return true
	}
	f.wildcards++
	return f.wildcards <= maxWildcards && len(path) <= maxRuleLen/8
}

func (f *groupFilter) emit(to *strings.Builder, key, value string) {
	f.count++
	to.WriteString(key + ": " + value + "\n")
}

// rules hands the records to the library.
func (f *groupFilter) rules() rules {
	if f.count == 0 {
		return rules{}
	}
	f.rule("", "", false)
	data, err := robotstxt.FromString(f.text.String() + f.disallows.String())
	if err != nil {
		// A record that the library fails on after all: no rules.
		return rules{}
	}
	return rules{data, f.agents, 100*f.count + f.text.Len() + f.disallows.Len() + 4_000*min(f.wildcards, maxWildcards)}
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
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		c := path[i]
		switch escaped, err := strconv.ParseUint(string(path[min(i+1, len(path)):min(i+3, len(path))]), 16, 8); {
		case c == ' ' || c == '\t' || c == '\v':
			// The library ends a value at a blank, and so do the crawlers.
			return b.String()
		case c < ' ' || c == 0x7f:
			continue
		case c == '%' && err == nil && i+2 < len(path):
			i += 2
			if c = byte(escaped); isUnreserved(c) {
				b.WriteByte(c)
				continue
			}
		case c < 0x7f && strings.IndexByte("%\"<>\\^`{|}", c) < 0:
			b.WriteByte(c)
			continue
		}
		b.WriteByte('%')
		b.WriteByte(hex[c>>4])
		b.WriteByte(hex[c&15])
	}
	return b.String()
}

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
