package batch_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// Runs have random histories: sites change and fail, targets are added, processes are killed, and a
// run is ended, retried, or given up for the next. Whenever a run has ended without failures, each
// page is in one part as it is now.
func TestWorker_Histories(t *testing.T) {
	for seed := range uint64(*killSeeds) {
		random := rand.New(rand.NewPCG(seed, 3))
		f := &mortal{Folder: openFolder(t), random: random}
		run, version, targets := 1, 1, 2
		for step := range 25 {
			switch random.IntN(6) {
			case 0:
				run++
			case 1:
				run, version = run+1, version+1
			case 2:
				targets++
			}
			name := fmt.Sprint(run)
			mustDo(t, &web{}, f.Folder, tasks(t, "other.example", name), changed) // a run without parts counts as removed
			failures := random.IntN(2)
			broken := map[string]bool{}
			var list strings.Builder
			for n := range targets {
				host := fmt.Sprintf("h%d.a.example", n)
				fmt.Fprintln(&list, host)
				broken[host] = failures*random.IntN(3) == 1
			}
			w := &web{lastMod: fmt.Sprint(2000 + version), forgets: true, broken: func(host string) bool { return broken[host] }}
			worker := changed
			worker.Retry = random.IntN(2) == 0
			err := do(t, w, f, tasks(t, list.String(), name), worker)
			if f.dead = false; err != nil && !errors.Is(err, errKilled) {
				t.Fatal(err)
			}
			if err != nil || count(part(t, f, name, "a.example"), `"error"`) > 0 {
				continue
			}
			all := ""
			for r := range run {
				for _, lines := range partsOf(t, f.Folder, fmt.Sprint(r+1)) {
					all += lines
				}
			}
			for host := range broken {
				now := fmt.Sprintf(`{"loc":"https://%s/0","kind":"page","lastmod":"%s"`, host, w.lastMod)
				if n := count(all, now); n != 1 {
					t.Errorf("seed %d, step %d, run %s: %d lines begin with %s", seed, step, name, n, now)
				}
			}
		}
	}
}
