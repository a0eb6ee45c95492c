package diff

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"strings"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/cmd/internal/export"
	"github.com/seed-322c453a/sitemap/cmd/internal/lists"
	"github.com/seed-322c453a/sitemap/cmd/internal/target"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/internal/jsonl"
	"github.com/seed-322c453a/sitemap/internal/records"
)

// The sides of a comparison: the first and the second argument.
const (
	old = iota
	now
)

// listings are the URLs of both sides, each an export, a folder or a site. They are in parts that
// fit into memory. URLs that are compared with each other are in the same part.
type listings struct {
	normalize bool // equivalent URLs count as the same
	fields    [2]export.Fields
	parts     [256]part
	blocks    records.Temp // by part and number
	err       error        // of blocks
}

// blockSize is how many bytes of a part are held before they are a block.
const blockSize = 32 << 10

// A part is some URLs of both sides.
type part struct {
	blocks int
	last   []byte
}

// load adds all URLs that name stands for to a side.
func (l *listings) load(ctx context.Context, w *lists.Walker, side int, name string) error {
	t, err := target.Parse(name, w.Flags.As)
	if err != nil {
		return err
	}
	put := func(u export.URL) { l.add(side, u) }
	if err := readListing(ctx, w, t, &l.fields[side], put); err != nil {
		return fmt.Errorf("%s: %s%s", t.Label(), jsonl.Message(t.Label(), err), cli.PrivateHint(err))
	}
	return l.err
}

// add adds a URL to its part.
func (l *listings) add(side int, u export.URL) {
	n := maphash.String(seed, pageKey(l.id(u.Loc))) % uint64(len(l.parts))
	p := &l.parts[n]
	p.last = appendStrings(append(p.last, byte(side)), u.Loc, u.LastMod, u.Sitemap)
	if len(p.last) >= blockSize && l.err == nil {
		l.err = l.blocks.Put(fmt.Sprint(n, p.blocks), p.last)
		p.blocks++
		p.last = p.last[:0]
	}
}

// read calls put with the URLs of a part, in the order in which they were added.
func (l *listings) read(n int, put func(side byte, u export.URL)) (err error) {
	p := &l.parts[n]
	for i := range p.blocks + 1 {
		block := p.last
		if i < p.blocks {
			if block, err = l.blocks.Get(fmt.Sprint(n, i)); err != nil {
				return err
			}
		}
		for text := string(block); text != ""; {
			side, u := text[0], export.URL{}
			text = cutStrings(text[1:], &u.Loc, &u.LastMod, &u.Sitemap)
			put(side, u)
		}
	}
	return nil
}

// appendStrings appends strings to b, each with its length.
func appendStrings(b []byte, values ...string) []byte {
	for _, s := range values {
		b = append(binary.BigEndian.AppendUint32(b, uint32(len(s))), s...)
	}
	return b
}

// cutStrings takes strings that appendStrings has written from the start of text, and returns the
// rest.
func cutStrings(text string, values ...*string) string {
	for _, s := range values {
		end := 4 + binary.BigEndian.Uint32([]byte(text[:4]))
		*s, text = text[4:end], text[end:]
	}
	return text
}

// id returns the same for URLs that count as the same.
func (l *listings) id(loc string) string {
	if l.normalize {
		return sitemap.Entry{Loc: loc}.Normalized()
	}
	return loc
}

// pageKey returns the part of a URL that stays the same when its page moves to https, or gains or
// loses a slash at the end of its path.
func pageKey(loc string) string {
	switch scheme, rest, _ := strings.Cut(loc, "://"); strings.ToLower(scheme) {
	case "http", "https":
		loc = rest
	}
	if i := strings.IndexAny(loc, "?#"); i >= 0 {
		return strings.TrimSuffix(loc[:i], "/") + loc[i:]
	}
	return strings.TrimSuffix(loc, "/")
}

var seed = maphash.MakeSeed()

// readListing calls put with each URL of a target, and notes which fields they have.
func readListing(
	ctx context.Context, w *lists.Walker, t target.Target, has *export.Fields, put func(export.URL),
) error {
	client, o := w.Client, w.Options
	o.Report = w.Problems.Reporter()
	switch {
	case t.Kind == target.File && target.IsDir(t.Name):
		f, err := target.OpenFolder(t.Name, "", client.Fetch, &o)
		if err != nil {
			return err
		}
		defer f.Close()
		t, client = f.Target, f.Client
	case t.Kind == target.File:
		f, err := w.App.Open(t.Name)
		if err != nil {
			return err
		}
		defer f.Close()
		file := &discover.Sitemap{Loc: t.Name}
		return export.Read(f, has, func(p sitemap.Problem) { o.Report(file, p) }, put)
	}
	*has = export.Fields{LastMod: true, Sitemap: true}
	for u, err := range t.URLs(ctx, client, &o) {
		if err != nil {
			return err
		}
		put(export.URL{Loc: u.Loc, LastMod: u.LastMod.String(), Sitemap: cli.Redact(u.Sitemap.Loc)})
	}
	return nil
}
