package batch_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-322c453a/sitemap/batch"
)

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

// lotsOf returns the names of the parts of a run that are lots, and how often its parts have each
// page.
func lotsOf(t testing.TB, f *batch.Folder, run string) (lots []string, all map[string]int) {
	t.Helper()
	for p, err := range f.Parts(t.Context(), run) {
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(p.Domain, "~") {
			lots = append(lots, p.Domain)
		}
	}
	all = map[string]int{}
	for _, lines := range partsOf(t, f, run) {
		for _, page := range pages(t, lines) {
			all[page]++
		}
	}
	for page, n := range all {
		if n != 1 {
			t.Errorf("run %s has %s %d times", run, page, n)
		}
	}
	return lots, all
}

// subdomains returns a list of n hosts below a.example.
func subdomains(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "h%d.a.example\n", i)
	}
	return b.String()
}

// A domain of many targets is done in lots; a target that is added makes one of them stale. If the
// list becomes shorter, the pages of the others are gone.
func TestWorker_Lots(t *testing.T) {
	batch.SetMaxTargets(t, 50)
	f, large := openFolder(t), subdomains(51)
	mustDo(t, &web{lastMod: "2024", forgets: true}, f, tasks(t, large, "1"), batch.Worker{})
	lots, all := lotsOf(t, f, "1")
	if len(lots) < 40 || len(all) != 153 {
		t.Fatalf("%d lots, %d pages", len(lots), len(all))
	}
	task := tasks(t, large, "1")[0]
	if done, err := (&batch.Worker{Sink: f}).IsDone(t.Context(), task); !done || err != nil {
		t.Errorf("done %t, %v", done, err)
	}
	w := &web{lastMod: "2024"}
	more := tasks(t, large+"new.a.example\n", "1")
	if done, err := (&batch.Worker{Sink: f}).IsDone(t.Context(), more[0]); done || err != nil {
		t.Errorf("done %t, %v with a new target", done, err)
	}
	mustDo(t, w, f, more, batch.Worker{})
	if w.requests["new.a.example"] == 0 || len(w.requests) > 5 {
		t.Errorf("%d hosts were asked for one more", len(w.requests))
	}
	// A damaged lot is done again.
	for p := range f.Parts(t.Context(), "1") {
		if p.Counts.Targets > 0 {
			if err := os.WriteFile(p.Path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			break
		}
	}
	if done, err := (&batch.Worker{Sink: f}).IsDone(t.Context(), more[0]); done || err != nil {
		t.Errorf("done %t, %v with a damaged lot", done, err)
	}
	w = &web{lastMod: "2024"}
	mustDo(t, w, f, more, batch.Worker{})
	if len(w.requests) == 0 || len(w.requests) > 5 {
		t.Errorf("%d hosts were asked for one lot", len(w.requests))
	}
	few := tasks(t, subdomains(20), "1")
	mustDo(t, &web{lastMod: "2024", forgets: true}, f, few, batch.Worker{})
	if _, all := lotsOf(t, f, "1"); len(all) != 60 {
		t.Errorf("%d pages of 20 targets", len(all))
	}
	if done, err := (&batch.Worker{Sink: f}).IsDone(t.Context(), few[0]); !done || err != nil {
		t.Errorf("done %t, %v after the list has become shorter", done, err)
	}
}

// A domain that is done as one, or in lots, stays so in its run. The next run decides again.
func TestWorker_StaysInLots(t *testing.T) {
	batch.SetMaxTargets(t, 50)
	f := openFolder(t)
	for i, n := range []int{50, 51, 50} {
		for _, run := range []string{"1", fmt.Sprintf("next-%d", i)} {
			w := &web{lastMod: "2024", forgets: true}
			mustDo(t, w, f, tasks(t, subdomains(n), run), batch.Worker{})
			lots, all := lotsOf(t, f, run)
			if isIn := len(lots) > 0; isIn != (run != "1" && n > 50) || len(all) != 3*n {
				t.Errorf("run %s of %d targets has %d lots, %d pages", run, n, len(lots), len(all))
			}
		}
	}
}

// The queue of a run may not change to one that hands out the targets of a domain one by one.
func TestWorker_LotsAndMore(t *testing.T) {
	batch.SetMaxTargets(t, 50)
	f := openFolder(t)
	mustDo(t, &web{forgets: true}, f, tasks(t, subdomains(51), "1"), batch.Worker{})
	task := batch.Task{Run: "1", Domain: "a.example", Targets: []string{"x.a.example"}, More: true}
	if err := do(t, &web{}, f, []batch.Task{task}, batch.Worker{}); !errors.Is(err, batch.ErrTask) {
		t.Errorf("%v, want ErrTask", err)
	}
}

// A limited folder is killed at the commit of a part that is one too many.
type limited struct {
	*batch.Folder
	left *atomic.Int64
}

func (l limited) Part(ctx context.Context, part batch.Stored) (batch.Part, error) {
	if l.left.Add(-1) < 0 {
		return nil, errKilled
	}
	return l.Folder.Part(ctx, part)
}

// If a run is killed among the lots of a domain, and the list becomes shorter, no other pages are
// left.
func TestWorker_LotsKilled(t *testing.T) {
	batch.SetMaxTargets(t, 50)
	f, left := openFolder(t), new(atomic.Int64)
	left.Store(20)
	err := do(t, &web{forgets: true}, limited{f, left}, tasks(t, subdomains(51), "1"), batch.Worker{Parallel: -1})
	if !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	if lots, all := lotsOf(t, f, "1"); len(lots) < 15 || len(all) < 6 {
		t.Fatalf("%d lots, %d pages", len(lots), len(all))
	}
	mustDo(t, &web{}, f, tasks(t, subdomains(2), "1"), batch.Worker{})
	if _, all := lotsOf(t, f, "1"); len(all) != 6 {
		t.Errorf("pages %v", all)
	}
}

// A domain of more than 1,000 targets is in lots. A host of many targets is a lot that has no lots.
func TestWorker_LargeHost(t *testing.T) {
	var list strings.Builder
	for i := range 1_001 {
		if i == 1_000 {
			f := openFolder(t)
			mustDo(t, &web{forgets: true}, f, tasks(t, list.String(), "1"), batch.Worker{})
			if lots, _ := lotsOf(t, f, "1"); len(lots) > 0 {
				t.Errorf("%d lots of 1,000 targets", len(lots))
			}
		}
		fmt.Fprintf(&list, "https://a.example/%d.txt\n", i)
	}
	f := openFolder(t)
	mustDo(t, &web{forgets: true}, f, tasks(t, list.String(), "1"), batch.Worker{})
	for p, err := range f.Parts(t.Context(), "1") {
		if isLot := strings.Count(p.Domain, "~") == 1; err != nil || p.InLots == isLot {
			t.Errorf("%s is in lots: %t, %v", p.Domain, p.InLots, err)
		}
	}
}

// A domain in lots whose own part is damaged gets that part again. Its lots are not done again.
func TestWorker_LotsDamaged(t *testing.T) {
	batch.SetMaxTargets(t, 50)
	f := openFolder(t)
	mustDo(t, &web{forgets: true}, f, tasks(t, subdomains(51), "1"), batch.Worker{})
	own, err := f.Stat(t.Context(), batch.Stored{Task: batch.Task{Run: "1", Domain: "a.example"}})
	if err != nil || os.Truncate(own.Path, 5) != nil {
		t.Fatal(own.Path, err)
	}
	again := tasks(t, subdomains(51), "1")
	if done, err := (&batch.Worker{Sink: f}).IsDone(t.Context(), again[0]); done || err != nil {
		t.Errorf("done %t, %v with a damaged part", done, err)
	}
	w := &web{}
	mustDo(t, w, f, again, batch.Worker{})
	if _, all := lotsOf(t, f, "1"); len(all) != 153 || len(w.requests) > 0 {
		t.Errorf("%d pages; %d hosts were asked", len(all), len(w.requests))
	}
}

// staleEach are States of which another worker saves each at the moment of the first Save here.
type staleEach struct {
	memoryStates
	saved sync.Map
}

func (s *staleEach) Save(
	ctx context.Context, domain string, next batch.State, write func(io.Writer) error,
) error {
	if _, again := s.saved.LoadOrStore(domain, true); !again {
		return batch.ErrStale
	}
	return s.memoryStates.Save(ctx, domain, next, write)
}

// If two workers do one domain, since the queue has handed it out twice, they meet in many lots. If
// it were handed back for each, it would be abandoned soon.
func TestWorker_LotsStale(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		batch.SetMaxTargets(t, 50)
		f, q := openFolder(t), &returned{Queue: queueOf(t, tasks(t, subdomains(51), "1"))}
		w := &batch.Worker{Client: (&web{}).client(), Queue: q, States: &staleEach{}, Sink: f}
		if err := w.Run(t.Context()); err != nil {
			t.Error(err)
		}
		if len(q.later) != 1 {
			t.Errorf("the domain was handed back %d times", len(q.later))
		}
		if _, all := lotsOf(t, f, "1"); len(all) != 153 {
			t.Errorf("%d pages", len(all))
		}
	})
}
