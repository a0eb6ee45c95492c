package batch_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/discover"
)

func TestWorker_Parts(t *testing.T) {
	f := openFolder(t)
	all := tasks(t,
		"https://www.a.example/sitemap.xml\nshop.a.example\nnone.example\nmixed.example", "1")
	parts := walkAll(t, &web{lastMod: "2024-05-06"}, f, all, 1)
	want := ""
	for _, host := range []string{"www.a.example", "shop.a.example"} {
		target, trust, robots := "https://www.a.example/sitemap.xml", "caller", ""
		if host == "shop.a.example" {
			target, trust, robots = host, "robots", `"robots":"https://shop.a.example/robots.txt",`
		}
		for i := range 3 {
			want += fmt.Sprintf(`{"loc":"https://%s/%d","kind":"page","lastmod":"2024-05-06",`+
				`"sitemap":"https://%s/sitemap.xml","trust":"%s","on_site":true,"target":"%s"}`+"\n", host, i, host, trust, target)
		}
		want += fmt.Sprintf(`{"type":"document","target":"%s","sitemap":"https://%s/sitemap.xml","status":200,`+
			`"content_type":"text/xml","last_modified":"Mon, 06 May 2024 07:08:09 GMT","etag":"\"x\"","format":"urlset",`+
			`"bytes":%d,"entries":3,%s"trust":"%s"}`+"\n", target, host, len(sitemapOf(host, "2024-05-06")), robots, trust)
	}
	if got := parts["a.example"]; got != want {
		t.Errorf("the part of a.example has\n%swant\n%s", got, want)
	}
	const none = `{"type":"target","target":"none.example","error":{"code":"no_sitemap","message":"`
	if got := parts["none.example"]; !strings.HasPrefix(got, none) || strings.Count(got, "\n") != 1 {
		t.Errorf("the part of none.example has\n%s", got)
	}
	counts := map[string]batch.Counts{}
	for p, err := range f.Parts(t.Context(), "1") {
		if err != nil {
			t.Fatal(err)
		}
		counts[p.Domain] = p.Counts
	}
	wantCounts := map[string]batch.Counts{
		"a.example":     {Targets: 2, Documents: 2, URLs: 6},
		"none.example":  {Targets: 1, Failed: 1, Cause: "no_sitemap"},
		"mixed.example": {Targets: 1, Documents: 1, URLs: 3, Untrusted: 1},
	}
	if !maps.Equal(counts, wantCounts) {
		t.Errorf("counts %v, want %v", counts, wantCounts)
	}
}

// A document that could not be read has a line with the known fields.
func TestWorker_FailedDocument(t *testing.T) {
	f := openFolder(t)
	walkAll(t, &web{lastMod: "2024", broken: func(string) bool { return true }}, f, tasks(t, "a.example", "1"), 1)
	want := `{"type":"document","target":"a.example","sitemap":"https://a.example/sitemap.xml","status":500,"entries":0,` +
		`"robots":"https://a.example/robots.txt","trust":"robots","error":{"code":"fetch_failed","message":`
	if got := part(t, f, "1", "a.example"); count(got, want) != 1 {
		t.Errorf("the part has\n%swant\n%s", got, want)
	}
}

// A sitemap is walked and not its site, however its URL is escaped.
func TestWorker_UnescapedTarget(t *testing.T) {
	f := openFolder(t)
	walkAll(t, &web{}, f, tasks(t, "https://a.example/100%.xml", "1"), 1)
	const want = `"sitemap":"https://a.example/100%.xml","status":404,`
	if got := part(t, f, "1", "a.example"); count(got, want) != 1 {
		t.Errorf("the part has\n%swant\n%s", got, want)
	}
}

// The parts do not depend on how many workers walk, and two never walk one domain at once.
func TestWorker_OneWorkerADomain(t *testing.T) {
	all := tasks(t, hosts(40), "1")
	alone := walkAll(t, &web{lastMod: "2024"}, openFolder(t), all, 1)
	wantDomains(t, alone, all)
	synctest.Test(t, func(t *testing.T) {
		w := &web{lastMod: "2024", hold: func(context.Context, string) { time.Sleep(time.Second) }}
		if parts := walkAll(t, w, openFolder(t), all, 3); !maps.Equal(parts, alone) {
			t.Error("three workers wrote other parts than one")
		}
		if len(w.shared) > 0 {
			t.Errorf("several workers asked one domain at once: %v", w.shared)
		}
	})
}

