package batch

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/url"
	"regexp"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/discover/state"
	"github.com/seed-322c453a/sitemap/discover/trust"
	"github.com/seed-322c453a/sitemap/fetch"
	"github.com/seed-322c453a/sitemap/internal/jsonl"
)

// A Worker walks the tasks of a queue. Its fields must not change while it runs.
type Worker struct {
	// Client is shared by all walks. It must be set, as must Queue and Sink.
	Client *discover.Client
	Queue  Queue
	Sink   Sink
	// States, if set, keep what walks remember.
	States States
	// Options are those of each walk. Store and Run are the Worker's. With OnlyChanged, and States
	// of an earlier run, parts hold what is new or modified, and each line says which.
	Options discover.Options
	// Walks is how many tasks are walked at once. 0 means 16.
	Walks int
	// Limit is the longest time for one target. 0 means any.
	Limit time.Duration
	// Grace is how long walks go on when the context ends. Tasks that need longer are handed back.
	Grace time.Duration
	// Done, if set, is called after each task that has ended, also if its part was there before.
	// It may be called by several goroutines at once.
	Done func(task Task, counts Counts)
}

// renewEvery is how often a lease is renewed, and handBack how long that and its end may take after
// the context has ended.
const (
	renewEvery = 10 * time.Second
	handBack   = 15 * time.Second
)

// Run walks tasks until the queue's run is over. What cannot be read of a site is no error: its part
// says so. An error of the queue, the sink or the states ends the worker; walks under way have Grace
// to end, as they have if ctx ends. The error is then ctx's.
func (w *Worker) Run(ctx context.Context) error {
	group, taking := errgroup.WithContext(ctx)
	walking, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	defer context.AfterFunc(taking, func() { time.AfterFunc(w.Grace, stop) })()
	for range cmp.Or(w.Walks, 16) {
		group.Go(func() error {
			for {
				lease, err := w.Queue.Take(taking)
				if err == nil {
					err = w.work(walking, lease)
				}
				if errors.Is(err, io.EOF) {
					return nil
				}
				if err = cmp.Or(err, taking.Err()); err != nil {
					return err
				}
			}
		})
	}
	return group.Wait()
}

// work walks a task and ends its lease.
func (w *Worker) work(ctx context.Context, lease Lease) error {
	task := lease.Task()
	defer w.renew(ctx, lease)()
	counts, err := w.part(ctx, task)
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), handBack)
	defer cancel()
	if err != nil {
		return errors.Join(err, lease.Later(last, 0))
	}
	if w.Done != nil {
		w.Done(task, counts)
	}
	lease.Done(last) // if that fails, whoever gets the task again finds its part
	return nil
}

// renew renews a lease until the function that it returns is called.
func (w *Worker) renew(ctx context.Context, lease Lease) func() {
	ctx, stop := context.WithCancel(ctx)
	go func() {
		for {
			select {
			case <-time.After(renewEvery):
				lease.Renew(ctx) // an error means at most that the task is walked twice
			case <-ctx.Done():
				return
			}
		}
	}()
	return stop
}

// part writes the part of a task, unless there is one.
func (w *Worker) part(ctx context.Context, task Task) (counts Counts, err error) {
	if has, err := w.Sink.Has(task.Run, task.Domain); has || err != nil {
		return counts, err
	}
	var store state.Memory
	var revision uint64
	if w.States != nil {
		var saved []byte
		if saved, revision, err = w.States.Load(ctx, task.Domain); err != nil {
			return counts, err
		}
		store.ReadFrom(bytes.NewReader(saved)) // what is damaged is forgotten
	}
	part, err := w.Sink.Part(task.Run, task.Domain)
	if err != nil {
		return counts, err
	}
	defer part.Discard()
	v := &visit{part: part, options: w.Options, limit: w.Limit, counts: &counts}
	if v.options.Run = ""; w.States != nil {
		v.options.Store = &store
	}
	counts.Targets = int64(len(task.Targets))
	for _, target := range task.Targets {
		if err := v.walk(ctx, w.Client, target); err != nil {
			return counts, err
		}
	}
	// Another worker may have walked the domain, if the lease was lost.
	if has, err := w.Sink.Has(task.Run, task.Domain); has || err != nil {
		return counts, err
	}
	if err := part.Commit(counts); err != nil || w.States == nil {
		return counts, err
	}
	var saved bytes.Buffer
	store.WriteTo(&saved)
	_, err = w.States.Save(ctx, task.Domain, saved.Bytes(), revision)
	if errors.Is(err, ErrStale) { // so it has
		err = nil
	}
	return counts, err
}

