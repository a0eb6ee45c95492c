// Package parse reads any document that lists URLs. It undoes gzip and charsets, detects the format
// from the content, and yields the entries one by one, in constant memory:
//
//	f, err := os.Open("sitemap.xml.gz")
//	if err != nil {
//		return err
//	}
//	defer f.Close()
//	for e, err := range parse.Entries(f, nil) {
//		if err != nil {
//			return err // the last element, after all entries that could be read
//		}
//		fmt.Println(e.Loc)
//	}
//
// The package itself reads urlset and sitemapindex. It calls package feed for RSS and Atom feeds,
// and package text for text. Defects of a document are reported as problems and never cost a sound
// entry; see package sitemap.
//
// # Accepted documents
//
// Elements are identified by local name, in any letter case, and by parent. The root contains url
// or sitemap elements. They contain loc, lastmod, changefreq and priority. The namespace is that of
// the protocol (sitemaps.org 0.9, Google's 0.84), of the root or of the entry, or there is none.
//
// Entries are read without their root too, in an unknown root, and in elements between the root
// and them. Other elements in the namespace of the protocol, or in none, are reported and ignored.
// So is text between elements, except a URL in an entry without a loc. Elements of other namespaces
// are kept: in [sitemap.Extensions] those in an entry, in [sitemap.Summary] those around entries.
//
// Up to 1 KiB of junk may precede the root. White space, comments, instructions and a DOCTYPE do
// not count as junk. After the end of the root, 64 KiB are read to check for junk and to verify
// gzip's checksum. A second document there is junk.
//
// # Limits
//
// Unclosed markup must not become one token that fills the memory. Beyond these limits, reading
// goes on, and the part that is too long is dropped or read as if it were closed:
//
//   - a tag: 1 MiB; a processing instruction that contains '<': 512 KiB; a DOCTYPE: 64 KiB
//   - a comment or a CDATA section that is never closed: 512 KiB up to the end of the document. All
//     after the start of a longer one is lost, and the document counts as truncated.
//   - the text of a field: 64 KiB, without the white space around it; text directly in an entry: 4
//     KiB; a location: 8 KiB after cleaning; a date: 128 bytes
//   - depth of elements that are tracked by name: 64; namespace declarations in force: 256
//   - extensions of an entry: see [sitemap.Extensions]
//   - gzip: two layers, and 1 GiB of gzip data inside gzip, at which reading stops with
//     [sitemap.ErrTooLarge]
//
// A document has a buffer of 64 KiB, of up to 1 MiB for a long token, and another 64 KiB for each
// layer of gzip.
//
// The files, each building on those before it:
//
//	decoder.go  one urlset or sitemapindex and the entry that is open in it
//	quick.go    reads fields of the most common shape
//	sitemap.go  reads urlset and sitemapindex
//	parse.go    Entries, Reader and Sniff
package parse

import (
	"bytes"
	"errors"
	"io"
	"iter"
	"maps"
	"strings"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/feed"
	"github.com/seed-322c453a/sitemap/internal/document"
	"github.com/seed-322c453a/sitemap/internal/input"
	"github.com/seed-322c453a/sitemap/text"
)

// Entries yields the entries of the document in r, of any format, in document order. It yields at
// most one error, as the last element, after all entries that could be read: a
// [*sitemap.ParseError] for a defect of the document, or the error of r.
//
// The sequence is a single-use iterator, which reads r only while it is ranged over and does not
// close it. A nil o is a zero Options. Documents may be read concurrently, each from its own r.
func Entries(r io.Reader, o *sitemap.Options) iter.Seq2[sitemap.Entry, error] {
	return document.Once(func(yield func(sitemap.Entry, error) bool) {
		d := newReader(o)
		if err := d.open(r); err != nil {
			yield(sitemap.Entry{}, err)
			return
		}
		d.Entries()(yield)
	})
}

// A Reader is a document whose format is known. It is not safe for concurrent use.
type Reader struct {
	in       *input.Reader
	o        sitemap.Options
	format   sitemap.Format
	tally    *document.Tally
	problems map[sitemap.Code]int
	listener document.Listener
	ranged   bool // its entries are being ranged over
}

