package diff

import (
	"cmp"
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

// A listing is the URLs of an export, a folder or a site, in parts that fit into memory. URLs that
// are compared with each other are in the same part of both listings.
type listing struct {
	has    export.Fields
	parts  [parts]part
	blocks records.Temp // by part and number
	err    error        // of blocks
}

// parts is how many parts a listing has.
const parts = 256

// blockSize is how many bytes of a part are held before they are a block.
const blockSize = 32 << 10

// A part is some URLs of a listing.
type part struct {
	blocks int
	last   []byte
}

// openListing reads all URLs that name stands for.
func openListing(ctx context.Context, w *lists.Walker, name string) (*listing, error) {
	t, err := target.Parse(name, w.Flags.As)
	if err != nil {
		return nil, err
	}
	l := &listing{blocks: records.Temp{Name: "sitemap-diff-"}}
	id := identity(w.Flags.Normalize)
	put := func(u export.URL) { l.add(partOf(id(u.Loc)), u) }
	err = readListing(ctx, w, t, l, put)
	if err != nil {
		err = fmt.Errorf("%s: %s", t.Label(), jsonl.Message(t.Label(), err))
	}
	if err = cmp.Or(err, l.err); err != nil {
		l.close()
		return nil, err
	}
	return l, nil
}

// add adds a URL to a part.
func (l *listing) add(n uint64, u export.URL) {
	p := &l.parts[n]
	p.last = appendStrings(p.last, u.Loc, u.LastMod, u.Sitemap)
	if len(p.last) >= blockSize && l.err == nil {
		l.err = l.blocks.Put(fmt.Sprint(n, p.blocks), p.last)
		p.blocks++
		p.last = p.last[:0]
	}
}

// read calls put with the URLs of a part, in the order in which they were added.
func (l *listing) read(n uint64, put func(export.URL)) error {
	p := &l.parts[n]
	for i := range p.blocks {
		text, err := l.blocks.Get(fmt.Sprint(n, i))
		if err != nil {
			return err
		}
		readURLs(string(text), put)
	}
	readURLs(string(p.last), put)
	return nil
}

func (l *listing) close() { l.blocks.Close() }

func readURLs(text string, put func(export.URL)) {
	for text != "" {
		var u export.URL
		text = cutStrings(text, &u.Loc, &u.LastMod, &u.Sitemap)
		put(u)
	}
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

// identity returns the function whose results are equal for URLs that count as the same.
func identity(normalize bool) func(loc string) string {
	if normalize {
		return func(loc string) string { return sitemap.Entry{Loc: loc}.Normalized() }
	}
	return func(loc string) string { return loc }
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

// partOf returns the number of the part that a URL is in.
func partOf(loc string) uint64 { return maphash.String(seed, pageKey(loc)) % parts }

// readListing calls put with each URL of a target.
func readListing(
	ctx context.Context, w *lists.Walker, t target.Target, l *listing, put func(export.URL),
) error {
	client, o := w.Client, w.Options
	o.Report = w.Problems.Reporter()
	switch {
	case t.Kind == target.File && target.IsDir(t.Name):
		f, err := target.OpenFolder(t.Name, "")
		if err != nil {
			return err
		}
		defer f.Close()
		f.Prepare(client, &o)
		t, client = f.Target, f.Client
	case t.Kind == target.File:
		f, err := w.App.Open(t.Name)
		if err != nil {
			return err
		}
		defer f.Close()
		file := &discover.Sitemap{Loc: t.Name}
		return export.Read(f, &l.has, func(p sitemap.Problem) { o.Report(file, p) }, put)
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
