package audit

import (
	"cmp"
	"encoding/binary"
	"errors"
	"strings"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/internal/disksort"
)

// The codes of defects across documents.
const (
	AlternateNotListed   sitemap.Code = "alternate_not_listed"
	URLInSeveralSitemaps sitemap.Code = "url_in_several_sitemaps"
)

var _ = register(
	rule(AlternateNotListed, info, googleAlternates, "an alternate that no sitemap lists",
		"Search engines find it by other pages only, and cannot see whether it names them too.",
		"List the page as well, with the same alternates."),
	rule(URLInSeveralSitemaps, warning, protocolIndex, "a URL that several sitemaps list",
		"It wastes room, and search engines may read two lastmods that contradict.",
		"List each URL in one sitemap. One of images, videos or news may list it as well."),
)

// The kinds of records, in the order in which those of a location are sorted.
const (
	isListed = iota // a document lists the location
	isNaming        // the page names other as an alternate
	isNamed         // other names the location as an alternate
)

// A record says something about a location, which is in its normal form.
type record struct {
	loc      string
	kind     byte
	records  byte   // of a page that is listed: see recordsOf
	other    string // of a page that is listed, its lastmod, and the location as it is listed
	document uint32
	line     uint32
	column   uint32
	offset   uint64
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

func encodeRecord(r record) ([]byte, error) {
	b, err := binary.Append(make([]byte, 0, len(r.loc)+len(r.other)+48), binary.LittleEndian,
		[]uint64{uint64(r.kind) | uint64(r.records)<<8, uint64(r.document), uint64(r.line),
			uint64(r.column), r.offset, uint64(len(r.loc))})
	return append(append(b, r.loc...), r.other...), err
}

func decodeRecord(b []byte) (record, error) {
	n := make([]uint64, 6)
	from, err := binary.Decode(b, binary.LittleEndian, n)
	text := string(b[from:])
	if err != nil || n[5] > uint64(len(text)) {
		return record{}, cmp.Or(err, errors.New("damaged temporary file"))
	}
	return record{
		kind: byte(n[0]), records: byte(n[0] >> 8), document: uint32(n[1]), line: uint32(n[2]),
		column: uint32(n[3]), offset: n[4], loc: text[:n[5]], other: text[n[5]:],
	}, nil
}

// A cross compares all pages of a site. It sorts records of the pages on disk by location, so that
// the records of one location follow each other.
type cross struct {
	*siteJudge
	*origins
	documents []string // by number
	last      *discover.Sitemap
	records   *disksort.Sorter[record] // nil until there is one
	each      func(sampled)            // is called with each page at the end, if it is not nil
}

// close ends the sorting and frees the disk.
func (c *cross) close() {
	if c.records != nil {
		c.records.Close()
	}
}

// add adds a page that a sitemap lists, if a rule needs it.
func (c *cross) add(sm *discover.Sitemap, f sitemap.Format, e *sitemap.Entry, at func() place) {
	if c.o.Pages >= 0 && !c.o.wants(URLInSeveralSitemaps, HreflangNoReturn, AlternateNotListed) {
		return
	}
	if c.records == nil {
		order := disksort.Order[record]{
			Compare: compareRecords, Encode: encodeRecord, Decode: decodeRecord,
		}
		c.records = disksort.New(c.ctx, c.o.TempDir, disksort.LongChunk, order)
	}
	if sm != c.last {
		c.last = sm
		c.documents = append(c.documents, sm.Loc)
	}
	p := at()
	r := record{
		loc: normalOf(e.Loc), kind: isListed, document: uint32(len(c.documents) - 1),
		line: uint32(p.pos.Line), column: uint32(p.column), offset: uint64(p.pos.Offset),
		records: recordsOf(f, e),
	}
	if c.o.Pages < 0 { // for each
		r.other = e.LastMod.String() + "\n" + e.Loc
	}
	c.records.Add(r)
	if e.Extensions == nil {
		return
	}
	for _, a := range e.Extensions.Alternates {
		href := normalOf(a.Href)
		if href == r.loc || a.Hreflang == "" || !strings.HasPrefix(href, "http") {
			continue
		}
		named := r
		named.loc, named.kind, named.other = href, isNamed, r.loc
		c.records.Add(named)
		c.records.Add(record{loc: r.loc, kind: isNaming, other: href})
	}
}

// inFeed is the bit of an entry in a feed.
const inFeed = 1 << 7

// recordsOf returns which records an entry has, as bits. A page may be in a sitemap of images, of
// videos or of news as well, and each page of a feed should be in a sitemap.
func recordsOf(f sitemap.Format, e *sitemap.Entry) (bits byte) {
	if isFeed(f) {
		return inFeed
	}
	x := e.Extensions
	if x == nil {
		return 0
	}
	for i, has := range []bool{len(x.Images) > 0, len(x.Videos) > 0, len(x.News) > 0, x.Mobile} {
		if has {
			bits |= 1 << i
		}
	}
	return bits
}

// place returns the place of a record.
func (c *cross) place(r *record) place {
	return place{sitemap: c.documents[r.document], loc: r.loc, column: int(r.column),
		pos: sitemap.Position{Offset: int64(r.offset), Line: int(r.line)}}
}

// maxNames is how many alternates of one page are compared.
const maxNames = 10_000

// end compares the pages, in the order of their locations.
func (c *cross) end() error {
	if c.records == nil {
		return nil
	}
	var g group
	for r := range c.records.Sorted() {
		if c.stopped {
			return nil
		}
		if r.loc != g.loc {
			g = group{loc: r.loc, names: map[string]bool{}}
		}
		c.compare(&g, &r)
	}
	return c.records.Err()
}

// A group collects the earlier records of one location.
type group struct {
	loc      string
	first    record // that lists it
	last     uint32 // document that lists it
	isListed bool
	names    map[string]bool
	namer    string // the page that named it last
	reported bool   // alternate_not_listed
}

// compare judges a record by the earlier ones of its location.
func (c *cross) compare(g *group, r *record) {
	switch r.kind {
	case isListed:
		switch {
		case !g.isListed:
			g.isListed, g.first = true, *r
			if c.each != nil {
				text, loc, _ := strings.Cut(r.other, "\n")
				lastMod, _ := sitemap.ParseTime(text)
				c.each(sampled{lastMod: lastMod, place: c.place(r).of(loc)})
			}
		case r.records == inFeed:
			return
		case g.first.records == inFeed:
			g.first = *r
		case r.document != g.last && r.records == g.first.records:
			c.report(of(URLInSeveralSitemaps), c.place(r), r.loc,
				"%s is listed in %s as well", quoted(r.loc),
				sitemap.Redact(c.documents[g.first.document]))
		}
		g.last = r.document
	case isNaming:
		if len(g.names) < maxNames {
			g.names[r.other] = true
		}
	case isNamed:
		if r.other != g.namer { // else by several codes, or in several sitemaps
			g.namer = r.other
			c.named(g, r)
		}
	}
}

// named judges a location that a page names as an alternate.
func (c *cross) named(g *group, r *record) {
	switch {
	case !g.isListed && !g.reported:
		if g.reported = true; c.isPart || !c.lists(r.loc) {
			return // a sitemap that was not read may list it
		}
		c.report(of(AlternateNotListed), c.place(r).of(r.other), r.loc,
			"no sitemap lists the alternate %s", quoted(r.loc))
	case g.isListed && !g.names[r.other] && len(g.names) < maxNames:
		c.noReturn(r.other, c.place(&g.first))
	}
}
