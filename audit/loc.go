package audit

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/chars"
	"github.com/seed-322c453a/sitemap/internal/document"
	"github.com/seed-322c453a/sitemap/internal/location"
	"github.com/seed-322c453a/sitemap/internal/pattern"
)

// The codes of locations.
const (
	FragmentInLoc sitemap.Code = "fragment_in_loc"
	SecretInLoc   sitemap.Code = "secret_in_loc"
	SessionID     sitemap.Code = "session_id"
	UnescapedLoc  sitemap.Code = "unescaped_loc"
)

var _ = register(
	rule(sitemap.BadEscape, failure, "RFC 3986, section 2.1",
		"a percent sign in a URL without two hex digits after it",
		"The URL is invalid. Servers and crawlers disagree on what it means, or refuse it.",
		"Write %25 for a percent sign: /100%25-cotton, not /100%-cotton."),
	rule(sitemap.BadLoc, failure, protocolTags+"; "+rfcURI,
		"a location that is not a valid URL",
		"Search Console reports an invalid URL, and the entry is lost. Most often the host is "+
			"missing, or host or port are invalid.",
		"Write the complete URL with a valid host, and with a number as port if it has one: "+
			"https://www.example.com/page."),
	rule(sitemap.BadScheme, failure, protocolTags, "a URL scheme other than http and https",
		"Search engines cannot fetch the URL as a page, and drop the entry.",
		"List the page at its http or https URL, or remove the entry."),
	rule(sitemap.BogusLoc, failure, protocolTags, "text that was not meant as a location",
		"Search Console reports an invalid URL, and the entry is lost.",
		"Leave entries without a URL out. A None, null or {{ page.url }} shows that a template "+
			"was not filled in; in ttps:// a letter is missing."),
	rule(sitemap.DoubleEscaped, warning, protocolEscaping, "a URL that is escaped twice",
		"Search engines decode it once and request a URL with &amp; in it, which is another page.",
		"Escape the URL once: ?a=1&amp;b=2, not ?a=1&amp;amp;b=2.").ofHabit(),
	rule(sitemap.ElementInLoc, failure, protocolSchema, "an element inside a location",
		"The schema refuses the document. Strict readers find no URL or a part of one.",
		"Write only the URL into loc: <loc>https://www.example.com/</loc>."),
	rule(sitemap.EmptyLoc, failure, protocolTags, "an empty location",
		"Search Console reports an invalid URL, and the entry is lost.",
		"Write the URL into it, or remove the entry."),
	rule(FragmentInLoc, warning,
		google+`"URL structure best practices for Google Search"`,
		"a fragment in a URL",
		"Search engines remove the fragment, so the URL is that of the page without it.",
		"List the page without the # and what follows it, once."),
	rule(sitemap.GuidAsLoc, warning, `RSS 2.0 Specification, "Elements of <item>"`,
		"an RSS item without a link, of which the guid is used",
		"Readers that want a link drop the item. A guid does not have to be a URL.",
		"Add a link to the item: <link>https://www.example.com/page</link>."),
	rule(sitemap.IDAsLoc, warning, "RFC 4287, sections 4.1.2 and 4.2.6",
		"an Atom entry without a usable link, of which the id is used",
		"Readers that want a link drop the entry. An id does not have to be a URL.",
		`Add a link to the entry: <link rel="alternate" href="https://www.example.com/page"/>.`),
	rule(sitemap.JunkLine, failure, protocolText, "a line that is not a plain URL",
		"Search engines report an invalid URL for the line. A text sitemap has URLs only.",
		"Write one absolute URL a line, without comments, quotes, titles or other columns: "+
			"https://www.example.com/page."),
	rule(sitemap.LineCut, failure, protocolText, "a line that has more than a URL and was cut",
		"Search engines take the whole line for a URL and report an invalid one.",
		"Write only the URL into the line, and spaces in it as %20."),
	rule(sitemap.LocTooLong, failure, protocolTags, "a URL of more than 2,048 characters",
		"The schema refuses the document, and search engines may drop the entry. A URL of more "+
			"than 8 KiB is always dropped here.",
		"List the page under a shorter URL, for example without parameters for tracking."),
	rule(sitemap.LocWhitespace, warning, "RFC 3986, section 2",
		"white space or a control character inside a URL",
		"Readers cut the URL there, escape the character or remove it, and get other pages.",
		"Write a space in a URL as %20, and put no line break into loc.").ofHabit(),
	rule(sitemap.MissingLoc, failure, protocolTags, "an entry without a location",
		"Search Console reports a missing tag, and the entry is lost.",
		"Add <loc>https://www.example.com/page</loc>, or remove the entry."),
	rule(sitemap.RelativeLoc, failure, protocolFAQ, "a relative URL",
		"Locations have to be complete: Search Console reports URLs that were not followed. Other "+
			"readers resolve the URL, each in its own way, or drop the entry.",
		"Write the complete URL: https://www.example.com/page, not /page."),
	rule(sitemap.SchemeAssumed, failure, protocolTags, "a URL without a scheme",
		"Search Console reports that the URL is not allowed: it must begin with http or https.",
		"Write the scheme: https://www.example.com/page, not www.example.com/page."),
	rule(SecretInLoc, warning, protocolFAQ, "a token, key, password or signature in a URL",
		"A sitemap is public: everybody can read the secret, and search engines show the URL.",
		"Remove the URL from the sitemap, and replace the secret."),
	rule(SessionID, warning, protocolFAQ, "a session ID in a URL",
		"The page gets a new URL in each session, so search engines crawl it again and again. The "+
			"listed session soon expires.",
		"Remove the parameter: /page, not /page;jsessionid=1A2B or /page?PHPSESSID=1a2b."),
	rule(sitemap.SeveralLocs, failure, protocolSchema, "several locations where one belongs",
		"The schema refuses the document. Readers use the first URL, the last or no URL.",
		"Write an entry for each URL: <url><loc>…/a</loc></url><url><loc>…/b</loc></url>."),
	rule(sitemap.TextAsLoc, failure, protocolSchema+"; "+protocolSubmit,
		"a URL outside of its element, or in a robots.txt without Sitemap: before it",
		"The schema refuses the document, and readers miss the URL.",
		"Write <url><loc>https://www.example.com/</loc></url>, and in a robots.txt Sitemap: "+
			"https://www.example.com/sitemap.xml."),
	rule(UnescapedLoc, warning, protocolEscaping+"; RFC 3986, section 2",
		"a character in a URL that must be escaped",
		"The URL is invalid. Most search engines escape the character, others refuse the URL.",
		"Write the character as its bytes of UTF-8 in percent signs: %C3%BC for ü. Write a host "+
			"of such letters in Punycode."),
	rule(sitemap.Userinfo, warning, "RFC 9110, section 4.2.4", "a user name or password in a URL",
		"Everybody can read it in the sitemap. Browsers and crawlers ignore or refuse it.",
		"Remove what stands between // and @, and change the password."),
)

