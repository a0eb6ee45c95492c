package discover

import (
	"crypto/sha256"

	"github.com/seed-322c453a/sitemap/internal/location"
)

// A key identifies a document. Equal keys mean equal locations after normalisation (RFC 3986,
// section 6.2): scheme, host, path and query count, fragment and credentials do not. A hash keeps
// the memory of a walk small, since a location may have 8 KiB.
type key [16]byte

// keyOf returns the key of a location, or of other text.
func keyOf(loc string) key {
	authority, rest := location.Split(loc)
	if o, err := location.AuthorityOrigin(authority); err == nil {
		return keyAt(o, rest)
	}
	return hashKey(loc)
}

// keyAt returns the key of the location of an origin and the rest after it.
func keyAt(o location.Origin, rest string) key { return hashKey(location.Normalize(o, rest)) }

func hashKey(text string) key {
	sum := sha256.Sum256([]byte(text))
	return key(sum[:16])
}
