package watch

import (
	"context"
	"fmt"
	"iter"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/cmd/internal/target"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/internal/longvalue"
)

// sites are the sites of the command line and those in a file.
type sites struct {
	args []string
	file string // "" for none

	mu    sync.Mutex
	names []string
	info  os.FileInfo // of the file, as it was read last
}

func newSites(args []string, file string) (*sites, error) {
	s := &sites{args: args, file: file}
	for _, arg := range args {
		if t, err := target.Parse(arg, ""); err != nil {
			return nil, err
		} else if t.Kind == target.File {
			return nil, fmt.Errorf("%s: want a site; --from reads a file of sites", t.Label())
		}
	}
	_, err := s.read()
	return s, err
}

// read returns all sites.
func (s *sites) read() (iter.Seq[string], error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.names = slices.Clone(s.args)
	if s.file != "" {
		f, err := os.Open(s.file)
		if err != nil {
			return nil, fmt.Errorf("--from: %w", err)
		}
		defer f.Close()
		s.info, _ = f.Stat()
		list := batch.List{Reader: f, Domain: func(string) (string, error) { return "", nil }}
		for task, err := range list.Tasks("watch") {
			if err != nil {
				return nil, fmt.Errorf("--from: %w", err)
			}
			s.names = append(s.names, task.Targets...)
		}
	}
	return slices.Values(s.names), nil
}

// all returns the sites as they were read last.
func (s *sites) all() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.names
}

// sitesKey is the key of the sites that were watched last.
const sitesKey = "sitemap-watch/sites"

// remember keeps the sites for [remembered].
func (s *sites) remember(db discover.Store) error {
	var b longvalue.Batch
	b.PutJSON(sitesKey, s.all())
	return b.Store(db)
}

// remembered returns the sites that were watched last.
func remembered(db discover.Store) (names []string, err error) {
	_, err = longvalue.GetJSON(db, sitesKey, &names)
	return names, err
}

// lookEvery is how often the file is looked at.
const lookEvery = 10 * time.Second

// await calls changed when the file has changed. It ends with ctx.
func (s *sites) await(ctx context.Context, changed func()) {
	s.mu.Lock()
	before := s.info
	s.mu.Unlock()
	for s.file != "" {
		select {
		case <-ctx.Done():
			return
		case <-time.After(lookEvery):
		}
		now, err := os.Stat(s.file)
		if err == nil && (now.Size() != before.Size() || !now.ModTime().Equal(before.ModTime())) {
			changed()
			return
		}
	}
}
