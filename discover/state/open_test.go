package state_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-322c453a/sitemap/discover/state"
)

func TestOpen_TruncatedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sites.db")
	f, err := state.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 5_000 {
		if err := f.Put(fmt.Sprintf("example.com/%d", i), make([]byte, 100)); err != nil {
			t.Fatal(err)
		}
		if i%1_000 == 0 {
			if err := f.Sync(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{1, 100, 4096, 8192, 16384, 20_000, len(whole) / 2} {
		cut := filepath.Join(t.TempDir(), "cut.db")
		if err := os.WriteFile(cut, whole[:size], 0o600); err != nil {
			t.Fatal(err)
		}
		if f, err := state.Open(cut); err == nil {
			f.Close()
			t.Errorf("a file cut to %d of %d bytes was opened", size, len(whole))
		}
	}
}
