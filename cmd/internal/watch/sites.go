package watch

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/cmd/internal/target"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/internal/jsonl"
	"github.com/seed-322c453a/sitemap/internal/longvalue"
	"github.com/seed-322c453a/sitemap/internal/siteurl"
)

// sites are the sites of the command line and those in a file.
type sites struct {
	args  []string
	file  string                   // "" for none
	names atomic.Pointer[[]string] // as they were read last
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

// read reads the sites, each once. It reports whether they have changed.
func (s *sites) read() (changed bool, err error) {
	names := slices.Clone(s.args)
	if s.file != "" {
		f, err := os.Open(s.file)
		if err != nil {
			return false, fmt.Errorf("--from: %w", err)
		}
		defer f.Close()
		list := batch.List{Reader: f, Domain: func(string) (string, error) { return "", nil }}
		for task, err := range list.Tasks("watch") {
			if err != nil {
				return false, fmt.Errorf("--from: %w", err)
			}
			names = append(names, task.Targets...)
		}
		if len(names) == 0 {
			return false, fmt.Errorf("--from: %s: no site in it", cli.FileName(s.file))
		}
	}
	seen := map[string]bool{}
	names = slices.DeleteFunc(names, func(name string) bool {
		if st, err := siteurl.Parse(name); err == nil { // the Watcher compares them so too
			name = st.Spelling()
		}
		isAgain := seen[name]
		seen[name] = true
		return isAgain
	})
	before := s.names.Swap(&names)
	return before == nil || !slices.Equal(names, *before), nil
}

// all returns the sites as they were read last.
func (s *sites) all() []string { return *s.names.Load() }

// lookEvery is how often the file is read.
const lookEvery = 10 * time.Second

// await returns when the sites in the file have changed, or ctx ends.
func (s *sites) await(ctx context.Context, log *cli.Log) {
	failures := 0 // in a row: after the first, the file may be in the making
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(lookEvery):
		}
		changed, err := s.read()
		switch {
		case changed:
			return
		case err == nil:
			failures = 0
		default:
			if failures++; failures == 2 {
				log.Printf("%s; the sites that it had are watched", jsonl.Message("", err))
			}
		}
	}
}

// sitesKey is the key of the sites that were watched last.
const sitesKey = "sitemap-watch/sites"

// remember keeps the sites for [remembered], without user names and passwords.
func remember(db discover.Store, names []string) error {
	var shown []string
	for _, name := range names {
		shown = append(shown, cli.Redact(name))
	}
	var b longvalue.Batch
	b.PutJSON(sitesKey, shown)
	return b.Store(db)
}

// remembered returns the sites that were watched last.
func remembered(db discover.Store) (names []string, err error) {
	_, err = longvalue.GetJSON(db, sitesKey, &names)
	return names, err
}
