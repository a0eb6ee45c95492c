package watch

import (
	"path/filepath"
	"testing"

	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/cmd/internal/output"
	"github.com/seed-322c453a/sitemap/discover/state"
)

// A counting Store counts how often it is synced.
type counting struct {
	state.Memory
	synced int
}

func (c *counting) Sync() error {
	c.synced++
	return nil
}

// TestStore: what was printed is durable before the state learns of it, or the state learns nothing.
func TestStore(t *testing.T) {
	out, err := output.Append(&cli.App{}, filepath.Join(t.TempDir(), "out"), false, 0)
	if err != nil {
		t.Fatal(err)
	}
	db := &counting{}
	s := store{db, out}
	if err := s.Sync(); err != nil || db.synced != 1 {
		t.Errorf("synced %d times, %v", db.synced, err)
	}
	out.File.Close()
	if err := s.Sync(); err == nil || db.synced != 1 {
		t.Errorf("with an output that cannot be synced: %d times, %v", db.synced, err)
	}
}
