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

// A Pattern is what the path of a rule matches.
type Pattern struct {
	literals []string // normalized, with any octets between them
	anchored bool     // the last literal ends the path
	octets   int
}

// New returns the pattern of a path that a robots.txt lists. In it, each asterisk is a wildcard,
// and a dollar sign at its end stands for the end of the path.
func New(path string) Pattern {
	path, anchored := strings.CutSuffix(path, "$")
	p := Pattern{literals: strings.Split(path, "*"), anchored: anchored}
	for i, s := range p.literals {
		isLast := i == len(p.literals)-1
		if begun, ok := strings.CutSuffix(s, "%"); ok && !(isLast && anchored) {
			p.literals[i] = Normalize(begun) + "%" // "/*%D1%" matches "/%D1%8F"
		} else {
			p.literals[i] = Normalize(s)
		}
		p.octets += len(p.literals[i])
		if !isLast || anchored {
			p.octets++
		}
	}
	return p
}

// Len returns how many octets the pattern has. Of the patterns that match, the longest counts.
func (p *Pattern) Len() int { return p.octets }

// Size estimates the memory that the pattern holds, in bytes.
func (p *Pattern) Size() int64 { return int64(64 + 16*len(p.literals) + p.octets) }

// Matches reports whether the pattern matches path, which is normalized, from its first octet on.
// Each literal takes its leftmost match, so Matches never goes back in the path.
func (p *Pattern) Matches(path string) bool {
	path, found := strings.CutPrefix(path, p.literals[0])
	for i := 1; i < len(p.literals) && found; i++ {
		if p.anchored && i == len(p.literals)-1 {
			return strings.HasSuffix(path, p.literals[i])
		}
		_, path, found = strings.Cut(path, p.literals[i])
	}
	return found && (!p.anchored || path == "")
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
