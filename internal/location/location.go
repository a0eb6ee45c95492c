// Package location reads what documents list as locations: it resolves and
// checks them (RFC 3986, RFC 3987), and tells their origins and directories.
//
// An absolute http or https URL stays as it is listed. Only what no reader of
// URLs keeps is taken from it: white space at its ends, line breaks with their
// indentation, control characters; and only what has no place in text is
// escaped: inner spaces, bytes that are not UTF-8.
package location

import (
	"bytes"
	"net/url"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/publicsuffix"

	"github.com/seed-322c453a/sitemap"
)

// MaxLen is how many bytes a location may have; a longer one is dropped.
const MaxLen = 8 << 10

// A Resolver cleans the locations of one document. The zero Resolver knows no
// base. It is safe for concurrent use while Base is left alone.
type Resolver struct {
	// Base is the location of the document. User name and password in it are
	// not passed on to the locations that are resolved against it. A Base that
	// is not http or https, or has no host, is no base.
	Base *url.URL
}

// Clean returns a location as the document lists it, decoded, trimmed, and
// absolute. raw is text whose references are decoded, but where bytes that are
// not UTF-8 still stand.
//
// codes are the problems to report of it. If the location cannot be used, drop
// tells why and is not among codes: EmptyLoc, BogusLoc, BadScheme, BadLoc,
// RelativeLoc (there is no base), or LocTooLong (it has more than MaxLen bytes).
// For every loc that is not dropped, sitemap.ParseLoc succeeds.
func (r *Resolver) Clean(raw []byte) (loc string, codes []sitemap.Code, drop sitemap.Code) {
	if Plain(raw) {
		return string(raw), nil, 0
	}
	text, codes := scrub(raw)
	ref := string(text)
	switch {
	case ref == "":
		return "", bytesOnly(codes), sitemap.EmptyLoc
	case isBogus(ref):
		return "", bytesOnly(codes), sitemap.BogusLoc
	}
	loc, how, drop := r.resolve(ref)
	switch {
	case drop != 0:
	case len(loc) > MaxLen:
		drop = sitemap.LocTooLong
	case !hostOK(loc):
		drop = sitemap.BadLoc
	}
	if drop != 0 {
		return "", bytesOnly(codes), drop
	}
	if how != 0 {
		codes = append(codes, how)
	}
	return loc, inspect(codes, loc), 0
}

// CleanRef returns what Clean does for locations whose problems are not told
// one by one: xml:base, and those of extensions.
func (r *Resolver) CleanRef(raw []byte) (loc string, ok bool) {
	loc, _, drop := r.Clean(raw)
	return loc, drop == 0
}

// bytesOnly keeps of codes those that are about the document's bytes: what was
// repaired of a location that is dropped anyway is nobody's concern.
func bytesOnly(codes []sitemap.Code) []sitemap.Code {
	var kept []sitemap.Code
	for _, c := range codes {
		if c == sitemap.ControlChar || c == sitemap.InvalidUTF8 {
			kept = append(kept, c)
		}
	}
	return kept
}

// isBogus reports whether s, a location without blanks, is what a template prints where it
// has no URL.
func isBogus(s string) bool {
	if len(s) > len("[object%20Object]") {
		return false
	}
	switch strings.ToLower(s) {
	case "none", "null", "nil", "undefined", "nan", "n/a", "false", "(null)", "(none)", "<nil>", "<null>", "[object%20object]":
		return true
	}
	return false
}

// resolve makes ref absolute and tells how, by RelativeLoc or SchemeAssumed, if
// it was not. The host of its result is still to be checked.
func (r *Resolver) resolve(ref string) (loc string, how, drop sitemap.Code) {
	scheme := schemeOf(ref)
	if isHTTP(scheme) {
		if !strings.HasPrefix(ref[len(scheme):], "://") {
			return "", 0, sitemap.BadLoc
		}
		return ref, 0, 0
	}
	bare := startsWithHost(ref)
	if scheme != "" && !bare {
		return "", 0, sitemap.BadScheme
	}
	if !bare && !isReference(ref) {
		return "", 0, sitemap.BadLoc
	}
	if r == nil || r.Base == nil || !isHTTP(r.Base.Scheme) || r.Base.Host == "" {
		return "", 0, sitemap.RelativeLoc
	}
	if bare {
		return r.Base.Scheme + "://" + ref, sitemap.SchemeAssumed, 0
	}
	return resolveReference(r.Base, ref), sitemap.RelativeLoc, 0
}