// NewReader reads the start of a document and detects its format. The error is that of r, or a
// [*sitemap.ParseError] if the document is empty or has another format. Problems at the start of
// the document are reported to o.Report.
//
// NewReader reads up to 64 KiB ahead, or more if the document starts with a long comment or
// DOCTYPE. It does not close r. A nil o is a zero Options.
func NewReader(r io.Reader, o *sitemap.Options) (*Reader, error) {
	d := newReader(o)
	d.countProblems()
	if err := d.open(r); err != nil {
		return nil, err
	}
	return d, nil
}

func newReader(o *sitemap.Options) *Reader {
	d := &Reader{tally: document.NewTally()}
	if o != nil {
		d.o = *o
	}
	return d
}

// countProblems makes d count problems, so that they are looked for even without a Report.
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

// open reads the start of the document and detects its format.
func (d *Reader) open(r io.Reader) error {
	d.in = input.Open(r, &d.o)
	format, err := document.Sniff(d.in, d.o.Report)
	if err != nil {
		d.finish()
		return d.named(err)
	}
	d.format = format
	if d.o.ContentType != "" && d.o.Report != nil &&
		document.Contradicts(d.o.ContentType, format, d.in.Layers()) {
		d.o.Report(sitemap.Problem{Code: sitemap.WrongContentType, Pos: d.in.Position(0),
			Text: d.o.ContentType})
	}
	return nil
}

// named returns err, or the error for Brotli if the document is binary and has such a name.
func (d *Reader) named(err error) error {
	if e, ok := errors.AsType[*sitemap.ParseError](err); ok && e.Err == sitemap.ErrBinary &&
		d.o.Base != nil && strings.HasSuffix(d.o.Base.Path, ".br") {
		e.Err = sitemap.ErrBrotli
	}
	return err
}

// Format returns the document's format. [sitemap.Text] is only a guess until the entries have been
// ranged over: text without a URL is not a sitemap.
func (d *Reader) Format() sitemap.Format {
	if errors.Is(d.tally.Err, sitemap.ErrNoURLs) {
		return sitemap.UnknownFormat
	}
	return d.format
}

// Summary describes the part of the document that has been read so far. It is a copy, which does
// not change while the entries are ranged over.
func (d *Reader) Summary() sitemap.Summary {
	return sitemap.Summary{
		Format:   d.Format(),
		Encoding: d.in.Encoding(),
		Bytes:    d.in.Bytes(),
		Entries:  d.tally.Entries,
		Problems: maps.Clone(d.problems),
		LastMods: d.tally.LastMods,
		Other:    d.tally.Other,
		Refresh:  d.tally.Refresh,
	}
}

// Listen makes l receive the elements of the document, as they are written, while its entries are
// ranged over. Only packages of this module have a Listener.
func (d *Reader) Listen(l document.Listener) {
	d.listener = l
	l.Start(d.in)
}

func (d *Reader) finish() { d.in.Close() }

// Entries yields the document's entries as the function [Entries] does. It is a single-use
// iterator: a second one yields only an error. Ranging over it, even if only to break, releases the
// document's buffer.
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
		if d.listener != nil {
			d.listener.End()
		}
	}
}

var errRanged = errors.New("sitemap: the entries are being ranged over already")

// read lets the reader of the format read the document.
func (d *Reader) read(yield func(sitemap.Entry, error) bool) {
	switch d.format {
	case sitemap.RSS, sitemap.Atom:
		feed.Entries(&document.Source{Reader: d.in, Tally: d.tally}, &d.o)(yield)
	case sitemap.Text:
		text.Entries(&document.Source{Reader: d.in, Tally: d.tally}, &d.o)(yield)
	default:
		x := newDecoder(d.in, d.format, document.NewSink(&d.o, d.tally, yield), &d.o)
		if d.listener != nil {
			x.listener, x.r.Listener = d.listener, d.listener
		}
		x.read()
	}
}

// Sniff detects the format of the document that starts with prefix. Prefix should hold its first 4
// KiB or more, compressed or not. The error is that of [NewReader]. Sniff is safe for concurrent
// use.
func Sniff(prefix []byte) (sitemap.Format, error) {
	in := input.Open(bytes.NewReader(prefix), nil)
	defer in.Close()
	return document.Sniff(in, nil)
}
