package state_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-322c453a/sitemap/discover/state"
)

var damages = flag.Int("damages", 20, "how many damaged state files to open")

// sample writes a state file with pages of all kinds. It returns the bytes and what Get returns.
func sample(t *testing.T, path string) ([]byte, map[string]string) {
	t.Helper()
	f := open(t, path)
	records := map[string]string{}
	for round := range 3 { // the later ones leave free pages
		for i := range 2000 {
			records[fmt.Sprintf("site%d.test/%d", i%3, i*i%2003)] = fmt.Sprint(round, i)
		}
		for i := range 60 {
			records[fmt.Sprintf("small%d.test/%d", i, round)] = "inline"
		}
		records["large.test/1"] = strings.Repeat("x", 20_000+round)
		for key, value := range records {
			put(t, f, key, value)
		}
		if err := f.Sync(); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.TrimRight(text, "\x00") // the file has room to grow
	return append(text, make([]byte, -len(text)&(pageSize-1))...), records
}

const pageSize = 4096

// damage returns a damaged copy of a file of whole pages.
func damage(text []byte, r *rand.Rand) []byte {
	text = bytes.Clone(text)
	pages := len(text) / pageSize
	id := r.IntN(pages)
	page, other := text[id*pageSize:][:pageSize], text[r.IntN(pages)*pageSize:][:pageSize]
	numbers := []uint64{
		0, 1, 2, 3, 4, 16, 255, 0xffff, 1 << 31, r.Uint64(), uint64(r.IntN(pages)), uint64(id),
	}
	number := binary.NativeEndian.AppendUint64(nil, numbers[r.IntN(len(numbers))])
	switch r.IntN(9) {
	case 0:
		text[r.IntN(len(text))] ^= byte(1 + r.IntN(255))
	case 1:
		text[r.IntN(len(text))] ^= 1 << r.IntN(8)
	case 2:
		clear(page)
	case 3:
		copy(page, other)
	case 4:
		kept := bytes.Clone(page)
		copy(page, other)
		copy(other, kept)
	case 5:
		return text[:r.IntN(len(text))]
	case 6: // id, type, count or overflow
		at := []int{0, 8, 10, 12, 16}[r.IntN(4):]
		copy(page[at[0]:at[1]], number)
	case 7: // a number of an element
		copy(page[16+4*r.IntN(100):][:4], number)
	case 8: // the page below an element of a branch
		for page[8] != 1 {
			page = text[r.IntN(pages)*pageSize:][:pageSize]
		}
		copy(page[24+16*r.IntN(int(page[10])):][:8], number)
	}
	return text
}

// TestFile_Damaged: damage causes errors that name the file, and nothing worse.
func TestFile_Damaged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sites.db")
	whole, records := sample(t, path)
	for seed := range *damages {
		check := func(err error) bool {
			if err != nil && !strings.HasPrefix(err.Error(), "state: "+path+": ") {
				t.Errorf("damage %d: %v", seed, err)
			}
			return err != nil
		}
		text := damage(whole, rand.New(rand.NewPCG(uint64(seed), 0)))
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := state.Open(path)
		if check(err) {
			if !strings.Contains(err.Error(), "damaged") {
				t.Errorf("damage %d: %v", seed, err)
			}
			continue
		}
		for key := range records {
			_, err := f.Get(key)
			check(err)
		}
		for i := range 30 {
			check(f.Put(fmt.Sprintf("site%d.test/%d", i%3, i*i*seed), []byte("new")))
			check(f.Put(fmt.Sprintf("small%d.test/0", i), []byte("new")))
		}
		check(f.Sync())
		check(f.Prune(-time.Hour))
		check(f.Close())
	}
}

// TestFile_DamagedWhileOpen: after an operation that met damage, the others return its error.
func TestFile_DamagedWhileOpen(t *testing.T) {
	whole, _ := sample(t, filepath.Join(t.TempDir(), "sites.db"))
	for name, spoil := range map[string]func(path string) error{
		"cut":         func(path string) error { return os.Truncate(path, 100) },
		"overwritten": func(path string) error { return overwrite(path, make([]byte, len(whole))) },
		"shuffled": func(path string) error {
			return overwrite(path, append(whole[:2*pageSize:2*pageSize], whole...))
		},
	} {
		for first, use := range map[string]func(f *state.File) error{
			"Get":   func(f *state.File) error { _, err := f.Get("site1.test/1"); return err },
			"Sync":  func(f *state.File) error { return f.Sync() },
			"Prune": func(f *state.File) error { return f.Prune(-time.Hour) },
			"Close": func(f *state.File) error { return f.Close() },
		} {
			path := filepath.Join(t.TempDir(), "sites.db")
			if err := os.WriteFile(path, whole, 0o600); err != nil {
				t.Fatal(err)
			}
			f := open(t, path)
			put(t, f, "site1.test/new", "x")
			if err := spoil(path); err != nil {
				t.Fatal(err)
			}
			err := use(f)
			if err == nil || !strings.HasPrefix(err.Error(), "state: "+path+": damaged: ") {
				t.Errorf("%s, %s: %v", name, first, err)
			}
			_, get := f.Get("site1.test/1")
			for _, later := range []error{get, f.Put("a.test/1", nil), f.Sync(), f.Prune(0), f.Close()} {
				if later != err {
					t.Errorf("%s, after %s: %v, then %v", name, first, err, later)
				}
			}
		}
	}
}

// overwrite changes the bytes of a file in place.
func overwrite(path string, text []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = file.Write(text)
	return err
}

// TestFile_Sound: files are never taken for damaged, whatever was put and pruned.
func TestFile_Sound(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sites.db")
	r := rand.New(rand.NewPCG(1, 2))
	want := map[string]string{}
	for range 12 {
		f, err := state.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		for key, value := range want {
			if got, err := f.Get(key); string(got) != value || err != nil {
				t.Fatalf("Get(%q) = %.20q, %v", key, got, err)
			}
		}
		for range r.IntN(3) {
			for range r.IntN(600) {
				key := fmt.Sprintf("%d.test/%d", r.IntN(8), r.IntN(1000))
				want[key] = strings.Repeat("v", r.IntN(1<<r.IntN(14)))
				put(t, f, key, want[key])
			}
			if err := f.Sync(); err != nil {
				t.Fatal(err)
			}
		}
		if r.IntN(8) == 0 {
			if err := f.Prune(-time.Hour); err != nil {
				t.Fatal(err)
			}
			clear(want)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestFile_AfterClose: calls after Close fail.
func TestFile_AfterClose(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	f := open(t, path)
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	_, get := f.Get("a.test/1")
	for _, err := range []error{get, f.Put("a.test/1", nil), f.Sync(), f.Prune(0), f.Close()} {
		if !errors.Is(err, fs.ErrClosed) || !strings.HasPrefix(err.Error(), "state: "+path+": ") {
			t.Errorf("after Close: %v", err)
		}
	}
}
