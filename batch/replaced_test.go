package batch_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/discover"
)

// retried walks again what has failed, and prints what is new or modified.
var retried = batch.Worker{Options: discover.Options{OnlyChanged: true}, Retry: true}

// site returns the web as it is in a year, in which one host may be down.
func site(year int, isDown bool) *web {
	return &web{lastMod: fmt.Sprint(year), forgets: true, broken: func(host string) bool {
		return isDown && host == "b.a.example"
	}}
}

const bothHosts = "a.a.example\nb.a.example"

// wantPages checks how many pages of a year are in the parts of some runs.
func wantPages(t *testing.T, f *batch.Folder, year, want int, runs ...string) {
	t.Helper()
	n := 0
	for _, run := range runs {
		for _, lines := range partsOf(t, f, run) {
			n += count(lines, fmt.Sprintf(`"lastmod":"%d"`, year))
		}
	}
	if n != want {
		t.Errorf("runs %s have %d pages of %d, want %d", runs, n, year, want)
	}
}

// A kill in the retry of a run that is not the last one loses no change.
func TestReplaced_EarlierRunKilled(t *testing.T) {
	f := openFolder(t)
	mustDo(t, site(2001, true), f, tasks(t, bothHosts, "1"), changed)
	mustDo(t, site(2001, true), f, tasks(t, bothHosts, "2"), changed)
	if err := do(t, site(2001, false), dying{f}, tasks(t, bothHosts, "1"), retried); !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	mustDo(t, site(2001, false), f, tasks(t, bothHosts, "3"), changed)
	wantPages(t, f, 2001, 6, "1", "2", "3")
}

// A run that is not the last one keeps its changes in a retry, and if a target is added.
func TestReplaced_EarlierRun(t *testing.T) {
	for _, list := range []string{bothHosts, bothHosts + "\nc.a.example"} {
		f := openFolder(t)
		mustDo(t, site(2001, true), f, tasks(t, bothHosts, "1"), changed)
		mustDo(t, site(2002, true), f, tasks(t, bothHosts, "2"), changed)
		mustDo(t, site(2002, false), f, tasks(t, list, "1"), retried)
		wantPages(t, f, 2001, 3, "1")
	}
}

// If a target is added to the list, only that target is walked. The part keeps the pages of the
// others, which may be down.
func TestReplaced_AddedTarget(t *testing.T) {
	f := openFolder(t)
	mustDo(t, site(2001, false), f, tasks(t, bothHosts, "1"), batch.Worker{})
	w := site(2002, true)
	w.forgets = false
	mustDo(t, w, f, tasks(t, "c.a.example\n"+bothHosts, "1"), batch.Worker{})
	wantPages(t, f, 2001, 6, "1")
	if len(w.requests) != 1 || w.requests["c.a.example"] == 0 {
		t.Errorf("requests %v", w.requests)
	}
}

// A target that leaves the list of a run keeps its changes, which no other run has.
func TestReplaced_RemovedTarget(t *testing.T) {
	f := openFolder(t)
	for _, list := range []string{bothHosts, "a.a.example", bothHosts} {
		mustDo(t, site(2001, false), f, tasks(t, list, "1"), changed)
		wantPages(t, f, 2001, 6, "1")
	}
}

// One of several tasks of a domain that is handed out again keeps its pages.
func TestReplaced_More(t *testing.T) {
	f := openFolder(t)
	for _, host := range []string{"b.a.example", "a.a.example", "b.a.example"} {
		task := batch.Task{Run: "1", Domain: "a.example", Targets: []string{host}, More: true}
		mustDo(t, site(2001, host == "b.a.example" && len(partsOf(t, f, "1")) > 0), f, []batch.Task{task}, batch.Worker{})
	}
	wantPages(t, f, 2001, 6, "1")
}

// A run that was retried and removed has all changes if it is done again.
func TestReplaced_RemovedRun(t *testing.T) {
	dir := t.TempDir()
	f := openFolderIn(t, dir)
	mustDo(t, site(2001, true), f, tasks(t, bothHosts, "1"), changed)
	mustDo(t, site(2001, false), f, tasks(t, bothHosts, "1"), retried)
	if err := os.RemoveAll(filepath.Join(dir, "1")); err != nil {
		t.Fatal(err)
	}
	mustDo(t, site(2001, false), f, tasks(t, bothHosts, "1"), changed)
	wantPages(t, f, 2001, 6, "1")
}

// The changes of several tasks of a domain whose part is damaged are in the next run. The part is
// made again in its own run. Each part is reported once.
func TestReplaced_MoreDamaged(t *testing.T) {
	f, w, reports := openFolder(t), changed, 0
	w.Report = func(batch.Task, error) { reports++ }
	for _, run := range []string{"1", "2", "1"} {
		for p, err := range f.Parts(t.Context(), "1") {
			if err == nil && os.Truncate(p.Path, 5) != nil {
				t.Fatal(p.Path)
			}
		}
		for _, host := range []string{"a.a.example", "b.a.example", "c.a.example"} {
			task := batch.Task{Run: run, Domain: "a.example", Targets: []string{host}, More: true}
			mustDo(t, site(2001, false), f, []batch.Task{task}, w)
		}
	}
	if reports != 2 { // one in the next run and one in its own
		t.Errorf("%d reports", reports)
	}
	wantPages(t, f, 2001, 9, "2")
	wantPages(t, f, 2001, 0, "1")
}

// A domain that has too many targets for some time, in one run, loses no change, nor those of the
// target that has left.
func TestReplaced_Lots(t *testing.T) {
	batch.SetMaxTargets(t, 50)
	f := openFolder(t)
	for _, n := range []int{50, 51, 50} {
		mustDo(t, site(2001, false), f, tasks(t, subdomains(n), "1"), changed)
	}
	wantPages(t, f, 2001, 153, "1")
}

// A late folder holds back its last commit until another worker of the domain has begun a part.
type late struct {
	*batch.Folder
	other            func(s batch.Sink)
	begun, committed chan bool
}

func (l late) Part(ctx context.Context, part batch.Stored) (batch.Part, error) {
	p, err := l.Folder.Part(ctx, part)
	return latePart{p, l}, err
}

type latePart struct {
	batch.Part
	late
}

func (p latePart) Commit(ctx context.Context, c batch.Counts) error {
	go p.other(second{p.late})
	<-p.begun
	defer close(p.committed)
	return p.Part.Commit(ctx, c)
}

// second is the folder of the other worker.
type second struct{ late }

func (s second) Part(ctx context.Context, part batch.Stored) (batch.Part, error) {
	close(s.begun)
	<-s.committed
	return s.Folder.Part(ctx, part)
}

// Two workers that retry a domain at once, since a lease was lost, write each page once.
func TestReplaced_TwoWorkers(t *testing.T) {
	f, done := openFolder(t), make(chan bool)
	mustDo(t, site(2001, true), f, tasks(t, bothHosts, "1"), changed)
	l := late{Folder: f, begun: make(chan bool), committed: make(chan bool)}
	l.other = func(s batch.Sink) {
		defer close(done)
		w := retried
		w.Client, w.Queue, w.Sink, w.States = site(2001, false).client(), &given{all: tasks(t, bothHosts, "1")}, s, f
		if err := w.Run(t.Context()); err != nil {
			t.Error(err)
		}
	}
	mustDo(t, site(2001, false), l, tasks(t, bothHosts, "1"), retried)
	<-done
	wantPages(t, f, 2001, 6, "1")
}
