package watch

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"time"

	"github.com/seed-322c453a/sitemap"
)

// Events yields the changes of sites, for ever. Each site is watched once, however often it is
// named. An event counts as delivered when the loop asks for the next one; only then is it made
// durable. The last element is the error of ctx or of the Store, or says that the clock is more
// than a day before the last reading of a site.
//
// A site is a host or an http or https URL, as for [discover.Client.URLs]; credentials in it are
// not used. For any other name, the first event is Failing.
//
// Events does nothing before it is ranged over, and leaves nothing running when the caller breaks
// off.
func (w *Watcher) Events(ctx context.Context, sites iter.Seq[string]) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) { w.run(ctx, sites, yield, false) }
}

// Once yields the changes in the documents that are due, and ends when all of them have been read.
// It is for programs that run now and then. It sends at most as many requests to a site at once as
// PerDay allows for the time since the last run, and at most those of a day. See [Watcher.Events]
// for the rest.
func (w *Watcher) Once(ctx context.Context, sites iter.Seq[string]) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) { w.run(ctx, sites, yield, true) }
}

// A Document describes one document of a site, as far as the Watcher knows it.
type Document struct {
	Sitemap  string // its location
	Index    string // location of the index that lists it, or ""
	Format   sitemap.Format
	URLs     int           // how many it lists
	Rate     float64       // estimated changes a day
	Interval time.Duration // from the last request to the next
	Next     time.Time     // when it is due
	Read     time.Time     // when it was last read
	Changed  time.Time     // when a change was last seen
	Failures int           // how often in a row it could not be read
	Err      string        // the last error
}

// Documents yields the documents of a site, as it was last read, each index before its children. If
// none was found yet, it yields the error of the last attempt to find them.
func (w *Watcher) Documents(name string) iter.Seq2[Document, error] {
	return func(yield func(Document, error) bool) {
		key, err := siteKey(name)
		s := w.load(name, key)
		err = cmp.Or(err, s.err)
		if err == nil && len(s.Docs) == 0 && s.Err != "" {
			err = errors.New(s.Err)
		}
		if err != nil {
			yield(Document{}, err)
			return
		}
		for _, d := range s.Docs {
			due := s.due(d)
			known := Document{
				Sitemap: sitemap.Redact(d.Loc), Index: sitemap.Redact(d.Index),
				Format: d.Format, URLs: d.URLs, Rate: d.Rhythm.rate(),
				Interval: max(due.Sub(d.Asked), 0), Next: due, Read: d.Read, Changed: d.Changed,
				Failures: d.Failures, Err: d.Err,
			}
			if !yield(known, nil) {
				return
			}
		}
	}
}
