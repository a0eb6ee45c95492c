package location

import (
	"errors"
	"net/netip"
	"net/url"
	"strings"

	"github.com/seed-322c453a/sitemap"
)

// An Origin is a scheme and a host, normalised so that equal origins are equal
// values.
type Origin struct {
	Scheme string // "http" or "https"
	Host   string // lower case, IDNA ASCII, no trailing dot; with its port, unless that is the scheme's
}

// String returns the location that the origin is, without a path.
func (o Origin) String() string { return o.Scheme + "://" + o.Host }

// OtherScheme returns the same host by http if o is by https, and else by https.
func (o Origin) OtherScheme() Origin {
	if o.Scheme == "https" {
		o.Scheme = "http"
	} else {
		o.Scheme = "https"
	}
	return o
}

var errScheme = errors.New("location: scheme is neither http nor https")

// ParseOrigin returns the origin and the path of an absolute location. The path
// is normalised as far as two spellings of it are equal by RFC 3986, section
// 6.2.2: percent-encoded but for unreserved characters, hex digits in upper
// case, without dot segments (also those written with %2e); an empty one is "/". A path with
// an escaped slash or a backslash, which some servers take for slashes, keeps its dot segments:
// what they stand for depends on the server.
func ParseOrigin(loc string) (o Origin, path string, err error) {
	if o, path, ok := plainOrigin(loc); ok {
		return o, path, nil
	}
	u, err := sitemap.ParseLoc(loc)
	if err != nil {
		return Origin{}, "", err
	}
	if o, err = originOf(u); err != nil {
		return Origin{}, "", err
	}
	return o, clearPath(u.EscapedPath()), nil
}

// OriginOf returns the origin of u. It fails where the scheme is not http or
// https, and where the host or the port cannot be read.
func OriginOf(u *url.URL) (Origin, error) {
	clean, err := sitemap.ParseLoc(u.Scheme + "://" + u.Host)
	if err != nil {
		return Origin{}, err
	}
	return originOf(clean)
}

// originOf is OriginOf for what ParseLoc returned.
func originOf(u *url.URL) (Origin, error) {
	scheme := strings.ToLower(u.Scheme)
	if scheme != "http" && scheme != "https" {
		return Origin{}, errScheme
	}
	host := strings.TrimRight(u.Hostname(), ".")
	if addr, err := netip.ParseAddr(host); err == nil && addr.Is6() {
		host = "[" + addr.String() + "]"
	}
	port := strings.TrimLeft(u.Port(), "0")
	if port == "" && u.Port() != "" {
		port = "0"
	}
	if port != "" && !(scheme == "http" && port == "80") && !(scheme == "https" && port == "443") {
		host += ":" + port
	}
	return Origin{Scheme: scheme, Host: host}, nil
}

var defaultPorts = map[string]string{"http": "80", "https": "443"}

// plainOrigin is ParseOrigin for the common locations: a host of lower-case
// letters, digits, hyphens and dots, with or without a port. The host, and mostly the
// path, are parts of loc as it is.
func plainOrigin(loc string) (o Origin, path string, ok bool) {
	o.Scheme = "https"
	rest, ok := strings.CutPrefix(loc, "https://")
	if !ok {
		if rest, ok = strings.CutPrefix(loc, "http://"); !ok {
			return o, "", false
		}
		o.Scheme = "http"
	}
	end := 0
	for end < len(rest) && classes[rest[end]]&inPlainHost != 0 {
		end++
	}
	if end == 0 || rest[end-1] == '.' {
		return o, "", false
	}
	o.Host, path = rest[:end], rest[end:]
	if strings.HasPrefix(path, ":") {
		n := portLen(path[1:])
		if n == 0 {
			return o, "", false
		}
		port := path[1 : 1+n]
		path = path[1+n:]
		if port != defaultPorts[o.Scheme] {
			o.Host = rest[:end+1+n]
		}
	}
	if path != "" && path[0] != '/' && path[0] != '?' && path[0] != '#' {
		return o, "", false
	}
	if i := pathLen(path); i < len(path) {
		path = path[:i]
	}
	return o, clearPath(path), true
}

// pathLen returns the length of the path that s starts with.
func pathLen(s string) int {
	for i := range len(s) {
		if s[i] == '?' || s[i] == '#' {
			return i
		}
	}
	return len(s)
}

const (
	inPlainHost  = 1 << iota
	unreserved   // RFC 3986, section 2.3
	inNormalPath // a slash, unreserved, a sub-delimiter, a colon or an at sign: what stands for itself in a normalised path (section 3.3)
)

// classes tells of each byte what it may stand for.
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

// clearPath normalises a path as ParseOrigin says.
func clearPath(path string) string {
	path = normalEscapes(path)
	if strings.Contains(path, "/.") && !strings.Contains(path, "%2F") && !strings.Contains(path, "%5C") {
		return RemoveDotSegments(path)
	}
	return path
}

// normalPath is clearPath for a path in which an escaped slash is none.
func normalPath(path string) string { return RemoveDotSegments(normalEscapes(path)) }

// normalEscapes returns a path, with its first slash, percent-encoded as ParseOrigin says.
func normalEscapes(path string) string {
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	i := 0
	for i < len(path) && classes[path[i]]&inNormalPath != 0 {
		i++
	}
	if i == len(path) {
		return path
	}
	out := make([]byte, 0, len(path)+16)
	for i := 0; i < len(path); i++ {
		c := path[i]
		switch {
		case c == '%' && i+2 < len(path) && IsHex(path[i+1]) && IsHex(path[i+2]):
			v := unhex(path[i+1])<<4 | unhex(path[i+2])
			i += 2
			if classes[v]&unreserved != 0 {
				out = append(out, v)
			} else {
				out = append(out, '%', upperHex[v>>4], upperHex[v&15])
			}
		case classes[c]&inNormalPath != 0:
			out = append(out, c)
		default:
			out = append(out, '%', upperHex[c>>4], upperHex[c&15])
		}
	}
	return string(out)
}

func unhex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}

// Dir returns the directory of a path, normalised, with its last slash: what
// stands at or below it is what a sitemap at path may list (the location rule
// of the sitemap protocol).
func Dir(path string) string {
	path = normalPath(path)
	return path[:strings.LastIndexByte(path, '/')+1]
}

// InDir reports whether path is at or below the directory dir. Both are
// normalised first, and segments count as a whole: /catalogue is not in /cat.
func InDir(dir, path string) bool {
	dir, path = normalPath(dir), normalPath(path)
	if !strings.HasSuffix(dir, "/") {
		dir += "/"
	}
	return strings.HasPrefix(path, dir)
}
