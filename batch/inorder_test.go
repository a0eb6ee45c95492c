package batch_test

import (
	"bytes"
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
	"time"

	"github.com/seed-322c453a/sitemap/batch"
)

// inOrder walks a list and returns what was written, in the order of the list.
func inOrder(t *testing.T, w *web, list io.Reader) (string, error) {
	t.Helper()
	var out bytes.Buffer
	sink := batch.NewInOrder(&out, func() { t.Error("the order was given up") })
	q := batch.NewMemoryQueue(1_000)
	go func() {
		defer q.End(t.Context())
		for task, err := range batch.PlanInOrder(list, "1") {
			if err != nil {
				t.Error(err)
			} else if _, err := q.Put(t.Context(), task); err != nil {
				t.Error(err)
			}
		}
	}()
	err := (&batch.Worker{Client: w.client(), Queue: q, Sink: sink}).Run(t.Context())
	return out.String(), errors.Join(err, sink.Close())
}

// The output is in the order of the list, whichever site is slow and however often a domain is
// there.
func TestInOrder(t *testing.T) { synctest.Test(t, testInOrder) }

func testInOrder(t *testing.T) {
	var list strings.Builder
	var want []string
	for i := range 120 {
		host := fmt.Sprintf("www.s%d.example", i%50)
		if i%3 == 0 {
			host = fmt.Sprintf("h%d.a.example", i)
		}
		fmt.Fprintln(&list, host)
		for j := range 3 {
			want = append(want, fmt.Sprintf("https://%s/%d", host, j))
		}
	}
	var mu sync.Mutex
	busy := map[string]int{}
	count := func(host string, n int) {
		mu.Lock()
		defer mu.Unlock()
		_, domain, _ := strings.Cut(host, ".")
		if busy[domain] += n; busy[domain] > 1 {
			t.Errorf("two tasks of %s were done at once", domain)
		}
	}
	w := &web{lastMod: "2024", hold: func(_ context.Context, host string) {
		count(host, 1)
		time.Sleep(time.Duration(len(host)*7%13) * time.Second)
		count(host, -1)
	}}
	got, err := inOrder(t, w, strings.NewReader(list.String()))
	if err != nil {
		t.Fatal(err)
	}
	if got := pages(t, got); !slices.Equal(got, want) {
		t.Errorf("wrote %d pages, want %d: %.300q", len(got), len(want), got)
	}
}

// A line is a task as soon as it is there; lines of one domain that are there together are one.
func TestPlanInOrder(t *testing.T) {
	in, out := io.Pipe()
	next := make(chan string)
	go func() {
		defer close(next)
		for task, err := range batch.PlanInOrder(in, "1") {
			next <- fmt.Sprint(task.Turn, task.Domain, task.Targets, err)
		}
	}()
	for _, step := range []struct{ write, want string }{
		{"a.example\n", "1a.example[a.example] <nil>"},
		{"a.example\nwww.a.example # comment\n", "2a.example[a.example www.a.example] <nil>"},
		{"b.example\na b\n", `3b.example[b.example] <nil>|0[] line 5: "a b": want a host or an http or https URL`},
	} {
		io.WriteString(out, step.write)
		var got []string
		for range strings.Split(step.want, "|") {
			got = append(got, <-next)
		}
		if strings.Join(got, "|") != step.want {
			t.Errorf("%q: %q, want %q", step.write, got, step.want)
		}
	}
	go func() {
		io.WriteString(out, "c.example") // without a line break
		out.Close()
	}()
	if got := <-next; got != "4c.example[c.example] <nil>" {
		t.Errorf("the last is %q", got)
	}
	if got, more := <-next; more {
		t.Errorf("then %q", got)
	}
	for _, list := range []string{"a.example\nb.example\n", "a.example\na b", "a.example\nb.example"} {
		for range batch.PlanInOrder(strings.NewReader(list), "1") {
			break
		}
	}
}

