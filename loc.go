package sitemap

import (
	"errors"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"

	"github.com/seed-322c453a/sitemap/internal/chars"
)

// hosts maps a host to ASCII as browsers do (UTS 46, non-transitional). It accepts what DNS
// accepts, such as underscores, long labels and hyphens in any place.
var hosts = idna.New(
	idna.MapForLookup(),
	idna.Transitional(false),
	idna.StrictDomainName(false),
	idna.CheckHyphens(false),
	idna.VerifyDNSLength(false),
)

// maxLabel bounds a label in bytes, since Punycode takes quadratic time. DNS has no room for more
// than 63 characters, of at most four bytes.
const maxLabel = 4 * 63

var (
	errNoHost = errors.New("not an absolute URL with a host")
	errHost   = errors.New("invalid host")
	errPort   = errors.New("invalid port")
)

// ParseLoc returns an absolute location in the form that a request needs (RFC 3986). It
// percent-encodes non-ASCII characters as UTF-8 (RFC 3987, section 3.1), returns the host in
// lower-case ASCII (UTS 46), and writes a percent sign that starts no escape as %25.
//
// It fails if there is no scheme or no host, or if the host or the port is invalid. The error is a
// [*url.Error] whose text contains no credentials. ParseLoc is safe for concurrent use.
func ParseLoc(loc string) (*url.URL, error) {
	scheme, authority, rest, ok := splitLoc(loc)
	if !ok {
		return nil, locError(loc, errNoHost)
	}
	userinfo, host, err := cleanAuthority(authority)
	if err != nil {
		return nil, locError(loc, err)
	}
	u, err := url.Parse(scheme + "://" + userinfo + host + escapeRest(rest))
	if err != nil {
		var ue *url.Error
		if errors.As(err, &ue) {
			err = ue.Err
		}
		return nil, locError(loc, err)
	}
	return u, nil
}

func locError(loc string, err error) error {
	return &url.Error{Op: "parse", URL: Redact(loc), Err: err}
}

// splitLoc splits scheme://authority from the rest. The authority ends at the first slash, question
// mark or number sign (RFC 3986, section 3.2).
func splitLoc(loc string) (scheme, authority, rest string, ok bool) {
	scheme, rest, ok = strings.Cut(loc, "://")
	if !ok || scheme == "" || chars.SchemeOf(loc) != scheme {
		return "", "", "", false
	}
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	return scheme, rest[:end], rest[end:], true
}

// cleanAuthority returns the escaped user information with its @, and the ASCII host with its port.
func cleanAuthority(s string) (userinfo, host string, err error) {
	if strings.IndexByte(s, '\\') >= 0 {
		return "", "", errHost // browsers read it as a slash, so the host would differ
	}
	if at := strings.LastIndexByte(s, '@'); at >= 0 {
		userinfo, s = escape(s[:at], inUserinfo)+"@", s[at+1:]
	}
	host, port := s, ""
	if i := strings.LastIndexByte(s, ':'); i >= 0 && !strings.HasSuffix(s, "]") {
		host, port = s[:i], s[i:]
	}
	if port != "" && port != ":" {
		if n, err := strconv.ParseUint(port[1:], 10, 64); err != nil || n > 65535 ||
			port[1] == '+' {
			return "", "", errPort
		}
	}
	host, err = asciiHost(host)
	return userinfo, host + port, err
}

// asciiHost returns a host, without its port, in the form that a request names it.
func asciiHost(host string) (string, error) {
	if strings.HasPrefix(host, "[") && strings.HasSuffix(host, "]") {
		addr, err := netip.ParseAddr(host[1 : len(host)-1])
		if err != nil || !addr.Is6() || addr.Zone() != "" {
			return "", errHost
		}
		return strings.ToLower(host), nil
	}
	host, err := url.PathUnescape(host)
	if err != nil || !utf8.ValidString(host) {
		return "", errHost
	}
	if strings.IndexFunc(host, func(r rune) bool { return r >= utf8.RuneSelf }) >= 0 {
		for label := range strings.SplitSeq(host, ".") {
			if len(label) > maxLabel {
				return "", errHost
			}
		}
		if host, err = hosts.ToASCII(host); err != nil {
			return "", errHost
		}
	}
	// Check after the mapping: some characters map to a slash or an at sign.
	if strings.Trim(host, ".") == "" {
		return "", errNoHost
	}
	for i := 0; i < len(host); i++ {
		if !inRegName(host[i]) {
			return "", errHost
		}
	}
	return strings.ToLower(host), nil
}

// Redact returns loc without user name and password, for errors and logs. It also finds them in
// text that is not quite a URL: with something before the URL, with a slash in the password, or
// with a scheme that is mistyped ("http:/", "https//") or missing. It is safe for concurrent use.
func Redact(loc string) string {
	if strings.IndexByte(loc, '@') < 0 {
		return loc
	}
	from, ok := authorityStart(loc)
	if ok {
		loc = redactAt(loc, from)
	}
	for { // another URL may follow something that looked like one
		i := strings.Index(loc[from:], "://")
		if i < 0 || strings.ContainsAny(loc[:from+i], "?#") {
			return loc
		}
		from += i + len("://")
		loc = redactAt(loc, from)
	}
}

