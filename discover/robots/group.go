package robots

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// maxRules bounds the rules of a file, and so the time of a query.
const maxRules = 20_000

// maxDelay is the longest Crawl-delay in seconds.
const maxDelay = 24 * 60 * 60

// A group is the records that follow one or more User-agent lines (RFC 9309, section 2.1).
type group struct {
	agents map[string]bool // product tokens
	rules  []rule
	delay  string // a number of seconds, "" if the group has no Crawl-delay
}

// size estimates the memory of the group.
func (g *group) size() int64 {
	n := int64(200 + 50*len(g.agents))
	for _, r := range g.rules {
		n += 40 + int64(len(r.pattern))
	}
	return n
}

// allows reports whether the groups allow path, which is normalized. The rule with the most octets
// counts, and Allow wins a tie (RFC 9309, section 2.2.2).
func allows(groups []*group, path string) bool {
	octets, allowed := 0, true
	for _, g := range groups {
		for _, r := range g.rules {
			n := len(r.pattern)
			if (n > octets || n == octets && r.allow) && r.matches(path) {
				octets, allowed = n, r.allow
			}
		}
	}
	return allowed || path == "/robots.txt"
}

// A grouper collects the groups of a file.
type grouper struct {
	groups []*group
	naming bool // a User-agent line adds to the last group
	rules  int
}

// spellings maps keys in lower case to the keys that they stand for. A key that merely starts like
// one of them, as DisallowAITraining does, is another key.
var spellings = map[string]string{
	"user-agent": "user-agent", "useragent": "user-agent", "user agent": "user-agent",
	"allow":    "allow",
	"disallow": "disallow", "dissallow": "disallow", "dissalow": "disallow",
	"disalow": "disallow", "disallaw": "disallow", "diasllow": "disallow",
	"crawl-delay": "crawl-delay", "crawldelay": "crawl-delay",
}

// add takes one record, which belongs to the group above it. Only a rule ends the User-agent lines
// of a group (RFC 9309, section 2.2.4).
func (gr *grouper) add(key, value string) {
	key = spellings[strings.ToLower(key)]
	if key == "user-agent" && !gr.naming {
		gr.groups = append(gr.groups, &group{agents: map[string]bool{}})
		gr.naming = true
	}
	if len(gr.groups) == 0 {
		return
	}
	g := gr.groups[len(gr.groups)-1]
	switch key {
	case "user-agent":
		g.agents[productToken(value)] = true
	case "allow", "disallow":
		gr.naming = false // also if the value is empty
		if value != "" && gr.rules < maxRules {
			gr.rules++
			g.rules = append(g.rules, newRule(value, key == "allow"))
		}
	case "crawl-delay":
		g.setDelay(value)
	}
}

// setDelay takes the value of a Crawl-delay. It ignores one that does not start with a number.
func (g *group) setDelay(value string) {
	word := append(strings.Fields(value), "")[0]
	d, err := strconv.ParseFloat(strings.Replace(word, ",", ".", 1), 64)
	if err == nil && d >= 0 {
		g.delay = fmt.Sprint(min(d, maxDelay))
	}
}

// agentName matches the name of a crawler up to its version, a comment or a wildcard.
var agentName = regexp.MustCompile(`^\*?[^/\s;,(*]*`)

// productToken returns the name of a crawler in lower case.
func productToken(agent string) string {
	return strings.ToLower(agentName.FindString(strings.TrimSpace(agent)))
}
