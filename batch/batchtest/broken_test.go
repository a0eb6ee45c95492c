package batchtest

import (
	"context"
	"io"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-322c453a/sitemap/batch"
)

// A recorder is a test that may fail. As a test, it is safe for concurrent use.
type recorder struct {
	testing.TB
	failed atomic.Bool
}

func (r *recorder) Helper()               {}
func (r *recorder) Errorf(string, ...any) { r.failed.Store(true) }
func (r *recorder) Error(...any)          { r.failed.Store(true) }
func (r *recorder) Fatalf(string, ...any) { r.failed.Store(true); runtime.Goexit() }
func (r *recorder) Fatal(...any)          { r.failed.Store(true); runtime.Goexit() }

// wantCaught checks that the test of a promise fails for what breaks it. It is in the package
// itself, since only there one test can be run to its failure.
func wantCaught[T any](t *testing.T, promises []promise[T], name string, of T) {
	t.Helper()
	i := slices.IndexFunc(promises, func(p promise[T]) bool { return p.name == name })
	if i < 0 {
		t.Fatalf("there is no test %q", name)
	}
	r := &recorder{TB: t}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		promises[i].test(r, of)
	}()
	<-ended
	if !r.failed.Load() {
		t.Errorf("%q has not caught %T", name, of)
	}
}

func memory() *batch.MemoryQueue { return batch.NewMemoryQueue(1_000) }

// A cutting queue has messages of a bounded size.
type cutting struct{ *batch.MemoryQueue }

func (q cutting) Put(ctx context.Context, t batch.Task) (bool, error) {
	t.Targets = t.Targets[:min(len(t.Targets), 10_000)]
	return q.MemoryQueue.Put(ctx, t)
}

// A changed queue changes what its leases do.
type changed struct {
	*batch.MemoryQueue
	take func(batch.Lease) batch.Lease
}

func (q changed) Take(ctx context.Context) (batch.Lease, error) {
	l, err := q.MemoryQueue.Take(ctx)
	if err != nil {
		return nil, err
	}
	return q.take(l), nil
}

// A losing lease forgets what is handed back.
type losing struct{ batch.Lease }

func (l losing) Later(ctx context.Context, _ time.Duration) error { return l.Done(ctx) }

// A nameless lease is ended by the name of its domain, whoever has it.
type nameless struct {
	batch.Lease
	leases map[string]batch.Lease
}

func (l nameless) Done(ctx context.Context) error { return l.leases[l.Task().Domain].Done(ctx) }

// A shared queue has tasks of one domain under several names.
type shared struct{ *batch.MemoryQueue }

func (q shared) Put(ctx context.Context, t batch.Task) (bool, error) {
	added, err := q.MemoryQueue.Put(ctx, t)
	if again := t; added && err == nil {
		again.Domain += "." // another task for the queue below
		q.MemoryQueue.Put(ctx, again)
	}
	return added, err
}

func (q shared) Take(ctx context.Context) (batch.Lease, error) {
	l, err := q.MemoryQueue.Take(ctx)
	if err != nil {
		return nil, err
	}
	return sharedLease{l}, nil
}

type sharedLease struct{ batch.Lease }

func (l sharedLease) Task() batch.Task {
	t := l.Lease.Task()
	t.Domain = t.Targets[0]
	return t
}

// A hasty queue is over when nothing waits.
type hasty struct {
	*batch.MemoryQueue
	left *int
}

func (q hasty) Put(ctx context.Context, t batch.Task) (bool, error) {
	*q.left++
	return q.MemoryQueue.Put(ctx, t)
}

func (q hasty) Take(ctx context.Context) (batch.Lease, error) {
	if *q.left == 0 {
		return nil, io.EOF
	}
	*q.left--
	return q.MemoryQueue.Take(ctx)
}

func TestQueue_Broken(t *testing.T) {
	defer func(d time.Duration) { hang = d }(hang)
	hang = time.Second
	wantCaught(t, queuePromises, "A task of 100,000 targets arrives whole", batch.Queue(cutting{memory()}))
	wantCaught(t, queuePromises, "Later delivers again", batch.Queue(changed{memory(), func(l batch.Lease) batch.Lease {
		return losing{l}
	}}))
	leases := map[string]batch.Lease{}
	wantCaught(t, queuePromises, "A lease that has ended ends no other", batch.Queue(changed{memory(), func(l batch.Lease) batch.Lease {
		leases[l.Task().Domain] = l
		return nameless{l, leases}
	}}))
	wantCaught(t, queuePromises, "Each domain is with one worker at a time", batch.Queue(shared{memory()}))
	wantCaught(t, queuePromises, "The run is over when all is done", batch.Queue(hasty{memory(), new(int)}))
}

// Unfenced states save whatever the version.
type unfenced struct{ batch.States }

func (s unfenced) Save(
	ctx context.Context, domain string, next batch.State, write func(io.Writer) error,
) error {
	now, err := s.Load(ctx, domain)
	if err != nil {
		return err
	}
	next.Version = now.Version
	return s.States.Save(ctx, domain, next, write)
}

// Single states have no predecessors.
type single struct{ batch.States }

func (s single) Save(
	ctx context.Context, domain string, next batch.State, write func(io.Writer) error,
) error {
	next.Predecessor = nil
	return s.States.Save(ctx, domain, next, write)
}

func folder(t *testing.T) *batch.Folder {
	f, err := batch.OpenFolder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestStates_Broken(t *testing.T) {
	wantCaught(t, statesPromises, "A stale Save is refused", batch.States(unfenced{folder(t)}))
	wantCaught(t, statesPromises, "The predecessor is kept", batch.States(single{folder(t)}))
}

// A byName sink knows parts by their names alone.
type byName struct{ *batch.Folder }

func (s byName) Part(ctx context.Context, part batch.Stored) (batch.Part, error) {
	part.Digest = ""
	return s.Folder.Part(ctx, part)
}

// An eager sink shows a part before it is committed.
type eager struct{ *batch.Folder }

func (s eager) Part(ctx context.Context, part batch.Stored) (batch.Part, error) {
	p, err := s.Folder.Part(ctx, part)
	if err != nil {
		return nil, err
	}
	if err := p.Commit(ctx, batch.Counts{URLs: 1}); err != nil {
		return nil, err
	}
	return s.Folder.Part(ctx, part)
}

func TestSink_Broken(t *testing.T) {
	wantCaught(t, sinkPromises, "The description of a part is kept", batch.Sink(byName{folder(t)}))
	wantCaught(t, sinkPromises, "A part appears when it is committed", batch.Sink(eager{folder(t)}))
}