// locations judges the locations of a document.
type locations struct {
	*judge
	fragments, sitemaps tally
}

// add judges the location of an entry. Rest is what follows its origin, with kinds of characters.
// It reports whether the location has a template that was not filled in.
func (l *locations) add(e *sitemap.Entry, o *origin, rest string, has class) (isTemplate bool) {
	if has&(isOdd|isPercent) != 0 && l.isTemplate(e, rest) {
		return true
	}
	if l.format == sitemap.URLSet && e.Kind == sitemap.Page && isSitemapName(e.Loc) {
		l.sitemaps.add(func() place { return l.field(e, document.Loc) })
	}
	if isUnrendered(e.Loc, rest, o) {
		rule := of(sitemap.BogusLoc)
		if o == nil || startsURL(rest) {
			rule = rule.fixedBy("Write one URL: put no other before a complete one.")
		}
		l.bogus(rule, e)
	}
	if o == nil || has&^(isUpper|isHidden) != 0 || o.odd || len(e.Loc) < minLoc {
		l.unusual(e, o, rest, has)
	}
	return false
}

// isTemplate reports whether a location has a template that was not filled in.
func (l *locations) isTemplate(e *sitemap.Entry, rest string) bool {
	t := template(rest)
	if t == "" {
		return false
	}
	l.withdraw(sitemap.LocWhitespace, e.Pos.Offset, math.MaxInt64)
	l.withdraw(sitemap.BadEscape, e.Pos.Offset, math.MaxInt64)
	if l.first(t) {
		l.bogus(of(sitemap.BogusLoc), e)
	}
	return true
}

