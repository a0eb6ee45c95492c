package batch_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/discover"
)

// do runs a worker over tasks, with what else is set in w.
func do(t testing.TB, s *web, f batch.Sink, all []batch.Task, w batch.Worker) error {
	t.Helper()
	w.Client, w.Queue, w.Sink = s.client(), queueOf(t, all), f
	if states, ok := f.(batch.States); ok && w.States == nil {
		w.States = states
	}
	return w.Run(t.Context())
}

func mustDo(t testing.TB, s *web, f batch.Sink, all []batch.Task, w batch.Worker) {
	t.Helper()
	if err := do(t, s, f, all, w); err != nil {
		t.Fatal(err)
	}
}

// changed prints what is new or modified.
var changed = batch.Worker{Options: discover.Options{OnlyChanged: true}}

// A target that is added to the list makes the part of its domain stale: it is done again.
func TestWorker_AddedTarget(t *testing.T) {
	f := openFolder(t)
	mustDo(t, &web{lastMod: "2024"}, f, tasks(t, "www.a.example\nb.example", "1"), batch.Worker{})
	w := &web{lastMod: "2024"}
	all := tasks(t, "b.example\nshop.a.example\nwww.a.example", "1")
	mustDo(t, w, f, all, batch.Worker{})
	if n := len(pages(t, part(t, f, "1", "a.example"))); n != 6 {
		t.Errorf("%d pages of a.example", n)
	}
	if w.requests["shop.a.example"] == 0 || w.requests["b.example"] > 0 {
		t.Errorf("requests %v", w.requests)
	}
	for _, task := range all {
		if done, err := (&batch.Worker{Sink: f}).IsDone(t.Context(), task); !done || err != nil {
			t.Errorf("%s: done %t, %v", task.Domain, done, err)
		}
	}
}

// With OnlyChanged, a part that is done again for an added target still has what is new since the
// run before.
func TestWorker_AddedTarget_OnlyChanged(t *testing.T) {
	f := openFolder(t)
	mustDo(t, &web{lastMod: "2024-05-06"}, f, tasks(t, "www.a.example", "1"), batch.Worker{})
	w := &web{lastMod: "2024-06-01"}
	mustDo(t, w, f, tasks(t, "www.a.example", "2"), changed)
	mustDo(t, w, f, tasks(t, "www.a.example\nshop.a.example", "2"), changed)
	lines := part(t, f, "2", "a.example")
	if count(lines, `"change":"modified"`) != 3 || count(lines, `"change":"new"`) != 3 {
		t.Errorf("the part has\n%s", lines)
	}
}

// Of a queue that hands out the targets of a domain one by one, the part has them all, and the next
// run knows the pages of each.
func TestWorker_MoreTargets(t *testing.T) {
	f, w := openFolder(t), &web{lastMod: "2024"}
	one := func(run, target string, worker batch.Worker) {
		task := batch.Task{Run: run, Domain: "a.example", Targets: []string{target}, More: true}
		mustDo(t, w, f, []batch.Task{task}, worker)
	}
	for _, target := range []string{"www.a.example", "shop.a.example", "none.a.example", "shop.a.example"} {
		one("1", target, batch.Worker{})
	}
	lines := part(t, f, "1", "a.example")
	if n := len(pages(t, lines)); n != 6 || count(lines, `{"type":"document"`) != 2 || count(lines, `{"type":"target"`) != 1 {
		t.Errorf("the part has\n%s", lines)
	}
	for p, err := range f.Parts(t.Context(), "1") {
		want := batch.Counts{Targets: 3, Documents: 2, URLs: 6, Failed: 1, Cause: "no_sitemap"}
		if err != nil || p.Counts != want {
			t.Errorf("counts %+v, %v, want %+v", p.Counts, err, want)
		}
	}
	if w.requests["www.a.example"] != 2 { // robots.txt and a sitemap
		t.Errorf("requests %v", w.requests)
	}
	for _, target := range []string{"www.a.example", "shop.a.example"} {
		one("2", target, changed)
	}
	if lines := part(t, f, "2", "a.example"); len(pages(t, lines)) > 0 {
		t.Errorf("the next run has\n%s", lines)
	}
}

