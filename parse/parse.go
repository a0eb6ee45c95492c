// Package parse reads any document that lists URLs: it undoes gzip and charsets,
// tells the format from the content, and yields the entries one by one, in
// constant memory.
//
// A urlset or sitemapindex is read here, an RSS or Atom feed by package feed, text
// by package text. What is wrong in a document is reported as problems and never
// costs a sound entry; see package sitemap.
//
// # What is read
//
// Elements are told by their local names, in any letter case, and by where they stand:
// a url or sitemap in the root, a loc, lastmod, changefreq or priority directly in it,
// in the namespace of the protocol (sitemaps.org 0.9, Google's 0.84), of the root or of
// the entry, or in none. The root may stand behind 1 KiB of junk, white space, comments,
// instructions and a DOCTYPE not counted, within 512 KiB. Behind its end 64 KiB are read,
// for junk and for gzip's checksum; a second document there is junk.
//
// # Bounds
//
// What a document leaves open must not become one token in memory. Beyond these bounds
// reading goes on, and what was too long is dropped or read as if it had been closed:
//
//   - one tag, 1 MiB; a comment or a CDATA section, 512 KiB; a processing instruction
//     with a '<' in it, 4 KiB; a DOCTYPE, 64 KiB;
//   - the text of a field, 64 KiB, white space around it not counted; bare text in an
//     entry, 4 KiB; a location, 8 KiB once it is clean; a date, 128 bytes;
//   - elements followed by name, 256 deep; namespace declarations in force, 256;
//   - extensions of an entry: see sitemap.Extensions;
//   - gzip, two layers of it, and 1 GiB of gzip inside gzip, at which reading stops with
//     sitemap.ErrTooLarge.
//
// A document has a buffer of 64 KiB, up to 1 MiB for a long token, and as much for each
// layer of gzip.
package parse

import (
	"errors"
	"io"
	"iter"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/feed"
	"github.com/seed-322c453a/sitemap/internal/input"
	"github.com/seed-322c453a/sitemap/internal/record"
	"github.com/seed-322c453a/sitemap/internal/sniff"
	"github.com/seed-322c453a/sitemap/internal/tally"
	"github.com/seed-322c453a/sitemap/text"
)

// Entries yields the entries of the document that r holds, of any format, in
// document order. It is a single-use iterator, which reads r only while it is
// ranged over. At most one error comes, as the last element, after all entries
// that could be read: a *sitemap.ParseError for what is wrong with the document,
// or the error of r. It does not close r. A nil o is a zero Options. Documents may be
// read at once, each from an r of its own.
func Entries(r io.Reader, o *sitemap.Options) iter.Seq2[sitemap.Entry, error] {
	return record.Once(func(yield func(sitemap.Entry, error) bool) {
		d := newReader(o)
		if err := d.open(r); err != nil {
			yield(sitemap.Entry{}, err)
			return
		}
		d.Entries()(yield)
	})
}

// A Reader is a document whose format has been told. It is not safe for
// concurrent use.
type Reader struct {
	in       *input.Reader
	o        sitemap.Options
	format   sitemap.Format
	tally    *tally.Tally
	problems map[sitemap.Code]int
	ranged   bool // its entries are being ranged over
}

// NewReader reads the start of a document and tells its format. The error is a
// *sitemap.ParseError if the document is empty or none of the formats, or r's own.
// Problems of the document's start are reported to o.Report. It reads up to 64 KiB
// ahead, more where a long comment or DOCTYPE stands first, and does not close r. A nil
// o is a zero Options.
func NewReader(r io.Reader, o *sitemap.Options) (*Reader, error) {
	d := newReader(o)
	d.countProblems()
	if err := d.open(r); err != nil {
		return nil, err
	}
	return d, nil
}

func newReader(o *sitemap.Options) *Reader {
	d := &Reader{tally: tally.New()}
	if o != nil {
		d.o = *o
	}
	return d
}

// countProblems makes d count the problems that are reported, so that they are looked
// for even where nobody wants to be told.
func (d *Reader) countProblems() {
	d.problems = make(map[sitemap.Code]int)
	report := d.o.Report
	d.o.Report = func(p sitemap.Problem) {
		d.problems[p.Code]++
		if report != nil {
			report(p)
		}
	}
}

// open reads the start of the document and tells its format.
func (d *Reader) open(r io.Reader) error {
	d.in = input.Open(r, &d.o)
	d.in.Tally = d.tally
	format, err := sniff.Document(d.in, d.o.Report)
	if err != nil {
		d.finish()
		return err
	}
	d.format = format
	if d.o.ContentType != "" && d.o.Report != nil && sniff.ContentType(d.o.ContentType, format, d.in.Layers()) {
		d.o.Report(sitemap.Problem{Code: sitemap.WrongContentType, Pos: d.in.Position(0), Text: d.o.ContentType})
	}
	return nil
}

// Format returns the document's format. That of text is only a guess until its
// entries have been ranged over: text without a URL is no sitemap.
func (d *Reader) Format() sitemap.Format {
	if errors.Is(d.tally.Err, sitemap.ErrNoURLs) {
		return sitemap.UnknownFormat
	}
	return d.format
}

// Summary returns what was learnt from the document so far. Its Problems are the
// Reader's own map, which grows while the entries are ranged over.
func (d *Reader) Summary() sitemap.Summary {
	return sitemap.Summary{
		Format:   d.Format(),
		Encoding: d.in.Encoding(),
		Bytes:    d.in.Bytes(),
		Entries:  d.tally.Entries,
		Problems: d.problems,
		LastMods: d.tally.LastMods,
	}
}

func (d *Reader) finish() { d.in.Close() }

// Entries yields the document's entries as the function Entries does. It is a
// single-use iterator: a second one yields no entry, but an error. To range over it, even if
// only to break, gives the document's buffer back.
func (d *Reader) Entries() iter.Seq2[sitemap.Entry, error] {
	return func(yield func(sitemap.Entry, error) bool) {
		if d.ranged {
			yield(sitemap.Entry{}, errRanged)
			return
		}
		d.ranged = true
		defer func() {
			d.ranged = false
			d.finish()
		}()
		d.read(yield)
	}
}

var errRanged = errors.New("sitemap: document whose entries are being ranged over")

// read hands the document to its format's reader.
func (d *Reader) read(yield func(sitemap.Entry, error) bool) {
	switch d.format {
	case sitemap.RSS, sitemap.Atom:
		feed.Entries(d.in, &d.o)(yield)
	case sitemap.Text:
		text.Entries(d.in, &d.o)(yield)
	default:
		d.in.Ahead()
		newDocument(d.in, record.NewSink(&d.o, d.tally, yield), &d.o).read()
	}
}

// Sniff tells the format of the document that starts with prefix, which should
// hold its first 4 KiB or more, compressed or not. The error says what it is
// instead, as that of NewReader does. It is safe for concurrent use.
func Sniff(prefix []byte) (sitemap.Format, error) {
	in := input.OpenPrefix(prefix)
	defer in.Close()
	return sniff.Document(in, nil)
}