func (l *locations) bogus(rule Rule, e *sitemap.Entry) {
	l.findLoc(rule, e, "%s cannot be meant as a location", quoted(e.Loc))
}

// unusual judges a location with unusual characters.
func (l *locations) unusual(e *sitemap.Entry, o *origin, rest string, has class) {
	if why := notURI(e.Loc, rest, o); why != "" && l.hasSchema() {
		l.findLoc(of(sitemap.BadLoc), e, "%s %s", quoted(e.Loc), why)
	}
	if odd := l.indexOdd(e.Loc, rest, has, o); odd >= 0 {
		r, _ := utf8.DecodeRuneInString(e.Loc[odd:])
		l.findLoc(of(UnescapedLoc), e, "the URL contains %q, which must be escaped", r)
	}
	if has&isHash != 0 && !l.leftReferences(e, rest) && !isFeed(l.format) {
		l.fragments.add(func() place { return l.field(e, document.Loc) })
	}
	if has&isQuery == 0 {
		return
	}
	session, secret := revealing(rest)
	if session != "" {
		l.findLoc(of(SessionID), e, "the URL has a session ID: %s", quoted(session))
	}
	if secret != "" {
		l.findLoc(of(SecretInLoc), e, "the URL has a secret in the field %s", quoted(secret))
	}
}

// reference matches a character reference. Its number sign starts no fragment.
var reference = pattern.Of(`&#(?:[0-9]+|[xX][0-9A-Fa-f]+);`)

// leftReferences judges the references that remain in a location after decoding; those to
// ampersands are reported by the parser. It reports whether all number signs are theirs.
func (l *locations) leftReferences(e *sitemap.Entry, rest string) bool {
	if !strings.Contains(rest, "&#") {
		return false
	}
	isReported := func(f Finding) bool { return f.Code == sitemap.DoubleEscaped }
	others := strings.Count(rest, "&") - bytes.Count(decoded([]byte(rest)), []byte("&"))
	if others > 0 && !slices.ContainsFunc(l.held, isReported) {
		l.findLoc(of(sitemap.DoubleEscaped), e, "%s has a reference after decoding", quoted(e.Loc))
	}
	return strings.IndexByte(reference().ReplaceAllString(rest, ""), '#') < 0
}

// end judges the locations together.
func (l *locations) end() {
	if n := l.fragments.count; n > 0 {
		l.findAt(of(FragmentInLoc), l.fragments.first, "", "%s a fragment",
			plural(n, "URL has", "URLs have"))
	}
	if n := l.sitemaps.count; n > 0 {
		l.findAt(of(SitemapInUrlset), l.sitemaps.first, "", "the urlset lists %s as pages",
			plural(n, "sitemap", "sitemaps"))
	}
}

// isSitemapName reports whether a location has the name of a sitemap.
func isSitemapName(loc string) bool {
	return (strings.HasSuffix(loc, ".xml") || strings.HasSuffix(loc, ".xml.gz")) &&
		strings.Contains(strings.ToLower(loc[strings.LastIndexByte(loc, '/'):]), "sitemap")
}

// templates are the starts of templates, and of what scripts write for an object.
var templates = []string{"{{", "{% ", "{%%20", "<%", "<?", "${", "[object ", "[object%20",
	"%5Bobject%20"}

// template returns the first template in a text that was not filled in, or "".
func template(text string) string {
	for _, start := range templates {
		if _, rest, ok := strings.Cut(text, start); ok {
			return start + rest[:strings.IndexAny(rest+"/", "}>]/")]
		}
	}
	return ""
}

