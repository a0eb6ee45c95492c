package document

import (
	"time"

	"github.com/seed-322c453a/sitemap"
)

// A Tally counts the entries of one document. It is not safe for concurrent use.
type Tally struct {
	Entries  int64
	LastMods sitemap.LastMods
	Other    []sitemap.Element
	Refresh  time.Duration
	Err      error // the error that the document ended with

	first  sitemap.Time // the first lastmod
	future time.Time    // a lastmod after it is in the future
}

// NewTally returns an empty Tally.
func NewTally() *Tally { return &Tally{future: time.Now().Add(24 * time.Hour)} }

// Add counts an entry.
func (t *Tally) Add(e *sitemap.Entry) {
	t.Entries++
	if !e.LastMod.IsZero() {
		t.addLastMod(e)
	}
}

func (t *Tally) addLastMod(e *sitemap.Entry) {
	l, lastMod := &t.LastMods, &e.LastMod
	l.Count++
	if l.Count == 1 {
		t.first = *lastMod
	}
	if *lastMod == t.first {
		l.Equal++
	}
	if lastMod.Precision() <= sitemap.Day {
		l.DateOnly++
	}
	if lastMod.After(t.future) {
		l.Future++
	}
}