// A task with a part is not walked again.
func TestWorker_CommittedParts(t *testing.T) {
	all, f := tasks(t, hosts(30), "1"), openFolder(t)
	walkAll(t, &web{lastMod: "2024"}, f, all[:10], 1)
	w := &web{lastMod: "2024"}
	wantDomains(t, walkAll(t, w, f, all, 2), all)
	for _, task := range all[:10] {
		if n := w.requests[task.Targets[0]]; n > 0 {
			t.Errorf("%s was requested %d times", task.Targets[0], n)
		}
	}
}

// Another run with OnlyChanged prints what is new or modified, by the states of the run before.
func TestWorker_OnlyChanged(t *testing.T) {
	f, list := openFolder(t), "a.example\n"
	walkAll(t, &web{lastMod: "2024-05-06"}, f, tasks(t, list, "1"), 1)
	for _, test := range []struct{ run, lastMod, want string }{
		{"2", "2024-05-06", ""}, {"3", "2024-06-01", "modified"},
	} {
		w := &web{lastMod: test.lastMod}
		worker := &batch.Worker{
			Client: w.client(), Queue: queueOf(t, tasks(t, list+"b.example", test.run)), Sink: f, States: f,
			Options: discover.Options{OnlyChanged: true},
		}
		if err := worker.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		lines := part(t, f, test.run, "a.example")
		if n := strings.Count(lines, `"change":"`+test.want); test.want == "" && n > 0 || test.want != "" && n != 3 {
			t.Errorf("run %s printed\n%s", test.run, lines)
		}
	}
	if lines := part(t, f, "1", "a.example"); len(pages(t, lines)) != 3 {
		t.Errorf("the part of the first run has become\n%s", lines)
	}
}

// zombies hands out one task to two workers, as a queue does if a lease runs out.
type zombies struct {
	batch.Queue
	task batch.Task

	mu    sync.Mutex
	taken int
}

func (z *zombies) Take(context.Context) (batch.Lease, error) {
	z.mu.Lock()
	defer z.mu.Unlock()
	if z.taken++; z.taken > 2 {
		return nil, io.EOF
	}
	return lostLease{z.task}, nil
}

type lostLease struct{ task batch.Task }

func (l lostLease) Task() batch.Task                           { return l.task }
func (l lostLease) Renew(context.Context) error                { return errors.New("lost") }
func (l lostLease) Done(context.Context) error                 { return nil }
func (l lostLease) Later(context.Context, time.Duration) error { return nil }

// commits counts the parts that are committed.
type commits struct {
	*batch.Folder
	mu sync.Mutex
	n  int
}

func (c *commits) Part(ctx context.Context, part batch.Stored) (batch.Part, error) {
	p, err := c.Folder.Part(ctx, part)
	return countedPart{p, c}, err
}

type countedPart struct {
	batch.Part
	c *commits
}

func (p countedPart) Commit(ctx context.Context, c batch.Counts) error {
	p.c.mu.Lock()
	defer p.c.mu.Unlock()
	p.c.n++
	return p.Part.Commit(ctx, c)
}