// redactAt redacts the authority that starts at loc[start].
func redactAt(loc string, start int) string {
	end := len(loc)
	if i := strings.IndexAny(loc[start:], "/?#"); i >= 0 {
		end = start + i
	}
	if strings.IndexByte(loc[start:end], '@') < 0 && !maybePort(loc[start:end]) {
		end = len(loc)
	}
	if at := strings.LastIndexByte(loc[start:end], '@'); at >= 0 {
		return loc[:start] + loc[start+at+1:]
	}
	return loc
}

// authorityStart returns the index of the authority of loc, and whether loc has one. If not, start
// is the index where one could begin. The parts of a mistyped scheme, as in "http:/" and "https//",
// are skipped.
func authorityStart(loc string) (start int, ok bool) {
	isHost := isLikeHost
	i := strings.IndexAny(loc, ":/?#")
	switch {
	case i < 0 || loc[i] != ':':
	case strings.HasPrefix(loc[i:], "://"), isNearHTTP(loc[:i]),
		i > 1 && chars.SchemeOf(loc) == loc[:i] && strings.IndexAny(loc[i+1:], `/\`) == 0:
		start, isHost = i+1, isNotScheme
	case strings.EqualFold(loc[:i], "mailto"):
		if start = i + 1; !strings.Contains(beforeAt(loc[start:]), ":") {
			return start, false
		}
	}
	for from, at := start, start; ; from = at {
		for at < len(loc) && isSlash(loc[at]) {
			at++
		}
		end := len(loc)
		if i := strings.IndexAny(loc[at:], `/\?#`); i >= 0 {
			end = at + i
		}
		part := loc[at:end]
		user := beforeAt(part)
		switch {
		case isHost(part), !maybePort(part) && strings.Contains(loc[end:], "@"):
			return at, true
		case user != "" && (at == 0 || at-from > 1 || strings.Contains(user, ":")):
			return at, true
		case end == len(loc) || !isSlash(loc[end]), from == 0 && at == 1: // the path of a URL
			return start, false
		}
		at = end
	}
}

// beforeAt returns the part of s before its last at sign, or "" if there is none.
func beforeAt(s string) string { return s[:max(strings.LastIndexByte(s, '@'), 0)] }

func isSlash(c byte) bool { return c == '/' || c == '\\' }

// isNearHTTP reports whether s is http or https with white space or punctuation around it.
func isNearHTTP(s string) bool { return chars.IsHTTP(strings.Trim(s, " \t\r\n.,:;")) }

// isNotScheme reports whether s, which follows a scheme, is something other than a second one.
func isNotScheme(s string) bool { return strings.TrimSpace(s) != "" && !isNearHTTP(s) }

// isLikeHost reports whether s, which follows no scheme, could be a host.
func isLikeHost(s string) bool {
	return maybePort(s) && !strings.Contains(s, "@") &&
		(strings.Contains(strings.TrimRight(s, "."), ".") || strings.EqualFold(s, "localhost") ||
			strings.HasPrefix(s, "[") || strings.Contains(strings.TrimSuffix(s, ":"), ":"))
}

// maybePort reports whether the part of an authority after its last colon, if any, could be a port.
func maybePort(authority string) bool {
	i := strings.LastIndexByte(authority, ':')
	return i < 0 || strings.HasSuffix(authority, "]") ||
		strings.Trim(authority[i+1:], "0123456789") == ""
}

// escapeRest percent-encodes the characters that RFC 3986 forbids in path, query and fragment. The
// first number sign starts the fragment; further ones are escaped.
func escapeRest(s string) string {
	rest, fragment, ok := strings.Cut(s, "#")
	rest = escape(rest, inURL)
	if ok {
		rest += "#" + escape(fragment, inURL)
	}
	return rest
}

// escape percent-encodes the bytes of s that are not allowed, and each percent sign that starts no
// escape.
func escape(s string, allowed func(byte) bool) string {
	var b []byte
	done := 0 // s[:done] is in b
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '%' {
			if chars.IsEscape(s, i) {
				continue
			}
		} else if allowed(c) {
			continue
		}
		b = chars.AppendEscape(append(b, s[done:i]...), c)
		done = i + 1
	}
	if done == 0 {
		return s
	}
	return string(append(b, s[done:]...))
}

// inURL reports whether c may occur in a path, query or fragment. It accepts brackets, which RFC
// 3986 forbids but many queries contain.
func inURL(c byte) bool {
	return c > ' ' && c < 0x7f && strings.IndexByte("\"#<>\\^`{|}", c) < 0
}

// inUserinfo reports whether c may stand in user information (RFC 3986, section 3.2.1).
func inUserinfo(c byte) bool { return c == ':' || inRegName(c) }

// inRegName reports whether c may stand in a decoded host name (RFC 3986, section 3.2.2).
func inRegName(c byte) bool {
	return chars.IsLetter(c) || chars.IsDigit(c) || strings.IndexByte("-._~!$&'()*+,;=", c) >= 0
}