// A visit writes what the walks of one task find.
type visit struct {
	part    Part
	options discover.Options
	limit   time.Duration
	counts  *Counts
	record  jsonl.Record
	from    *discover.Sitemap // the document of the record
	line    []byte
	failed  error // of the part
}

// walk walks a target. What could not be read of it is in the part; the error is another one.
func (v *visit) walk(ctx context.Context, c *discover.Client, target string) error {
	v.record.Target = sitemap.Redact(target)
	walking, stop := ctx, func() {}
	if v.limit > 0 {
		walking, stop = context.WithTimeout(ctx, v.limit)
	}
	defer stop()
	o := v.options
	o.Done = func(s *discover.Sitemap, sum discover.Summary) {
		if sum.Skipped == "" {
			v.counts.Documents++
		}
		for level, n := range sum.ByTrust {
			if level < cmp.Or(o.MinTrust, trust.Variant) {
				v.counts.Untrusted += n
			}
		}
		if sum.Err != nil && walking.Err() == nil {
			v.fail("document", sitemap.Redact(s.Loc), sum.Err)
		}
		if v.options.Done != nil {
			v.options.Done(s, sum)
		}
	}
	for u, err := range walkOf(walking, c, target, &o) {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && walking.Err() != nil:
			v.fail("target", "", errLimit)
		case err != nil:
			v.walkFailed(err)
		default:
			v.page(&u)
		}
		if v.failed != nil {
			break
		}
	}
	return v.failed
}

// errLimit is the failure of a target that takes longer than Limit.
var errLimit = fmt.Errorf("longer than the time for one target: %w", fetch.ErrTimeout)

// walkOf walks a target: a site if it is a host or a URL without a path, else a sitemap.
func walkOf(
	ctx context.Context, c *discover.Client, target string, o *discover.Options,
) iter.Seq2[discover.URL, error] {
	u, err := url.Parse(target)
	if err != nil || u.Host == "" || u.Path == "" || u.Path == "/" || u.Path == "/robots.txt" {
		return c.URLs(ctx, target, o)
	}
	return c.Walk(ctx, []*discover.Sitemap{{Loc: target}}, o)
}

// page writes the line of a page.
func (v *visit) page(u *discover.URL) {
	r := &v.record
	if u.Sitemap != v.from {
		v.from, r.Sitemap = u.Sitemap, sitemap.Redact(u.Sitemap.Loc)
	}
	r.Entry, r.Trust, r.OnSite = u.Entry, u.Trust.String(), u.OnSite
	if v.options.OnlyChanged {
		r.Change = u.Change
	}
	v.line = jsonl.Append(v.line[:0], r)
	v.write(v.line)
	v.counts.URLs++
}

// walkFailed takes the last error of a walk. Those of documents were taken before.
func (v *visit) walkFailed(err error) {
	var walk *discover.WalkError
	if !errors.As(err, &walk) {
		v.fail("target", "", err)
		return
	}
	for _, err := range walk.Errs {
		if e := (*discover.DocumentError)(nil); !errors.As(err, &e) {
			v.fail("target", "", err)
		}
	}
}

// localPort matches what differs from one connection to the next in the message of an error.
var localPort = regexp.MustCompile(`\btcp \S+->`)

// fail writes the line of a document or a target that could not be read.
func (v *visit) fail(kind, loc string, err error) {
	e := jsonl.ErrorOf(cmp.Or(loc, v.record.Target), err)
	e.Message = localPort.ReplaceAllString(e.Message, "tcp ")
	if v.counts.Failed++; v.counts.Cause == "" {
		v.counts.Cause = e.Code
	}
	v.write(append(jsonl.Marshal(struct {
		Type    string       `json:"type"`
		Target  string       `json:"target"`
		Sitemap string       `json:"sitemap,omitempty"`
		Error   *jsonl.Error `json:"error"`
	}{kind, v.record.Target, loc, e}), '\n'))
}

func (v *visit) write(line []byte) {
	_, err := v.part.Write(line)
	v.failed = cmp.Or(v.failed, err)
}
