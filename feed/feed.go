// Package feed reads RSS (0.90, 0.9x, 1.0 and 2.0) and Atom (0.3 and 1.0) feeds. Their items and
// entries list pages:
//
//	for e, err := range feed.Entries(resp.Body, &sitemap.Options{Base: resp.Request.URL}) {
//		if err != nil {
//			return err // the last element, after all entries that could be read
//		}
//		fmt.Println(e.Loc, e.LastMod)
//	}
//
// # Locations
//
// The location of an Atom entry is its first link without a rel. If there is none, it is the first
// alternate of type text/html, else the first alternate of any type, else the id if that is an http
// or https URL. The location of an RSS item is its first usable link, else an Atom link in it, else
// its guid if that is a URL.
//
// Links to the feed itself, to replies, enclosures and sources are never used, and nothing is
// inherited from the channel. A relative location is resolved against xml:base, else against the
// location of the feed.
//
// # Dates
//
// LastMod is the pubDate of an RSS item, else its dc:date, else its atom:updated or
// dcterms:modified. For an Atom entry it is updated (0.3: modified), else published (issued,
// created).
//
// The content and the source of an entry, and the channel, never supply a field of the entry. The
// letter case and the namespaces of elements do not matter.
//
// The rules are those of RSS 2.0 and RDF Site Summary 1.0, RFC 4287 (sections 3.3 and 4.2.7), XML
// Base, RFC 822 and RFC 5322. The limits are those of package parse.
//
// The files, each building on those before it:
//
//	decoder.go  the state of reading one feed
//	names.go    identifies elements
//	link.go     candidates for the location
//	entry.go    reads entries
//	feed.go     Entries, and the start and end of a document
package feed

import (
	"bytes"
	"io"
	"iter"
	"strconv"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/document"
	"github.com/seed-322c453a/sitemap/internal/extension"
	"github.com/seed-322c453a/sitemap/internal/input"
	"github.com/seed-322c453a/sitemap/internal/namespace"
	"github.com/seed-322c453a/sitemap/internal/xmlscan"
)

// Entries yields the entries of the RSS or Atom feed in r, in document order. It undoes gzip and
// charsets. It yields at most one error, as the last element, after all entries that could be read:
// a [*sitemap.ParseError] for a defect of the document, or the error of r. A document that is not a
// feed gives [sitemap.ErrNotSitemap]; a urlset or sitemapindex gives [sitemap.ErrUnknownXML].
//
// The sequence is a single-use iterator, which reads r only while it is ranged over and does not
// close it. A nil o is a zero Options. Feeds may be read concurrently, each from its own r.
func Entries(r io.Reader, o *sitemap.Options) iter.Seq2[sitemap.Entry, error] {
	return document.Once(func(yield func(sitemap.Entry, error) bool) {
		if o == nil {
			o = new(sitemap.Options)
		}
		src, sniffed := document.Open(r, o)
		if !sniffed {
			defer src.Close()
			if err := sniffFeed(src.Reader, o.Report); err != nil {
				yield(sitemap.Entry{}, err)
				return
			}
		}
		newDecoder(src, o, yield).read()
	})
}

// sniffFeed advances in to the root of a feed.
func sniffFeed(in *input.Reader, report func(sitemap.Problem)) error {
	format, err := document.Sniff(in, report)
	switch {
	case err != nil:
		return err
	case format == sitemap.RSS, format == sitemap.Atom:
		return nil
	case format == sitemap.Text:
		err = sitemap.ErrNotSitemap
	default:
		err = sitemap.ErrUnknownXML
	}
	return &sitemap.ParseError{Pos: in.Position(0), Err: err}
}

