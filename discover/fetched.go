package discover

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
	"time"

	"github.com/seed-322c453a/sitemap/fetch"
	"github.com/seed-322c453a/sitemap/internal/turn"
)

// fetched is a document that was asked for.
type fetched struct {
	doc   *fetch.Document
	body  io.Reader // of doc, from its start
	err   error
	begun time.Time
	came  time.Time // the header, of this fetch
	before
}

// before are the fetches of a document before the one that counts.
type before struct {
	attempts int
	received int64 // bytes
	waited   time.Duration
}

func (f *fetched) close() {
	if f.doc != nil {
		f.doc.Body.Close()
	}
}

// add adds the fetch of a document that does not count.
func (b *before) add(f *fetched) {
	var fe *fetch.Error
	switch {
	case f.doc != nil:
		b.attempts += f.doc.Attempts
		b.received += f.doc.Received()
		b.waited += f.doc.Waited()
	case errors.As(f.err, &fe):
		b.attempts += fe.Attempts
	}
}

// without returns b without the fetch of a document that was added and has ended.
func (b before) without(f *fetched) before {
	return before{b.attempts - f.doc.Attempts, b.received - f.doc.Received(), b.waited - f.doc.Waited()}
}

// A prefetch is a document that is being fetched.
type prefetch struct {
	fetched
	ahead    turn.Body // body, if it is one
	loc      string
	plans    *plans
	req      fetch.Request
	given    bool          // it was fetched before the walk began
	n        int           // which fetch of the document it is, from 1
	turn     bool          // its turn has come
	pause    time.Duration // before it is fetched
	broken   atomic.Bool   // its body broke off before its turn
	brokeAt  time.Time
	whole    atomic.Bool // its body came before its turn
	peeked   bool        // inside, for what it lists
	order    int         // in which it was started
	isAgain  atomic.Bool // it counts among those of its host that are fetched again
	noted    bool        // that it broke off in all its tries
	kept     *prefetch   // an earlier fetch that broke off: the one of which most came
	cancel   context.CancelFunc
	ready    chan struct{} // closed when fetched is set
	expected int64         // bytes of the budget, of those that have come at least
	foreign  bool
	index    *record // that lists it, nil for seeds
	on       string  // authority
	host     *load   // there
}

// A load is what is asked of one host.
type load struct {
	documents int           // that are started
	queued    chan struct{} // closed when the last of them waits for its turn there
	asking    atomic.Int32  // of them, those that wait for their response
	// Of them, those that are fetched again, until their body has come, or their turn where it
	// waits for room.
	again atomic.Int32
}

// got returns how much of the body has come, of what is read ahead.
func (f *prefetch) got() int64 {
	if !f.isReady() || f.doc == nil {
		return 0
	}
	return min(f.doc.Received(), readAhead)
}

func (f *prefetch) isReady() bool {
	select {
	case <-f.ready:
		return true
	default:
		return false
	}
}
