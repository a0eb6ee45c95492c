package watch

import (
	"cmp"
	"time"

	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/discover/trust"
)

// A Watcher reads the sitemaps of sites again and again and says what has changed. Client and Store
// must be set; its fields must not change while it is used. At most one of its sequences may be
// ranged over at a time.
type Watcher struct {
	Client *discover.Client
	// Store keeps what was seen, the rhythm of each document, and when it is due.
	Store discover.Store
	// Options are those of each walk. Store, Run, OnlyChanged and Validators are the Watcher's, and
	// KnownPaths, KnownPathsToo and Newest have no effect. Its functions are called on several
	// goroutines.
	Options discover.Options
	// PerDay is how many requests for the documents of a site may be sent in a day. 0 means 96.
	PerDay int
	// Min and Max are the shortest and the longest interval of a document. 0 means 5 minutes and 14
	// days.
	Min, Max time.Duration
	// Parallel is how many sites are walked at once. 0 means 16.
	Parallel int
	// Initial yields the pages of the first walk of a site as Added. Without it they are only
	// remembered.
	Initial bool
}

func (w *Watcher) perDay() int           { return max(cmp.Or(w.PerDay, 96), 1) }
func (w *Watcher) least() time.Duration  { return cmp.Or(w.Min, 5*time.Minute) }
func (w *Watcher) most() time.Duration   { return cmp.Or(w.Max, 14*24*time.Hour) }
func (w *Watcher) parallel() int         { return max(cmp.Or(w.Parallel, 16), 1) }
func (w *Watcher) minTrust() trust.Level { return cmp.Or(w.Options.MinTrust, trust.Variant) }
