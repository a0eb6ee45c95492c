package audit

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/lanrat/extsort"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/internal/location"
)

// A cross finds what only shows when all pages of a site are compared. It sorts records of them on
// disk by location, so that all records of one location come together.
type cross struct {
	ctx       context.Context
	cancel    context.CancelFunc
	dir       string
	documents []string // by number
	last      *discover.Sitemap
	in        chan record   // nil until there is a record
	sorted    chan struct{} // is closed when no more records are taken
	out       <-chan record
	errs      <-chan error
	each      func(sampled) // is called with each page at the end, if it is not nil
}

// The kinds of records, in the order in which those of a location are sorted.
const (
	isListed = iota // a document lists the location
	isNaming        // the page names other as an alternate
	isNamed         // other names the location as an alternate
)

// A record says something about a location.
type record struct {
	loc      string
	kind     byte
	other    string // of a page that is listed, its lastmod
	document uint32
	line     uint32
	column   uint32
	offset   uint64
}

func newCross(ctx context.Context, dir string) *cross {
	c := &cross{dir: dir}
	c.ctx, c.cancel = context.WithCancel(ctx)
	return c
}

// close ends the sorting and frees the disk.
func (c *cross) close() {
	c.cancel()
	if c.in != nil {
		close(c.in)
	}
	if c.out != nil {
		for range c.out {
		}
	}
}

// start begins to sort.
func (c *cross) start() {
	c.in = make(chan record, 1_024)
	var sorter *extsort.GenericSorter[record]
	sorter, c.out, c.errs = extsort.Generic(
		c.in,
		decodeRecord,
		encodeRecord,
		compareRecords,
		&extsort.Config{
			ChunkSize: 50_000, NumWorkers: 2, ChanBuffSize: 1, SortedChanBuffSize: 1_000, TempFilesDir: c.dir,
		},
	)
	c.sorted = make(chan struct{})
	go func() {
		sorter.Sort(c.ctx) // returns early if it cannot write
		close(c.sorted)
	}()
}

func (c *cross) put(r record) {
	select {
	case c.in <- r:
	case <-c.sorted:
	case <-c.ctx.Done():
	}
}

// add takes a page that a sitemap lists.
func (c *cross) add(u *discover.URL, p place) {
	if c.in == nil {
		c.start()
	}
	if u.Sitemap != c.last {
		c.last = u.Sitemap
		c.documents = append(c.documents, u.Sitemap.Loc)
	}
	r := record{
		loc: formOf(
			u.Loc,
		), kind: isListed, other: u.LastMod.String(), document: uint32(len(c.documents) - 1),
		line: uint32(p.pos.Line), column: uint32(p.column), offset: uint64(p.pos.Offset),
	}
	c.put(r)
	if u.Extensions == nil {
		return
	}
	for _, a := range u.Extensions.Alternates {
		href := formOf(a.Href)
		if href == r.loc || a.Hreflang == "" || !strings.HasPrefix(a.Href, "http") {
			continue
		}
		named := r
		named.loc, named.kind, named.other = href, isNamed, r.loc
		c.put(named)
		c.put(record{loc: r.loc, kind: isNaming, other: href})
	}
}

// place returns the place of a record.
func (c *cross) place(r *record) place {
	return place{c.documents[r.document],
		sitemap.Position{Offset: int64(r.offset), Line: int(r.line)}, int(r.column)}
}

// maxNames is how many alternates of one page are compared.
const maxNames = 10_000

// end compares the pages, in the order of their locations.
func (c *cross) end(s *site) error {
	if c.in == nil {
		return nil
	}
	close(c.in)
	c.in = nil
	var g group
	for r := range c.out {
		if s.ended {
			break
		}
		if r.loc != g.loc {
			g = group{loc: r.loc, names: map[string]bool{}}
		}
		c.judge(s, &g, &r)
	}
	if s.ended {
		return nil
	}
	return <-c.errs
}

