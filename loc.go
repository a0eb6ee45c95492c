package sitemap

import (
	"errors"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// hosts maps a host to ASCII as browsers do (UTS 46, non-transitional), and lets
// through what DNS lets through: underscores, long labels and hyphens anywhere
// are not ours to refuse.
var hosts = idna.New(
	idna.MapForLookup(),
	idna.Transitional(false),
	idna.StrictDomainName(false),
	idna.CheckHyphens(false),
	idna.VerifyDNSLength(false),
)

var (
	errNoHost = errors.New("no absolute URL with a host")
	errHost   = errors.New("invalid host")
	errPort   = errors.New("invalid port")
)

// ParseLoc returns an absolute location in the form a request needs (RFC 3986):
// non-ASCII characters percent-encoded as UTF-8 (RFC 3987, section 3.1), the
// host in lower-case ASCII (UTS 46), a % that starts no escape written %25. It
// fails only where there is no scheme or no host, or where the host or the port
// cannot be read. The error is a *url.Error whose text carries no credentials. It is safe
// for concurrent use.
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

// splitLoc cuts scheme://authority from what follows. The authority ends at the
// first slash, question mark or number sign (RFC 3986, section 3.2).
func splitLoc(loc string) (scheme, authority, rest string, ok bool) {
	scheme, rest, ok = strings.Cut(loc, "://")
	if !ok || !isScheme(scheme) {
		return "", "", "", false
	}
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	return scheme, rest[:end], rest[end:], true
}

func isScheme(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && (i == 0 || !('0' <= c && c <= '9' || c == '+' || c == '-' || c == '.')) {
			return false
		}
	}
	return s != ""
}

// cleanAuthority returns the user information with its @, escaped, and the host
// with its port, in ASCII.
func cleanAuthority(s string) (userinfo, host string, err error) {
	if strings.IndexByte(s, '\\') >= 0 {
		return "", "", errHost // to browsers it is a slash: the host would be another
	}
	if at := strings.LastIndexByte(s, '@'); at >= 0 {
		userinfo, s = escape(s[:at], inUserinfo)+"@", s[at+1:]
	}
	host, port := s, ""
	if i := strings.LastIndexByte(s, ':'); i >= 0 && !strings.HasSuffix(s, "]") {
		host, port = s[:i], s[i:]
	}
	if port != "" && port != ":" {
		if n, err := strconv.ParseUint(port[1:], 10, 64); err != nil || n > 65535 || port[1] == '+' {
			return "", "", errPort
		}
	}
	host, err = asciiHost(host)
	return userinfo, host + port, err
}

// asciiHost returns a host without its port as a request names it.
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
		if host, err = hosts.ToASCII(host); err != nil {
			return "", errHost
		}
	}
	// After mapping: there are characters that map to a slash or an at sign.
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

// Redact returns loc without user name and password, for errors and logs: also where it is
// no URL for what stands before it, for a slash in the password, or for a scheme that is
// mistyped ("http:/", "https//") or missing. It is safe for concurrent use.
func Redact(loc string) string {
	from, ok := authorityStart(loc)
	if ok {
		loc = redactAt(loc, from)
	}
	for { // another URL may stand behind what looked like one
		i := strings.Index(loc[from:], "://")
		if i < 0 || strings.ContainsAny(loc[:from+i], "?#") {
			return loc
		}
		from += i + len("://")
		loc = redactAt(loc, from)
	}
}

// redactAt is Redact for the authority that starts there.
func redactAt(loc string, start int) string {
	end := len(loc)
	if i := strings.IndexAny(loc[start:], "/?#"); i >= 0 {
		end = start + i
	}
	if strings.IndexByte(loc[start:end], '@') < 0 && !hasPort(loc[start:end]) {
		end = len(loc)
	}
	if at := strings.LastIndexByte(loc[start:end], '@'); at >= 0 {
		return loc[:start] + loc[start+at+1:]
	}
	return loc
}

