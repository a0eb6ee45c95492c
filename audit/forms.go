package audit

import (
	"unicode/utf8"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/location"
)

// sameURL reports whether two locations are one URL in the form that a request has.
func sameURL(a, b string) bool { return a == b || formOf(a) == formOf(b) }

// formOf returns a location in the form of a request, so that equal ones are compared as such.
func formOf(loc string) string {
	if utf8.RuneCountInString(loc) == len(loc) && location.Plain([]byte(loc)) {
		return loc
	}
	u, err := sitemap.ParseLoc(loc)
	if err != nil {
		return loc
	}
	if u.Path == "" {
		u.Path = "/"
	}
	return u.String()
}
