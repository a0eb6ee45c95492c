package audit

import (
	"encoding/binary"
	"strings"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/chars"
)

// sameURL reports whether two locations are spellings of one URL.
func sameURL(a, b string) bool { return a == b || normalOf(a) == normalOf(b) }

// normalOf returns a location in its normal form, so that all spellings of a URL are equal.
func normalOf(loc string) string {
	if isNormal(loc) {
		return loc
	}
	return sitemap.Entry{Loc: loc}.Normalized()
}

// isNormal reports whether a location is known to be in its normal form.
func isNormal(loc string) bool {
	const start = len("https://")
	has := classOf(loc)
	if len(loc) <= start || has&(isPercent|isHash|isOdd|isHidden) != 0 {
		return false
	}
	path := strings.IndexByte(loc[start:], '/')
	if path < 0 || strings.IndexByte(loc[start:start+path], ':') >= 0 {
		return false
	}
	return has&(isUpper|isQuery) == 0 || classOf(loc[:start+path])&(isUpper|isQuery) == 0
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
	isHidden                    // a dot at the start of a segment
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
	table['%'], table['#'], table['?'], table[';'] = isPercent, isHash, isQuery, isQuery
	table['['], table[']'] = isOdd|isBracket, isOdd|isBracket
	return table
}()

// classOf returns the kinds of the characters in s.
func classOf(s string) (has class) {
	if isUsual([]byte(s)) {
		return 0
	}
	for i := range len(s) {
		has |= classes[s[i]]
	}
	if strings.Contains(s, "/.") {
		has |= isHidden
	}
	return has
}

// isUsual reports whether b has only lower-case letters, digits, colons, slashes, dots and hyphens,
// and no dot after a slash. Most locations do. Short ones may not be recognized.
func isUsual(b []byte) bool {
	if len(b) <= 8 {
		return false
	}
	odd := usual.odd(binary.LittleEndian.Uint64(b[len(b)-8:])) | usual.pairs(b[len(b)-9:])
	for ; len(b) > 8; b = b[8:] {
		odd |= usual.pairs(b)
	}
	return odd&chars.Highs == 0
}

// usual is a variable since constants would be loaded again for each word.
var usual = usualWords{
	low: (0x80 - '-') * chars.Ones, afterDigits: (0x80 - ':' - 1) * chars.Ones,
	letters: (0x80 - 'a') * chars.Ones, high: (0x80 - 'z' - 1) * chars.Ones,
	slash: '/' * chars.Ones, dot: '.' * chars.Ones,
}

// A usualWords holds bytes to add to those of a word, so that the high bits of the sums compare
// them as in package chars, and bytes that are compared with them.
type usualWords struct{ low, afterDigits, letters, high, slash, dot uint64 }

// odd sets the high bits of the bytes of x that are not usual.
func (u *usualWords) odd(x uint64) uint64 {
	return x | ^(x + u.low) | (x + u.high) | (x+u.afterDigits)&^(x+u.letters)
}

// pairs is odd for the first eight bytes of b. A slash before a dot is not usual either.
func (u *usualWords) pairs(b []byte) uint64 {
	b = b[:9]
	x, next := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[1:])
	return u.odd(x) | next | ^chars.Differ(x^u.slash|next^u.dot, 0)
}