// isUnrendered reports whether the part after an origin is another URL, or ends in a placeholder
// such as undefined. Without an origin, the location may be two URLs.
func isUnrendered(loc, rest string, o *origin) bool {
	if o == nil {
		authority, _ := location.Split(loc)
		return hasSecondScheme(authority)
	}
	return startsURL(rest) || strings.HasSuffix(rest, "/undefined") ||
		strings.HasSuffix(rest, "/null") || strings.HasSuffix(rest, "/NaN")
}

// startsURL reports whether a path starts with another URL, whose slashes may have been merged.
func startsURL(path string) bool {
	path = strings.TrimLeft(path, "/")
	return strings.HasPrefix(path, "https:/") || strings.HasPrefix(path, "http:/")
}

// minLoc is the least number of characters of a location in the schema.
const minLoc = 12

// notURI returns why a location is not the URI that the schema asks for, or "". Like the schema, it
// allows characters that must be escaped. Servers answer to brackets, so it allows these as well.
func notURI(loc, rest string, o *origin) string {
	switch _, fragment, _ := strings.Cut(rest, "#"); {
	case len(loc) < minLoc:
		return fmt.Sprintf("has fewer than the schema's %d characters", minLoc)
	case strings.IndexByte(fragment, '#') >= 0:
		return "has two number signs"
	case o != nil && strings.HasSuffix(o.authority, ":"):
		return "has an empty port"
	}
	return ""
}

// indexOdd returns the index of the first character that a URL may not contain as it is, or -1.
// Brackets are allowed in the host.
func (l *locations) indexOdd(loc, rest string, has class, o *origin) int {
	if has&isOdd == 0 && o != nil && !o.odd {
		return -1
	}
	for i := range len(loc) {
		if c := classes[loc[i]]; c&isOdd != 0 && (c&isBracket == 0 || i >= len(loc)-len(rest)) {
			return i
		}
	}
	return -1
}

// parameters are the names of parameters that hold a session ID or a secret, in lower case.
var parameters = map[string]sitemap.Code{
	"jsessionid": SessionID, "phpsessid": SessionID, "sessionid": SessionID,
	"session_id": SessionID, "sid": SessionID, "oscsid": SessionID, "zenid": SessionID,
	"cfid": SessionID, "cftoken": SessionID, "token": SecretInLoc, "access_token": SecretInLoc,
	"key": SecretInLoc, "password": SecretInLoc, "signature": SecretInLoc,
}

// revealing returns the first parameter of a location that holds a session ID, as name=value, and
// the name of the first one that holds a secret.
func revealing(rest string) (session, secret string) {
	const asp = "aspsessionid" // and some letters
	isStart := func(c rune) bool { return c == '?' || c == '&' || c == ';' }
	start := max(0, strings.IndexFunc(rest, isStart))
	for parameter := range strings.FieldsFuncSeq(rest[start:], isStart) {
		name, value, _ := strings.Cut(parameter, "=")
		if value, _, _ = strings.Cut(value, "#"); value == "" {
			continue
		}
		lower := strings.ToLower(name)
		switch code := parameters[lower]; {
		case code == SessionID, strings.HasPrefix(lower, asp) && lower != asp:
			session = cmp.Or(session, name+"="+value)
		case code == SecretInLoc:
			secret = cmp.Or(secret, name)
		}
	}
	return session, secret
}

// oddEnds judges a location with a character before or after it that reading removes, such as a
// no-break space.
func (j *judge) oddEnds(e *element) {
	v := string(e.value())
	if j.loc == "" || v == j.loc || !strings.Contains(v, "://") {
		return
	}
	switch end, ok := strings.CutPrefix(v, j.loc); {
	case v[0] >= utf8.RuneSelf:
		j.findIn(of(sitemap.BadLoc).fixedBy("Remove what precedes the URL."), e, v,
			"%s starts with a character that no URL has", quoted(v))
	case strings.ContainsAny(end, "\v\f"): // a control_char
	case ok && strings.TrimFunc(end, chars.IsSpace) == "":
		j.findIn(of(sitemap.LocWhitespace).fixedBy("Remove what follows the URL."), e, v,
			"%s ends with a character that no URL has", quoted(v))
	}
}
