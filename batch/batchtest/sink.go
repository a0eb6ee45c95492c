package batchtest

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap/batch"
)

// Sink tests a [batch.Sink]. Open returns an empty one for each test.
func Sink(t *testing.T, open func(t *testing.T) batch.Sink) { run(t, sinkPromises, open) }

var sinkPromises = []promise[batch.Sink]{
	{"A part appears when it is committed", appears},
	{"A part that is discarded leaves nothing", discarded},
	{"A part of other targets is not there", otherTargets},
	{"A part is replaced", replaced},
	{"Runs have parts of their own", runsApart},
	{"Every domain can have a part", everyDomain},
	{"A part can be large", largePart},
	{"A part that is removed is gone", removed},
}

func taskOf(run, domain string) batch.Task {
	return batch.Task{Run: run, Domain: domain, Targets: []string{domain}}
}

func begin(t testing.TB, s batch.Sink, task batch.Task, lines string) batch.Part {
	t.Helper()
	p, err := s.Part(t.Context(), task)
	if err != nil {
		t.Fatalf("Part(%s): %v", task.Domain, err)
	}
	if n, err := io.WriteString(p, lines); n != len(lines) || err != nil {
		t.Fatalf("Write = %d, %v", n, err)
	}
	return p
}

func commit(t testing.TB, s batch.Sink, task batch.Task, lines string, urls int64) {
	t.Helper()
	p := begin(t, s, task, lines)
	if err := p.Commit(t.Context(), batch.Counts{URLs: urls}); err != nil {
		t.Fatalf("Commit(%s): %v", task.Domain, err)
	}
	p.Discard()
}

func has(t testing.TB, s batch.Sink, task batch.Task, want bool) {
	t.Helper()
	if got, err := s.Has(t.Context(), task); got != want || err != nil {
		t.Errorf("Has(%s) = %t, %v, want %t", task.Domain, got, err, want)
	}
}

// holds checks the URLs in a part.
func holds(t testing.TB, s batch.Sink, task batch.Task, want ...string) {
	t.Helper()
	part := batch.Stored{Task: batch.Task{Run: task.Run, Domain: task.Domain}}
	in, err := s.Open(t.Context(), part)
	if err != nil {
		t.Errorf("Open(%s): %v", task.Domain, err)
		return
	}
	defer in.Close()
	var got []string
	for l, err := range batch.Lines(in) {
		if err != nil {
			t.Errorf("%s: %v", task.Domain, err)
			return
		}
		got = append(got, l.URL.Loc)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s holds %.200q, want %.200q", task.Domain, got, want)
	}
}

// lists checks which parts a run has.
func lists(t testing.TB, s batch.Sink, run string, want ...batch.Task) {
	t.Helper()
	got := map[string]batch.Stored{}
	for p, err := range s.Parts(t.Context(), run) {
		if err != nil {
			t.Errorf("Parts(%s): %v", run, err)
			return
		}
		got[p.Domain] = p
	}
	if len(got) != len(want) {
		t.Errorf("run %s has %d parts, want %d", run, len(got), len(want))
	}
	for _, task := range want {
		p := got[task.Domain]
		if p.Run != run || p.Digest != task.Digest() || p.Time.IsZero() || p.Counts.URLs == 0 {
			t.Errorf("%s is stored as %+v", task.Domain, p)
		}
	}
}

// line returns the line of a URL.
func line(loc string) string { return fmt.Sprintf("{\"loc\":%q,\"kind\":\"page\"}\n", loc) }

func appears(t testing.TB, s batch.Sink) {
	task := taskOf("1", "a.test")
	has(t, s, task, false)
	p := begin(t, s, task, line("https://a.test/1"))
	has(t, s, task, false)
	lists(t, s, "1")
	_, err := s.Open(t.Context(), batch.Stored{Task: task})
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Open of a part that is not there: %v", err)
	}
	if err := p.Commit(t.Context(), batch.Counts{URLs: 1}); err != nil {
		t.Fatalf("Commit: %v", err)
	}
	p.Discard()
	has(t, s, task, true)
	lists(t, s, "1", task)
	holds(t, s, task, "https://a.test/1")
}

