package location

import (
	"strings"

	"github.com/seed-322c453a/sitemap/internal/chars"
)

// hasBadEscape reports whether a percent sign in s starts no escape.
func hasBadEscape[T string | []byte](s T) bool {
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			continue
		}
		if !chars.IsEscape(s, i) {
			return true
		}
		i += 2
	}
	return false
}

// portLen returns the length of the port at the start of s: a number from 1 to 65535 without
// leading zeros. It returns 0 for anything else.
func portLen(s string) int {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	if n == 0 || n > 5 || s[0] == '0' || n == 5 && s[:n] > "65535" {
		return 0
	}
	return n
}

const (
	inPlainHost  = 1 << iota
	unreserved   // RFC 3986, section 2.3
	inNormalPath // the characters of a normalized path (section 3.3)
)

// classes holds the classes of each byte.
var classes = func() (t [256]byte) {
	for c := range t {
		if strings.IndexByte("abcdefghijklmnopqrstuvwxyz0123456789-.", byte(c)) >= 0 {
			t[c] |= inPlainHost | unreserved | inNormalPath
		}
		if strings.IndexByte("ABCDEFGHIJKLMNOPQRSTUVWXYZ_~", byte(c)) >= 0 {
			t[c] |= unreserved | inNormalPath
		}
		if strings.IndexByte("/!$&'()*+,;=:@", byte(c)) >= 0 {
			t[c] |= inNormalPath
		}
	}
	return t
}()
