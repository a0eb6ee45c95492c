// Package normal returns parts of URLs in their normal form, so that equivalent spellings are equal
// (RFC 3986, section 6.2.2).
package normal

import (
	"bytes"
	"strings"

	"github.com/seed-322c453a/sitemap/internal/chars"
)

// Path returns the normal form of the path that rest, which follows a host, starts with. It is
// percent-encoded except for unreserved characters, has hex digits in upper case, no dot segments
// (%2e included), and is never empty. In a path with an escaped slash or a backslash, dot segments
// are kept: their meaning depends on whether the server reads those as slashes.
func Path(rest string) string {
	if i := strings.IndexAny(rest, "?#"); i >= 0 {
		rest = rest[:i]
	}
	path := EscapedPath(rest)
	if strings.Contains(path, "/.") && !strings.Contains(path, "%2F") &&
		!strings.Contains(path, "%5C") {
		return RemoveDotSegments(path)
	}
	return path
}

// EscapedPath returns a path with a leading slash and normal percent-encoding.
func EscapedPath(path string) string {
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return escapes(path, inPath)
}

// Query returns the normal form of a query or a fragment.
func Query(s string) string { return escapes(s, inQuery) }

const (
	unreserved = 1 << iota // RFC 3986, section 2.3
	inPath                 // the characters of a normal path (section 3.3)
	inQuery                // those of a normal query (section 3.4)
)

// classes holds the classes of each byte.
var classes = func() (t [256]byte) {
	for c := range t {
		c := byte(c)
		if chars.IsLetter(c) || chars.IsDigit(c) || strings.IndexByte("-._~", c) >= 0 {
			t[c] = unreserved | inPath | inQuery
		}
	}
	for _, c := range []byte("/!$&'()*+,;=:@") {
		t[c] = inPath | inQuery
	}
	t['?'] = inQuery
	return t
}()

// escapes returns s with normal percent-encoding: only of characters that are not allowed, and in
// upper case.
func escapes(s string, allowed byte) string {
	i := 0
	for i < len(s) && classes[s[i]]&allowed != 0 {
		i++
	}
	if i == len(s) {
		return s
	}
	out := make([]byte, 0, len(s)+16)
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '%' && chars.IsEscape(s, i):
			v := unhex(s[i+1])<<4 | unhex(s[i+2])
			i += 2
			if classes[v]&unreserved != 0 {
				out = append(out, v)
			} else {
				out = chars.AppendEscape(out, v)
			}
		case classes[c]&allowed != 0:
			out = append(out, c)
		default:
			out = chars.AppendEscape(out, c)
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

// escapedDot decodes escaped dots.
var escapedDot = strings.NewReplacer("%2e", ".", "%2E", ".")

// RemoveDotSegments removes . and .. from a path that starts with a slash (RFC 3986, section
// 5.2.4), also in the form of %2e (section 6.2.2.3).
func RemoveDotSegments(path string) string {
	if !strings.Contains(path, "/.") && !strings.Contains(path, "/%2") {
		return path
	}
	out := make([]byte, 0, len(path))
	for rest := path; rest != ""; {
		segment := rest // with the slash before it
		if i := strings.IndexByte(rest[1:], '/'); i >= 0 {
			segment = rest[:i+1]
		}
		rest = rest[len(segment):]
		switch escapedDot.Replace(segment) {
		case "/..":
			out = out[:max(0, bytes.LastIndexByte(out, '/'))]
			fallthrough
		case "/.":
			if rest == "" {
				out = append(out, '/')
			}
		default:
			out = append(out, segment...)
		}
	}
	if len(out) == 0 {
		return "/"
	}
	return string(out)
}
