package audit

import (
	"strings"

	"github.com/seed-322c453a/sitemap"
)

// sameURL reports whether two locations are spellings of one URL.
func sameURL(a, b string) bool {
	return a == b || sitemap.Entry{Loc: a}.Normalized() == sitemap.Entry{Loc: b}.Normalized()
}

// formOf returns a location in the form of a request, so that equal ones are compared as such.
func formOf(loc string) string {
	if isRequestForm(loc) {
		return loc
	}
	u, err := sitemap.ParseLoc(loc)
	if err != nil {
		return loc
	}
	if u.Path == "" {
		u.Path = "/"
	}
	return u.String()
}

// isRequestForm reports whether a location is known to have the form of a request.
func isRequestForm(loc string) bool {
	const start = len("https://")
	has := classOf(loc)
	if len(loc) <= start || has&(isPercent|isHash|isOdd) != 0 {
		return false
	}
	path := strings.IndexByte(loc[start:], '/')
	return path >= 0 && (has&isQuery == 0 || strings.IndexByte(loc[start:start+path], '?') < 0)
}

// A class is a set of kinds of the characters in a location.
type class uint8

const (
	isUpper   class = 1 << iota // a capital
	isPercent                   // an escape
	isHash                      // the start of a fragment
	isQuery                     // a query or parameters
	isOdd                       // what a URL may not contain as it is (RFC 3986, section 2)
	isBracket                   // allowed in the host only
	isDot                       // a dot
)

var classes = func() (table [256]class) {
	for c := range table {
		table[c] = isOdd
	}
	for _, c := range []byte("abcdefghijklmnopqrstuvwxyz0123456789-._~:/@!$&'()*+,=") {
		table[c] = 0
	}
	for c := 'A'; c <= 'Z'; c++ {
		table[c] = isUpper
	}
	table['.'] = isDot
	table['%'], table['#'], table['?'], table[';'] = isPercent, isHash, isQuery, isQuery
	table['['], table[']'] = isOdd|isBracket, isOdd|isBracket
	return table
}()

// classOf returns the kinds of the characters in s. Eight at once take half of the time.
func classOf(s string) (has class) {
	if len(s) < 8 {
		for i := range len(s) {
			has |= classes[s[i]]
		}
		return has
	}
	for has = classOf8(s[len(s)-8:]); len(s) > 8; s = s[8:] {
		has |= classOf8(s)
	}
	return has
}

// classOf8 is classOf for the first eight characters.
func classOf8(s string) class {
	_ = s[7]
	return classes[s[0]] | classes[s[1]] | classes[s[2]] | classes[s[3]] |
		classes[s[4]] | classes[s[5]] | classes[s[6]] | classes[s[7]]
}
