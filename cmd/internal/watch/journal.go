package watch

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"strconv"
	"sync"
	"time"

	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/internal/jsonl"
)

const (
	maxWaiting = 100_000 // events that may wait for the webhook
	maxFeed    = 1_000   // events in the feed
	maxBatch   = 100     // events in a request
)

// journalEvery is how often the journal looks for new events.
const journalEvery = time.Second

// lastWait is how long the end of a run waits for the webhook. Events that it has not accepted by
// then are sent by the next run.
const lastWait = 30 * time.Second

// A journal keeps the last events in the Store of the Watcher, for the webhook and the feed. They
// become durable together with what the Watcher remembers of them, so neither a kill nor a receiver
// that is down loses one.
type journal struct {
	db      discover.Store
	webhook *webhook // nil for none
	feed    string   // name of the file, "" for none
	inFeed  int      // End, when the feed was written
	log     *cli.Log

	mu  sync.Mutex
	err error // of the Store, or of writing the feed
	journalState
}

// A journalState holds the numbers of the next event, of the next one for the webhook, and of the
// one after those that are being sent, and what makes the id of the feed unique.
type journalState struct {
	End, Sent, To int
	Feed          string
}

const journalKey = "journal/"

func eventKey(n int) string { return journalKey + strconv.Itoa(n%(maxWaiting+maxFeed)) }

func openJournal(db discover.Store, w *webhook, feed string, log *cli.Log) (*journal, error) {
	j := &journal{db: db, webhook: w, feed: feed, inFeed: -1, log: log}
	value, err := db.Get(journalKey + "state")
	if err == nil && len(value) > 0 {
		err = json.Unmarshal(value, &j.journalState)
	}
	if err == nil && feed != "" && j.Feed == "" {
		j.Feed = rand.Text()
		err = cmp.Or(j.save(), db.Sync())
	}
	return j, err
}

// put adds an event. While too many wait for the webhook, put waits too. If they wait for that of an
// earlier run, the oldest one makes room. The Watcher syncs it.
func (j *journal) put(ctx context.Context, e event) error {
	if j.webhook == nil && j.feed == "" {
		return nil
	}
	for j.webhook != nil {
		if at, err := j.state(); err != nil || at.End-at.Sent < maxWaiting {
			break
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(journalEvery):
		}
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	err := j.db.Put(eventKey(j.End), jsonl.Marshal(e))
	if waiting := j.End - j.Sent; j.webhook == nil && (waiting == 0 || waiting >= maxWaiting) {
		j.Sent++
	}
	j.End++
	return cmp.Or(j.err, err, j.save())
}

// save stores the state.
func (j *journal) save() error {
	return j.db.Put(journalKey+"state", jsonl.Marshal(j.journalState))
}

// state returns the state.
func (j *journal) state() (journalState, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.journalState, j.err
}

// events returns the events from one number until another.
func (j *journal) events(from, to int) (events []event, err error) {
	for n := max(from, 0); n < to && err == nil; n++ {
		var value []byte
		if value, err = j.db.Get(eventKey(n)); err == nil {
			var e event
			err = json.Unmarshal(value, &e)
			events = append(events, e)
		}
	}
	return events, err
}

// start sends events and writes the feed until stop is called, which returns when both are done.
func (j *journal) start(ctx context.Context) (stop func() error) {
	ctx, cancel := context.WithCancel(ctx)
	over := make(chan struct{})
	var group sync.WaitGroup
	for _, do := range []func(context.Context) error{j.send, j.write} {
		group.Go(func() {
			for isOver := false; !isOver; {
				select {
				case <-over:
					isOver = true
				case <-time.After(journalEvery):
				}
				if err := do(ctx); err != nil {
					j.mu.Lock()
					defer j.mu.Unlock()
					j.err = cmp.Or(j.err, err)
					return
				}
			}
		})
	}
	return func() error {
		close(over)
		timer := time.AfterFunc(lastWait, cancel)
		group.Wait()
		timer.Stop()
		cancel()
		return j.err
	}
}

// send sends the events that wait for the webhook, until it has accepted all of them or ctx ends.
func (j *journal) send(ctx context.Context) error {
	for j.webhook != nil {
		at, err := j.request()
		if err != nil || at.Sent == at.End {
			return err
		}
		events, err := j.events(at.Sent, at.To)
		if err != nil || j.webhook.send(ctx, events, j.log) != nil {
			return err
		}
		j.mu.Lock()
		j.Sent = at.To
		err = j.save()
		j.mu.Unlock()
		if err = cmp.Or(err, j.db.Sync()); err != nil {
			return err
		}
	}
	return nil
}

// request returns which events are sent next: the same as before if they were not accepted, so that
// their request keeps its id, also after a kill.
func (j *journal) request() (journalState, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.To > j.Sent || j.Sent == j.End {
		return j.journalState, nil
	}
	j.To = min(j.End, j.Sent+maxBatch)
	return j.journalState, cmp.Or(j.save(), j.db.Sync())
}

// write writes the feed if it lacks events. The first call always writes it.
func (j *journal) write(context.Context) error {
	at, _ := j.state()
	if j.feed == "" || j.inFeed == at.End {
		return nil
	}
	j.inFeed = at.End
	events, err := j.events(at.End-maxFeed, at.End)
	return cmp.Or(err, writeFeed(j.feed, j.Feed, events))
}