// isReference reports whether what has no scheme is a relative reference, rather than a URL
// in quotes or brackets, or with something else before it: of these, "://" follows the first
// characters, which hold no parameter ("s.php;u=http://").
func isReference(ref string) bool {
	end := strings.IndexAny(ref, ":/?#")
	return end < 0 || !strings.HasPrefix(ref[end:], "://") ||
		strings.Contains(ref[:end], ";") && strings.Contains(ref[:end], "=") && !strings.ContainsAny(ref[:end], "<>\"")
}

// schemeOf returns what stands before the colon of ref if it is a scheme by its
// form (RFC 3986, section 3.1), else "".
func schemeOf(ref string) string {
	for i := 0; i < len(ref); i++ {
		switch c := ref[i]; {
		case 'a' <= c|0x20 && c|0x20 <= 'z':
		case i > 0 && ('0' <= c && c <= '9' || c == '+' || c == '-' || c == '.'):
		case i > 0 && c == ':':
			return ref[:i]
		default:
			return ""
		}
	}
	return ""
}

// IsAbsolute reports whether raw starts as an absolute http or https URL does, behind
// white space.
func IsAbsolute(raw []byte) bool {
	raw = bytes.TrimSpace(raw)
	start := strings.ToLower(string(raw[:min(len(raw), len("https://"))]))
	return strings.HasPrefix(start, "http://") || start == "https://"
}

func isHTTP(scheme string) bool {
	return strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https")
}

// startsWithHost reports whether ref is a URL without its scheme rather than a
// relative reference: a slash follows its first segment, and that is a host,
// with a port or without, that someone can have registered.
func startsWithHost(ref string) bool {
	slash := strings.IndexByte(ref, '/')
	if slash <= 0 || strings.IndexByte(ref[:slash], '.') < 0 || strings.ContainsAny(ref[:slash], "?#@%") {
		return false
	}
	u, err := sitemap.ParseLoc("http://" + ref[:slash])
	if err != nil {
		return false
	}
	host := strings.TrimSuffix(u.Hostname(), ".")
	if _, err := publicsuffix.EffectiveTLDPlusOne(host); err != nil {
		return false
	}
	_, known := publicsuffix.PublicSuffix(host[strings.LastIndexByte(host, '.')+1:])
	return known
}

// hostOK reports whether the authority of an absolute URL can be read.
func hostOK(loc string) bool {
	i := len(schemeOf(loc)) + len("://")
	end := i + authorityLen(loc[i:])
	if simpleHost(loc[i:end]) {
		return true
	}
	_, err := sitemap.ParseLoc(loc[:end])
	return err == nil
}

func authorityLen(s string) int {
	for i := range len(s) {
		if c := s[i]; c == '/' || c == '?' || c == '#' {
			return i
		}
	}
	return len(s)
}

// simpleHost reports whether s is a host of letters, digits, hyphens and dots,
// which needs no further look.
func simpleHost(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if !('a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '-' || i > 0 && c == '.') {
			return false
		}
	}
	return s != ""
}

// inspect appends the problems that a location is kept with.
func inspect(codes []sitemap.Code, loc string) []sitemap.Code {
	i := len(schemeOf(loc)) + len("://")
	if strings.LastIndexByte(loc[i:i+authorityLen(loc[i:])], '@') > 0 {
		codes = append(codes, sitemap.Userinfo)
	}
	if strings.IndexByte(loc, '%') >= 0 && hasBadEscape(loc) {
		codes = append(codes, sitemap.BadEscape)
	}
	if hasAmpersandReference(loc) {
		codes = append(codes, sitemap.DoubleEscaped)
	}
	if len(loc) > sitemap.ProtocolLoc && utf8.RuneCountInString(loc) > sitemap.ProtocolLoc {
		codes = append(codes, sitemap.LocTooLong)
	}
	return codes
}

// hasBadEscape reports whether a percent sign in s starts no escape.
func hasBadEscape[T string | []byte](s T) bool {
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			continue
		}
		if i+2 >= len(s) || !IsHex(s[i+1]) || !IsHex(s[i+2]) {
			return true
		}
		i += 2
	}
	return false
}

// hasAmpersandReference reports whether s holds &amp; or a character reference
// to an ampersand.
func hasAmpersandReference(s string) bool {
	for {
		i := strings.IndexByte(s, '&')
		if i < 0 {
			return false
		}
		s = s[i+1:]
		name, _, ok := strings.Cut(s[:min(len(s), 12)], ";")
		if !ok {
			continue
		}
		if name == "amp" || name == "AMP" {
			return true
		}
		if digits, ok := strings.CutPrefix(name, "#"); ok {
			digits = strings.ToLower(digits)
			if strings.TrimLeft(digits, "0") == "38" || digits[:min(1, len(digits))] == "x" && strings.TrimLeft(digits[1:], "0") == "26" {
				return true
			}
		}
	}
}

// IsHex reports whether c is a hexadecimal digit.
func IsHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}