// If a lease was lost, and another worker has walked the domain meanwhile, the part is committed
// once and the state saved once.
func TestWorker_LostLease(t *testing.T) {
	slow := make(chan struct{})
	var first sync.Once
	w := &web{lastMod: "2024"}
	w.hold = func(_ context.Context, host string) {
		wait := false
		first.Do(func() { wait = true })
		if wait {
			<-slow // the first worker stands still
		}
	}
	c := &commits{Folder: openFolder(t)}
	worker := &batch.Worker{
		Client: w.client(), Queue: &zombies{task: tasks(t, "a.example", "1")[0]}, Sink: c,
		States: c.Folder, Parallel: 1,
		Done: func(batch.Task, batch.Counts) {
			select {
			case <-slow:
			default:
				close(slow) // the second worker is done
			}
		},
	}
	other := *worker
	other.Client = w.client() // as in another process
	var wg sync.WaitGroup
	for _, one := range []*batch.Worker{worker, &other} {
		wg.Go(func() {
			if err := one.Run(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if c.n != 1 {
		t.Errorf("the part was committed %d times", c.n)
	}
	if s, err := c.Load(t.Context(), "a.example"); err != nil || s.Open == nil || s.Predecessor != nil {
		t.Errorf("the state is %+v, %v; want one that was saved once", s, err)
	}
}

// fullDisk refuses parts.
type fullDisk struct {
	*batch.Folder
	err error
}

func (d fullDisk) Part(context.Context, batch.Stored) (batch.Part, error) { return nil, d.err }

func TestWorker_SinkFails(t *testing.T) {
	for _, want := range []error{errors.New("no space left"), io.EOF} {
		q := &returned{Queue: queueOf(t, tasks(t, "a.example\nb.example\n", "1"))}
		sink := fullDisk{openFolder(t), want}
		worker := &batch.Worker{Client: (&web{}).client(), Queue: q, Sink: sink, Parallel: 1}
		if err := worker.Run(t.Context()); !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
		if len(q.later) != 1 {
			t.Errorf("%q were handed back", q.later)
		}
	}
}

// A site whose sitemap does not fit on this disk has not failed.
func TestWorker_NoTempFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	t.Setenv("TMPDIR", file)
	t.Setenv("TMP", file)
	f := openFolder(t)
	w := &web{lastMod: strings.Repeat(" ", 3<<20)}
	worker := &batch.Worker{Client: w.client(), Queue: queueOf(t, tasks(t, "a.example", "1")), Sink: f}
	if err := worker.Run(t.Context()); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if parts := partsOf(t, f, "1"); len(parts) > 0 {
		t.Errorf("parts %.500q", parts)
	}
}

// A state that is damaged is forgotten, and reported, whether its bytes are damaged or its header.
// Pages of a part that is damaged too are in the next one.
func TestWorker_DamagedState(t *testing.T) {
	for _, damage := range []func(state string) string{
		func(string) string { return "" },
		func(state string) string { return state[:len(state)-8] + "checksum" },
		func(state string) string { return strings.Replace(state, `"run":"0"`, `"run":"8"`, 1) },
		func(state string) string { return strings.Replace(state, `"run":"0"`, `"run":"."`, 1) },
		func(state string) string { return strings.Replace(state, `"version":1`, `"version":3`, 1) },
		func(state string) string { return strings.Replace(state, `"states"`, `"statez"`, 1) },
	} {
		dir := t.TempDir()
		f := openFolderIn(t, dir)
		w := &web{lastMod: "2024"}
		mustDo(t, w, f, tasks(t, "a.example", "0"), changed)
		path := filepath.Join(dir, ".state", batch.FileName("a.example")+".state")
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		state := damage(string(text))
		if isHeader := state[:min(512, len(state))] != string(text[:512]); isHeader {
			if err := os.Truncate(filepath.Join(dir, batch.PartName("0", "a.example")), 100); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(path, []byte(state), 0o666); err != nil {
			t.Fatal(err)
		}
		reported, worker := "", changed
		worker.Report = func(task batch.Task, err error) { reported += task.Domain + err.Error() }
		if err := do(t, w, f, tasks(t, "a.example", "1"), worker); err != nil {
			t.Errorf("%.200q: %v", state, err)
			continue
		}
		if lines := part(t, f, "1", "a.example"); len(pages(t, lines)) != 3 || !strings.Contains(reported, "its state is forgotten") {
			t.Errorf("%.200q: printed\n%sreported %q", state, lines, reported)
		}
		if s, err := f.Load(t.Context(), "a.example"); s.Run != "1" || err != nil {
			t.Errorf("%.200q: saved %+v, %v", state, s, err)
		}
	}
}

// A state of a newer version ends the run, and stays as it is.
func TestWorker_NewerState(t *testing.T) {
	dir, w := t.TempDir(), &web{lastMod: "2024"}
	f := openFolderIn(t, dir)
	mustDo(t, w, f, tasks(t, "a.example", "0"), changed)
	path := filepath.Join(dir, ".state", batch.FileName("a.example")+".state")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	start, end := bytes.IndexByte(text, '{'), bytes.IndexByte(text, '\n')+1
	copy(text[start:], `{"version":9`)
	binary.LittleEndian.PutUint32(text[end:], crc32.ChecksumIEEE(text[start:end]))
	if err := os.WriteFile(path, text, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := do(t, w, f, tasks(t, "a.example", "1"), changed); err == nil || !strings.Contains(err.Error(), "newer") {
		t.Errorf("%v", err)
	}
	if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, text) {
		t.Errorf("the state was written: %v", err)
	}
}

func TestWorker_NegativeParallel(t *testing.T) {
	t.Parallel()
	task, q, f := tasks(t, "a.example", "1")[0], batch.NewMemoryQueue(1), openFolder(t)
	if _, err := q.Put(t.Context(), task); err != nil {
		t.Fatal(err)
	}
	q.End(t.Context())
	worker := &batch.Worker{Client: (&web{}).client(), Queue: q, Sink: f, Parallel: -1}
	err := worker.Run(t.Context())
	if done, _ := (&batch.Worker{Sink: f}).IsDone(t.Context(), task); !done || err != nil {
		t.Errorf("the task is done: %t, %v", done, err)
	}
}
