package audit

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/seed-322c453a/sitemap/internal/datetime"
	"github.com/seed-322c453a/sitemap/internal/pattern"
)

const maxPage = 1 << 20 // bytes of a page that are read

// A head holds what an HTML page declares to search engines.
type head struct {
	base       string   // of its relative URLs, or ""
	canonicals []string // URLs, maybe relative
	modified   string   // article:modified_time
	refresh    string   // URL of a meta refresh, or ""
	robots     []string // lists of directives for the agent or for all
}

// maxCanonicals is how many canonical URLs of a page are compared with each other.
const maxCanonicals = 100

// inHead are the elements that may be in a head. Another one ends it.
var inHead = []atom.Atom{atom.Html, atom.Head, atom.Base, atom.Link, atom.Meta, atom.Noscript,
	atom.Script, atom.Style, atom.Template, atom.Title}

// readHead reads the head of a page. Directives for agent or for all count anywhere on the page. A
// canonical URL counts only in the head, as for Google. Templates are not part of the page.
func readHead(page []byte, agent string) (h head) {
	templates, isHead := 0, true
	for t := html.NewTokenizer(bytes.NewReader(page)); ; {
		kind := t.Next()
		if kind == html.ErrorToken {
			return h
		}
		if kind == html.TextToken || kind == html.CommentToken || kind == html.DoctypeToken {
			continue
		}
		switch tag := t.Token(); {
		case tag.DataAtom == atom.Template && kind == html.EndTagToken:
			templates = max(0, templates-1)
		case tag.DataAtom == atom.Template:
			templates++
		case templates > 0:
		case kind == html.EndTagToken:
			isHead = isHead && tag.DataAtom != atom.Head
		default:
			isHead = isHead && slices.Contains(inHead, tag.DataAtom)
			h.take(&tag, agent, isHead)
		}
	}
}

// take reads a start tag.
func (h *head) take(tag *html.Token, agent string, isHead bool) {
	switch tag.DataAtom {
	case atom.Base:
		h.base = cmp.Or(h.base, attrOf(tag, "href"))
	case atom.Meta:
		h.meta(tag, agent)
	case atom.Link:
		href := attrOf(tag, "href")
		isNew := href != "" && len(h.canonicals) < maxCanonicals &&
			!slices.Contains(h.canonicals, href)
		if isHead && isNew && hasWord(attrOf(tag, "rel"), "canonical") {
			h.canonicals = append(h.canonicals, href)
		}
	}
}

// meta reads a meta tag. Its name may be a list: "robots, googlebot".
func (h *head) meta(tag *html.Token, agent string) {
	content := attrOf(tag, "content")
	switch {
	case strings.EqualFold(attrOf(tag, "http-equiv"), "refresh"):
		h.refresh = cmp.Or(h.refresh, refreshTarget(content))
	case strings.EqualFold(attrOf(tag, "property"), "article:modified_time"):
		h.modified = content
	case hasItem(attrOf(tag, "name"), "robots"), hasItem(attrOf(tag, "name"), agent):
		h.robots = append(h.robots, content)
	}
}

// attrOf returns the value of an attribute without white space around it.
func attrOf(tag *html.Token, name string) string {
	for _, a := range tag.Attr {
		if a.Key == name {
			return strings.TrimSpace(a.Val)
		}
	}
	return ""
}

// hasWord reports whether a list with white space has a word, in any letter case.
func hasWord(list, word string) bool {
	return hasItem(strings.Join(strings.Fields(list), ","), word)
}

// hasItem reports whether a list with commas has an item, in any letter case.
func hasItem(list, item string) bool {
	return slices.ContainsFunc(strings.Split(list, ","), func(s string) bool {
		return strings.EqualFold(strings.TrimSpace(s), item)
	})
}

// noIndex returns the first list of directives that keeps a page out of the index, or "".
func noIndex(lists []string) string {
	for _, list := range lists {
		if hasItem(list, "noindex") || hasItem(list, "none") {
			return list
		}
	}
	return ""
}

// directivesFor returns the values of X-Robots-Tag that are for agent or for all.
func directivesFor(fields []string, agent string) (lists []string) {
	for _, field := range fields {
		name, rest, hasName := strings.Cut(field, ":")
		name = strings.ToLower(strings.TrimSpace(name))
		switch {
		case !hasName || strings.ContainsAny(name, ", ") || strings.HasPrefix(name, "max-"),
			name == "unavailable_after":
			lists = append(lists, field)
		case strings.EqualFold(name, agent):
			lists = append(lists, strings.TrimSpace(rest))
		}
	}
	return lists
}

var (
	linkField    = pattern.Of(`<([^>]*)>([^<]*)`)
	relCanonical = pattern.Of(
		`(?i)[;,]\s*rel\s*=\s*(?:canonical\s*(?:[;,]|$)|"(?:[^"]*\s)?canonical(?:\s[^"]*)?")`,
	)
)

// canonicalHeader returns the URL of the first Link field with rel=canonical (RFC 8288), or "".
func canonicalHeader(fields []string) string {
	for _, m := range linkField().FindAllStringSubmatch(strings.Join(fields, ","), -1) {
		if relCanonical().MatchString(m[2]) {
			return m[1]
		}
	}
	return ""
}

var refresh = pattern.Of(
	`(?is)^[^;,]*[;,]\s*(?:url\s*=\s*)?(?:"([^"]*)|'([^']*)|(.*))`,
)

// refreshTarget returns the URL in the content of a meta refresh, or "". It follows the seconds and
// a semicolon or comma, often after "url=", and may be in quotes.
func refreshTarget(content string) string {
	if m := refresh().FindStringSubmatch(content); m != nil {
		return strings.TrimSpace(m[1] + m[2] + m[3])
	}
	return ""
}

var unavailable = pattern.Of(`(?i)unavailable_after:(([^,]*)(?:,[^,]*)?)`)

// unavailableAfter returns the date after which a page asks not to be indexed, if it has passed,
// else "". A date may contain a comma, which also separates directives.
func unavailableAfter(lists []string, now time.Time) string {
	for _, list := range lists {
		m := unavailable().FindStringSubmatch(list)
		for _, date := range m[min(1, len(m)):] {
			date = strings.TrimSpace(date)
			if t, _ := datetime.ParseRFC822([]byte(date)); !t.IsZero() {
				if t.End().Before(now) {
					return date
				}
				break
			}
		}
	}
	return ""
}
