package batch_test

import (
	"context"
	"errors"
	"flag"
	"io"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/seed-322c453a/sitemap/batch"
)

// A mortal folder is killed at some of its steps, before or after they are done.
type mortal struct {
	*batch.Folder
	mu     sync.Mutex
	random *rand.Rand
	dead   bool
}

// step does a step, unless the process dies or is dead.
func (m *mortal) step(do func() error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	fate := m.random.IntN(10)
	if m.dead = m.dead || fate == 0; m.dead {
		return errKilled
	}
	if err := do(); err != nil {
		return err
	}
	if m.dead = fate == 1; m.dead {
		return errKilled
	}
	return nil
}

func (m *mortal) Save(
	ctx context.Context, domain string, next batch.State, write func(io.Writer) error,
) error {
	return m.step(func() error { return m.Folder.Save(ctx, domain, next, write) })
}

func (m *mortal) Part(ctx context.Context, part batch.Stored) (batch.Part, error) {
	p, err := m.Folder.Part(ctx, part)
	return mortalPart{p, m}, err
}

type mortalPart struct {
	batch.Part
	m *mortal
}

func (p mortalPart) Commit(ctx context.Context, c batch.Counts) error {
	return p.m.step(func() error { return p.Part.Commit(ctx, c) })
}

var killSeeds = flag.Int("kill-seeds", 1, "how often TestWorker_Killed tries other moments")

// Each page is in the parts of the runs once for each time that it was new or modified, whatever is
// killed, and whether a run is ended or given up for the next.
func TestWorker_Killed(t *testing.T) {
	for seed := range uint64(*killSeeds) {
		f := openFolder(t)
		m := &mortal{Folder: f, random: rand.New(rand.NewPCG(seed, 0))}
		lastMods := []string{"2024-01-01", "2024-02-02", "2024-02-02", "2024-03-03"}
		kills := 0
		for i, lastMod := range lastMods {
			all := tasks(t, hosts(15), string(rune('1'+i)))
			for {
				err := do(t, &web{lastMod: lastMod, forgets: true}, m, all, changed)
				if err == nil {
					break
				}
				if !errors.Is(err, errKilled) {
					t.Fatal(err)
				}
				kills, m.dead = kills+1, false
				// Run 3, in which nothing changes, is given up at its first kill: run 4 goes on.
				if i == 2 {
					break
				}
			}
			want := []string{"new", "modified", "", "modified"}[i]
			for domain, lines := range partsOf(t, f, all[0].Run) {
				n, changes := len(pages(t, lines)), 0
				if want != "" {
					changes = count(lines, `"change":"`+want+`"`)
				}
				isFull := n > 0 || want == "" || count(lines, "no_sitemap") > 0
				if n != changes || n%3 != 0 || !isFull {
					t.Fatalf("seed %d, run %d, %s has\n%s", seed, i+1, domain, lines)
				}
			}
		}
		if kills < 3 {
			t.Errorf("seed %d: only %d kills", seed, kills)
		}
	}
}

// So it is if a queue hands out the targets of a domain one by one, in any order.
func TestWorker_KilledTargets(t *testing.T) {
	for seed := range uint64(2 * *killSeeds) {
		f, random := openFolder(t), rand.New(rand.NewPCG(seed, 1))
		m := &mortal{Folder: f, random: random}
		for i, lastMod := range []string{"2024-01-01", "2024-02-02", "2024-02-02", "2024-03-03"} {
			run := string(rune('1' + i))
			left := []string{"www.a.example", "shop.a.example", "blog.a.example"}
			for len(left) > 0 {
				n := random.IntN(len(left))
				task := batch.Task{Run: run, Domain: "a.example", Targets: left[n : n+1], More: true}
				err := do(t, &web{lastMod: lastMod}, m, []batch.Task{task}, changed)
				if m.dead = false; err == nil {
					left = slices.Delete(left, n, n+1)
				} else if !errors.Is(err, errKilled) {
					t.Fatal(err)
				}
			}
			if n, want := len(pages(t, part(t, f, run, "a.example"))), []int{9, 9, 0, 9}[i]; n != want {
				t.Fatalf("seed %d, run %s has %d pages, want %d", seed, run, n, want)
			}
		}
	}
}

// A change is in the part of a run that is given up, or in that of the next, whatever is killed.
func TestWorker_KilledAndGivenUp(t *testing.T) {
	for seed := range uint64(*killSeeds) {
		f := openFolder(t)
		m := &mortal{Folder: f, random: rand.New(rand.NewPCG(seed, 2))}
		mustDo(t, &web{lastMod: "2024-01-01"}, f, tasks(t, hosts(15), "1"), changed)
		w := &web{lastMod: "2024-02-02", forgets: true}
		mustDo(t, w, f, tasks(t, "other.example", "2"), changed) // a run without parts counts as removed
		for i := 0; i < 20 && !m.dead; i++ {
			do(t, w, m, tasks(t, hosts(15), "2"), changed)
		}
		for m.dead {
			m.dead = false
			if err := do(t, w, m, tasks(t, hosts(15), "3"), changed); err != nil && !errors.Is(err, errKilled) {
				t.Fatal(err)
			}
		}
		second, third := partsOf(t, f, "2"), partsOf(t, f, "3")
		for domain, first := range partsOf(t, f, "1") {
			const modified = `"change":"modified"`
			if n, want := count(second[domain]+third[domain], modified), len(pages(t, first)); n != want {
				t.Errorf("seed %d: %s has %d modified pages, want %d", seed, domain, n, want)
			}
		}
	}
}
