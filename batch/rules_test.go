package batch_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-322c453a/sitemap/audit"
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
		if done, err := batch.IsDone(t.Context(), f, task); !done || err != nil {
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

// A run goes on under its name, with any number of shards, and another name begins the next.
func TestWorker_Runs(t *testing.T) {
	f, list := openFolder(t), hosts(60)
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
	if n := shards("2026-11-22", 4); n != 60 {
		t.Errorf("%d hosts were asked", n)
	}
	if n := shards("2026-11-22", 3); n != 0 {
		t.Errorf("%d hosts were asked again", n)
	}
	if n := shards("2026-11-23", 3); n != 60 {
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

// A task whose domain is no host, or whose run is no name, fails alone, writes nothing, and is taken
// out of the queue.
func TestWorker_HostileTasks(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deep", "out")
	f, err := batch.OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
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

// Targets on different hosts of one domain are walked side by side, those of one host one after the
// other, and written in their order.
func TestWorker_SideBySide(t *testing.T) { synctest.Test(t, testSideBySide) }

func testSideBySide(t *testing.T) {
	var list strings.Builder
	var want []string
	for i := range 160 {
		fmt.Fprintf(&list, "h%d.a.example\nhttps://h%d.a.example/sitemap.xml\n", i, i)
		for j := range 6 {
			want = append(want, fmt.Sprintf("https://h%d.a.example/%d", i, j%3))
		}
	}
	var mu sync.Mutex
	busy := map[string]int{}
	w := &web{lastMod: "2024", hold: func(_ context.Context, host string) {
		mu.Lock()
		if busy[host]++; busy[host] > 1 {
			t.Errorf("%s was asked twice at once", host)
		}
		mu.Unlock()
		time.Sleep(time.Second)
		mu.Lock()
		busy[host]--
		mu.Unlock()
	}}
	f, begun := openFolder(t), time.Now()
	mustDo(t, w, f, tasks(t, list.String(), "1"), batch.Worker{})
	if got := pages(t, part(t, f, "1", "a.example")); !slices.Equal(got, want) {
		t.Errorf("wrote %.500q", got)
	}
	if took := time.Since(begun); took > 60*time.Second { // 480 seconds of requests
		t.Errorf("took %v", took)
	}
}

// lotsOf returns the names of the parts of a run that are lots.
func lotsOf(t testing.TB, f *batch.Folder, run string) (lots []string, others []string) {
	t.Helper()
	for p, err := range f.Parts(t.Context(), run) {
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(p.Domain, "~") {
			lots = append(lots, p.Domain)
		} else {
			others = append(others, p.Domain)
		}
	}
	return lots, others
}

// subdomains returns a list of n hosts below a.example.
func subdomains(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "h%d.a.example\n", i)
	}
	return b.String()
}

// A domain of many targets is done in lots; a target that is added makes one of them stale, and what
// belongs to the other kind of part is removed.
func TestWorker_Lots(t *testing.T) {
	f, small := openFolder(t), subdomains(1_000)
	mustDo(t, &web{lastMod: "2024", forgets: true}, f, tasks(t, small, "1"), batch.Worker{})
	if lots, others := lotsOf(t, f, "1"); len(lots) > 0 || len(others) != 1 {
		t.Fatalf("parts %q and %q", lots, others)
	}
	large := subdomains(1_500)
	mustDo(t, &web{lastMod: "2024", forgets: true}, f, tasks(t, large, "1"), batch.Worker{})
	lots, others := lotsOf(t, f, "1")
	all := map[string]int{}
	for _, lines := range partsOf(t, f, "1") {
		for _, page := range pages(t, lines) {
			all[page]++
		}
	}
	if len(lots) < 200 || len(others) != 1 || len(all) != 4_500 {
		t.Fatalf("%d lots, parts %q, %d pages", len(lots), others, len(all))
	}
	for page, n := range all {
		if n != 1 {
			t.Errorf("%s is there %d times", page, n)
		}
	}
	task := tasks(t, large, "1")[0]
	if done, err := batch.IsDone(t.Context(), f, task); !done || err != nil {
		t.Errorf("done %t, %v", done, err)
	}
	w := &web{lastMod: "2024"}
	more := tasks(t, large+"new.a.example\n", "1")
	mustDo(t, w, f, more, batch.Worker{})
	if w.requests["new.a.example"] == 0 || len(w.requests) > 30 {
		t.Errorf("%d hosts were asked for one more", len(w.requests))
	}
	// A damaged lot is done again.
	for p := range f.Parts(t.Context(), "1") {
		if p.Domain == lots[7] {
			if err := os.WriteFile(p.Path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	if done, err := batch.IsDone(t.Context(), f, more[0]); done || err != nil {
		t.Errorf("done %t, %v with a damaged lot", done, err)
	}
	w = &web{lastMod: "2024"}
	mustDo(t, w, f, more, batch.Worker{})
	if len(w.requests) == 0 || len(w.requests) > 30 {
		t.Errorf("%d hosts were asked for one lot", len(w.requests))
	}
	mustDo(t, &web{lastMod: "2024", forgets: true}, f, tasks(t, small, "1"), batch.Worker{})
	if lots, others := lotsOf(t, f, "1"); len(lots) > 0 || len(others) != 1 {
		t.Errorf("parts %q and %q after the list has become shorter", lots, others)
	}
}

// With Retry the targets that failed are walked again, and those alone. The part is replaced if it has
// become better.
func TestWorker_Retry(t *testing.T) {
	f, all := openFolder(t), tasks(t, "a.a.example\nb.a.example\nc.a.example\nd.example", "1")
	down := func(hosts ...string) func(string) bool {
		return func(host string) bool { return slices.Contains(hosts, host) }
	}
	mustDo(t, &web{lastMod: "2024", broken: down("b.a.example", "c.a.example")}, f, all, batch.Worker{})
	first := part(t, f, "1", "a.example")
	w := &web{lastMod: "2024", broken: down("b.a.example", "c.a.example")}
	mustDo(t, w, f, all, batch.Worker{Retry: true})
	if len(w.requests) != 2 || part(t, f, "1", "a.example") != first {
		t.Errorf("asked %v; the part, which is no better, has become\n%s", w.requests, part(t, f, "1", "a.example"))
	}
	w = &web{lastMod: "2024", broken: down("c.a.example")}
	mustDo(t, w, f, all, batch.Worker{Retry: true})
	if lines := part(t, f, "1", "a.example"); len(w.requests) != 2 || len(pages(t, lines)) != 6 || count(lines, `"error"`) != 1 {
		t.Errorf("asked %v; the part has\n%s", w.requests, lines)
	}
	w = &web{lastMod: "2024"}
	mustDo(t, w, f, all, batch.Worker{Retry: true})
	if len(w.requests) != 1 || len(pages(t, part(t, f, "1", "a.example"))) != 9 {
		t.Errorf("asked %v", w.requests)
	}
	for p, err := range f.Parts(t.Context(), "1") {
		if want := (batch.Counts{Targets: 3, Documents: 3, URLs: 9}); p.Domain == "a.example" && p.Counts != want || err != nil {
			t.Errorf("counts %+v, %v, want %+v", p.Counts, err, want)
		}
	}
	w = &web{lastMod: "2024"}
	mustDo(t, w, f, all, batch.Worker{Retry: true})
	if len(w.requests) > 0 {
		t.Errorf("asked %v of a run without failures", w.requests)
	}
}

// With OnlyChanged, a part that is retried still has all that has changed since the run before.
func TestWorker_Retry_OnlyChanged(t *testing.T) {
	f, list := openFolder(t), "a.a.example\nb.a.example"
	mustDo(t, &web{lastMod: "2024-05-06"}, f, tasks(t, list, "1"), batch.Worker{})
	bad := func(host string) bool { return host == "b.a.example" }
	mustDo(t, &web{lastMod: "2024-06-01", broken: bad}, f, tasks(t, list, "2"), changed)
	if lines := part(t, f, "2", "a.example"); count(lines, `"change":"modified"`) != 3 {
		t.Errorf("the part has\n%s", lines)
	}
	again := changed
	again.Retry = true
	mustDo(t, &web{lastMod: "2024-06-01"}, f, tasks(t, list, "2"), again)
	if lines := part(t, f, "2", "a.example"); count(lines, `"change":"modified"`) != 6 || count(lines, `"error"`) > 0 {
		t.Errorf("the part has\n%s", lines)
	}
	mustDo(t, &web{lastMod: "2024-06-01"}, f, tasks(t, list, "3"), changed)
	if lines := part(t, f, "3", "a.example"); len(pages(t, lines)) > 0 {
		t.Errorf("the next part has\n%s", lines)
	}
}

// dying is a folder in which no part appears: the process is killed after it has saved the state.
type dying struct{ *batch.Folder }

func (d dying) Part(ctx context.Context, t batch.Task) (batch.Part, error) {
	p, err := d.Folder.Part(ctx, t)
	return dyingPart{p}, err
}

type dyingPart struct{ batch.Part }

var errKilled = errors.New("killed")

func (dyingPart) Commit(context.Context, batch.Counts) error { return errKilled }

// A kill between the state and the part loses no change, whether the run goes on or the next begins.
func TestWorker_KilledBeforePart(t *testing.T) {
	for _, next := range []string{"2", "3"} {
		f := openFolder(t)
		both := "a.example\nb.example"
		mustDo(t, &web{lastMod: "2024-05-06"}, f, tasks(t, both, "1"), batch.Worker{})
		w := &web{lastMod: "2024-06-01"}
		mustDo(t, w, f, tasks(t, "b.example", "2"), changed) // so that the run has a part
		if err := do(t, w, dying{f}, tasks(t, "a.example", "2"), changed); !errors.Is(err, errKilled) {
			t.Fatal(err)
		}
		if s, err := f.Load(t.Context(), "a.example"); err != nil || s.Run != "2" || s.Predecessor.Run != "1" {
			t.Fatalf("%+v, %v", s, err)
		}
		mustDo(t, w, f, tasks(t, both, next), changed)
		if lines := part(t, f, next, "a.example"); count(lines, `"change":"modified"`) != 3 {
			t.Errorf("run %s has\n%s", next, lines)
		}
		if lines := part(t, f, next, "b.example"); next == "3" && len(pages(t, lines)) > 0 {
			t.Errorf("run %s has\n%s", next, lines)
		}
	}
}

// The state of a run that the user has removed is taken as it is.
func TestWorker_RemovedRun(t *testing.T) {
	dir := t.TempDir()
	f, err := batch.OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	mustDo(t, &web{lastMod: "2024-05-06"}, f, tasks(t, "a.example", "1"), batch.Worker{})
	mustDo(t, &web{lastMod: "2024-06-01"}, f, tasks(t, "a.example", "2"), changed)
	if err := os.RemoveAll(filepath.Join(dir, "2")); err != nil {
		t.Fatal(err)
	}
	mustDo(t, &web{lastMod: "2024-06-01"}, f, tasks(t, "a.example", "3"), changed)
	if lines := part(t, f, "3", "a.example"); len(pages(t, lines)) > 0 {
		t.Errorf("the part has\n%s", lines)
	}
}

// An audit writes findings.
func TestFindings(t *testing.T) {
	f := openFolder(t)
	mustDo(t, &web{lastMod: "yesterday"}, f, tasks(t, "a.example\nnone.example", "1"),
		batch.Worker{Job: batch.Findings(audit.Options{})})
	lines := part(t, f, "1", "a.example")
	if count(lines, `{"type":"finding","code":"bad_lastmod","severity":"error"`) == 0 || count(lines, `{"type":"document"`) != 1 {
		t.Errorf("the part has\n%s", lines)
	}
	for p, err := range f.Parts(t.Context(), "1") {
		if err != nil || p.Domain == "a.example" && (p.Counts.Errors == 0 || p.Counts.URLs != 3) || p.Domain == "none.example" && p.Counts.Failed != 1 {
			t.Errorf("%s: %+v, %v", p.Domain, p.Counts, err)
		}
	}
}
