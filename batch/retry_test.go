package batch_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap/batch"
)

// With Retry the targets that failed are walked again, and those alone. The part is replaced if it
// has become better.
func TestWorker_Retry(t *testing.T) {
	f, all := openFolder(t), tasks(t, "a.a.example\nb.a.example\nc.a.example\nd.example", "1")
	down := func(hosts ...string) func(string) bool {
		return func(host string) bool { return slices.Contains(hosts, host) }
	}
	mustDo(t, &web{lastMod: "2024", broken: down("b.a.example", "c.a.example")}, f, all, batch.Worker{})
	first := part(t, f, "1", "a.example")
	w := &web{lastMod: "2024", broken: down("b.a.example", "c.a.example")}
	var counts batch.Counts
	mustDo(t, w, f, all, batch.Worker{Retry: true, Done: func(task batch.Task, c batch.Counts) {
		if task.Domain == "a.example" {
			counts = c
		}
	}})
	want := batch.Counts{Targets: 3, Documents: 3, URLs: 3, Failed: 2, Cause: "fetch_failed"}
	if counts != want {
		t.Errorf("counts %+v of a retry that is no better, want %+v", counts, want)
	}
	if len(w.requests) != 2 || part(t, f, "1", "a.example") != first {
		t.Errorf("asked %v; the part, which is no better, has become\n%s",
			w.requests, part(t, f, "1", "a.example"))
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

// A part that is damaged inside, so that only reading it shows it, is done again with Retry.
func TestWorker_Retry_Damaged(t *testing.T) {
	f, all := openFolder(t), tasks(t, "a.example", "1")
	mustDo(t, &web{lastMod: "2024"}, f, all, batch.Worker{})
	for p := range f.Parts(t.Context(), "1") {
		text, err := os.ReadFile(p.Path)
		if err != nil {
			t.Fatal(err)
		}
		text[len(text)/2] ^= 0xff
		if err := os.WriteFile(p.Path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if done, err := (&batch.Worker{Sink: f}).IsDone(t.Context(), all[0]); !done || err != nil {
		t.Fatalf("done %t, %v: the damage is not inside", done, err)
	}
	reported := ""
	mustDo(t, &web{lastMod: "2024"}, f, all, batch.Worker{Retry: true, Report: func(task batch.Task, err error) {
		reported += task.Domain + err.Error()
	}})
	if n := len(pages(t, part(t, f, "1", "a.example"))); n != 3 || !strings.Contains(reported, "a.example in run 1: damaged part") {
		t.Errorf("%d pages, reported %q", n, reported)
	}
}
