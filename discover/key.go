package discover

import (
	"crypto/sha256"
	"strings"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/location"
)

// docKey returns the same text for locations that name the same document (RFC
// 3986, section 6.2), whatever the server: without fragment and credentials, its
// origin and path normalised.
func docKey(loc string) string {
	o, path, err := location.ParseOrigin(loc)
	if err != nil {
		return loc
	}
	loc, _, _ = strings.Cut(loc, "#")
	query := ""
	if strings.Contains(loc, "?") {
		if u, err := sitemap.ParseLoc(loc); err == nil && u.RawQuery != "" {
			query = "?" + u.RawQuery
		}
	}
	return o.Scheme + "://" + o.Host + path + query
}

// A key stands for a docKey in a walk's memory, where 50,000 locations of 8 KiB
// would not fit.
type key [16]byte

func keyOf(loc string) key {
	return hashed(docKey(loc))
}

func hashed(s string) key {
	sum := sha256.Sum256([]byte(s))
	return key(sum[:16])
}

// spellingOf stands for how a location is asked for, which a server may tell from other
// spellings of the same document.
func spellingOf(loc string) key {
	loc, _, _ = strings.Cut(loc, "#")
	a := authority(loc)
	path, _, _ := strings.Cut(loc[len(a):], "?")
	rest := loc[len(a)+len(path):]
	if path == "" {
		path = "/"
	}
	return hashed(hostSpelling(a) + location.RemoveDotSegments(path) + rest)
}

// hostSpelling returns an authority as servers may tell it from others of the same document: they
// tell neither case nor the port that goes without saying.
func hostSpelling(authority string) string {
	_, authority, _ = strings.Cut(authority, "//")
	at := strings.LastIndexByte(authority, '@') + 1
	host := strings.ToLower(authority[at:])
	return authority[:at] + strings.TrimSuffix(strings.TrimSuffix(host, ":443"), ":80")
}
