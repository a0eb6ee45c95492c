package watch

import (
	"time"

	"github.com/seed-322c453a/sitemap/discover"
)

// An Event is one thing that has changed on a site.
type Event struct {
	// ID names the event. It is the same if the event is yielded again after a kill.
	ID   string
	Kind Kind
	Time time.Time // when it was seen
	Site string    // as the caller named it, without credentials
	// URL is the page of an Added or Modified event as it is listed. In a Removed event it holds
	// only Loc, and LastMod as it was last seen.
	URL discover.URL
	// Sitemap is the location of the document, or "" if the event is about the site as a whole.
	Sitemap string
	// Err says why a document or a site is failing.
	Err error
}

// A Kind says what has changed.
type Kind string

// The kinds of events.
const (
	Added          Kind = "added"           // a page is listed
	Modified       Kind = "modified"        // its lastmod is later than any that was seen
	Removed        Kind = "removed"         // no document of the site lists it any more
	SitemapAdded   Kind = "sitemap_added"   // robots.txt or an index names a document
	SitemapRemoved Kind = "sitemap_removed" // nothing names it any more
	Failing        Kind = "failing"         // it could not be read three times in a row
	Recovered      Kind = "recovered"       // it can be read again
	Quiet          Kind = "quiet"           // nothing has changed for unusually long
	Shrunk         Kind = "shrunk"          // it has lost more than half of its URLs
)