// A target of such a queue that is walked again, after a kill or because something of it failed,
// loses none of its changes.
func TestWorker_MoreTargets_Again(t *testing.T) {
	f := openFolder(t)
	w := &web{lastMod: "2024", broken: func(host string) bool { return host == "blog.a.example" }}
	one := func(s batch.Sink, worker batch.Worker, targets ...string) error {
		task := batch.Task{Run: "1", Domain: "a.example", Targets: targets, More: true}
		return do(t, w, s, []batch.Task{task}, worker)
	}
	want := func(pages int, failed int64) {
		t.Helper()
		if n := count(part(t, f, "1", "a.example"), `"change":"new"`); n != pages {
			t.Errorf("%d new pages, want %d", n, pages)
		}
		for p, err := range f.Parts(t.Context(), "1") {
			if c := p.Counts; err != nil || c.URLs != int64(pages) || c.Failed != failed {
				t.Errorf("counts %+v, %v", c, err)
			}
		}
	}
	for i, targets := range [][]string{{"www.a.example"}, {"shop.a.example", "blog.a.example"}} {
		if err := one(dying{f}, changed, targets...); !errors.Is(err, errKilled) {
			t.Fatal(err)
		}
		if err := one(f, changed, targets...); err != nil {
			t.Fatal(err)
		}
		want(3+3*i, int64(i))
	}
	w.broken = nil
	retry := changed
	retry.Retry = true
	if err := one(f, retry, "shop.a.example", "blog.a.example"); err != nil {
		t.Fatal(err)
	}
	want(9, 0)
	if err := one(f, changed, "www.a.example"); err != nil { // Done had failed
		t.Fatal(err)
	}
	want(9, 0)
}

// A run goes on under its name, with any number of shards, and another name begins the next.
func TestWorker_Runs(t *testing.T) {
	f, list := openFolder(t), hosts(30)
	shards := func(run string, n int) (requests int) {
		for i := range n {
			w := &web{lastMod: "2024"}
			all := slices.DeleteFunc(tasks(t, list, run), func(t batch.Task) bool {
				return batch.Shard(t.Domain, n) != i
			})
			mustDo(t, w, f, all, batch.Worker{})
			requests += len(w.requests)
		}
		return requests
	}
	if n := shards("2026-11-22", 4); n != 30 {
		t.Errorf("%d hosts were asked", n)
	}
	if n := shards("2026-11-22", 3); n != 0 {
		t.Errorf("%d hosts were asked again", n)
	}
	if n := shards("2026-11-23", 3); n != 30 {
		t.Errorf("%d hosts were asked in the next run", n)
	}
}

// given is a queue of tasks that somebody else has put there.
type given struct {
	mu   sync.Mutex
	all  []batch.Task
	done []string
}

func (q *given) Put(context.Context, batch.Task) (bool, error) { return false, nil }
func (q *given) End(context.Context) error                     { return nil }

func (q *given) Take(context.Context) (batch.Lease, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.all) == 0 {
		return nil, io.EOF
	}
	task := q.all[0]
	q.all = q.all[1:]
	return givenLease{lostLease{task}, q}, nil
}

type givenLease struct {
	lostLease
	q *given
}

func (l givenLease) Done(context.Context) error {
	l.q.mu.Lock()
	defer l.q.mu.Unlock()
	l.q.done = append(l.q.done, l.task.Domain)
	return nil
}

// A task whose domain is no host, or whose run is no name, fails alone, writes nothing, and is
// taken out of the queue.
func TestWorker_HostileTasks(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deep", "out")
	f := openFolderIn(t, dir)
	q := &given{}
	hostile := []string{
		"../../x", "", "/etc/passwd", `..\x`, "A.example", "a..example", ".example", "a.example~00", "a b",
		strings.Repeat("long", 16) + ".example", strings.Repeat("long.", 60) + "example", "ü.example", "a\x00b",
	}
	for _, domain := range hostile {
		q.all = append(q.all, batch.Task{Run: "1", Domain: domain, Targets: []string{"b.example"}})
	}
	q.all = append(q.all, batch.Task{Run: "../1", Domain: "b.example", Targets: []string{"b.example"}},
		batch.Task{Run: "1", Domain: "a.example", Targets: []string{"a.example"}})
	var reported []string
	var mu sync.Mutex
	w := &batch.Worker{
		Client: (&web{lastMod: "2024"}).client(), Queue: q, Sink: f, States: f,
		Report: func(task batch.Task, err error) {
			mu.Lock()
			defer mu.Unlock()
			reported = append(reported, task.Domain)
			if !errors.Is(err, batch.ErrTask) {
				t.Errorf("%q: %v", task.Domain, err)
			}
		},
	}
	if err := w.Run(t.Context()); !errors.Is(err, batch.ErrTask) {
		t.Errorf("Run = %v", err)
	}
	if len(reported) != len(hostile)+1 || len(q.done) != len(hostile)+2 {
		t.Errorf("%q were reported, %q are done", reported, q.done)
	}
	if n := len(pages(t, part(t, f, "1", "a.example"))); n != 3 {
		t.Errorf("%d pages of a.example", n)
	}
	if got := files(t, filepath.Dir(filepath.Dir(dir))); len(got) != 2 {
		t.Errorf("files %q", got)
	}
}

