// Package feed reads RSS (0.90, 0.9x, 1.0 and 2.0) and Atom (0.3 and 1.0) feeds,
// whose items and entries list pages.
//
// # Locations
//
// An Atom entry's location is its first link without a rel, else its first
// alternate of type text/html, else its first alternate of any type, else its id
// where that is an http or https URL. An RSS item's is its first usable link,
// else an Atom link in it, else its guid where that is one. Links to the feed
// itself, to replies, enclosures and sources are never taken, and nothing is
// inherited from the channel. A relative location is resolved against xml:base,
// else against the feed's own.
//
// # Dates
//
// LastMod is RSS's pubDate, else dc:date, else atom:updated or dcterms:modified;
// of Atom it is updated (0.3: modified), else published (issued, created).
//
// What stands in an entry's content, its source, or the channel is never taken for
// the entry's own. Letter case and namespaces of elements are forgiven.
//
// The rules are those of RSS 2.0 and RDF Site Summary 1.0, of RFC 4287 (sections 3.3
// and 4.2.7), XML Base, RFC 822 and RFC 5322. The bounds are those of package parse.
package feed

import (
	"io"
	"iter"
	"net/url"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/extension"
	"github.com/seed-322c453a/sitemap/internal/input"
	"github.com/seed-322c453a/sitemap/internal/record"
	"github.com/seed-322c453a/sitemap/internal/sniff"
	"github.com/seed-322c453a/sitemap/internal/xmlscan"
)

// Entries yields the entries of the RSS or Atom feed that r holds, in document
// order. It is a single-use iterator, which reads r only while it is ranged over;
// gzip and charsets are undone. At most one error comes, as the last element,
// after all entries that could be read: a *sitemap.ParseError for what is wrong
// with the document, one that matches sitemap.ErrNotSitemap if it is no feed (of a
// urlset or sitemapindex, sitemap.ErrUnknownXML), or the error of r. It does not close
// r. A nil o is a zero Options. Feeds may be read at once, each from an r of its own.
func Entries(r io.Reader, o *sitemap.Options) iter.Seq2[sitemap.Entry, error] {
	return record.Once(func(yield func(sitemap.Entry, error) bool) {
		if o == nil {
			o = new(sitemap.Options)
		}
		if in, ok := r.(*input.Reader); ok { // from package parse, at the root
			in.Ahead()
			newDocument(in, o, yield).read()
			return
		}
		in := input.Open(r, o)
		defer in.Close()
		if err := sniffFeed(in, o.Report); err != nil {
			yield(sitemap.Entry{}, err)
			return
		}
		in.Ahead()
		newDocument(in, o, yield).read()
	})
}

// sniffFeed moves in to the root of a feed.
func sniffFeed(in *input.Reader, report func(sitemap.Problem)) error {
	format, err := sniff.Document(in, report)
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

// A document is a feed as it is read.
type document struct {
	in   *input.Reader
	r    *xmlscan.Reader
	sink *record.Sink
	ext  *extension.Decoder // nil if extensions are skipped

	atom       bool
	space      xmlscan.Space // of the root
	prefix     string        // of the root's tag
	entrySpace xmlscan.Space // of the open entry
	uppered    bool          // uppercase_tag was reported
	base       *url.URL      // of what stands around the entry

	entry entry
	href  []byte // decoded

	quick   xmlscan.Quick
	start   int  // of the entry that is read quickly, in the window
	odd     int  // entries in a row that were of another shape
	general bool // entries are not to be read quickly
}

// newDocument returns the feed whose root's start tag is next in in.
func newDocument(in *input.Reader, o *sitemap.Options, yield func(sitemap.Entry, error) bool) *document {
	sink := record.NewSink(o, in.Tally, yield)
	d := &document{in: in, sink: sink, base: o.Base}
	d.r = xmlscan.NewReader(in, sink.Report())
	d.r.IsEntry, d.r.IsField, d.r.IsExtension = d.isEntry, d.isField, d.isExtension
	d.r.HoldsFields = d.holdsFields
	if !o.SkipExtensions {
		d.ext = extension.New(d.r, in, sink)
	}
	return d
}

// read reads the feed.
func (d *document) read() {
	if d.r.Child(0) {
		d.openRoot()
		d.readEntries(1)
	}
	d.sink.Finish(d.end())
}

// openRoot takes the root's start tag, of which it reports what is odd.
func (d *document) openRoot() {
	d.atom = string(d.r.Local) == "feed"
	d.space, d.entrySpace, d.prefix = d.r.Space, d.r.Space, string(d.r.Prefix)
	switch {
	case d.r.Space == xmlscan.NoSpace && d.atom:
		d.problem(sitemap.MissingNamespace, "feed")
	case d.isForeign() && (len(d.r.Prefix) == 0 || d.r.Declared):
		d.problem(sitemap.UnknownNamespace, d.canonical())
	}
	d.checkCase()
	d.base = record.BaseHere(d.r.Attrs, d.base)
}

// isForeign reports whether the root is in a namespace that is not one of its
// format.
func (d *document) isForeign() bool {
	if d.atom {
		return d.r.Space != xmlscan.Atom && d.r.Space != xmlscan.Atom03
	}
	return d.r.Space != xmlscan.NoSpace && d.r.Space != xmlscan.RSS && d.r.Space != xmlscan.RDF
}

func (d *document) problem(code sitemap.Code, field string) {
	d.sink.Problem(code, d.in.Position(0), field, d.r.Raw)
}

// readEntries reads what stands in the element at depth, the root or a channel:
// entries, of which RSS 1.0 has them beside the channel.
func (d *document) readEntries(depth int) {
	for !d.sink.Stopped() && d.r.Child(depth) {
		switch {
		case d.isEntry():
			d.readEntry()
			if !d.general {
				d.quickEntries(depth)
			}
		case depth == 1 && string(d.r.Local) == "channel" && !d.atom:
			d.checkCase()
			around := d.base
			d.base = record.BaseHere(d.r.Attrs, around)
			d.readEntries(d.r.Depth())
			d.base = around
		}
	}
}

// end reads what follows the root and returns why the document ended, if not
// properly.
func (d *document) end() error {
	if d.sink.Stopped() {
		return nil
	}
	return record.EndXML(d.in, d.r, d.sink)
}
