package audit

import (
	"strings"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/location"
)

// sameURL reports whether two locations are one URL in the form that a request has.
func sameURL(a, b string) bool { return a == b || formOf(a) == formOf(b) }

// formOf returns a location in the form of a request, so that equal ones are compared as such.
func formOf(loc string) string {
	if isRequestForm(loc) {
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

// isRequestForm reports whether a location is known to have the form of a request.
func isRequestForm(loc string) bool {
	const start = len("https://")
	has := classOf(loc)
	if len(loc) <= start || has&(isPercent|isHash|isOdd) != 0 {
		return false
	}
	if has&isQuery == 0 {
		return strings.IndexByte(loc[start:], '/') >= 0
	}
	_, rest := location.Split(loc)
	return strings.HasPrefix(rest, "/")
}
