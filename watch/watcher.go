package watch

import (
	"cmp"
	"time"

	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/discover/trust"
)

// A Watcher reads the sitemaps of sites again and again and reports what has changed. Client and
// Store must be set. Its fields must not change while it is used. At most one of its sequences may
// be ranged over at a time.
type Watcher struct {
	// Client requests the documents.
	Client *discover.Client
	// Store keeps the pages that were seen, the rate of each document, and when it is due.
	Store discover.Store
	// Options are the options of each walk. The Watcher sets Store, Run, OnlyChanged and Validators
	// itself. KnownPaths, KnownPathsToo, Newest and SkipExtensions have no effect, and pages below
	// MinTrust are not reported. Several goroutines may call the functions in Options at once.
	Options discover.Options
	// PerDay is how many requests for the documents of a site may be sent in a day. 0 means 96, a
	// negative number 1.
	PerDay int
	// Min is the shortest interval of a document. 0 means 5 minutes, a negative value no bound.
	Min time.Duration
	// Max is the longest interval of a document. 0 or a negative value means 14 days.
	Max time.Duration
	// Parallel is how many sites are walked at once. 0 means 16, a negative number 1.
	Parallel int
	// Initial yields the pages of the first walk of a site as [Added]. Without it they are only
	// remembered.
	Initial bool
}

func (w *Watcher) perDay() int           { return max(cmp.Or(w.PerDay, 96), 1) }
func (w *Watcher) least() time.Duration  { return cmp.Or(w.Min, 5*time.Minute) }
func (w *Watcher) most() time.Duration   { return cmp.Or(max(0, w.Max), 14*24*time.Hour) }
func (w *Watcher) parallel() int         { return max(cmp.Or(w.Parallel, 16), 1) }
func (w *Watcher) minTrust() trust.Level { return cmp.Or(w.Options.MinTrust, trust.Variant) }
