package batch_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
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

// A domain of many targets is done in lots; a target that is added makes one of them stale, and
// what belongs to the other kind of part is removed.
func TestWorker_Lots(t *testing.T) {
	f, small := openFolder(t), subdomains(1_000)
	mustDo(t, &web{lastMod: "2024", forgets: true}, f, tasks(t, small, "1"), batch.Worker{})
	if lots, others := lotsOf(t, f, "1"); len(lots) > 0 || len(others) != 1 {
		t.Fatalf("parts %q and %q", lots, others)
	}
	large := subdomains(1_001)
	mustDo(t, &web{lastMod: "2024", forgets: true}, f, tasks(t, large, "1"), batch.Worker{})
	lots, others := lotsOf(t, f, "1")
	all := map[string]int{}
	for _, lines := range partsOf(t, f, "1") {
		for _, page := range pages(t, lines) {
			all[page]++
		}
	}
	if len(lots) < 200 || len(others) != 1 || len(all) != 3_003 {
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
	few := tasks(t, subdomains(20), "1")
	mustDo(t, &web{lastMod: "2024", forgets: true}, f, few, batch.Worker{})
	if lots, others := lotsOf(t, f, "1"); len(lots) > 0 || len(others) != 1 {
		t.Errorf("parts %q and %q after the list has become shorter", lots, others)
	}
}

// A limited folder is killed at the commit of a part that is one too many.
type limited struct {
	*batch.Folder
	left *atomic.Int64
}

func (l limited) Part(ctx context.Context, t batch.Task) (batch.Part, error) {
	if l.left.Add(-1) < 0 {
		return nil, errKilled
	}
	return l.Folder.Part(ctx, t)
}

// If a run is killed among the lots of a domain, or the part that counts them is damaged, and the
// list becomes shorter, no lot is left.
func TestWorker_LotsKilled(t *testing.T) {
	for _, isDamaged := range []bool{false, true} {
		f, left := openFolder(t), new(atomic.Int64)
		left.Store(20)
		err := do(t, &web{forgets: true}, limited{f, left}, tasks(t, subdomains(1_001), "1"), batch.Worker{Parallel: -1})
		if !errors.Is(err, errKilled) {
			t.Fatal(err)
		}
		if lots, _ := lotsOf(t, f, "1"); len(lots) < 15 {
			t.Fatalf("%d lots", len(lots))
		}
		few := tasks(t, subdomains(2), "1")
		if isDamaged {
			part := batch.PartName("1", "a.example")
			for p := range f.Parts(t.Context(), "1") {
				if strings.HasSuffix(filepath.ToSlash(p.Path), part) {
					if err := os.Truncate(p.Path, 10); err != nil {
						t.Fatal(err)
					}
				}
			}
			if _, err := f.Has(t.Context(), few[0]); !errors.Is(err, batch.ErrDamaged) {
				t.Fatal(err)
			}
		}
		mustDo(t, &web{}, f, few, batch.Worker{})
		if lots, others := lotsOf(t, f, "1"); len(lots) > 0 || len(others) != 1 {
			t.Errorf("parts %q and %q", lots, others)
		}
	}
}

// A host of many targets is a lot that has no lots.
func TestWorker_LargeHost(t *testing.T) {
	var list strings.Builder
	for i := range 1_001 {
		fmt.Fprintf(&list, "https://a.example/%d.txt\n", i)
	}
	f := openFolder(t)
	mustDo(t, &web{forgets: true}, f, tasks(t, list.String(), "1"), batch.Worker{})
	for p, err := range f.Parts(t.Context(), "1") {
		if want := strings.Count(p.Domain, "~") != 1; err != nil || (p.Lots == 1) != want {
			t.Errorf("%s has %d lots, %v", p.Domain, p.Lots, err)
		}
	}
}
