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
	site   *site
	cause  string // names the request, in the IDs of notices
	events []Event
	marks  []mark // of events
	longvalue.Batch
	taken chan bool // receives whether the turn may go on
}

// A mark records that an event was taken, until all events of its delivery are. It is the page as
// removal.go remembers it, or the ID of a notice.
type mark struct {
	Page pagelist.Page `json:"page,omitzero"`
	ID   string        `json:"id,omitempty"`
}

// page adds an event about a page. The number of its removals is part of the ID. That number is
// forgotten in time, so the month is part of it too.
func (d *delivery) page(kind Kind, u discover.URL, p pagelist.Page, month time.Time) {
	e := Event{Kind: kind, URL: u, Sitemap: p.From}
	d.add(e, u.Loc, u.LastMod.String(), strconv.Itoa(p.Removed), month.UTC().Format("200601"))
	if kind == Removed {
		p.State |= pagelist.Settled
		p.Removed++
	}
	d.marks = append(d.marks, mark{Page: p})
}

// notice adds an event about a document, or about the site if doc is "".
func (d *delivery) notice(kind Kind, doc string, err error) {
	id := d.add(Event{Kind: kind, Sitemap: doc, Err: err}, doc, d.cause)
	d.marks = append(d.marks, mark{ID: id})
}

// add adds an event whose ID depends on its kind, the site, and further parts.
func (d *delivery) add(e Event, parts ...string) (id string) {
	e.ID = identify(append(parts, string(e.Kind), d.site.key)...)
	e.Time, e.Site, e.Sitemap = time.Now(), d.site.name, sitemap.Redact(e.Sitemap)
	d.events = append(d.events, e)
	return e.ID
}
