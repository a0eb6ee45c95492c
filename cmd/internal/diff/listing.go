package diff

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/cmd/internal/export"
	"github.com/seed-322c453a/sitemap/cmd/internal/lists"
	"github.com/seed-322c453a/sitemap/cmd/internal/target"
	"github.com/seed-322c453a/sitemap/internal/disksort"
	"github.com/seed-322c453a/sitemap/internal/jsonl"
)

// A listing is the URLs of an export, a folder or a site, sorted on disk and each once: the one with
// the latest lastmod.
type listing struct {
	has    export.Fields
	sorter *disksort.Sorter[export.URL]
	pull   func() (export.URL, bool)
	stop   func()
	ahead  export.URL // unless isOver
	isOver bool
}

var order = disksort.Order[export.URL]{Compare: compareListed, Encode: encodeListed, Decode: decodeListed}

// openListing reads all URLs that name stands for.
func openListing(ctx context.Context, w *lists.Walker, name string) (*listing, error) {
	t, err := target.Parse(name, w.Flags.As)
	if err != nil {
		return nil, err
	}
	l := &listing{sorter: disksort.New(ctx, "", order)}
	if err := readListing(ctx, w, t, l, l.sorter.Add); err != nil {
		l.sorter.Close()
		return nil, fmt.Errorf("%s: %s", t.Label(), jsonl.Message(t.Label(), err))
	}
	l.pull, l.stop = iter.Pull(l.sorter.Sorted())
	l.read()
	return l, nil
}

// read reads the URL that is ahead.
func (l *listing) read() {
	var ok bool
	l.ahead, ok = l.pull()
	l.isOver = !ok
}

// next returns the next URL.
func (l *listing) next() (u export.URL, ok bool) {
	if l.isOver {
		return u, false
	}
	for u = l.ahead; !l.isOver && l.ahead.Loc == u.Loc; l.read() {
		u = l.ahead // sorted by lastmod
	}
	return u, true
}

// err returns why the listing is not complete, when next has returned the last URL.
func (l *listing) err() error { return l.sorter.Err() }

func (l *listing) close() {
	l.stop()
	l.sorter.Close()
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
