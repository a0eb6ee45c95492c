package diff

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/lanrat/extsort"

	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/cmd/internal/export"
	"github.com/seed-322c453a/sitemap/cmd/internal/lists"
	"github.com/seed-322c453a/sitemap/cmd/internal/target"
	"github.com/seed-322c453a/sitemap/internal/jsonl"
)

// A listing is the URLs of an export, a folder or a site, sorted on disk and each once: the one with
// the latest lastmod.
type listing struct {
	has    export.Fields
	out    <-chan export.URL
	errs   <-chan error
	cancel context.CancelFunc
	ahead  *export.URL
	failed error
}

// sortChunk is how many URLs are sorted in memory.
const sortChunk = 50_000

// openListing reads all URLs that name stands for.
func openListing(ctx context.Context, w *lists.Walker, name string) (*listing, error) {
	t, err := target.Parse(name, w.Flags.As)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	l := &listing{cancel: cancel}
	in := make(chan export.URL, 1_024)
	var sorter *extsort.GenericSorter[export.URL]
	config := &extsort.Config{ChunkSize: sortChunk, NumWorkers: 2, ChanBuffSize: 1, SortedChanBuffSize: 1_000}
	sorter, l.out, l.errs = extsort.Generic(in, decodeListed, encodeListed, compareListed, config)
	read := make(chan error, 1)
	go func() {
		defer close(in)
		read <- readListing(ctx, w, t, l, func(u export.URL) {
			select {
			case in <- u:
			case <-ctx.Done():
			}
		})
	}()
	sorter.Sort(ctx)
	if err := <-read; err != nil {
		l.close()
		return nil, fmt.Errorf("%s: %s", t.Label(), jsonl.Message(t.Label(), err))
	}
	return l, nil
}

// next returns the next URL.
func (l *listing) next() (u export.URL, ok bool) {
	if l.ahead != nil {
		u, l.ahead, ok = *l.ahead, nil, true
	} else {
		u, ok = <-l.out
	}
	for ok {
		next, more := <-l.out
		if !more {
			break
		}
		if next.Loc != u.Loc {
			l.ahead = &next
			break
		}
		u = next // sorted by lastmod
	}
	if !ok && l.failed == nil {
		l.failed = <-l.errs
	}
	return u, ok
}

func (l *listing) err() error { return l.failed }

func (l *listing) close() {
	l.cancel()
	for range l.out {
	}
}

// readListing reads the URLs of a target.
func readListing(
	ctx context.Context, w *lists.Walker, t target.Target, l *listing, put func(export.URL),
) error {
	client, o := w.Client, w.Options
	switch {
	case t.Kind == target.File && target.IsDir(t.Name):
		f, err := target.OpenFolder(t.Name, "")
		if err != nil {
			return err
		}
		defer f.Close()
		t, client = f.Target, f.Client
		o.KnownPaths = f.KnownPaths()
	case t.Kind == target.File:
		f, err := w.App.Open(t.Name)
		if err != nil {
			return err
		}
		defer f.Close()
		return export.Read(f, &l.has, put)
	}
	l.has = export.Fields{LastMod: true, Sitemap: true}
	for u, err := range t.URLs(ctx, client, &o) {
		if err != nil {
			return err
		}
		put(export.URL{Loc: u.Loc, LastMod: u.LastMod.String(), Sitemap: cli.Redact(u.Sitemap.Loc)})
	}
	return nil
}

func compareListed(a, b export.URL) int {
	return cmp.Or(strings.Compare(a.Loc, b.Loc), strings.Compare(a.LastMod, b.LastMod),
		strings.Compare(b.Sitemap, a.Sitemap))
}

func encodeListed(u export.URL) ([]byte, error) {
	return []byte(u.Loc + "\x00" + u.LastMod + "\x00" + u.Sitemap), nil
}

func decodeListed(b []byte) (export.URL, error) {
	loc, rest, _ := strings.Cut(string(b), "\x00")
	lastMod, sitemap, _ := strings.Cut(rest, "\x00")
	return export.URL{Loc: loc, LastMod: lastMod, Sitemap: sitemap}, nil
}