// A host that cannot be one is refused where the list is read, with its line.
func TestPlan_HostileHosts(t *testing.T) {
	list := "a.example\n" + strings.Repeat("long", 16) + ".example\nb.example\n" + strings.Repeat("a.", 130) + "example\n"
	var got, lines []string
	for task, err := range batch.Plan(strings.NewReader(list), "1") {
		if e := (*batch.LineError)(nil); errors.As(err, &e) {
			lines = append(lines, fmt.Sprint(e.Line))
		} else if err != nil {
			t.Fatal(err)
		} else {
			got = append(got, task.Domain)
		}
	}
	if slices.Sort(got); !slices.Equal(got, []string{"a.example", "b.example"}) || !slices.Equal(lines, []string{"2", "4"}) {
		t.Errorf("planned %q, refused lines %q", got, lines)
	}
}

// A target that is repeated counts once, however far apart.
func TestPlan_Repeated(t *testing.T) {
	var list strings.Builder
	for range 2 {
		for i := range 3_000 {
			fmt.Fprintf(&list, "h%d.a.example\n", i)
		}
	}
	if all := tasks(t, list.String(), "1"); len(all) != 1 || len(all[0].Targets) != 3_000 {
		t.Errorf("%d tasks, the first has %d targets", len(all), len(all[0].Targets))
	}
}

// A task that no worker has ended in five attempts is abandoned: its part says so.
func TestWorker_Abandoned(t *testing.T) {
	f := openFolder(t)
	q := &given{all: []batch.Task{
		{Run: "1", Domain: "a.example", Targets: []string{"www.a.example", "b.a.example"}, Attempts: 5},
		{Run: "1", Domain: "b.example", Targets: []string{"b.example"}, Attempts: 4},
	}}
	w := &batch.Worker{Client: (&web{lastMod: "2024"}).client(), Queue: q, Sink: f, States: f}
	if err := w.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	lines := part(t, f, "1", "a.example")
	if count(lines, `{"type":"target","target":"www.a.example","error":{"code":"abandoned","message":"`) != 1 ||
		count(lines, "") != 2 {
		t.Errorf("the part has\n%s", lines)
	}
	if n := len(pages(t, part(t, f, "1", "b.example"))); n != 3 {
		t.Errorf("%d pages of b.example", n)
	}
}

// staleOnce are States of which another worker has saved one before the first Save here.
type staleOnce struct {
	memoryStates
	saves int
}

func (s *staleOnce) Save(
	ctx context.Context, domain string, next batch.State, write func(io.Writer) error,
) error {
	if s.saves++; s.saves == 1 {
		return batch.ErrStale
	}
	return s.memoryStates.Save(ctx, domain, next, write)
}

// A task whose state another worker has replaced is handed back, and done again. The worker goes
// on.
func TestWorker_Stale(t *testing.T) { synctest.Test(t, testStale) }

func testStale(t *testing.T) {
	q := &returned{Queue: queueOf(t, tasks(t, "a.example\n", "1"))}
	f, client := openFolder(t), (&web{lastMod: "2024"}).client()
	w := &batch.Worker{Client: client, Queue: q, States: &staleOnce{}, Sink: f, Parallel: 1}
	if err := w.Run(t.Context()); err != nil {
		t.Error(err)
	}
	if len(q.later) != 1 || len(partsOf(t, f, "1")) != 1 {
		t.Errorf("%q were handed back, parts %q", q.later, partsOf(t, f, "1"))
	}
}