// newDecoder returns the decoder of a feed whose next token is the start tag of the root.
func newDecoder(src *document.Source, o *sitemap.Options,
	yield func(sitemap.Entry, error) bool) *decoder {
	in, sink := src.Reader, document.NewSink(o, src.Tally, yield)
	d := &decoder{in: in, sink: sink, tally: src.Tally, location: o.Base, base: o.Base}
	d.r = xmlscan.NewReader(in, sink.Report())
	d.r.IsEntry, d.r.IsField, d.r.IsExtension = d.isEntry, d.isField, d.isExtension
	d.r.HoldsFields = d.holdsFields
	if !o.SkipExtensions {
		d.ext = extension.New(d.r, in, sink)
	}
	return d
}

// read reads the feed.
func (d *decoder) read() {
	if d.r.Child(0) {
		d.openRoot()
		d.readEntries(1)
	}
	d.sink.Finish(d.end())
}

// openRoot reads the start tag of the root and reports its problems.
func (d *decoder) openRoot() {
	d.atom = string(d.r.Local()) == "feed"
	d.space, d.entrySpace, d.prefix = d.r.Space, d.r.Space, string(d.r.Prefix())
	switch string(d.r.Local()) {
	case "entry":
		d.atom = true
		d.r.Wrap("feed")
		return
	case "item", "channel":
		d.r.Wrap("rss")
		return
	case "feed", "rss", "rdf":
	default: // the first entry shows the format
		d.unknownRoot = true
		return
	}
	switch {
	case d.r.Space == namespace.NoSpace && d.atom:
		d.problem(sitemap.MissingNamespace, "feed")
	case d.isForeign() && (len(d.r.Prefix()) == 0 || d.r.Declared):
		d.problem(sitemap.UnknownNamespace, d.canonical())
	}
	d.checkCase()
	d.base = document.BaseHere(d.r, d.base)
}

// isForeign reports whether the namespace of the root is not one of its format.
func (d *decoder) isForeign() bool {
	if d.atom {
		return d.r.Space != namespace.Atom && d.r.Space != namespace.Atom03
	}
	return d.r.Space != namespace.NoSpace && d.r.Space != namespace.RSS &&
		d.r.Space != namespace.RDF
}

// readEntries reads the entries in an element at depth. In RSS 1.0, entries are siblings of the
// channel.
func (d *decoder) readEntries(depth int) {
	for !d.sink.Stopped() && d.r.Child(depth) {
		if d.isEntry() {
			d.readEntry()
		} else if depth <= maxGroups && !d.readRefresh(depth) {
			if string(d.r.Local()) == "channel" && depth == 1 {
				d.checkCase()
			}
			around := d.base
			d.base = document.BaseHere(d.r, around)
			d.readEntries(d.r.Depth())
			d.base = around
		}
	}
}

// readRefresh reads an element of the channel that says how often to request the feed. It reports
// whether it is one.
func (d *decoder) readRefresh(depth int) bool {
	if depth > 2 {
		return false
	}
	switch string(d.r.Local()) {
	case "ttl":
		d.ttl = time.Duration(d.readCount()) * time.Minute
	case "updateperiod":
		d.period = periods[string(bytes.ToLower(bytes.TrimSpace(d.r.Text())))]
	case "updatefrequency":
		d.perPeriod = d.readCount()
	default:
		return false
	}
	d.tally.Refresh = max(d.ttl, d.period/time.Duration(max(d.perPeriod, 1)))
	return true
}

const day = 24 * time.Hour

// periods are the values of sy:updatePeriod.
var periods = map[string]time.Duration{
	"hourly": time.Hour, "daily": day, "weekly": 7 * day, "monthly": 30 * day, "yearly": 365 * day,
}

// readCount reads a number. It returns 0 for other text, and 1<<24 - 1 for larger numbers.
func (d *decoder) readCount() uint64 {
	n, _ := strconv.ParseUint(string(bytes.TrimSpace(d.r.Text())), 10, 24)
	return n
}

// maxGroups is the depth up to which entries are looked for in elements around them: in a channel,
// and by mistake in others.
const maxGroups = 4

// end reads the part after the root and returns the error that the document ended with, or nil.
func (d *decoder) end() error {
	if d.sink.Stopped() {
		return nil
	}
	return document.EndXML(d.in, d.r, d.sink)
}
