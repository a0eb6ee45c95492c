package state_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/discover/state"
)

func open(t testing.TB, path string) *state.File {
	t.Helper()
	f, err := state.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func put(t testing.TB, s discover.Store, key, value string) {
	t.Helper()
	if err := s.Put(key, []byte(value)); err != nil {
		t.Errorf("Put(%q): %v", key, err)
	}
}

// want checks the value of a key; "absent" means that there is none.
func want(t testing.TB, s discover.Store, key, want string) {
	t.Helper()
	value, err := s.Get(key)
	got := string(value)
	if value == nil {
		got = "absent"
	}
	if got != want || err != nil {
		t.Errorf("Get(%q) = %.40q, %v, want %q", key, got, err, want)
	}
}

// TestStore: what discover.Store asks of both.
func TestStore(t *testing.T) {
	for name, s := range map[string]discover.Store{
		"file": open(t, filepath.Join(t.TempDir(), "state")), "memory": &state.Memory{},
	} {
		t.Run(name, func(t *testing.T) {
			for round := range 2 { // before Sync and after
				want(t, s, "a.test/x", "absent")
				want(t, s, "none", "absent")
				put(t, s, "a.test/1", "one")
				put(t, s, "b.test/1", "other")
				put(t, s, "a.test/\x00/\xff", "binary")
				put(t, s, "a.test/empty", "")
				put(t, s, "no slash", "1")
				put(t, s, "/no site", "2")
				want(t, s, "a.test/1", "one")
				want(t, s, "b.test/1", "other")
				want(t, s, "a.test/\x00/\xff", "binary")
				want(t, s, "a.test/empty", "")
				want(t, s, "no slash", "1")
				want(t, s, "/no site", "2")
				value := []byte("mine")
				if err := s.Put("a.test/1", value); err != nil {
					t.Error(err)
				}
				copy(value, "xxxx")
				want(t, s, "a.test/1", "mine")
				if err := s.Sync(); err != nil {
					t.Errorf("round %d: Sync: %v", round, err)
				}
				want(t, s, "a.test/1", "mine")
			}
		})
	}
}

func TestStore_ConcurrentUse(t *testing.T) {
	for name, s := range map[string]discover.Store{
		"file": open(t, filepath.Join(t.TempDir(), "state")), "memory": &state.Memory{},
	} {
		var wg sync.WaitGroup
		for i := range 4 {
			wg.Go(func() {
				for j := range 50 {
					key := fmt.Sprintf("%d.test/%d", i%2, j)
					put(t, s, key, "x")
					want(t, s, key, "x")
					if j%10 == 0 {
						if err := s.Sync(); err != nil {
							t.Errorf("%s: %v", name, err)
						}
					}
				}
			})
		}
		wg.Wait()
	}
}

func TestFile_KeepsWhatWasSynced(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "state")
	f := open(t, path)
	put(t, f, "a.test/1", "one")
	if err := f.Sync(); err != nil {
		t.Fatal(err)
	}
	put(t, f, "a.test/1", "later")
	put(t, f, "a.test/2", "two")
	killed := snapshot(t, path)
	want(t, killed, "a.test/1", "one")
	want(t, killed, "a.test/2", "absent")
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	again := open(t, path)
	want(t, again, "a.test/1", "later")
	want(t, again, "a.test/2", "two")
}

// snapshot opens what would be on the disk if the process were killed now.
func snapshot(t *testing.T, path string) *state.File {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	killed := filepath.Join(t.TempDir(), "killed")
	if err := os.WriteFile(killed, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return open(t, killed)
}

// TestFile_NothingBeforeSync: however much is put, Sync writes all of it or nothing: a program puts
// the length of its output before the records of a document.
func TestFile_NothingBeforeSync(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	f := open(t, path)
	put(t, f, "out/length", "17")
	for i := range 100 {
		put(t, f, fmt.Sprint("a.test/", i), strings.Repeat("x", 100_000))
	}
	want(t, f, "out/length", "17")
	want(t, snapshot(t, path), "out/length", "absent")
	if err := f.Sync(); err != nil {
		t.Fatal(err)
	}
	want(t, snapshot(t, path), "out/length", "17")
	want(t, snapshot(t, path), "a.test/99", strings.Repeat("x", 100_000))
}

func TestOpen_Locked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	f := open(t, path)
	_, err := state.Open(path)
	if !errors.Is(err, state.ErrLocked) || !strings.Contains(err.Error(), path) {
		t.Errorf("a second File: %v", err)
	}
	out, err := command(t, "open", path).Output()
	if err != nil || string(out) != "locked\n" {
		t.Errorf("another process: %q, %v", out, err)
	}
	f.Close()
	if out, err := command(t, "open", path).Output(); err != nil || string(out) != "opened\n" {
		t.Errorf("after Close: %q, %v", out, err)
	}
}

