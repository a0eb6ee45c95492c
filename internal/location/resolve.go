package location

import (
	"net/url"
	"strings"

	"github.com/seed-322c453a/sitemap/internal/normal"
)

// ResolveReference resolves a reference without a scheme against base (RFC 3986, section 5.2.2). It
// works on text: unlike net/url it keeps escapes, valid or not, and non-ASCII characters of the
// reference.
func ResolveReference(base *url.URL, ref string) string {
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
		return origin + normal.RemoveDotSegments(path) + tail
	case path != "":
		dir := basePath[:strings.LastIndexByte(basePath, '/')+1]
		if dir == "" {
			dir = "/"
		}
		return origin + normal.RemoveDotSegments(dir+path) + tail
	case strings.HasPrefix(tail, "?"):
		return origin + basePath + tail
	}
	if base.RawQuery != "" || base.ForceQuery {
		tail = "?" + base.RawQuery + tail
	}
	return origin + basePath + tail
}
