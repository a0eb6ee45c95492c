package location

import (
	"errors"
	"net/netip"
	"net/url"
	"strings"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/normal"
)

// An Origin is a scheme and a host, normalized so that equal origins are equal values.
type Origin struct {
	Scheme string // "http" or "https"
	Host   string // lower-case ASCII (IDNA), no trailing dot, with a port that is not the scheme's
}

// String returns the origin as a URL without a path.
func (o Origin) String() string { return o.Scheme + "://" + o.Host }

// HasPort reports whether o.Host has a port.
func (o Origin) HasPort() bool {
	// The colons of an IPv6 address are in brackets.
	return strings.LastIndexByte(o.Host, ':') > strings.LastIndexByte(o.Host, ']')
}

// OtherScheme returns the same host with http instead of https, or the reverse.
func (o Origin) OtherScheme() Origin {
	if o.Scheme == "https" {
		o.Scheme = "http"
	} else {
		o.Scheme = "https"
	}
	return o
}

var errScheme = errors.New("location: scheme is neither http nor https")

// ParseOrigin returns the origin and the path of an absolute location, as [AuthorityOrigin] and
// [normal.Path] do.
func ParseOrigin(loc string) (o Origin, path string, err error) {
	authority, rest := Split(loc)
	if o, err = AuthorityOrigin(authority); err != nil {
		return Origin{}, "", err
	}
	return o, normal.Path(rest), nil
}

// Split returns an absolute location in two parts: up to its host and port, and from its path on.
// For "https://example.com/a?b" they are "https://example.com" and "/a?b".
func Split(loc string) (authority, rest string) {
	start := strings.Index(loc, "://") + len("://")
	if start < len("://") {
		return loc, ""
	}
	if end := strings.IndexAny(loc[start:], "/?#"); end >= 0 {
		return loc[:start+end], loc[start+end:]
	}
	return loc, ""
}

// HasAuthority reports whether authority is the first part of loc, as [Split] returns it.
func HasAuthority(loc, authority string) bool {
	if !strings.HasPrefix(loc, authority) {
		return false
	}
	if len(loc) == len(authority) {
		return true
	}
	c := loc[len(authority)]
	return c == '/' || c == '?' || c == '#'
}

// AuthorityOrigin returns the origin of the first part of an absolute location.
func AuthorityOrigin(authority string) (Origin, error) {
	if o, ok := plainOrigin(authority); ok {
		return o, nil
	}
	u, err := sitemap.ParseLoc(authority)
	if err != nil {
		return Origin{}, err
	}
	return originOf(u)
}

// Normalize returns a location of an origin in one of its equivalent spellings: with a normal path
// and query (RFC 3986, section 6.2.2), without an empty query, and without a fragment.
func Normalize(o Origin, rest string) string {
	loc := o.String() + normal.Path(rest)
	rest, _, _ = strings.Cut(rest, "#")
	if _, query, _ := strings.Cut(rest, "?"); query != "" {
		loc += "?" + normal.Query(query)
	}
	return loc
}

// OriginOf returns the origin of u. It fails if the scheme is not http or https, or if the host or
// the port is invalid.
func OriginOf(u *url.URL) (Origin, error) {
	clean, err := sitemap.ParseLoc(u.Scheme + "://" + u.Host)
	if err != nil {
		return Origin{}, err
	}
	return originOf(clean)
}

// originOf is OriginOf for a result of ParseLoc.
func originOf(u *url.URL) (Origin, error) {
	scheme := strings.ToLower(u.Scheme)
	if scheme != "http" && scheme != "https" {
		return Origin{}, errScheme
	}
	host := strings.TrimRight(u.Hostname(), ".")
	if addr, err := netip.ParseAddr(host); err == nil && addr.Is6() {
		host = "[" + addr.String() + "]"
	}
	port := strings.TrimLeft(u.Port(), "0")
	if port == "" && u.Port() != "" {
		port = "0"
	}
	if port != "" && !(scheme == "http" && port == "80") && !(scheme == "https" && port == "443") {
		host += ":" + port
	}
	return Origin{Scheme: scheme, Host: host}, nil
}

var defaultPorts = map[string]string{"http": "80", "https": "443"}

// plainOrigin is AuthorityOrigin for common ones: a host of lower-case letters, digits, hyphens and
// dots, with or without a port. The result shares the memory of authority.
func plainOrigin(authority string) (o Origin, ok bool) {
	o.Scheme = "https"
	rest, ok := strings.CutPrefix(authority, "https://")
	if !ok {
		if rest, ok = strings.CutPrefix(authority, "http://"); !ok {
			return o, false
		}
		o.Scheme = "http"
	}
	end := 0
	for end < len(rest) && isPlainHost[rest[end]] {
		end++
	}
	if end == 0 || rest[end-1] == '.' {
		return o, false
	}
	o.Host = rest[:end]
	if port, ok := strings.CutPrefix(rest[end:], ":"); ok {
		if n := portLen(port); n == 0 || n < len(port) {
			return o, false
		}
		if port != defaultPorts[o.Scheme] {
			o.Host = rest
		}
		return o, true
	}
	return o, end == len(rest)
}

// normalPath is [normal.Path] for a path in which an escaped slash is not a slash.
func normalPath(path string) string { return normal.RemoveDotSegments(normal.EscapedPath(path)) }

// Dir returns the normalized directory of a path, with its last slash. A sitemap at path may list
// everything at or below it (sitemaps.org, "Sitemap file location").
func Dir(path string) string {
	path = normalPath(path)
	return path[:strings.LastIndexByte(path, '/')+1]
}

// InDir reports whether path is at or below the directory dir, after normalizing both. Segments are
// compared as a whole: /catalogue is not in /cat.
func InDir(dir, path string) bool {
	dir, path = normalPath(dir), normalPath(path)
	if !strings.HasSuffix(dir, "/") {
		dir += "/"
	}
	return strings.HasPrefix(path, dir)
}
