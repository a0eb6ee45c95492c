package watch

import (
	"context"
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

// A journal keeps the last events in the Store of the Watcher. They become durable together with
// what the Watcher remembers of them, so neither a kill nor a receiver that is down loses one.
type journal struct {
	db      discover.Store
	webhook *webhook // nil for none
	feed    string   // name of the file, "" for none
	log     *cli.Log

	mu   sync.Mutex
	more sync.Cond
	err  error // of the Store, or of writing the feed
	over bool  // no more events are put
	journalState
}

// A journalState holds the number of the next event, and of the next one for the webhook.
type journalState struct{ End, Sent int }

const journalKey = "journal/"

func eventKey(n int) string { return journalKey + strconv.Itoa(n%(maxWaiting+maxFeed)) }

func openJournal(db discover.Store, w *webhook, feed string, log *cli.Log) (*journal, error) {
	j := &journal{db: db, webhook: w, feed: feed, log: log}
	j.more.L = &j.mu
	value, err := db.Get(journalKey + "state")
	if err == nil && len(value) > 0 {
		err = json.Unmarshal(value, &j.journalState)
	}
	return j, err
}

// put adds an event. While too many wait for the webhook, put waits too.
func (j *journal) put(ctx context.Context, e event) error {
	if j.webhook == nil && j.feed == "" {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.webhook == nil {
		j.Sent = j.End
	}
	for j.End-j.Sent >= maxWaiting && ctx.Err() == nil && j.err == nil {
		j.more.Wait()
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	j.fail(j.db.Put(eventKey(j.End), jsonl.Marshal(e)))
	j.End++
	j.save()
	return j.err
}

// save stores the state. The Watcher syncs it.
func (j *journal) save() {
	j.fail(j.db.Put(journalKey+"state", jsonl.Marshal(j.journalState)))
	j.more.Broadcast()
}

func (j *journal) fail(err error) {
	if j.err == nil {
		j.err = err
	}
}

// events returns the events from one number until another.
func (j *journal) events(from, to int) (events []event) {
	for n := max(from, 0); n < to; n++ {
		var e event
		value, err := j.db.Get(eventKey(n))
		j.fail(err)
		if json.Unmarshal(value, &e) == nil {
			events = append(events, e)
		}
	}
	return events
}

// lastWait is how long the end of a run waits for the webhook. Events that it has not accepted by
// then are sent by the next run.
const lastWait = 30 * time.Second

// start sends events and writes the feed until stop is called, which returns when both are done.
func (j *journal) start(ctx context.Context) (stop func() error) {
	ctx, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	if j.webhook != nil {
		group.Go(func() { j.send(ctx) })
	}
	if j.feed != "" {
		group.Go(func() { j.writeFeeds(ctx) })
	}
	wake := context.AfterFunc(ctx, j.wake)
	return func() error {
		j.mu.Lock()
		j.over = true
		j.mu.Unlock()
		j.wake()
		timer := time.AfterFunc(lastWait, cancel)
		group.Wait()
		timer.Stop()
		wake()
		cancel()
		return j.err
	}
}

func (j *journal) wake() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.more.Broadcast()
}

// send hands events to the webhook until all are accepted that will be put, or ctx ends.
func (j *journal) send(ctx context.Context) {
	for {
		j.mu.Lock()
		for j.Sent == j.End && !j.over && ctx.Err() == nil {
			j.more.Wait()
		}
		from, to := j.Sent, min(j.End, j.Sent+maxBatch)
		events := j.events(from, to)
		isOver := from == to || j.err != nil
		j.mu.Unlock()
		if isOver || j.webhook.send(ctx, events, j.log) != nil {
			return
		}
		j.mu.Lock()
		j.Sent = to
		j.save()
		j.fail(j.db.Sync())
		j.mu.Unlock()
	}
}

// feedEvery is how often the feed is written at most.
const feedEvery = time.Second

// writeFeeds writes the feed whenever there are events that it lacks, and once at least.
func (j *journal) writeFeeds(ctx context.Context) {
	for written := -1; ; {
		j.mu.Lock()
		for written == j.End && !j.over && ctx.Err() == nil {
			j.more.Wait()
		}
		events, end := j.events(j.End-maxFeed, j.End), j.End
		isOver := j.over || ctx.Err() != nil || j.err != nil
		j.mu.Unlock()
		if written != end {
			if err := writeFeed(j.feed, events); err != nil {
				j.mu.Lock()
				j.fail(err)
				j.mu.Unlock()
			}
			written = end
		}
		if isOver {
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(feedEvery):
		}
	}
}
