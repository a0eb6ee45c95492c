package location

import (
	"bytes"
	"net/url"
	"strings"
)

// resolveReference resolves a reference without a scheme against base (RFC 3986, section 5.2.2). It
// works on text: unlike net/url it keeps escapes, valid or not, and non-ASCII characters of the
// reference.
func resolveReference(base *url.URL, ref string) string {
	scheme := base.Scheme + ":"
	if strings.HasPrefix(ref, "//") {
		return scheme + ref
	}
	origin := scheme + "//" + base.Host
	basePath := base.EscapedPath()
	if basePath != "" && basePath[0] != '/' {
		basePath = "/" + basePath
	}
	end := strings.IndexAny(ref, "?#")
	if end < 0 {
		end = len(ref)
	}
	path, tail := ref[:end], ref[end:]
	switch {
	case path != "" && path[0] == '/':
		return origin + RemoveDotSegments(path) + tail
	case path != "":
		dir := basePath[:strings.LastIndexByte(basePath, '/')+1]
		if dir == "" {
			dir = "/"
		}
		return origin + RemoveDotSegments(dir+path) + tail
	case strings.HasPrefix(tail, "?"):
		return origin + basePath + tail
	}
	if base.RawQuery != "" || base.ForceQuery {
		tail = "?" + base.RawQuery + tail
	}
	return origin + basePath + tail
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
