package discover

import (
	"crypto/sha256"
	"strings"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/location"
)

// A key identifies a document. Equal keys mean equal locations after normalisation (RFC 3986,
// section 6.2): scheme, host, path and query count, fragment and credentials do not. A hash keeps
// the memory of a walk small, since a location may have 8 KiB.
type key [16]byte

func keyOf(loc string) key {
	sum := sha256.Sum256([]byte(normalised(loc)))
	return key(sum[:16])
}

func normalised(loc string) string {
	o, path, err := location.ParseOrigin(loc)
	if err != nil {
		return loc
	}
	query := ""
	if strings.Contains(loc, "?") {
		if u, err := sitemap.ParseLoc(loc); err == nil && u.RawQuery != "" {
			query = "?" + u.RawQuery
		}
	}
	return o.String() + path + query
}

// authority returns the part of loc before its path: "https://example.com".
func authority(loc string) string {
	start := strings.Index(loc, "//")
	if start < 0 {
		return ""
	}
	if end := strings.IndexAny(loc[start+2:], "/?#"); end >= 0 {
		return loc[:start+2+end]
	}
	return loc
}
