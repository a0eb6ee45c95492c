package robots

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/seed-322c453a/sitemap/internal/pathmatch"
	"github.com/seed-322c453a/sitemap/internal/pattern"
)

// maxRules bounds the rules of a file, and so the time of a query.
const maxRules = 20_000

// maxFields bounds the fields of a file.
const maxFields = 1_000

// maxFieldLen is the maximum length of a field, key and value together, in bytes.
const maxFieldLen = 8 << 10

// maxDelay is the longest Crawl-delay in seconds.
const maxDelay = 24 * 60 * 60

// A Field is a record that is no User-agent line, no rule, no Crawl-delay and no Sitemap record.
type Field struct {
	// Key and Value are as listed, without white space around them and comments. Key is of ASCII
	// letters, digits, hyphens, underscores and spaces. Invalid UTF-8 in Value is replaced with
	// U+FFFD.
	Key   string `json:"key"`
	Value string `json:"value"`
	Line  int    `json:"line"` // the number of the line, from 1
}

// A rule is an Allow or Disallow line.
type rule struct {
	pattern pathmatch.Pattern
	allow   bool
}

// A group is the records that follow one or more User-agent lines (RFC 9309, section 2.1).
type group struct {
	agents map[string]*string // by product token, the Crawl-delay line, "" for none
	rules  []rule
	fields []Field
}

// size estimates the memory of the group.
func (g *group) size() int64 {
	n := int64(200 + 50*len(g.agents))
	for _, r := range g.rules {
		n += r.pattern.Size()
	}
	for _, f := range g.fields {
		n += 40 + int64(len(f.Key)+len(f.Value))
	}
	return n
}

// allows reports whether the groups allow path, which is normalized. The rule with the most octets
// counts, and Allow wins a tie (RFC 9309, section 2.2.2).
func allows(groups []*group, path string) bool {
	octets, allowed := 0, true
	for _, g := range groups {
		for i := range g.rules {
			r := &g.rules[i]
			n := r.pattern.Len()
			if (n > octets || n == octets && r.allow) && r.pattern.Matches(path) {
				octets, allowed = n, r.allow
			}
		}
	}
	return allowed || path == "/robots.txt"
}

// A grouper collects the groups of a file.
type grouper struct {
	groups        []*group // the first has no agents: its records precede all User-agent lines
	naming        bool     // a User-agent line adds to the last group
	delay         *string  // of the agents named since the last Crawl-delay
	rules, fields int
}

// spellings maps keys in lower case to the keys that they stand for. A key that merely starts like
// one of them, as DisallowAITraining does, is another key.
var spellings = map[string]string{
	"user-agent": "user-agent", "useragent": "user-agent", "user agent": "user-agent",
	"crawl-delay": "crawl-delay", "crawldelay": "crawl-delay", "allow": "allow",
	"disallow": "disallow", "dissallow": "disallow", "dissalow": "disallow",
	"disalow": "disallow", "disallaw": "disallow", "diasllow": "disallow",
}

// add takes one record, which belongs to the group above it. Only a rule ends the User-agent lines
// of a group (RFC 9309, section 2.2.4). But a Crawl-delay between them is for those above it only,
// so that the delay of one crawler does not slow down those that are named after it. It returns
// false for a rule that starts with neither a slash nor an asterisk, and so matches nothing.
func (gr *grouper) add(f Field) bool {
	key := spellings[strings.ToLower(f.Key)]
	if key == "user-agent" && !gr.naming {
		gr.groups = append(gr.groups, &group{agents: map[string]*string{}})
		gr.naming, gr.delay = true, new(string)
	}
	g := gr.groups[len(gr.groups)-1]
	switch key {
	case "user-agent":
		if *gr.delay != "" {
			gr.delay = new(string)
		}
		name := productToken(f.Value)
		g.agents[name] = cmp.Or(g.agents[name], gr.delay)
	case "allow", "disallow":
		gr.naming = false // also if the value is empty
		if f.Value != "" && !strings.ContainsRune("/*", rune(f.Value[0])) {
			return false
		}
		// No path that is requested has a blank.
		if f.Value != "" && strings.IndexFunc(f.Value, isBlank) < 0 && gr.rules < maxRules {
			gr.rules++
			g.rules = append(g.rules, rule{pathmatch.New(f.Value), key == "allow"})
		}
	case "crawl-delay":
		word := append(strings.Fields(f.Value), "")[0]
		d, err := strconv.ParseFloat(strings.Replace(word, ",", ".", 1), 64)
		if err == nil && d >= 0 {
			*gr.delay = fmt.Sprintf("Crawl-delay: %v\n", min(d, maxDelay))
		}
	default:
		if gr.fields < maxFields && len(f.Key)+len(f.Value) <= maxFieldLen &&
			isKey().MatchString(f.Key) {
			gr.fields++
			g.fields = append(g.fields, Field{f.Key, strings.ToValidUTF8(f.Value, "\ufffd"), f.Line})
		}
	}
	return true
}

// isKey matches what can be a key; other text with a colon is no record.
var isKey = pattern.Of(`^[A-Za-z][A-Za-z0-9 _-]*$`)

// agentName matches the name of a crawler up to its version, a comment or a wildcard.
var agentName = pattern.Of(`^\*?[^/\s;,(*]*`)

// productToken returns the name of a crawler in lower case.
func productToken(agent string) string {
	return strings.ToLower(agentName().FindString(strings.TrimSpace(agent)))
}
