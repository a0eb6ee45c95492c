package discover

import (
	"cmp"
	"fmt"
	"net/url"
	"strings"

	"golang.org/x/net/publicsuffix"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/location"
)

// A site is what a user names.
type site struct {
	url  *url.URL // without query, fragment and credentials
	user *url.Userinfo
	bare bool // no scheme was named: url's is a guess
}

// parseSite reads "example.com", "https://example.com/a/b", an internationalised
// host, a host with a port.
func parseSite(s string) (site, error) {
	s = strings.TrimSpace(s)
	bare := isBare(s)
	full := s
	if bare {
		full = "https://" + strings.TrimPrefix(s, "//")
	}
	u, err := sitemap.ParseLoc(full)
	if safe := sitemap.Redact(s); safe != s && (err != nil || u.User == nil) {
		return parseSite(safe) // it has credentials where they are none of a URL
	}
	if err != nil {
		return site{}, fmt.Errorf("discover: %w: %w", ErrSite, err)
	}
	mistyped := bare && strings.HasSuffix(u.Host, ":") && !strings.Contains(u.Host, ".") // as http:/example.com
	if _, err := location.OriginOf(u); err != nil || u.Hostname() == "" || mistyped {
		return site{}, fmt.Errorf("discover: %w: %q", ErrSite, sitemap.Redact(s))
	}
	st := site{url: u, user: u.User, bare: bare}
	u.User, u.RawQuery, u.ForceQuery, u.Fragment, u.RawFragment = nil, "", false, "", ""
	return st, nil
}

// isBare reports whether a site is named without a scheme.
func isBare(s string) bool {
	scheme, _, ok := strings.Cut(s, "://")
	return !ok || strings.ContainsAny(scheme, ".:/?#@")
}

// redactText returns an excerpt of a document without the credentials of the URLs in it, also
// of those that are mistyped. E-mail addresses stay.
func redactText(s string) string {
	if !strings.Contains(s, "@") && len(s) < minCut {
		return s
	}
	var b strings.Builder
	for rest := s; rest != ""; {
		n := wordLen(rest)
		if i := openUser(rest[:n]); i > 0 {
			at := strings.IndexByte(rest[n:], '@')
			switch {
			case at >= 0 && !strings.Contains(rest[n:n+at], "//"): // there is a blank in the password
				n += at + wordLen(rest[n+at:])
			case n == len(rest) && len(s) >= minCut:
				rest, n = rest[:i], i
			}
		}
		b.WriteString(redactWord(rest[:n]))
		if rest = rest[n:]; rest != "" {
			b.WriteByte(rest[0])
			rest = rest[1:]
		}
	}
	return b.String()
}

// minCut is the least length of an excerpt of 256 bytes that is cut at a character.
const minCut = 256 - 3

// wordLen returns how long the first word of s is.
func wordLen(s string) int {
	if i := strings.IndexAny(s, " \t\r\n\"'<>"); i >= 0 {
		return i
	}
	return len(s)
}

// openUser returns where the user name starts of a word that ends before its password does, else
// 0: what stands there instead of a host has no port behind its colon.
func openUser(word string) int {
	i := strings.LastIndexAny(word, `/\`) + 1
	user, port, ok := strings.Cut(word[i:], ":")
	if i < 2 || !strings.ContainsRune(`:/\`, rune(word[i-2])) || !ok || strings.ContainsAny(word[i:], "@?#[") || strings.Trim(port, "0123456789") == "" || user == "" {
		return 0
	}
	return i
}

// redactWord is redactText for one word.
func redactWord(s string) string {
	if before, _, ok := strings.Cut(s, "@"); !ok || !strings.ContainsAny(before, `:/\`) {
		return s
	}
	s = sitemap.Redact(s)
	for from := 0; ; {
		i := strings.Index(s[from:], "://")
		if i < 0 {
			return s
		}
		from += i + len("://")
		s = s[:from] + strings.TrimPrefix(sitemap.Redact("x://"+s[from:]), "x://")
	}
}

// withScheme returns the site at another scheme.
func (s site) withScheme(scheme string) site {
	u := *s.url
	u.Scheme = scheme
	s.url = &u
	return s
}

// at returns the location of a path of the site's host, "" if it is none.
func (s site) at(path string) string {
	ref, err := url.Parse(path)
	if err != nil || ref.Path == "" && ref.RawQuery == "" {
		return ""
	}
	ref.Path = cmp.Or(ref.Path, "/")
	u := &url.URL{Scheme: s.url.Scheme, Host: s.url.Host}
	return u.ResolveReference(&url.URL{Path: ref.Path, RawPath: ref.RawPath, RawQuery: ref.RawQuery}).String()
}

// request returns loc, a location of the site's host, as it is asked for.
func (s site) request(loc string) string { return withUser(loc, s.user) }

// withUser returns loc with credentials, unless it has its own or user is nil.
func withUser(loc string, user *url.Userinfo) string {
	if user == nil {
		return loc
	}
	u, err := sitemap.ParseLoc(loc)
	if err != nil || u.User != nil {
		return loc
	}
	u.User = user
	return u.String()
}

// root returns the site as the caller named it, with its credentials, to be one of
// the origins of requests.
func (s site) root() string { return s.request(s.url.String()) }

// splitUser returns loc without its credentials, and these, nil if it has none or
// cannot be read.
func splitUser(loc string) (string, *url.Userinfo) {
	if !strings.Contains(loc, "@") {
		return loc, nil
	}
	u, err := sitemap.ParseLoc(loc)
	if err != nil || u.User == nil {
		return sitemap.Redact(loc), nil
	}
	user := u.User
	u.User = nil
	return u.String(), user
}

// userAt returns the credentials of the first of the origins that has some and is
// s's own, or that of its host by http where s is by https, as package fetch has it.
func (s site) userAt(origins []string) *url.Userinfo {
	at, err := location.OriginOf(s.url)
	for _, loc := range origins {
		o, _, parseErr := location.ParseOrigin(loc)
		if err != nil || parseErr != nil || o != at && (at.Scheme != "https" || o.Host != at.Host || strings.Contains(o.Host, ":")) {
			continue
		}
		if _, user := splitUser(loc); user != nil {
			return user
		}
	}
	return nil
}

// dir returns the directory that the site's path names: "/a/b/" of "/a/b", but
// "/a/" of "/a/index.html".
func (s site) dir() string {
	path := s.url.EscapedPath()
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return "/"
	}
	if last := path[i+1:]; last != "" && !strings.Contains(last, ".") {
		return path + "/"
	}
	return path[:i+1]
}

func (s site) host() string {
	o, _ := location.OriginOf(s.url)
	return o.Host
}

// registrable returns the registrable domain of a host (publicsuffix.org), or ""
// for an address, a public suffix, and a host with a port.
func registrable(host string) string {
	domain, err := publicsuffix.EffectiveTLDPlusOne(host)
	if err != nil || strings.Contains(host, ":") {
		return ""
	}
	if last := domain[strings.LastIndexByte(domain, '.')+1:]; strings.Trim(last, "0123456789") == "" {
		return ""
	}
	return domain
}