// Targets before the lines may contain "#", and one without a domain is a task of its own.
func TestList(t *testing.T) {
	list := &batch.List{
		First: []string{"shop #2.xml", "a.example"}, Reader: strings.NewReader("a.example # x\n./b.xml\n./b.xml\n\nbad\n"),
		Domain: func(target string) (string, error) {
			if target == "bad" {
				return "", errors.New("no target")
			}
			return strings.TrimSuffix(target, ".xml"), nil
		},
	}
	var got []string
	for task, err := range list.Tasks("1") {
		got = append(got, fmt.Sprint(task.Turn, task.Domain, task.Targets, err))
	}
	want := []string{
		"1target-1[shop #2.xml] <nil>", "2a.example[a.example] <nil>", "3a.example[a.example] <nil>",
		"4target-4[./b.xml] <nil>", "5target-5[./b.xml] <nil>", "0[] line 5: no target",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// If no temporary file can be made, the order is given up, and nothing is lost.
func TestInOrder_NoFile(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "none"))
	t.Setenv("TMP", filepath.Join(t.TempDir(), "none"))
	lines, givenUp := &countingWriter{}, 0
	sink := batch.NewInOrder(lines, func() { givenUp++ })
	if memory, file := sink.Limits(); memory != 32<<20 || file != 2<<30 {
		t.Errorf("the limits are %d and %d bytes, want 32 MiB and 2 GiB", memory, file)
	}
	sink.SetLimits(32<<10, 2<<20)
	var parts []batch.Part
	for turn := range 2 {
		p, err := sink.Part(t.Context(), batch.Stored{Task: batch.Task{Turn: uint64(turn) + 1}})
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, p)
	}
	line := append(bytes.Repeat([]byte("b"), 1<<10-1), '\n')
	for range 40 {
		if _, err := parts[1].Write(line); err != nil {
			t.Fatal(err)
		}
	}
	parts[0].Write([]byte("a\n"))
	for _, p := range parts {
		if err := p.Commit(t.Context(), batch.Counts{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := sink.Close(); err != nil || len(lines.firsts) != 41 || givenUp != 1 {
		t.Errorf("%v, %d lines, the order was given up %d times", err, len(lines.firsts), givenUp)
	}
}

// Lines that wait for their turn go to a file. Beyond the limit the order is given up: nothing is
// lost.
func TestInOrder_Waiting(t *testing.T) {
	for _, test := range []struct{ lines, want int }{{1, 0}, {40, 0}, {90, 1}} {
		lines, givenUp := &countingWriter{}, 0
		sink := batch.NewInOrder(lines, func() { givenUp++ })
		sink.SetLimits(32<<10, 50<<10)
		first, err := sink.Part(t.Context(), batch.Stored{Task: batch.Task{Turn: 1}})
		if err != nil {
			t.Fatal(err)
		}
		line := append(bytes.Repeat([]byte("x"), 1<<10-1), '\n')
		later := make([]batch.Part, 3)
		for i := range later {
			if later[i], err = sink.Part(t.Context(), batch.Stored{Task: batch.Task{Turn: uint64(i) + 2}}); err != nil {
				t.Fatal(err)
			}
		}
		for i := range test.lines {
			line[0] = "bcd"[i%3]
			if _, err := later[i%3].Write(line); err != nil {
				t.Fatal(err)
			}
		}
		first.Write([]byte("a\n"))
		for _, p := range append(later, first) {
			if err := p.Commit(t.Context(), batch.Counts{}); err != nil {
				t.Fatal(err)
			}
		}
		if err := sink.Close(); err != nil {
			t.Fatal(err)
		}
		if n := len(lines.firsts); n != test.lines+1 || givenUp != test.want {
			t.Errorf("of %d lines, %d were written; the order was given up %d times", test.lines, n, givenUp)
		}
		if givenUp == 0 && !slices.IsSorted(lines.firsts) {
			t.Errorf("%d lines: out of order: %q", test.lines, lines.firsts)
		}
	}
}

// A countingWriter keeps the first byte of each line.
type countingWriter struct {
	firsts []byte
	inside bool
}

func (w *countingWriter) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		if !w.inside {
			w.firsts = append(w.firsts, rest[0])
		}
		i := bytes.IndexByte(rest, '\n')
		if w.inside = i < 0; w.inside {
			break
		}
		rest = rest[i+1:]
	}
	return len(p), nil
}

// The limit is for what waits at one time.
func TestInOrder_WaitingAgain(t *testing.T) {
	sink := batch.NewInOrder(io.Discard, func() { t.Error("the order was given up") })
	sink.SetLimits(32<<10, 50<<10)
	var parts []batch.Part
	for turn := range 7 {
		p, err := sink.Part(t.Context(), batch.Stored{Task: batch.Task{Turn: uint64(turn) + 1}})
		if err != nil {
			t.Fatal(err)
		}
		if parts = append(parts, p); turn%2 == 0 {
			continue
		}
		for _, p := range parts[max(0, turn-3) : turn-1] { // the last one still waits
			if err := p.Commit(t.Context(), batch.Counts{}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := p.Write(make([]byte, 33<<10)); err != nil {
			t.Fatal(err)
		}
	}
	if err := sink.Close(); err != nil {
		t.Fatal(err)
	}
}
