// Package pathmatch matches paths against the patterns of a robots.txt (RFC 9309, sections 2.2.2
// and 2.2.3):
//
//	p := pathmatch.New("/a/*.php$")
//	p.Matches(pathmatch.Normalize("/a/b.php"))   // true
//	p.Matches(pathmatch.Normalize("/a/b.php?c")) // false
package pathmatch

import (
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/seed-322c453a/sitemap/internal/pattern"
)

// A Pattern is normalized: each asterisk in it is a wildcard, and so is a dollar sign, which stands
// at its end only. Its length is what decides between patterns that match.
type Pattern string

// New returns the pattern of a path that a robots.txt lists.
func New(path string) Pattern {
	path, anchored := strings.CutSuffix(path, "$")
	literals := strings.Split(path, "*")
	for i, s := range literals {
		if begun, ok := strings.CutSuffix(s, "%"); ok && (i < len(literals)-1 || !anchored) {
			literals[i] = Normalize(begun) + "%" // "/*%D1%" matches "/%D1%8F"
			continue
		}
		literals[i] = Normalize(s)
	}
	pattern := strings.Join(literals, "*")
	if anchored {
		pattern += "$"
	}
	return Pattern(pattern)
}

// Matches reports whether the pattern matches path, which is normalized, from its first octet on.
// An asterisk matches any octets, and a dollar sign the end of the path. Each literal takes its
// leftmost match, so Matches never goes back in the path.
func (p Pattern) Matches(path string) bool {
	pattern, anchored := strings.CutSuffix(string(p), "$")
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

// special matches the escapes and the characters that Normalize replaces.
var special = pattern.Of(`%[0-9A-Fa-f]{2}|[^!#&-)+-;=?-\[\]_a-z~]`)

// isSpecial reports which bytes special may match. Most paths have none.
var isSpecial = func() (table [256]bool) {
	for c := range table {
		table[c] = c >= utf8.RuneSelf || special().MatchString(string(rune(c)))
	}
	return table
}()

// Normalize percent-encodes s so that equivalent paths are equal: unreserved characters stand for
// themselves, and escapes are in upper case (RFC 9309, section 2.2.2; RFC 3986, section 6.2.2). It
// escapes asterisks and dollar signs too, so that those left in a pattern are wildcards.
func Normalize(s string) string {
	for i := 0; ; i++ {
		if i == len(s) {
			return s
		}
		if isSpecial[s[i]] {
			break
		}
	}
	return special().ReplaceAllStringFunc(s, func(c string) string {
		if octet, err := url.PathUnescape(c); err == nil {
			c = octet
		}
		return strings.ReplaceAll(url.QueryEscape(c), "+", "%20")
	})
}
