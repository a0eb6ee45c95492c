package discover

import (
	"encoding"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/location"
)

// The rules of this file are pure functions of values. They read as the
// protocol's example does ("Sitemaps & Cross Submits"): www.host1.com,
// www.host2.com and www.host3.com keep their sitemaps on www.sitemaphost.com,
// and each names its own in its robots.txt. The robots.txt of www.host1.com that
// names http://www.sitemaphost.com/sitemap-host1.xml is a Grant for
// www.host1.com; with it, that document may list the URLs of www.host1.com, and,
// by the location rule, those of www.sitemaphost.com, but none of www.host2.com.

// A Trust says what entitles a sitemap to list a URL. Trusts are ordered: a
// larger one is stronger. The zero Trust is none: where it is a minimum, the
// default is meant.
type Trust uint8

// The trusts, weakest first.
const (
	// Untrusted: nobody vouches for it.
	Untrusted Trust = iota + 1
	// ByVariant: a grant covers the URL but for http in place of https on default
	// ports, or for a leading "www.", or both.
	ByVariant
	// ByVerification: the robots.txt of the URL's host, asked because of the URL,
	// names the document or an index above it.
	ByVerification
	// ByLocation: the URL is at or below the directory that the document, or an
	// index above it, was served from (sitemaps.org, "Sitemap file location").
	ByLocation
	// ByRobots: the robots.txt of the URL's host names the document or an index
	// above it (sitemaps.org, "Sitemaps & Cross Submits").
	ByRobots
	// ByCaller: the caller named the document or an index above it.
	ByCaller
)

var trustNames = [...]string{"", "untrusted", "variant", "verified", "location", "robots", "caller"}

var (
	_ encoding.TextMarshaler   = Trust(0)
	_ encoding.TextUnmarshaler = (*Trust)(nil)
)

// String returns "untrusted", "variant", "verified", "location", "robots" or
// "caller", or "" for the zero Trust.
func (t Trust) String() string {
	if int(t) < len(trustNames) {
		return trustNames[t]
	}
	return "invalid"
}

// MarshalText returns what String does.
func (t Trust) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText reads what String returns.
func (t *Trust) UnmarshalText(text []byte) error {
	i := slices.Index(trustNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("discover: unknown trust %q", text)
	}
	*t = Trust(i)
	return nil
}

// A Grant entitles a document to list the URLs of a host at or below a
// directory. It is a plain value; make one with RobotsGrants, LocationGrant or
// CallerGrant, or write it down.
type Grant struct {
	// Scheme is "http" or "https" where a location grants, else "": both.
	Scheme string `json:"scheme,omitempty"`
	// Host is in lower-case ASCII (IDNA), without a trailing dot, with its port
	// where that is not the scheme's default.
	Host string `json:"host"`
	// Dir starts and ends with a slash; "/" is the whole host.
	Dir string `json:"dir"`
	// By says who grants.
	By Trust `json:"by"`
}

// String returns the grant for people: "https://example.com/a/ (location)".
func (g Grant) String() string {
	scheme := g.Scheme
	if scheme != "" {
		scheme += "://"
	}
	return scheme + g.Host + g.Dir + " (" + g.By.String() + ")"
}

// RobotsGrants returns what a robots.txt grants to the documents that it names:
// the whole of its host. Asked is the URL that was asked for, hops are the
// further URLs that redirects led to, in order, the one that answered last. Each
// speaks for its host only if it is exactly /robots.txt there, with no query
// (RFC 9309, section 2.3): a redirect to an uploaded file grants nothing of the
// host of that file.
func RobotsGrants(asked string, hops ...string) []Grant {
	var grants []Grant
	for _, loc := range append([]string{asked}, hops...) {
		u, err := sitemap.ParseLoc(loc)
		if err != nil || u.EscapedPath() != "/robots.txt" || u.RawQuery != "" || u.ForceQuery {
			continue
		}
		if o, err := location.OriginOf(u); err == nil {
			grants = add(grants, Grant{Host: o.Host, Dir: "/", By: ByRobots})
		}
	}
	return grants
}

// LocationGrant returns what the place where a document was served grants it:
// the scheme, host and directory of loc (sitemaps.org, "Sitemap file location").
// It reports false if loc is no absolute http or https URL. Of a path with escaped slashes or
// backslashes, which some servers take for slashes, it is the least directory that may be meant;
// where the directories that may be do not lie in each other, it reports false.
//
// Where redirects led to the document, only the last URL grants. The one that was
// asked for does so only if it was guessed on the host itself, as a known path:
// otherwise an open redirect on somebody's host would hand that host to whoever
// links to it. (Where whoever named that URL has grants that cover it, these
// already are the document's own.)
func LocationGrant(loc string) (Grant, bool) {
	o, path, err := location.ParseOrigin(loc)
	if err != nil {
		return Grant{}, false
	}
	dir := location.Dir(path)
	for _, read := range readings(path) {
		switch as := location.Dir(read); {
		case strings.HasPrefix(as, dir):
			dir = as
		case !strings.HasPrefix(dir, as):
			return Grant{}, false
		}
	}
	// They are to be kept without the location of which they are parts.
	return Grant{Scheme: o.Scheme, Host: strings.Clone(o.Host), Dir: strings.Clone(dir), By: ByLocation}, true
}

