package audit

import (
	"errors"
	"iter"
	"net/url"
	"strings"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/discover/robots"
	"github.com/seed-322c453a/sitemap/fetch"
	"github.com/seed-322c453a/sitemap/internal/location"
)

// The codes of robots.txt.
const (
	NotInRobots       sitemap.Code = "not_in_robots"
	SitemapDisallowed sitemap.Code = "sitemap_disallowed"
	URLDisallowed     sitemap.Code = "url_disallowed"
)

var _ = register(
	rule(sitemap.NonstandardKey, warning, protocolSubmit,
		"a misspelling of the key Sitemap in a robots.txt",
		"Crawlers ignore the line, and do not find the sitemap.",
		"Write Sitemap: https://www.example.com/sitemap.xml."),
	rule(sitemap.NonstandardRule, warning, "RFC 9309, section 2.2.2",
		"a rule of a robots.txt that starts with neither a slash nor an asterisk",
		"It matches no URL: a path starts with a slash.",
		"Write the path from its first slash on: Disallow: /private/."),
	rule(NotInRobots, warning, protocolSubmit, "a sitemap that robots.txt does not name",
		"Search engines find it only if it is submitted to each of them.",
		"Add a line to robots.txt: Sitemap: https://www.example.com/sitemap.xml."),
	rule(sitemap.RobotsHTML, warning, "RFC 9309, section 2.3", "HTML instead of a robots.txt",
		"Crawlers find no rules and no sitemaps in it, and so crawl everything.",
		"Serve a robots.txt as text/plain, or status 404 if there is none. A server often sends "+
			"its start page or an error page with status 200."),
	rule(SitemapDisallowed, failure, searchConsole, "a sitemap that robots.txt disallows",
		"The search engine does not fetch it: Search Console reports that robots.txt blocks it.",
		"Remove the Disallow rule, or add Allow: /sitemap.xml to the same group."),
	rule(URLDisallowed, failure, searchConsole, "a listed page that robots.txt disallows",
		"The search engine may not crawl it. Search Console reports a URL blocked by robots.txt.",
		"Remove the page from the sitemap, or change the rule in robots.txt."),
)

// Robots audits a robots.txt by the rules of reading. The Base of src is its location: without it,
// relative records are dropped. In the Summary for Done, Entries is the number of sitemaps that the
// file names. The error, if any, is the last element: that of Open or of the reader. A nil o is a
// zero Options.
func Robots(src Source, o *Options) iter.Seq2[Finding, error] {
	return sequence(o, func(r *reporter) error {
		in, err := src.Open()
		if err != nil {
			return err
		}
		defer in.Close()
		file, err := robots.Parse(in, src.Base)
		for _, p := range file.Problems {
			r.robotsProblem(src.Name, p)
		}
		if src.Done != nil && !r.stopped {
			src.Done(sitemap.Summary{Entries: int64(len(file.Sitemaps))})
		}
		return err
	})
}

// robotsProblem reports a problem of reading a robots.txt.
func (r *reporter) robotsProblem(name string, p sitemap.Problem) {
	rule, at := of(p.Code), place{sitemap: name, pos: p.Pos, dropped: p.Dropped}
	at.column = min(p.Pos.Line, 1) // problems of lines stand at their starts
	switch p.Code {
	case sitemap.DuplicateLoc:
		rule = rule.fixedBy("Keep one of the lines.")
	case sitemap.ElementInLoc, sitemap.JunkLine, sitemap.LineCut, sitemap.SeveralLocs:
		rule = rule.fixedBy("Write a line for each URL: Sitemap: https://www.example.com/sitemap.xml.")
	case sitemap.TooLarge:
		rule = rule.fixedBy("Shorten the file, and write the Sitemap lines first.")
	}
	r.report(rule, at, p.Text, "%s", p.Message())
}

// inRobots judges whether robots.txt names and allows a document.
func (s *siteJudge) inRobots(sm *discover.Sitemap, sum *discover.Summary, here place) {
	isRead := sum.Format != 0 && sum.Err == nil
	file := s.robots(sm.Loc)
	if e, ok := errors.AsType[*fetch.Error](s.robotsErr); ok && isRead {
		s.robotsErr = nil
		s.unreachable(e)
	}
	if file == nil {
		return
	}
	agent, name := s.o.agent(), quoted(sm.Loc)
	if u, err := url.Parse(sm.Loc); err == nil && !file.Allowed(agent, u) {
		s.report(of(SitemapDisallowed), here, agent, "robots.txt disallows %s for %s", name, agent)
	}
	if sm.Referrer == nil && sm.RobotsURL == "" && isRead &&
		!names(file.Sitemaps, sm.Loc, sum.FinalURL) {
		rule, format := of(NotInRobots), "robots.txt does not name %s"
		if isTurnedAway(file.Missing) {
			rule, format = rule.fixedBy(letIn), "robots.txt was refused to this client, so it is not "+
				"known whether it names %s"
		} else {
			rule = rule.fixedBy("Add this line to robots.txt: Sitemap: " + sitemap.Redact(sum.FinalURL))
		}
		s.report(rule, here, "", format, name)
	}
}

// disallowed reports a listed page that robots.txt disallows.
func (s *siteJudge) disallowed(e *sitemap.Entry, o *origin, at func() place) {
	if !o.asked {
		o.asked = true
		if file := s.robots(e.Loc); file != nil {
			o.allows = file.Paths(s.o.agent())
		}
	}
	if o.allows == nil {
		return
	}
	_, path := location.Split(normalOf(e.Loc))
	if path, _, _ = strings.Cut(path, "#"); !o.allows(path) {
		agent := s.o.agent()
		s.report(of(URLDisallowed), at(), agent,
			"robots.txt disallows %s for %s", quoted(e.Loc), agent)
	}
}
