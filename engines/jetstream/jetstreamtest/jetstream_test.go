package jetstreamtest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/batch/batchtest"
	"github.com/seed-322c453a/sitemap/cmd/natstest"
	"github.com/seed-322c453a/sitemap/discover"
	natsqueue "github.com/seed-322c453a/sitemap/engines/jetstream"
	"github.com/seed-322c453a/sitemap/fetch"
)

func TestMain(m *testing.M) {
	natsqueue.MinLease = time.Second // so that no test waits for long
	os.Exit(m.Run())
}

// connect starts a broker and connects to it.
func connect(t testing.TB) *nats.Conn {
	t.Helper()
	s, err := natstest.Start(t.TempDir(), -1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	nc, err := s.Connect()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc
}

// queues returns a function that makes a queue of its own for each test.
func queues(nc *nats.Conn, o *natsqueue.Options) func(t *testing.T) batch.Queue {
	n := 0
	return func(t *testing.T) batch.Queue {
		n++
		q, err := natsqueue.OpenQueue(t.Context(), nc, fmt.Sprint("run-", n), o)
		if err != nil {
			t.Fatal(err)
		}
		return q
	}
}

func TestQueue(t *testing.T) {
	batchtest.Queue(t, queues(connect(t), &natsqueue.Options{Lease: time.Hour}))
}

func TestQueue_Expiry(t *testing.T) {
	const lease = 2 * time.Second
	batchtest.Expiry(t, lease, queues(connect(t), &natsqueue.Options{Lease: lease}))
}

func TestStates(t *testing.T) {
	nc, n := connect(t), 0
	batchtest.States(t, func(t *testing.T) batch.States {
		n++
		s, err := natsqueue.OpenStates(t.Context(), nc,
			&natsqueue.Options{Name: fmt.Sprint("s", n)})
		if err != nil {
			t.Fatal(err)
		}
		return s
	})
}

// Of a Save, only the object of the state that is kept stays on the broker.
func TestStates_Objects(t *testing.T) {
	nc := connect(t)
	s := must[batch.States](t)(natsqueue.OpenStates(t.Context(), nc, nil))
	large := func(w io.Writer) error {
		_, err := w.Write(make([]byte, 1<<20))
		return err
	}
	for i, want := range []error{nil, batch.ErrStale} {
		state := batch.State{Run: "1", Part: fmt.Sprint(i)}
		if err := s.Save(t.Context(), "a.example", state, large); !errors.Is(err, want) {
			t.Fatalf("Save %d: %v, want %v", i, err, want)
		}
	}
	js := must[jetstream.JetStream](t)(jetstream.New(nc))
	objects := must[jetstream.ObjectStore](t)(js.ObjectStore(t.Context(), "sitemap"))
	if list, err := objects.List(t.Context()); len(list) != 1 || err != nil {
		t.Errorf("%d objects, %v", len(list), err)
	}
	if state, err := s.Load(t.Context(), "a.example"); state.Part != "0" || err != nil {
		t.Errorf("the state is %+v, %v", state, err)
	}
}

// Put waits while the queue is full.
func TestQueue_Full(t *testing.T) {
	q, err := natsqueue.OpenQueue(t.Context(), connect(t), "1", &natsqueue.Options{MaxTasks: 1})
	if err != nil {
		t.Fatal(err)
	}
	if added, err := q.Put(t.Context(), batch.Task{Domain: "a.example"}); !added || err != nil {
		t.Fatal(added, err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer stop()
	if added, err := q.Put(ctx, batch.Task{Domain: "b.example"}); added || err == nil {
		t.Fatalf("Put to a full queue: %v, %v", added, err)
	}
	l, err := q.Take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Done(t.Context()); err != nil {
		t.Fatal(err)
	}
	if added, err := q.Put(t.Context(), batch.Task{Domain: "b.example"}); !added || err != nil {
		t.Fatalf("Put after Done: %v, %v", added, err)
	}
}

// A task says how often it was handed out before, so that one that kills its workers is abandoned.
func TestQueue_Attempts(t *testing.T) {
	q, err := natsqueue.OpenQueue(t.Context(), connect(t), "1", nil)
	if err != nil {
		t.Fatal(err)
	}
	if added, err := q.Put(t.Context(), taskOf(1)); !added || err != nil {
		t.Fatal(added, err)
	}
	for want := range 4 {
		l, err := q.Take(t.Context())
		if err != nil || l.Task().Attempts != want {
			t.Fatalf("%+v, %v, want %d attempts", l.Task(), err, want)
		}
		if err := l.Later(t.Context(), 0); err != nil {
			t.Fatal(err)
		}
	}
}

// A message that is not a task, or has lost its object, is removed alone: the next task follows.
func TestQueue_NoTask(t *testing.T) {
	nc := connect(t)
	q, err := natsqueue.OpenQueue(t.Context(), nc, "1", nil)
	if err != nil {
		t.Fatal(err)
	}
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	for subject, message := range map[string]string{"sitemap.1.b": "{", "sitemap.1.c": `{"object":"lost"}`} {
		if _, err := js.Publish(t.Context(), subject, []byte(message)); err != nil {
			t.Fatal(err)
		}
	}
	if added, err := q.Put(t.Context(), taskOf(1)); !added || err != nil {
		t.Fatal(added, err)
	}
	l, err := q.Take(t.Context())
	if err != nil || l.Task().Domain != taskOf(1).Domain {
		t.Fatalf("took %v, %v", l, err)
	}
	if waiting, leased, err := natsqueue.Left(t.Context(), nc, "1", nil); waiting != 0 || leased != 1 || err != nil {
		t.Errorf("%d wait, %d are leased, %v", waiting, leased, err)
	}
}

func TestOpenQueue_Names(t *testing.T) {
	nc := connect(t)
	for _, run := range []string{"", "a b", ".b", "*"} {
		if _, err := natsqueue.OpenQueue(t.Context(), nc, run, nil); err == nil || !strings.Contains(err.Error(), "letters") {
			t.Errorf("run %q: %v", run, err)
		}
	}
	for _, run := range []string{"2026.11.23", "2026-11-23"} {
		if _, err := natsqueue.OpenQueue(t.Context(), nc, run, nil); err != nil {
			t.Errorf("run %q: %v", run, err)
		}
	}
}

// Left says how many tasks there are, and leaves the stream and its consumer as they are.
func TestLeft(t *testing.T) {
	nc := connect(t)
	if waiting, leased, err := natsqueue.Left(t.Context(), nc, "1", nil); waiting+leased > 0 || err != nil {
		t.Errorf("before the plan, Left = %d, %d, %v", waiting, leased, err)
	}
	q, err := natsqueue.OpenQueue(t.Context(), nc, "1", &natsqueue.Options{Lease: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	for _, domain := range []string{"a.test", "b.test", "c.test"} {
		if ok, err := q.Put(t.Context(), batch.Task{Run: "1", Domain: domain}); !ok || err != nil {
			t.Fatalf("Put = %t, %v", ok, err)
		}
	}
	if _, err := q.Take(t.Context()); err != nil {
		t.Fatal(err)
	}
	if waiting, leased, err := natsqueue.Left(t.Context(), nc, "1", nil); waiting != 2 || leased != 1 || err != nil {
		t.Errorf("Left = %d, %d, %v", waiting, leased, err)
	}
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	consumer, err := js.Consumer(t.Context(), "sitemap-run-1", "workers")
	if err != nil || consumer.CachedInfo().Config.AckWait != time.Hour {
		t.Errorf("the consumer is now %+v, %v", consumer, err)
	}
}

// streams returns the names of the streams on a broker.
func streams(t *testing.T, nc *nats.Conn) map[string]bool {
	t.Helper()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	names, all := js.StreamNames(t.Context()), map[string]bool{}
	for name := range names.Name() {
		all[name] = true
	}
	if err := names.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// BenchmarkTask puts, takes and ends tasks, with their states.
func BenchmarkTask(b *testing.B) {
	nc := connect(b)
	q, err := natsqueue.OpenQueue(b.Context(), nc, "1", nil)
	if err != nil {
		b.Fatal(err)
	}
	s, err := natsqueue.OpenStates(b.Context(), nc, nil)
	if err != nil {
		b.Fatal(err)
	}
	state := make([]byte, 500)
	var n atomic.Int64
	b.SetParallelism(16) // as many walks to a processor
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if err := roundTrip(b.Context(), q, s, taskOf(int(n.Add(1))), state); err != nil {
				b.Error(err)
			}
		}
	})
}

// roundTrip puts a task, takes one, and saves the state of its domain.
func roundTrip(
	ctx context.Context, q *natsqueue.Queue, s batch.States, task batch.Task, state []byte,
) error {
	if _, err := q.Put(ctx, task); err != nil {
		return err
	}
	l, err := q.Take(ctx)
	if err != nil {
		return err
	}
	before, err := s.Load(ctx, l.Task().Domain)
	if err != nil {
		return err
	}
	write := func(w io.Writer) error {
		_, err := w.Write(state)
		return err
	}
	next := batch.State{Version: before.Version, Run: "1", Part: task.Domain + before.Version}
	if err := s.Save(ctx, l.Task().Domain, next, write); err != nil {
		return err
	}
	return l.Done(ctx)
}

func taskOf(n int) batch.Task {
	domain := fmt.Sprintf("%d.example", n)
	return batch.Task{Run: "1", Domain: domain, Targets: []string{domain}}
}

// emptyWeb is a client for which no site exists.
func emptyWeb() *discover.Client {
	return &discover.Client{Fetch: &fetch.Client{
		Transport: http.NewFileTransportFS(fstest.MapFS{}), Retries: -1,
	}}
}

// discard is a sink that keeps nothing.
type discard struct{}

func (discard) Part(context.Context, batch.Stored) (batch.Part, error) { return discard{}, nil }
func (discard) Write(p []byte) (int, error)                            { return len(p), nil }
func (discard) Commit(context.Context, batch.Counts) error             { return nil }
func (discard) Discard()                                               {}

func (discard) Stat(context.Context, batch.Stored) (batch.Stored, error) {
	return batch.Stored{}, fs.ErrNotExist
}

func (discard) Parts(context.Context, string) iter.Seq2[batch.Stored, error] {
	return func(func(batch.Stored, error) bool) {}
}

func (discard) Open(context.Context, batch.Stored) (io.ReadCloser, error) {
	return nil, fs.ErrNotExist
}