// readings returns what else servers and browsers may take a path for, as ParseOrigin returns
// it: an escaped slash, or a backslash, for a slash.
func readings(path string) []string {
	if !strings.Contains(path, "%5C") && !strings.Contains(path, "%2F") {
		return nil
	}
	return []string{
		strings.ReplaceAll(path, "%5C", "/"),
		strings.ReplaceAll(path, "%2F", "/"),
		strings.NewReplacer("%5C", "/", "%2F", "/").Replace(path),
	}
}

// CallerGrant returns what a caller vouches for who names the sitemap loc: the
// whole of its host. It reports false if loc is no absolute http or https URL.
func CallerGrant(loc string) (Grant, bool) {
	o, _, err := location.ParseOrigin(loc)
	if err != nil {
		return Grant{}, false
	}
	return Grant{Host: strings.Clone(o.Host), Dir: "/", By: ByCaller}, true
}

// covers reports whether the grant covers path on o, as it stands.
func (g Grant) covers(o location.Origin, path string) bool {
	return (g.Scheme == "" || g.Scheme == o.Scheme) && g.Host == o.Host && inDir(g.Dir, path)
}

// coversVariant reports whether the grant covers path on an origin that differs
// from o by http against https on default ports, by a leading "www.", or both.
func (g Grant) coversVariant(o location.Origin, path string) bool {
	return g.variantOf(o) && inDir(g.Dir, path)
}

// inDir reports whether path, as ParseOrigin returns it, is at or below dir, however it is read.
func inDir(dir, path string) bool {
	if dir == "/" {
		return true
	}
	outside := func(path string) bool { return !location.InDir(dir, path) }
	return !outside(path) && !slices.ContainsFunc(readings(path), outside)
}

func (g Grant) variantOf(o location.Origin) bool {
	if g.Scheme != "" && g.Scheme != o.Scheme && hasPort(o.Host) {
		return false
	}
	return sameButWWW(g.Host, o.Host)
}

func hasPort(host string) bool {
	return (&url.URL{Host: host}).Port() != ""
}

// sameButWWW reports whether the hosts are equal but for one leading "www.".
func sameButWWW(a, b string) bool {
	return a == b || "www."+a == b || a == "www."+b
}

// subsumes reports whether whatever other covers is covered by g too, as
// strongly.
func (g Grant) subsumes(other Grant) bool {
	return g.By >= other.By && g.Host == other.Host &&
		(g.Scheme == "" || g.Scheme == other.Scheme) && (g.Dir == other.Dir || location.InDir(g.Dir, other.Dir))
}

// A Scope is what a document may list: whatever one of its grants covers. It is a
// plain value: it can be stored as JSON, and used without a walk.
type Scope struct {
	Grants []Grant `json:"grants,omitempty"`
}

// Trust returns what entitles a document of this scope to list loc: the
// strongest grant that covers it, else ByVariant if a grant covers a variant of
// it, else Untrusted. Hosts are compared normalised, directories by segments
// after dot segments and percent-encoding are undone (RFC 3986, section 6.2.2), however
// servers may take escaped slashes and backslashes.
// A loc that is no absolute http or https URL is Untrusted.
func (s Scope) Trust(loc string) Trust {
	o, path, err := location.ParseOrigin(loc)
	if err != nil {
		return Untrusted
	}
	best := Untrusted
	for _, g := range s.Grants {
		switch {
		case g.By > best && g.covers(o, path):
			best = g.By
		case best < ByVariant && g.By >= ByVariant && g.coversVariant(o, path):
			best = ByVariant
		}
	}
	return best
}

// With returns the scope with grants added. Those that add nothing are left out.
// The receiver is not changed.
func (s Scope) With(grants ...Grant) Scope {
	added := indexGrants(slices.Clip(s.Grants), len(grants))
	for i, g := range grants {
		if added.subsumes(g) {
			continue
		}
		if n := len(s.Grants); len(added.all) == n { // the first
			added.all = append(make([]Grant, 0, n+len(grants)-i), added.all...)
		}
		added.add(g)
	}
	return Scope{added.all}
}

// shares reports whether the grants are the same ones in memory.
func (s Scope) shares(other Scope) bool {
	return len(s.Grants) == len(other.Grants) && (len(s.Grants) == 0 || &s.Grants[0] == &other.Grants[0])
}

// add appends g unless one of the grants subsumes it.
func add(grants []Grant, g Grant) []Grant {
	if subsumed(grants, g) {
		return grants
	}
	return append(grants, g)
}

// subsumed reports whether one of the grants subsumes g. Most often it is g itself.
func subsumed(grants []Grant, g Grant) bool {
	return slices.Contains(grants, g) || slices.ContainsFunc(grants, func(have Grant) bool { return have.subsumes(g) })
}

// missing returns the grants of other that s lacks. Most often both begin with those of an index
// above them.
func (s Scope) missing(other Scope) []Grant {
	var late []Grant
	for i, g := range other.Grants {
		if i >= len(s.Grants) || s.Grants[i] != g {
			late = append(late, g)
		}
	}
	have := indexGrants(s.Grants, len(late))
	return slices.DeleteFunc(late, have.subsumes)
}

// authority returns the part of loc before its path: "https://example.com".
func authority(loc string) string {
	start := strings.Index(loc, "//")
	if start < 0 {
		return ""
	}
	if end := strings.IndexAny(loc[start+2:], "/?#"); end >= 0 {
		return loc[:start+2+end]
	}
	return loc
}