func TestOpen_OtherFiles(t *testing.T) {
	dir := t.TempDir()
	other := filepath.Join(dir, "other")
	text := strings.Repeat("precious\n", 10_000)
	if err := os.WriteFile(other, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{other, dir, filepath.Join(dir, "no", "such")} {
		f, err := state.Open(path)
		if err == nil {
			f.Close()
			t.Errorf("opened %s", path)
		} else if !strings.HasPrefix(err.Error(), "state: ") || !strings.Contains(err.Error(), path) {
			t.Errorf("error %q", err)
		}
	}
	if got, _ := os.ReadFile(other); string(got) != text {
		t.Error("another file was changed")
	}
}

// TestFile_Prune: Prune removes the records of sites that no walk has used for the given time.
func TestFile_Prune(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "state")
		const days = 24 * time.Hour
		for _, use := range []func(f *state.File){
			func(f *state.File) {
				for _, site := range []string{"old", "read", "put"} {
					put(t, f, site+".test/1", "x")
				}
			},
			func(f *state.File) {
				want(t, f, "read.test/2", "absent") // a use all the same
				put(t, f, "put.test/2", "x")
			},
			func(f *state.File) {
				put(t, f, "pending.test/1", "x")
				if err := f.Prune(30 * days); err != nil {
					t.Error(err)
				}
				for key, value := range map[string]string{
					"old.test/1": "absent", "read.test/1": "x", "put.test/1": "x", "put.test/2": "x",
					"pending.test/1": "x",
				} {
					want(t, f, key, value)
				}
				if err := f.Prune(-time.Second); err != nil { // all
					t.Error(err)
				}
				want(t, f, "put.test/1", "absent")
			},
		} {
			f, err := state.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			use(f)
			if err := f.Close(); err != nil {
				t.Error(err)
			}
			time.Sleep(20 * days)
		}
	})
}

func filled(t testing.TB, n int) *state.Memory {
	m := &state.Memory{}
	for i := range n {
		put(t, m, fmt.Sprint("a.test/", i), strings.Repeat("x", i))
	}
	put(t, m, "", "")
	return m
}

func written(t testing.TB, m *state.Memory) []byte {
	t.Helper()
	var b bytes.Buffer
	n, err := m.WriteTo(&b)
	if err != nil || n != int64(b.Len()) {
		t.Fatalf("WriteTo: %d of %d bytes, %v", n, b.Len(), err)
	}
	return b.Bytes()
}

func TestMemory_Travels(t *testing.T) {
	for _, n := range []int{0, 1, 300} {
		text := written(t, filled(t, n))
		m := filled(t, 5)
		put(t, m, "b.test/1", "gone")
		read, err := m.ReadFrom(bytes.NewReader(text))
		if err != nil || read != int64(len(text)) {
			t.Errorf("ReadFrom: %d of %d bytes, %v", read, len(text), err)
		}
		want(t, m, "b.test/1", "absent")
		want(t, m, "", "")
		for i := range n {
			want(t, m, fmt.Sprint("a.test/", i), strings.Repeat("x", i))
		}
		put(t, m, "a.test/new", "x")
	}
	if _, err := filled(t, 3).WriteTo(failing{}); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("a writer that fails: %v", err)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

// TestMemory_Damaged: of truncated or damaged input nothing is taken.
func TestMemory_Damaged(t *testing.T) {
	text := written(t, filled(t, 20))
	m := &state.Memory{}
	put(t, m, "b.test/1", "stays")
	for cut := range text {
		_, err := m.ReadFrom(bytes.NewReader(text[:cut]))
		if err == nil || !strings.HasPrefix(err.Error(), "state: ") {
			t.Errorf("cut at %d: %v", cut, err)
		}
	}
	for i := 10; i < len(text); i++ { // after the gzip header, which holds nothing of ours
		damaged := bytes.Clone(text)
		damaged[i] ^= 0x55
		if _, err := m.ReadFrom(bytes.NewReader(damaged)); err == nil {
			for n := range 20 { // other bytes may stand for the same records, rarely
				want(t, m, fmt.Sprint("a.test/", n), strings.Repeat("x", n))
			}
			m = &state.Memory{}
			put(t, m, "b.test/1", "stays")
		}
	}
	want(t, m, "b.test/1", "stays")
	want(t, m, "a.test/1", "absent")
}

// FuzzReadFrom: ReadFrom ends on any input, and what it takes is written and read alike.
func FuzzReadFrom(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("\x1f\x8b"))
	f.Add(written(f, filled(f, 0)))
	f.Add(written(f, filled(f, 3)))
	f.Fuzz(func(t *testing.T, text []byte) {
		var m, again state.Memory
		n, err := m.ReadFrom(bytes.NewReader(text))
		if n > int64(len(text)) {
			t.Errorf("read %d of %d bytes", n, len(text))
		}
		if err != nil {
			return
		}
		if _, err := again.ReadFrom(bytes.NewReader(written(t, &m))); err != nil {
			t.Error(err)
		}
		if a, b := len(written(t, &m)), len(written(t, &again)); min(a, b)*2 < max(a, b) {
			t.Errorf("%d bytes, then %d", a, b)
		}
	})
}
