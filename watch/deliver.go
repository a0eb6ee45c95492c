package watch

import (
	"strconv"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/internal/longvalue"
	"github.com/seed-322c453a/sitemap/internal/pagelist"
)

// A delivery is the outcome of one request: events, and the values to store once the loop has taken
// them all.
type delivery struct {
	events []Event
	longvalue.Batch
	progress string    // key of how many of the events were delivered
	done     chan bool // receives whether the turn may go on
}

// pageEvent returns an event about a page. Removed is how often it was removed before.
func (s *site) pageEvent(kind Kind, d *document, removed uint64, u discover.URL) Event {
	id := identify(string(kind), s.key, u.Loc, u.LastMod.String(), strconv.FormatUint(removed, 10))
	return Event{
		ID: id, Kind: kind, Time: time.Now(), Site: s.name, URL: u, Sitemap: sitemap.Redact(d.Loc),
	}
}

// notice returns an event about a document, or about the site if d is nil.
func (s *site) notice(kind Kind, d *document, err error) Event {
	e := Event{Kind: kind, Time: time.Now(), Site: s.name, Err: err}
	n := &s.Notices
	if d != nil {
		e.Sitemap, n = sitemap.Redact(d.Loc), &d.Notices
	}
	e.ID = identify(string(kind), s.key, e.Sitemap, strconv.Itoa(*n))
	*n++
	return e
}

// save adds the record of a document to what is stored.
func (s *site) save(d *document, out *delivery) { out.PutJSON(s.docKey(d.Loc), d.docRecord) }

// savePages adds a document with its pages.
func (s *site) savePages(d *document, pages pagelist.List, out *delivery) {
	s.fresh[d.Loc] = pages
	out.Put(s.pagesKey(d.Loc), pages.Encode(time.Now()))
	s.save(d, out)
}