func discarded(t testing.TB, s batch.Sink) {
	task := taskOf("1", "a.test")
	begin(t, s, task, line("https://a.test/1")).Discard()
	has(t, s, task, false)
	lists(t, s, "1")
	commit(t, s, task, line("https://a.test/2"), 1)
	begin(t, s, task, line("https://a.test/3")).Discard()
	holds(t, s, task, "https://a.test/2")
}

func otherTargets(t testing.TB, s batch.Sink) {
	task := taskOf("1", "a.test")
	commit(t, s, task, "", 1)
	more := task
	more.Targets = []string{"www.a.test", "a.test"}
	has(t, s, more, false)
	has(t, s, batch.Task{Run: "1", Domain: "a.test"}, true)
	commit(t, s, more, "", 1)
	has(t, s, more, true)
	has(t, s, task, false)
	more.Targets = []string{"a.test", "www.a.test"} // in another order
	has(t, s, more, true)
}

func replaced(t testing.TB, s batch.Sink) {
	task := taskOf("1", "a.test")
	first := begin(t, s, task, line("https://a.test/1"))
	second := begin(t, s, task, line("https://a.test/2"))
	for _, p := range []batch.Part{second, first} {
		if err := p.Commit(t.Context(), batch.Counts{URLs: 1}); err != nil {
			t.Fatalf("Commit: %v", err)
		}
		p.Discard()
	}
	lists(t, s, "1", task)
	holds(t, s, task, "https://a.test/1")
}

func runsApart(t testing.TB, s batch.Sink) {
	one, two := taskOf("1", "a.test"), taskOf("2026-11-23", "a.test")
	commit(t, s, one, line("https://a.test/1"), 1)
	has(t, s, two, false)
	commit(t, s, two, line("https://a.test/2"), 1)
	lists(t, s, "1", one)
	lists(t, s, "2026-11-23", two)
	lists(t, s, "2026")
	holds(t, s, one, "https://a.test/1")
}

func everyDomain(t testing.TB, s batch.Sink) {
	labels := strings.Repeat(strings.Repeat("long", 15)+".", 4)
	var tasks []batch.Task
	for _, domain := range []string{
		"a.test", "xn--bcher-kva.example", "localhost", "192.0.2.7", "2001:db8::1", "a_b.test",
		"con", "nul.test", "a.test~00", "a.test~ff", labels + "a.test", labels + "b.test",
	} {
		task := taskOf("1", domain)
		commit(t, s, task, line("https://"+domain+"/"), 1)
		tasks = append(tasks, task)
	}
	lists(t, s, "1", tasks...)
	for _, task := range tasks {
		has(t, s, task, true)
		holds(t, s, task, "https://"+task.Domain+"/")
	}
}

func largePart(t testing.TB, s batch.Sink) {
	var lines strings.Builder
	var want []string
	for i := range 20_000 {
		want = append(want, fmt.Sprintf("https://a.test/%d/%s", i, strings.Repeat("x", i%1_000)))
		lines.WriteString(line(want[i]))
	}
	task := taskOf("1", "a.test")
	commit(t, s, task, lines.String(), 1)
	holds(t, s, task, want...)
}

func removed(t testing.TB, s batch.Sink) {
	r, ok := s.(batch.Remover)
	if !ok {
		return
	}
	task, other := taskOf("1", "a.test~00"), taskOf("1", "a.test~01")
	commit(t, s, task, "", 1)
	commit(t, s, other, "", 1)
	for range 2 {
		if err := r.Remove(t.Context(), batch.Stored{Task: task}); err != nil {
			t.Errorf("Remove: %v", err)
		}
	}
	has(t, s, task, false)
	lists(t, s, "1", other)
}
