package trust

import (
	"slices"

	"github.com/seed-322c453a/sitemap/internal/location"
)

// maxGrants bounds the grants of a [Scope].
const maxGrants = 64

// A Scope is the grants of a document, which may list a URL if one of them covers it. A nil Scope
// covers nothing.
type Scope []Grant

// Judge returns the level at which a document of this scope may list loc, and the grant that gives
// it.
//
// The strongest grant that covers loc counts, and the first among equal ones. If no grant covers
// loc but one covers a variant of it, the level is [Variant], and the grant is that one. Otherwise
// the level is [Untrusted] and the grant is zero, also if loc is no absolute http or https URL.
//
// Hosts are compared normalized. Directories are compared by segments, without percent-encoding
// and dot segments (RFC 3986, section 6.2.2). A path with escaped slashes or backslashes is covered
// only if it is in the directory however a server reads them; see [Grants].
func (s Scope) Judge(loc string) (Level, Grant) {
	o, path, err := location.ParseOrigin(loc)
	if err != nil {
		return Untrusted, Grant{}
	}
	return s.JudgeAt(o, path)
}

// JudgeAt is Judge for an origin and a normalized path, for packages of this module.
func (s Scope) JudgeAt(o location.Origin, path string) (Level, Grant) {
	level, by := Untrusted, Grant{}
	for _, g := range s {
		switch {
		case g.By > level && g.isOf(o) && g.covers(path):
			level, by = g.By, g
		case level < Variant && g.By >= Variant && g.isVariantOf(o) && g.covers(path):
			level, by = Variant, g
		}
	}
	return level, by
}

// covers reports whether a grant of the scope covers loc itself, not only a variant of it.
func (s Scope) covers(loc string) bool {
	level, _ := s.Judge(loc)
	return level > Variant
}

// With returns the scope with grants added. The grants of s stay first, and s does not change. With
// leaves out a grant that an earlier one subsumes, and all grants after the first 64.
func (s Scope) With(grants ...Grant) Scope {
	s = slices.Clip(s)
	for _, g := range grants {
		subsumed := slices.ContainsFunc(s, func(have Grant) bool { return have.subsumes(g) })
		if !subsumed && len(s) < maxGrants {
			s = append(s, g)
		}
	}
	return s
}