// A group is what is known of one location from the records before.
type group struct {
	loc      string
	first    record // that lists it
	last     uint32 // document that lists it
	isListed bool
	names    map[string]bool
	namer    string // the page that named it last
	reported bool   // alternate_not_listed
}

func (c *cross) judge(s *site, g *group, r *record) {
	switch r.kind {
	case isListed:
		switch {
		case !g.isListed:
			g.isListed, g.first = true, *r
			if c.each != nil {
				lastMod, _ := sitemap.ParseTime(r.other)
				c.each(sampled{loc: r.loc, lastMod: lastMod, place: c.place(r)})
			}
		case r.document != g.last:
			s.at(
				c.place(r),
				Finding{
					Code: "url_in_several_sitemaps",
					Loc:  r.loc,
					Text: r.loc,
					Message: fmt.Sprintf(
						"%s is listed in %s as well",
						quoted(r.loc),
						sitemap.Redact(c.documents[g.first.document]),
					),
				},
			)
		}
		g.last = r.document
	case isNaming:
		if len(g.names) < maxNames {
			g.names[r.other] = true
		}
	case isNamed:
		if r.other == g.namer { // by several codes, or in several sitemaps
			return
		}
		g.namer = r.other
		switch {
		case !g.isListed && !g.reported:
			g.reported = true
			s.at(
				c.place(r),
				Finding{
					Code: "alternate_not_listed",
					Loc:  r.other,
					Text: r.loc,
					Message: fmt.Sprintf(
						"no sitemap lists the alternate %s", quoted(r.loc)),
				},
			)
		case g.isListed && !g.names[r.other] && len(g.names) < maxNames:
			s.at(
				c.place(&g.first),
				Finding{Code: "hreflang_no_return", Loc: r.loc, Text: r.other, Message: fmt.Sprintf(
					"%s names this page as an alternate, and this page does not name it",
					quoted(r.other),
				)},
			)
		}
	}
}

func compareRecords(a, b record) int {
	if order := cmp.Or(strings.Compare(a.loc, b.loc), cmp.Compare(a.kind, b.kind)); order != 0 {
		return order
	}
	if a.kind == isNamed {
		if order := strings.Compare(a.other, b.other); order != 0 {
			return order
		}
	}
	return cmp.Or(cmp.Compare(a.document, b.document), cmp.Compare(a.offset, b.offset),
		strings.Compare(a.other, b.other))
}

// formOf returns a location in the form of a request, so that equal ones are compared as such.
func formOf(loc string) string {
	if utf8.RuneCountInString(loc) == len(loc) && location.Plain([]byte(loc)) {
		return loc
	}
	u, err := sitemap.ParseLoc(loc)
	if err != nil {
		return loc
	}
	if u.Path == "" {
		u.Path = "/"
	}
	return u.String()
}

func encodeRecord(r record) ([]byte, error) {
	b := make([]byte, 0, len(r.loc)+len(r.other)+24)
	b = append(b, r.kind)
	numbers := []uint64{
		uint64(r.document), uint64(r.line), uint64(r.column), r.offset, uint64(len(r.loc)),
	}
	for _, n := range numbers {
		b = binary.AppendUvarint(b, n)
	}
	return append(append(b, r.loc...), r.other...), nil
}

var errRecord = errors.New("damaged temporary file")

func decodeRecord(b []byte) (record, error) {
	if len(b) == 0 {
		return record{}, errRecord
	}
	r, rest := record{kind: b[0]}, b[1:]
	var numbers [5]uint64
	for i := range numbers {
		v, n := binary.Uvarint(rest)
		if n <= 0 {
			return record{}, errRecord
		}
		numbers[i], rest = v, rest[n:]
	}
	size := numbers[4]
	if size > uint64(len(rest)) {
		return record{}, errRecord
	}
	r.document, r.line, r.column = uint32(numbers[0]), uint32(numbers[1]), uint32(numbers[2])
	r.offset, r.loc, r.other = numbers[3], string(rest[:size]), string(rest[size:])
	return r, nil
}
