package sitemap

import (
	"strings"

	"github.com/seed-322c453a/sitemap/internal/normal"
)

// defaultPorts are the ports that a URL need not name (RFC 9110, section 4.2).
var defaultPorts = map[string]string{"http": "80", "https": "443"}

// Normalized returns Loc in the form that all equivalent URLs have in common (RFC 3986, section 6),
// to compare URLs that are written differently:
//
//   - Scheme and host are in lower case, and the host is in ASCII (section 6.2.2.1; UTS 46).
//   - Unreserved characters are not percent-encoded, all that must be are, and hex digits are in
//     upper case (sections 6.2.2.1 and 6.2.2.2; RFC 3987, section 3.1).
//   - The path has no dot segments (section 6.2.2.3), except beside an escaped slash or backslash,
//     which some servers read as slashes.
//   - An empty path is "/", and an empty or default port is left out (section 6.2.3).
//
// All else may name another page and stays: http and https, www, a trailing slash, the case and the
// order of what follows the host, and the fragment. A Loc that is not an absolute URL is returned
// as it is.
func (e Entry) Normalized() string {
	scheme, authority, rest, ok := splitLoc(e.Loc)
	if !ok {
		return e.Loc
	}
	userinfo, host, err := cleanAuthority(authority)
	if err != nil {
		return e.Loc
	}
	scheme = strings.ToLower(scheme)
	rest, fragment, hasFragment := strings.Cut(rest, "#")
	_, query, hasQuery := strings.Cut(rest, "?")
	loc := scheme + "://" + userinfo + withoutDefaultPort(scheme, host) + normal.Path(rest)
	if hasQuery {
		loc += "?" + normal.Query(query)
	}
	if hasFragment {
		loc += "#" + normal.Query(fragment)
	}
	return loc
}

// withoutDefaultPort returns a valid host without a port that its scheme implies.
func withoutDefaultPort(scheme, host string) string {
	i := strings.LastIndexByte(host, ':')
	if i < 0 || strings.HasSuffix(host, "]") {
		return host
	}
	port := host[i+1:]
	for len(port) > 1 && port[0] == '0' {
		port = port[1:]
	}
	if port == "" || port == defaultPorts[scheme] {
		return host[:i]
	}
	return host[:i] + ":" + port
}
