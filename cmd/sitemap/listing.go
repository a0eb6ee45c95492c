package main

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/lanrat/extsort"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/internal/jsonl"
	"github.com/seed-322c453a/sitemap/parse"
)

// A listedURL is a URL in a listing.
type listedURL struct {
	Loc     string `json:"loc"`
	LastMod string `json:"lastmod"`
	Sitemap string `json:"sitemap"`
	Change  string `json:"change"` // in what diff, or urls --all, has printed
}

// has says which fields all URLs of a listing may have.
type has struct{ lastMod, sitemap bool }

func (h has) with(other has) has {
	return has{h.lastMod && other.lastMod, h.sitemap && other.sitemap}
}

// A listing is the URLs of an export, a folder or a site, sorted on disk and each once: the one with
// the latest lastmod.
type listing struct {
	has    has
	out    <-chan listedURL
	errs   <-chan error
	cancel context.CancelFunc
	ahead  *listedURL
	failed error
}

// sortChunk is how many URLs are sorted in memory.
const sortChunk = 50_000

// list reads all URLs that name stands for.
func (w *walker) list(ctx context.Context, name string) (*listing, error) {
	t, err := parseTarget(name, w.flags.as)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	l := &listing{cancel: cancel}
	in := make(chan listedURL, 1_024)
	var sorter *extsort.GenericSorter[listedURL]
	sorter, l.out, l.errs = extsort.Generic(
		in,
		decodeListed,
		encodeListed,
		compareListed,
		&extsort.Config{
			ChunkSize:          sortChunk,
			NumWorkers:         2,
			ChanBuffSize:       1,
			SortedChanBuffSize: 1_000,
		},
	)
	read := make(chan error, 1)
	go func() {
		defer close(in)
		read <- w.readListing(ctx, t, l, func(u listedURL) {
			select {
			case in <- u:
			case <-ctx.Done():
			}
		})
	}()
	sorter.Sort(ctx)
	if err := <-read; err != nil {
		l.close()
		return nil, fmt.Errorf("%s: %s", t.label(), jsonl.Message(t.label(), err))
	}
	return l, nil
}

// next returns the next URL.
func (l *listing) next() (u listedURL, ok bool) {
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
func (w *walker) readListing(ctx context.Context, t target, l *listing, put func(listedURL)) error {
	if t.kind != fileTarget {
		l.has = has{true, true}
		return w.walkListing(ctx, t, w.client, put)
	}
	if isDir(t.name) {
		l.has = has{true, true}
		root, client, site, err := openFolder(t.name, "")
		if err != nil {
			return err
		}
		defer root.Close()
		return w.walkListing(ctx, target{kind: siteTarget, name: site}, client, put)
	}
	f, err := w.app.open(t.name)
	if err != nil {
		return err
	}
	defer f.Close()
	return readExport(f, l, put)
}

// walkListing walks a site or a sitemap.
func (w *walker) walkListing(
	ctx context.Context, t target, client *discover.Client, put func(listedURL),
) error {
	urls := client.URLs(ctx, t.name, &w.options)
	if t.kind == sitemapTarget {
		urls = client.Walk(ctx, []*discover.Sitemap{{Loc: t.name}}, &w.options)
	}
	for u, err := range urls {
		if err != nil {
			return err
		}
		put(listedURL{Loc: u.Loc, LastMod: u.LastMod.String(), Sitemap: redact(u.Sitemap.Loc)})
	}
	return nil
}

// readExport reads what sitemap urls has printed, or a sitemap.
func readExport(r io.Reader, l *listing, put func(listedURL)) error {
	b := bufio.NewReaderSize(r, 64<<10)
	if magic, _ := b.Peek(2); string(magic) == "\x1f\x8b" {
		z, err := gzip.NewReader(b)
		if err != nil {
			return err
		}
		b = bufio.NewReaderSize(z, 64<<10)
	}
	start, _ := b.Peek(4 << 10)
	start = bytes.TrimPrefix(start, []byte("\ufeff"))
	line, _, _ := bytes.Cut(start, []byte("\n"))
	switch {
	case bytes.HasPrefix(bytes.TrimSpace(start), []byte("{")):
		return readJSONL(b, l, put)
	case slices.Contains(strings.Split(strings.TrimSpace(string(line)), ","), "loc"):
		return readCSV(b, l, put)
	}
	l.has.lastMod = !isURL(line)
	for e, err := range parse.Entries(b, &sitemap.Options{SkipExtensions: true, Limits: sitemap.Limits{Bytes: -1, Entries: -1}}) {
		if err != nil {
			if errors.Is(err, sitemap.ErrEmpty) {
				return nil // an export without URLs
			}
			return err
		}
		put(listedURL{Loc: e.Loc, LastMod: e.LastMod.String()})
	}
	return nil
}

func isURL(line []byte) bool {
	return bytes.HasPrefix(line, []byte("http://")) || bytes.HasPrefix(line, []byte("https://"))
}

// readJSONL reads an export in jsonl. What its first lines lack is not compared if all lack it.
func readJSONL(r io.Reader, l *listing, put func(listedURL)) error {
	d := json.NewDecoder(r)
	for n := 1; ; n++ {
		var u listedURL
		switch err := d.Decode(&u); {
		case err == io.EOF:
			return nil
		case err != nil:
			return fmt.Errorf("object %d is no JSON of sitemap urls", n)
		case u.Loc == "":
			return fmt.Errorf("object %d has no loc", n)
		}
		l.has.lastMod = l.has.lastMod || u.LastMod != ""
		l.has.sitemap = l.has.sitemap || u.Sitemap != ""
		put(u)
	}
}

// readCSV reads an export in CSV, with columns by the names in its header.
func readCSV(r io.Reader, l *listing, put func(listedURL)) error {
	c := csv.NewReader(r)
	c.ReuseRecord, c.FieldsPerRecord = true, -1
	header, err := c.Read()
	if err != nil {
		return err
	}
	columns := map[string]int{}
	for i, name := range header {
		columns[strings.TrimSpace(strings.TrimPrefix(name, "\ufeff"))] = i
	}
	cell := func(row []string, name string) string {
		if i, ok := columns[name]; ok && i < len(row) {
			return strings.Clone(row[i])
		}
		return ""
	}
	_, l.has.lastMod = columns["lastmod"]
	_, l.has.sitemap = columns["sitemap"]
	for {
		row, err := c.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if loc := cell(row, "loc"); loc != "" && loc != "loc" {
			put(listedURL{loc, cell(row, "lastmod"), cell(row, "sitemap"), cell(row, "change")})
		}
	}
}

func compareListed(a, b listedURL) int {
	return cmp.Or(strings.Compare(a.Loc, b.Loc), strings.Compare(a.LastMod, b.LastMod),
		strings.Compare(b.Sitemap, a.Sitemap))
}

func encodeListed(u listedURL) ([]byte, error) {
	return []byte(u.Loc + "\x00" + u.LastMod + "\x00" + u.Sitemap), nil
}

func decodeListed(b []byte) (listedURL, error) {
	loc, rest, _ := strings.Cut(string(b), "\x00")
	lastMod, sitemap, _ := strings.Cut(rest, "\x00")
	return listedURL{Loc: loc, LastMod: lastMod, Sitemap: sitemap}, nil
}
