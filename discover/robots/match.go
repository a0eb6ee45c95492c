package robots

import (
	"net/url"
	"regexp"
	"strings"
)

// A rule is an Allow or Disallow line.
type rule struct {
	// pattern is normalized: each asterisk in it is a wildcard, and so is a dollar sign, which
	// stands at its end only.
	pattern string
	allow   bool
}

// newRule returns the rule for a path that a robots.txt lists.
func newRule(path string, allow bool) rule {
	path, anchored := strings.CutSuffix(path, "$")
	literals := strings.Split(path, "*")
	for i, s := range literals {
		literals[i] = normalize(s)
	}
	pattern := strings.Join(literals, "*")
	if anchored {
		pattern += "$"
	}
	return rule{pattern, allow}
}

// matches reports whether the pattern matches path from its first octet on. An asterisk matches any
// octets, and a dollar sign the end of the path (RFC 9309, section 2.2.3). Each literal takes its
// leftmost match, so matches never goes back in the path.
func (r rule) matches(path string) bool {
	pattern, anchored := strings.CutSuffix(r.pattern, "$")
	literal, pattern, more := strings.Cut(pattern, "*")
	path, found := strings.CutPrefix(path, literal)
	for found && more {
		literal, pattern, more = strings.Cut(pattern, "*")
		if anchored && !more {
			return strings.HasSuffix(path, literal)
		}
		_, path, found = strings.Cut(path, literal)
	}
	return found && (!anchored || path == "")
}

// special matches the escapes and the characters that normalize replaces.
var special = regexp.MustCompile(`%[0-9A-Fa-f]{2}|[^!#&-)+-;=?-\[\]_a-z~]`)

// normalize percent-encodes s so that equivalent paths are equal: unreserved characters stand for
// themselves, and escapes are in upper case (RFC 9309, section 2.2.2; RFC 3986, section 6.2.2). It
// escapes asterisks and dollar signs too, so that those left in a pattern are wildcards.
func normalize(s string) string {
	return special.ReplaceAllStringFunc(s, func(c string) string {
		if octet, err := url.PathUnescape(c); err == nil {
			c = octet
		}
		return strings.ReplaceAll(url.QueryEscape(c), "+", "%20")
	})
}
