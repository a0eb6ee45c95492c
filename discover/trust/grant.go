package trust

import (
	"slices"
	"strings"

	"github.com/seed-322c453a/sitemap/internal/location"
)

// A Grant entitles a document to list the URLs of a host at or below a directory. [Grants] returns
// grants in the form that [Scope.Judge] compares.
type Grant struct {
	// Scheme is "http" or "https" if a location grants, else "", which stands for both.
	Scheme string `json:"scheme,omitempty"`
	// Host is in lower-case ASCII (IDNA) without a trailing dot. It includes a port that is not
	// the default one of its scheme.
	Host string `json:"host"`
	// Dir starts and ends with a slash. "/" is the whole host.
	Dir string `json:"dir"`
	// By is the level that the grant gives.
	By Level `json:"by"`
}

// String returns the grant in the form "https://example.com/a/ (location)".
func (g Grant) String() string {
	scheme := g.Scheme
	if scheme != "" {
		scheme += "://"
	}
	return scheme + g.Host + g.Dir + " (" + g.By.String() + ")"
}

// readings returns the other ways to read a normalized path: with escaped slashes as slashes, with
// backslashes as slashes, and with both.
func readings(path string) []string {
	if !strings.Contains(path, "%5C") && !strings.Contains(path, "%2F") {
		return nil
	}
	return []string{
		strings.ReplaceAll(path, "%5C", "/"),
		strings.ReplaceAll(path, "%2F", "/"),
		strings.NewReplacer("%5C", "/", "%2F", "/").Replace(path),
	}
}

// covers reports whether path, which is normalized, is in the directory of g by every reading.
func (g Grant) covers(path string) bool {
	outside := func(path string) bool { return !location.InDir(g.Dir, path) }
	return g.Dir == "/" || !outside(path) && !slices.ContainsFunc(readings(path), outside)
}

// isOf reports whether g is a grant of the origin o.
func (g Grant) isOf(o location.Origin) bool {
	return g.Host == o.Host && (g.Scheme == "" || g.Scheme == o.Scheme)
}

// isVariantOf reports whether the origin of g differs from o by http against https on default
// ports, by one leading "www.", or by both.
func (g Grant) isVariantOf(o location.Origin) bool {
	if g.Scheme != "" && g.Scheme != o.Scheme && o.HasPort() {
		return false
	}
	return g.Host == o.Host || "www."+g.Host == o.Host || g.Host == "www."+o.Host
}

// subsumes reports whether g covers whatever other covers, at the same level or a stronger one.
func (g Grant) subsumes(other Grant) bool {
	return g.By >= other.By && g.Host == other.Host &&
		(g.Scheme == "" || g.Scheme == other.Scheme) &&
		(g.Dir == other.Dir || location.InDir(g.Dir, other.Dir))
}