// authorityStart returns where the authority of loc starts, ok if it has one, and else where
// it could. What can be no host, as in "http:/" and "https//", stands before it.
func authorityStart(loc string) (start int, ok bool) {
	isHost := isLikeHost
	i := strings.IndexAny(loc, ":/?#")
	switch {
	case i < 0 || loc[i] != ':':
	case strings.HasPrefix(loc[i:], "://"), isHTTP(loc[:i]), i > 1 && isScheme(loc[:i]) && strings.IndexAny(loc[i+1:], `/\`) == 0:
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
		case isHost(part), !hasPort(part) && strings.Contains(loc[end:], "@"):
			return at, true
		case user != "" && (at == 0 || at-from > 1 || strings.Contains(user, ":")):
			return at, true
		case end == len(loc) || !isSlash(loc[end]), from == 0 && at == 1: // the path of a URL
			return start, false
		}
		at = end
	}
}

// beforeAt returns what stands before the last at sign of s, "" if there is none.
func beforeAt(s string) string { return s[:max(strings.LastIndexByte(s, '@'), 0)] }

func isSlash(c byte) bool { return c == '/' || c == '\\' }

// isHTTP reports whether s names a scheme of ours, white space and marks around it aside.
func isHTTP(s string) bool {
	s = strings.Trim(s, " \t\r\n.,:;")
	return strings.EqualFold(s, "http") || strings.EqualFold(s, "https")
}

// isNotScheme reports whether s, behind a scheme, is not another one.
func isNotScheme(s string) bool { return strings.TrimSpace(s) != "" && !isHTTP(s) }

// isLikeHost reports whether s, behind no scheme, can be taken for a host.
func isLikeHost(s string) bool {
	return hasPort(s) && !strings.Contains(s, "@") && (strings.Contains(strings.TrimRight(s, "."), ".") || strings.EqualFold(s, "localhost") ||
		strings.HasPrefix(s, "[") || strings.Contains(strings.TrimSuffix(s, ":"), ":"))
}

// hasPort reports whether what follows the last colon of an authority, if any, may be a port.
func hasPort(authority string) bool {
	i := strings.LastIndexByte(authority, ':')
	return i < 0 || strings.HasSuffix(authority, "]") || strings.Trim(authority[i+1:], "0123456789") == ""
}

// escapeRest percent-encodes what RFC 3986 has no place for in path, query and
// fragment; the first number sign starts the fragment, further ones are escaped.
func escapeRest(s string) string {
	rest, fragment, ok := strings.Cut(s, "#")
	rest = escape(rest, inURL)
	if ok {
		rest += "#" + escape(fragment, inURL)
	}
	return rest
}

// escape percent-encodes the bytes of s that are not allowed, and each % that
// starts no escape.
func escape(s string, allowed func(byte) bool) string {
	const hex = "0123456789ABCDEF"
	var b []byte
	done := 0 // s[:done] is in b
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '%' {
			if i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]) {
				continue
			}
		} else if allowed(c) {
			continue
		}
		b = append(append(b, s[done:i]...), '%', hex[c>>4], hex[c&15])
		done = i + 1
	}
	if done == 0 {
		return s
	}
	return string(append(b, s[done:]...))
}

// inURL reports whether c may stand in a path, query or fragment. Brackets may
// not, but stand in so many queries that they are left.
func inURL(c byte) bool {
	return c > ' ' && c < 0x7f && strings.IndexByte("\"#<>\\^`{|}", c) < 0
}

// inUserinfo reports whether c may stand in user information (RFC 3986, section 3.2.1).
func inUserinfo(c byte) bool { return c == ':' || inRegName(c) }

// inRegName reports whether c may stand in a decoded host name (RFC 3986, section 3.2.2).
func inRegName(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || strings.IndexByte("-._~!$&'()*+,;=", c) >= 0
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}
