package robots

import (
	"bytes"
	"fmt"
	"io"
	"net/url"
	"slices"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/input"
	"github.com/seed-322c453a/sitemap/internal/location"
	"github.com/seed-322c453a/sitemap/internal/pathmatch"
	"github.com/seed-322c453a/sitemap/internal/pattern"
)

// MaxBytes is the number of decoded bytes that [Parse] reads of a robots.txt (RFC 9309, section
// 2.5).
const MaxBytes = 500 << 10

// A File is a robots.txt. The zero File names no sitemaps and allows everything. It is safe for
// concurrent use as long as its fields are not changed.
type File struct {
	// Sitemaps are the sitemaps that the file names, in its order, each location once.
	Sitemaps []Record
	// Problems lists repairs, assumptions and losses in Sitemap records, and rules that match
	// nothing, at most 1,000. The Field of each is "sitemap" or the key of the rule.
	Problems []sitemap.Problem
	// Missing is why a site counts as one without a robots.txt, such as a status of 404. It is nil
	// for a file that was read.
	Missing error

	origin  location.Origin // zero if it is unknown
	chooser chooser
	fields  []Field // of no group
}

// Parse reads a robots.txt from r. Base is its location, or the URL of its site without a path.
// Relative records are resolved against base, and [File.Allowed] answers only for URLs of its
// origin. A nil base means that the location is not known: relative records are then dropped.
//
// Beyond "Sitemap: URL", Parse reads the keys Site-map, Sitemaps, Sitemap-index and Sitemap_index,
// records without a colon, bare URLs that contain "sitemap", several URLs in one record, and URLs
// in quotes, brackets or markup. An HTML page in place of a robots.txt names nothing. The text is
// UTF-8 or has a byte order mark; gzip is undone.
//
// Parse reads [MaxBytes] at most and reports the rest as a [sitemap.TooLarge] problem. An error is
// that of r. Parse then returns the content of the complete lines before it.
func Parse(r io.Reader, base *url.URL) (*File, error) {
	text, cut, err := readAll(r)
	f := &File{}
	if base != nil {
		f.origin, _ = location.OriginOf(base)
	}
	p := lineReader{host: f.origin.Host, seen: map[string]bool{}}
	p.grouper = grouper{groups: []*group{{}}, delay: new(string)}
	p.resolver.Base = base
	if cut {
		p.problem(sitemap.TooLarge, nil, false)
	}
	// There may be a second byte order mark, or one that has lost its end.
	text = bytes.TrimLeft(text, "\ufeff")
	text = bytes.TrimPrefix(bytes.TrimPrefix(text, []byte("\xef")), []byte("\xbb"))
	if html().Match(text) {
		p.problem(sitemap.RobotsHTML, nil, false)
	} else {
		p.read(text)
	}
	f.Sitemaps, f.Problems = p.records, p.problems
	f.fields = p.grouper.groups[0].fields
	f.chooser = newChooser(p.grouper.groups)
	if err != nil {
		err = fmt.Errorf("robots: %w", err)
	}
	return f, err
}

// html matches the start of a page, after comments and an XML declaration.
var html = pattern.Of(`(?is)^(\s|<!--.*?-->|<\?xml[^>]*>)*<(!doctype|html|head|body)`)

// readAll returns the decoded text of r without the line that the limit or an error cuts. It
// reports whether the limit cut the text.
func readAll(r io.Reader) (text []byte, cut bool, err error) {
	// A robots.txt is UTF-8 (RFC 9309, section 2.3); a byte order mark wins over that.
	in := input.Open(r, &sitemap.Options{ContentType: "text/plain; charset=utf-8"})
	defer in.Close()
	text, err = io.ReadAll(io.LimitReader(in, MaxBytes+1))
	if cut = len(text) > MaxBytes; cut {
		text, err = text[:MaxBytes], nil
	}
	if cut || err != nil {
		text = text[:bytes.LastIndexAny(text, "\r\n")+1]
	}
	return text, cut, err
}

// For returns f as the robots.txt of the site of u, whose robots.txt redirects to it:
// [File.Allowed] then answers for URLs of the origin of u (RFC 9309, section 2.3.1.2).
func (f *File) For(u *url.URL) *File {
	of := *f
	of.origin, _ = location.OriginOf(u)
	return &of
}

// Size estimates the memory that f holds, in bytes, for caches. It may be twenty times the size of
// the file.
func (f *File) Size() int64 {
	n := int64(1_000)
	for _, s := range f.Sitemaps {
		n += 40 + int64(len(s.Loc))
	}
	for _, p := range f.Problems {
		n += 144 + int64(len(p.Text))
	}
	return n + f.chooser.size
}

// Allowed reports whether agent may fetch u by the rules of this robots.txt. Agent is the product
// token of a crawler, such as "ExampleBot" (RFC 9309, section 2.2.1); a version after it is
// ignored.
//
// With these rules, a crawler may fetch /page/ and /page/1 but no other page:
//
//	User-agent: *
//	Allow: /page/$
//	Allow: /page/1
//	Disallow: /page
//
// Of the rules whose pattern matches path and query, the one with the most octets counts, and Allow
// wins a tie (section 2.2.2). Allowed returns true if no rule matches, and for /robots.txt. U must
// be absolute: Allowed returns false if u has another origin than the robots.txt. If that origin is
// not known, every URL counts as its own. Rules after the first 20,000 of a file do not count.
func (f *File) Allowed(agent string, u *url.URL) bool {
	if (f.origin != location.Origin{}) {
		if o, err := location.OriginOf(u); err != nil || o != f.origin {
			return false
		}
	}
	groups, _ := f.chooser.choose(agent)
	return allows(groups, pathmatch.Normalize(u.RequestURI()))
}

// Paths returns a function that is [File.Allowed] for paths of the file's own origin, with their
// queries, or nil if the file has no rules for agent. Use it to check many paths.
func (f *File) Paths(agent string) func(path string) bool {
	groups, _ := f.chooser.choose(agent)
	if !slices.ContainsFunc(groups, func(g *group) bool { return len(g.rules) > 0 }) {
		return nil
	}
	return func(path string) bool { return allows(groups, pathmatch.Normalize(path)) }
}

// CrawlDelay returns the time that the site asks agent to wait between requests, 0 if it asks for
// nothing. A Crawl-delay between the User-agent lines of a group is for those above it, up to the
// Crawl-delay before. Of several in a row the last counts, and a value above a day counts as a day.
func (f *File) CrawlDelay(agent string) time.Duration {
	_, delay := f.chooser.choose(agent)
	return delay
}

// Other returns the records for agent other than rules, Crawl-delay and Sitemap records, such as
// Content-Signal, Content-Usage, Host, Clean-param, Request-rate, Visit-time and Noindex. A record
// belongs to the group above it, as rules do. Records before all User-agent lines are for every
// agent and come first; the rest is in the order of the file. Parse keeps the first 1,000 such
// records of a file, and none of more than 8 KiB.
func (f *File) Other(agent string) []Field {
	fields := slices.Clone(f.fields)
	groups, _ := f.chooser.choose(agent)
	for _, g := range groups {
		fields = append(fields, g.fields...)
	}
	return fields
}
