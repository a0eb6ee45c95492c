package batch_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/discover"
)

func readFile(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// linesOf returns the lines of a part.
func linesOf(t testing.TB, part string) string {
	t.Helper()
	z, err := gzip.NewReader(strings.NewReader(part))
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestWorker_Parts(t *testing.T) {
	f := openFolder(t)
	all := tasks(t, "https://www.a.example/sitemap.xml\nshop.a.example\nnone.example\nmixed.example", "1")
	parts := walkAll(t, &web{lastMod: "2024-05-06"}, f, all, 1)
	want := ""
	for _, page := range []string{"www.a.example/0", "www.a.example/1", "www.a.example/2",
		"shop.a.example/0", "shop.a.example/1", "shop.a.example/2"} {
		host, _, _ := strings.Cut(page, "/")
		target, trust := "https://www.a.example/sitemap.xml", "caller"
		if host == "shop.a.example" {
			target, trust = host, "robots"
		}
		want += `{"loc":"https://` + page + `","kind":"page","lastmod":"2024-05-06","sitemap":"https://` +
			host + `/sitemap.xml","trust":"` + trust + `","on_site":true,"target":"` + target + `"}` + "\n"
	}
	if got := linesOf(t, parts["a.example"]); got != want {
		t.Errorf("the part of a.example has\n%swant\n%s", got, want)
	}
	const none = `{"type":"target","target":"none.example","error":{"code":"no_sitemap","message":"`
	if got := linesOf(t, parts["none.example"]); !strings.HasPrefix(got, none) ||
		strings.Count(got, "\n") != 1 {
		t.Errorf("the part of none.example has\n%s", got)
	}
	counts := map[string]batch.Counts{}
	for p, err := range f.Parts("1") {
		if err != nil {
			t.Fatal(err)
		}
		counts[p.Domain] = p.Counts
	}
	wantCounts := map[string]batch.Counts{
		"a.example":     {Targets: 2, Documents: 2, URLs: 6},
		"none.example":  {Targets: 1, Failed: 1, Cause: "no_sitemap"},
		"mixed.example": {Targets: 1, Documents: 1, URLs: 3, Untrusted: 1},
	}
	if !maps.Equal(counts, wantCounts) {
		t.Errorf("counts %v, want %v", counts, wantCounts)
	}
}

// The parts do not depend on how many workers walk, and two never walk one domain at once.
func TestWorker_OneWorkerADomain(t *testing.T) {
	all := tasks(t, hosts(400), "1")
	alone := walkAll(t, &web{lastMod: "2024"}, openFolder(t), all, 1)
	wantDomains(t, alone, all)
	synctest.Test(t, func(t *testing.T) {
		w := &web{lastMod: "2024", hold: func(context.Context, string) { time.Sleep(time.Second) }}
		if parts := walkAll(t, w, openFolder(t), all, 3); !maps.Equal(parts, alone) {
			t.Error("three workers wrote other parts than one")
		}
		if len(w.shared) > 0 {
			t.Errorf("several workers asked one domain at once: %v", w.shared)
		}
	})
}

// What has a part is not walked again.
func TestWorker_CommittedParts(t *testing.T) {
	all, f := tasks(t, hosts(100), "1"), openFolder(t)
	walkAll(t, &web{lastMod: "2024"}, f, all[:30], 1)
	w := &web{lastMod: "2024"}
	wantDomains(t, walkAll(t, w, f, all, 2), all)
	for _, task := range all[:30] {
		if n := w.requests[task.Targets[0]]; n > 0 {
			t.Errorf("%s was requested %d times", task.Targets[0], n)
		}
	}
}

// Another run with OnlyChanged prints what is new or modified, by the states of the run before.
func TestWorker_OnlyChanged(t *testing.T) {
	f, list := openFolder(t), "a.example\n"
	walkAll(t, &web{lastMod: "2024-05-06"}, f, tasks(t, list, "1"), 1)
	for _, test := range []struct{ run, lastMod, want string }{
		{"2", "2024-05-06", ""}, {"3", "2024-06-01", "modified"},
	} {
		w := &web{lastMod: test.lastMod}
		worker := &batch.Worker{
			Client: w.client(), Queue: queueOf(t, tasks(t, list+"b.example", test.run)), Sink: f, States: f,
			Options: discover.Options{OnlyChanged: true},
		}
		if err := worker.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		lines := linesOf(t, partsOf(t, f, test.run)["a.example"])
		if n := strings.Count(lines, `"change":"`+test.want); test.want == "" && lines != "" || test.want != "" && n != 3 {
			t.Errorf("run %s printed\n%s", test.run, lines)
		}
	}
	if lines := linesOf(t, partsOf(t, f, "1")["a.example"]); strings.Count(lines, "\n") != 3 {
		t.Errorf("the part of the first run has become\n%s", lines)
	}
}

// zombies hands out one task to two workers, as a queue does if a lease runs out.
type zombies struct {
	batch.Queue
	task batch.Task

	mu    sync.Mutex
	taken int
}

func (z *zombies) Take(context.Context) (batch.Lease, error) {
	z.mu.Lock()
	defer z.mu.Unlock()
	if z.taken++; z.taken > 2 {
		return nil, io.EOF
	}
	return lostLease{z.task}, nil
}

type lostLease struct{ task batch.Task }

func (l lostLease) Task() batch.Task                           { return l.task }
func (l lostLease) Renew(context.Context) error                { return errors.New("lost") }
func (l lostLease) Done(context.Context) error                 { return nil }
func (l lostLease) Later(context.Context, time.Duration) error { return nil }

// commits counts the parts that are committed.
type commits struct {
	*batch.Folder
	mu sync.Mutex
	n  int
}

func (c *commits) Part(run, domain string) (batch.Part, error) {
	p, err := c.Folder.Part(run, domain)
	return countedPart{p, c}, err
}

type countedPart struct {
	batch.Part
	c *commits
}

func (p countedPart) Commit(c batch.Counts) error {
	p.c.mu.Lock()
	defer p.c.mu.Unlock()
	p.c.n++
	return p.Part.Commit(c)
}

// If a lease was lost, and another worker has walked the domain meanwhile, the part is committed
// once and the state saved once.
func TestWorker_LostLease(t *testing.T) {
	slow := make(chan struct{})
	var first sync.Once
	w := &web{lastMod: "2024"}
	w.hold = func(_ context.Context, host string) {
		wait := false
		first.Do(func() { wait = true })
		if wait {
			<-slow // the first worker stands still
		}
	}
	c := &commits{Folder: openFolder(t)}
	worker := &batch.Worker{
		Client: w.client(), Queue: &zombies{task: tasks(t, "a.example", "1")[0]}, Sink: c,
		States: c.Folder, Walks: 1,
		Done: func(batch.Task, batch.Counts) {
			select {
			case <-slow:
			default:
				close(slow) // the second worker is done
			}
		},
	}
	other := *worker
	other.Client = w.client() // as in another process
	var wg sync.WaitGroup
	for _, one := range []*batch.Worker{worker, &other} {
		wg.Go(func() {
			if err := one.Run(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if c.n != 1 {
		t.Errorf("the part was committed %d times", c.n)
	}
	if _, revision, err := c.Load(t.Context(), "a.example"); err != nil || revision != 1 {
		t.Errorf("the state has revision %d, %v; want 1", revision, err)
	}
}

// returned counts the tasks that are handed back.
type returned struct {
	batch.Queue
	mu    sync.Mutex
	later []string
}

func (q *returned) Take(ctx context.Context) (batch.Lease, error) {
	l, err := q.Queue.Take(ctx)
	return returnedLease{l, q}, err
}

type returnedLease struct {
	batch.Lease
	q *returned
}

func (l returnedLease) Later(ctx context.Context, d time.Duration) error {
	l.q.mu.Lock()
	l.q.later = append(l.q.later, l.Task().Domain)
	l.q.mu.Unlock()
	return l.Lease.Later(ctx, d)
}

// When the context ends, walks have the grace time to end. A task that needs longer is handed back
// without a part.
func TestWorker_Grace(t *testing.T) { synctest.Test(t, testGrace) }

func testGrace(t *testing.T) {
	for _, test := range []struct {
		grace time.Duration
		parts int
	}{{0, 0}, {time.Minute, 1}} {
		ctx, stop := context.WithCancel(t.Context())
		w := &web{lastMod: "2024", hold: func(ctx context.Context, host string) {
			stop()
			select {
			case <-ctx.Done():
			case <-time.After(time.Second):
			}
		}}
		q := &returned{Queue: queueOf(t, tasks(t, "a.example\nb.example\n", "1"))}
		f := openFolder(t)
		worker := &batch.Worker{
			Client: w.client(), Queue: q, Sink: f, States: f, Walks: 1, Grace: test.grace,
		}
		if err := worker.Run(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("grace %v: %v", test.grace, err)
		}
		if n := len(partsOf(t, f, "1")); n != test.parts || len(q.later) != 1-test.parts {
			t.Errorf("grace %v: %d parts, %q handed back", test.grace, n, q.later)
		}
	}
}

// A target that takes too long has failed; those after it are walked.
func TestWorker_Limit(t *testing.T) { synctest.Test(t, testLimit) }

func testLimit(t *testing.T) {
	w := &web{lastMod: "2024", hold: func(ctx context.Context, host string) {
		if strings.HasPrefix(host, "slow.") {
			<-ctx.Done()
		}
	}}
	f := openFolder(t)
	worker := &batch.Worker{
		Client: w.client(), Queue: queueOf(t, tasks(t, "slow.a.example\nwww.a.example", "1")), Sink: f,
		Limit: time.Minute,
	}
	if err := worker.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	lines := linesOf(t, partsOf(t, f, "1")["a.example"])
	const want = `{"type":"target","target":"slow.a.example","error":{"code":"timeout","message":`
	if !strings.HasPrefix(lines, want) || strings.Count(lines, "\n") != 4 {
		t.Errorf("the part has\n%s", lines)
	}
}

// fullDisk refuses parts.
type fullDisk struct{ *batch.Folder }

var errFull = errors.New("no space left")

func (fullDisk) Part(string, string) (batch.Part, error) { return nil, errFull }

func TestWorker_SinkFails(t *testing.T) {
	q := &returned{Queue: queueOf(t, tasks(t, "a.example\nb.example\n", "1"))}
	worker := &batch.Worker{Client: (&web{}).client(), Queue: q, Sink: fullDisk{openFolder(t)}, Walks: 1}
	if err := worker.Run(t.Context()); !errors.Is(err, errFull) {
		t.Errorf("%v, want %v", err, errFull)
	}
	if len(q.later) != 1 {
		t.Errorf("%q were handed back", q.later)
	}
}

// A state that is damaged is forgotten.
func TestWorker_DamagedState(t *testing.T) {
	f := openFolder(t)
	if _, err := f.Save(t.Context(), "a.example", bytes.Repeat([]byte("x"), 100), 0); err != nil {
		t.Fatal(err)
	}
	parts := walkAll(t, &web{lastMod: "2024"}, f, tasks(t, "a.example", "1"), 1)
	if lines := linesOf(t, parts["a.example"]); strings.Count(lines, "\n") != 3 {
		t.Errorf("printed\n%s", lines)
	}
}

// BenchmarkWorker compares a worker with states in memory and parts in /dev/null with bare walks.
func BenchmarkWorker(b *testing.B) {
	all := tasks(b, hosts(1_000), "1")
	n := 0
	for _, task := range all {
		n += len(task.Targets)
	}
	b.Run("walk", func(b *testing.B) {
		for b.Loop() {
			c := (&web{lastMod: "2024"}).client()
			for _, task := range all {
				for _, target := range task.Targets {
					for range c.URLs(b.Context(), target, nil) {
					}
				}
			}
		}
		b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "us/site")
	})
	b.Run("worker", func(b *testing.B) {
		for b.Loop() {
			worker := &batch.Worker{
				Client: (&web{lastMod: "2024"}).client(), Queue: queueOf(b, all), Sink: discard{},
				States: &memoryStates{states: map[string][]byte{}}, Walks: 1,
			}
			if err := worker.Run(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "us/site")
	})
}

type discard struct{}

func (discard) Has(string, string) (bool, error)        { return false, nil }
func (discard) Part(string, string) (batch.Part, error) { return discard{}, nil }
func (discard) Write(p []byte) (int, error)             { return len(p), nil }
func (discard) Commit(batch.Counts) error               { return nil }
func (discard) Discard()                                {}

// A memoryStates keeps states in a map, if it has one.
type memoryStates struct {
	mu     sync.Mutex
	states map[string][]byte
}

func (m *memoryStates) Load(_ context.Context, domain string) ([]byte, uint64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.states[domain], 0, nil
}

func (m *memoryStates) Save(_ context.Context, domain string, state []byte, _ uint64) (uint64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.states != nil {
		m.states[domain] = state
	}
	return 1, nil
}
