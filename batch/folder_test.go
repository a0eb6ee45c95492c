package batch_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/batch/batchtest"
)

func TestFolder_Sink(t *testing.T) {
	batchtest.Sink(t, func(t *testing.T) batch.Sink { return openFolder(t) })
}

func TestFolder_States(t *testing.T) {
	batchtest.States(t, func(t *testing.T) batch.States {
		dir := t.TempDir()
		f := openFolderIn(t, dir)
		t.Cleanup(func() {
			if left := slices.DeleteFunc(files(t, dir), func(name string) bool {
				return !strings.HasPrefix(name, ".tmp/")
			}); len(left) > 0 {
				t.Errorf("left %q", left)
			}
		})
		return f
	})
}

// Parts that wait for their sites take little memory.
func TestFolder_ManyParts(t *testing.T) {
	const n, each = 100, 100 << 10
	f := openFolder(t)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	parts := make([]batch.Part, n)
	for i := range parts {
		var err error
		parts[i], err = f.Part(t.Context(), batch.Stored{Task: batch.Task{Run: "1", Domain: fmt.Sprint(i, ".test")}})
		if err != nil {
			t.Fatal(err)
		}
		defer parts[i].Discard()
		if _, err := io.WriteString(parts[i], "{}\n"); err != nil {
			t.Fatal(err)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > n*each {
		t.Errorf("%d parts take %d bytes", n, grown)
	}
	runtime.KeepAlive(parts)
}

// A list of parts that is cut short by its context ends with the error of that.
func TestFolder_PartsCancelled(t *testing.T) {
	f := openFolder(t)
	for i := range 100 { // more than are read at once
		p, err := f.Part(t.Context(), batch.Stored{Task: batch.Task{Run: "1", Domain: fmt.Sprint(i, ".test")}})
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Commit(t.Context(), batch.Counts{}); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	n, last := 0, error(nil)
	for _, err := range f.Parts(ctx, "1") {
		cancel()
		n, last = n+1, err
	}
	if n != 65 || !errors.Is(last, context.Canceled) { // the error follows those of the first reading
		t.Errorf("%d parts, %v", n, last)
	}
}

// A part may have more lines than are compressed at once.
func TestFolder_LongPart(t *testing.T) {
	f := openFolder(t)
	stored := batch.Stored{Task: batch.Task{Run: "1", Domain: "a.test"}}
	p, err := f.Part(t.Context(), stored)
	if err != nil {
		t.Fatal(err)
	}
	const n = 20_000
	for i := range n {
		u := batch.URL{Entry: sitemap.Entry{Loc: fmt.Sprint("https://a.test/", i)}}
		if _, err := p.Write(u.AppendTo(nil)); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Commit(t.Context(), batch.Counts{URLs: n}); err != nil {
		t.Fatal(err)
	}
	i := 0
	for l, err := range batch.ReadPart(t.Context(), f, stored) {
		if err != nil || l.URL.Loc != fmt.Sprint("https://a.test/", i) {
			t.Fatalf("line %d is %s, %v", i, l.Text, err)
		}
		i++
	}
	if i != n {
		t.Errorf("%d lines, want %d", i, n)
	}
}

// A state that was replaced since it was loaded is not read: another worker has saved one.
func TestFolder_ReplacedState(t *testing.T) {
	f := openFolder(t)
	var state batch.State
	for _, run := range []string{"1", "22", "333"} {
		var err error
		if state, err = f.Load(t.Context(), "a.test"); err != nil {
			t.Fatal(err)
		}
		next := batch.State{Version: state.Version, Run: run, Part: "of " + run}
		if state.Open != nil {
			next.Predecessor = &state
		}
		err = f.Save(t.Context(), "a.test", next, func(w io.Writer) error {
			_, err := io.WriteString(w, strings.Repeat(run, 10))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, s := range []*batch.State{&state, state.Predecessor} {
		if _, err := s.Open(t.Context()); !errors.Is(err, batch.ErrStale) {
			t.Errorf("Open of the state of run %s: %v, want ErrStale", s.Run, err)
		}
	}
}

// files returns the paths of the files below a folder.
func files(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() {
			name, _ := filepath.Rel(dir, path)
			names = append(names, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// Each run is a folder, and each domain has one file in it, whatever its name is.
func TestFolder_Names(t *testing.T) {
	dir := t.TempDir()
	f := openFolderIn(t, dir)
	domains := []string{
		"example.com", "192.0.2.7", "2001:db8::1", "a_b.example", "con", "aux.example", "COM1", "Example.com",
		"../../x", "/etc/passwd", "..", ".", "a/b", `a\b`, "a:b", "a\x00b", ".hidden", "a b", "%41", "%61", "a~00",
		strings.Repeat("x", 300), strings.Repeat("x", 299) + "y", strings.Repeat("../", 200), "ü",
	}
	for _, domain := range domains {
		part := batch.Stored{Task: batch.Task{Run: "1", Domain: domain}}
		p, err := f.Part(t.Context(), part)
		if err != nil {
			t.Fatalf("%q: %v", domain, err)
		}
		if err := p.Commit(t.Context(), batch.Counts{}); err != nil {
			t.Fatalf("%q: %v", domain, err)
		}
		if got, err := f.Stat(t.Context(), part); got.Domain != domain || err != nil {
			t.Errorf("%q: %+v, %v", domain, got, err)
		}
	}
	var got []string
	for p, err := range f.Parts(t.Context(), "1") {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, p.Domain)
	}
	if len(got) != len(domains) {
		t.Errorf("found %d parts of %d: %q", len(got), len(domains), got)
	}
	names := files(t, dir)
	sound := regexp.MustCompile(`^1/[0-9a-f]{2}/[a-z0-9%_~-][a-z0-9%._~-]{0,220}\.jsonl\.gz$`)
	device := regexp.MustCompile(`/(con|aux|com1)\.`)
	for _, name := range names {
		if !sound.MatchString(name) || device.MatchString(name) {
			t.Errorf("a part is %q", name)
		}
	}
	if len(names) != len(domains) || !slices.Contains(names, "1/a3/example.com.jsonl.gz") {
		t.Errorf("%d files: %q", len(names), names)
	}
}

// A run has the parts in its own folder, not those of a run in a folder below it.
func TestFolder_FolderOfRuns(t *testing.T) {
	dir := t.TempDir()
	inside := openFolderIn(t, filepath.Join(dir, "out"))
	walkAll(t, &web{lastMod: "2024"}, inside, tasks(t, "a.example", "1"), 1)
	f := openFolderIn(t, dir)
	for p, err := range f.Parts(t.Context(), "out") {
		t.Errorf("run out has %+v, %v", p, err)
	}
}

// A run with another name than CheckRun allows is refused.
func TestFolder_Runs(t *testing.T) {
	f := openFolder(t)
	for _, run := range []string{"", "..", ".state", "a/b", "-a", strings.Repeat("x", 65), "ü"} {
		if _, err := f.Part(t.Context(), batch.Stored{Task: batch.Task{Run: run, Domain: "a.example"}}); err == nil {
			t.Errorf("a part of run %q was begun", run)
		}
		for _, err := range f.Parts(t.Context(), run) {
			if err == nil {
				t.Errorf("run %q has parts", run)
			}
		}
		for _, err := range batch.Plan(strings.NewReader("a.example"), run) {
			if err == nil {
				t.Errorf("run %q was planned", run)
			}
		}
	}
	walkAll(t, &web{lastMod: "2024"}, f, tasks(t, "a.example", "2026-11-23"), 1)
	walkAll(t, &web{lastMod: "2024"}, f, tasks(t, "a.example", "1"), 1)
	if runs, err := f.Runs(); err != nil || !slices.Equal(runs, []string{"1", "2026-11-23"}) {
		t.Errorf("runs %q, %v", runs, err)
	}
}

// A part that is cut anywhere, empty, or no part is reported by its path and counts as missing.
func TestFolder_Damaged(t *testing.T) {
	f := openFolder(t)
	all := tasks(t, hosts(20), "1")
	walkAll(t, &web{lastMod: "2024"}, f, all, 1)
	var path string
	for p := range f.Parts(t.Context(), "1") {
		if p.Domain == "s0.example" {
			path = p.Path
		}
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	task := all[slices.IndexFunc(all, func(t batch.Task) bool { return t.Domain == "s0.example" })]
	for _, text := range []string{
		"", "no gzip", string(make([]byte, len(whole))), string(whole[:len(whole)-1]), string(whole[:20]),
		string(whole[:len(whole)/2]), string(whole[1:]), string(whole) + "x",
		string(whole) + "\xff\xff\xff\xff",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := f.Stat(t.Context(), batch.Stored{Task: task})
		if !errors.Is(err, batch.ErrDamaged) || !strings.Contains(err.Error(), path) {
			t.Errorf("%d bytes: %+v, %v", len(text), got, err)
		}
		if done, err := (&batch.Worker{Sink: f}).IsDone(t.Context(), task); done || err != nil {
			t.Errorf("%d bytes: done %t, %v", len(text), done, err)
		}
		parts, failed := 0, 0
		for _, err := range f.Parts(t.Context(), "1") {
			if parts++; err != nil {
				failed++
				if !errors.Is(err, batch.ErrDamaged) || !strings.Contains(err.Error(), path) {
					t.Errorf("%v does not name %s", err, path)
				}
			}
		}
		if failed != 1 || parts != len(all) {
			t.Errorf("%d bytes: %d of %d parts failed", len(text), failed, parts)
		}
	}
	reported := ""
	w := &batch.Worker{
		Client: (&web{lastMod: "2024"}).client(), Queue: queueOf(t, all), Sink: f, States: f,
		Report: func(task batch.Task, err error) { reported += task.Domain + err.Error() },
	}
	if err := w.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(reported, path) {
		t.Errorf("reported %q, want %s", reported, path)
	}
	if n := len(pages(t, part(t, f, "1", "s0.example"))); n != 6 {
		t.Errorf("%d pages after the part was done again", n)
	}
}

// The files of a killed process are removed after a day, and not before.
func TestOpenFolder_Left(t *testing.T) {
	dir := t.TempDir()
	f := openFolderIn(t, dir)
	for range 2 {
		if _, err := f.Part(t.Context(), batch.Stored{Task: batch.Task{Run: "1", Domain: "a.example"}}); err != nil { // neither ended
			t.Fatal(err)
		}
	}
	left := filepath.Join(dir, ".tmp")
	files, err := os.ReadDir(left)
	if err != nil || len(files) != 2 {
		t.Fatalf("%v, %v", files, err)
	}
	old := time.Now().Add(-25 * time.Hour)
	if err := os.Chtimes(filepath.Join(left, files[0].Name()), old, old); err != nil {
		t.Fatal(err)
	}
	if _, err := batch.OpenFolder(dir); err != nil {
		t.Fatal(err)
	}
	if now, err := os.ReadDir(left); err != nil || len(now) != 1 || now[0].Name() != files[1].Name() {
		t.Errorf("left %v, %v", now, err)
	}
}

// openings counts the files that are opened, and those that are not closed.
type openings struct {
	batch.Files
	all, left atomic.Int64
}

func (o *openings) Open(ctx context.Context, name string) (*batch.File, error) {
	f, err := o.Files.Open(ctx, name)
	if err == nil {
		o.all.Add(1)
		o.left.Add(1)
		f.Closer = closing{f.Closer, &o.left}
	}
	return f, err
}

type closing struct {
	io.Closer
	left *atomic.Int64
}

func (c closing) Close() error {
	c.left.Add(-1)
	return c.Closer.Close()
}

// A part that Parts yields is open already: in a bucket, each opening is a request. It can be opened
// again, and later.
func TestFileSink_OpenOnce(t *testing.T) {
	f := openFolder(t)
	mustDo(t, &web{lastMod: "2024"}, f, tasks(t, hosts(40), "1"), batch.Worker{})
	o := &openings{Files: f.Files}
	s := batch.FileSink{Files: o}
	var parts []batch.Stored
	for p, err := range s.Parts(t.Context(), "1") {
		if err != nil {
			t.Fatal(err)
		}
		if len(parts)%2 == 0 {
			linesOf(t, s, p)
		}
		parts = append(parts, p)
	}
	if n := o.all.Load(); len(parts) < 10 || n != int64(len(parts)) {
		t.Errorf("%d parts were opened %d times", len(parts), n)
	}
	for p := range s.Parts(t.Context(), "1") {
		first, again := linesOf(t, s, p), linesOf(t, s, p)
		if first != again || first != linesOf(t, s, parts[0]) {
			t.Errorf("%s has other lines when it is opened again", p.Path)
		}
		break
	}
	if n := o.left.Load(); n != 0 {
		t.Errorf("%d files were not closed", n)
	}
}

// A versioned store reads no file that was replaced since it was opened, as a bucket does.
type versioned struct {
	batch.Files
	version atomic.Int64
}

func (v *versioned) Open(ctx context.Context, name string) (*batch.File, error) {
	f, err := v.Files.Open(ctx, name)
	if err == nil {
		f.ReaderAt = versionedFile{f.ReaderAt, v, v.version.Load()}
	}
	return f, err
}

type versionedFile struct {
	io.ReaderAt
	store   *versioned
	version int64
}

func (f versionedFile) ReadAt(b []byte, at int64) (int, error) {
	if f.store.version.Load() != f.version {
		return 0, batch.ErrStale
	}
	return f.ReaderAt.ReadAt(b, at)
}

// A part that is replaced after Parts has opened it is opened again.
func TestFileSink_OpenReplaced(t *testing.T) {
	f := openFolder(t)
	mustDo(t, &web{lastMod: "2024"}, f, tasks(t, hosts(10), "1"), batch.Worker{})
	v := &versioned{Files: f.Files}
	s := batch.FileSink{Files: v}
	parts := 0
	for p, err := range s.Parts(t.Context(), "1") {
		if err != nil {
			t.Fatal(err)
		}
		v.version.Add(1)
		if linesOf(t, s, p) != linesOf(t, f, p) {
			t.Errorf("%s has other lines", p.Path)
		}
		parts++
	}
	if parts < 2 {
		t.Errorf("%d parts", parts)
	}
}
