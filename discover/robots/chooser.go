package robots

import (
	"fmt"
	"strings"
	"time"

	"github.com/temoto/robotstxt"
)

// This is the only file that knows temoto/robotstxt. The library fails on a whole file because of
// one bad line, ends a group at a Crawl-delay, ranks a name of one letter with "*", and does not
// anchor its patterns. So it gets lines made here, a few for each agent, and no rules. It chooses
// the group of a crawler and holds the Crawl-delay.

// A chooser chooses among the groups of a file. The zero chooser has none.
type chooser struct {
	library robotstxt.RobotsData
	groups  map[string][]*group // by product token
	size    int64               // estimate of the memory of all groups, here and in the library
}

func newChooser(groups []*group) chooser {
	var text strings.Builder
	c := chooser{groups: map[string][]*group{}}
	for _, g := range groups {
		c.size += g.size()
		for token, delay := range g.agents {
			c.size += 400 + 3*int64(len(token))
			c.groups[token] = append(c.groups[token], g)
			// A group without rules counts too.
			fmt.Fprintf(&text, "User-agent: %s\nAllow: /\n%s", libraryName(token), *delay)
		}
	}
	library, _ := robotstxt.FromString(text.String()) // none of these lines is an error
	c.library = *library
	return c
}

// choose returns the groups that apply to agent and their Crawl-delay: those of its product token,
// or else those of "*" (RFC 9309, section 2.2.1).
func (c chooser) choose(agent string) ([]*group, time.Duration) {
	token := productToken(agent)
	chosen := c.library.FindGroup(libraryName(token))
	if chosen == c.library.FindGroup("*") {
		token = "*"
	}
	return c.groups[token], chosen.CrawlDelay
}

// libraryName returns the name of a product token in the library. It ends with a slash because the
// library takes any group whose name the crawler's name starts with.
func libraryName(token string) string {
	if token == "*" {
		return token
	}
	return token + "/"
}
