package trust

import (
	"fmt"
	"slices"
)

// A Level is the kind of entitlement of a sitemap to list a URL. Levels are ordered: a larger one
// is stronger. The zero Level is unset.
type Level uint8

// The levels, weakest first.
const (
	// Untrusted means that no grant covers the URL.
	Untrusted Level = iota + 1
	// Variant means that a grant covers a variant of the URL: with http in place of https on
	// default ports or the reverse, with or without a leading "www.", or both.
	Variant
	// Verified means that the robots.txt of the URL's host was asked because of the URL, and
	// names the document or an index above it.
	Verified
	// Location means that the URL is at or below the directory that the document, or an index
	// above it, was served from (sitemaps.org, "Sitemap file location").
	Location
	// Robots means that the robots.txt of the URL's host names the document, or an index above it
	// (sitemaps.org, "Sitemaps & Cross Submits").
	Robots
	// Caller means that the caller named the document, or an index above it.
	Caller
)

var names = []string{"", "untrusted", "variant", "verified", "location", "robots", "caller"}

// String returns "untrusted", "variant", "verified", "location", "robots" or "caller". It returns
// "" for the zero Level.
func (l Level) String() string {
	if int(l) < len(names) {
		return names[l]
	}
	return "invalid"
}

// MarshalText returns the name that [Level.String] returns.
func (l Level) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText reads a name that [Level.String] returns.
func (l *Level) UnmarshalText(text []byte) error {
	i := slices.Index(names, string(text))
	if i < 0 {
		return fmt.Errorf("trust: unknown level %q", text)
	}
	*l = Level(i)
	return nil
}
