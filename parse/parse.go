// Package parse reads any document that lists URLs: it undoes gzip and charsets,
// tells the format from the content, and yields the entries one by one, in
// constant memory.
//
// A urlset or sitemapindex is read here, an RSS or Atom feed by package feed, text
// by package text. What is wrong in a document is reported as problems and never
// costs a sound entry; see package sitemap.
package parse

import (
	"io"
	"iter"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/feed"
	"github.com/seed-322c453a/sitemap/internal/input"
	"github.com/seed-322c453a/sitemap/internal/record"
	"github.com/seed-322c453a/sitemap/internal/sniff"
	"github.com/seed-322c453a/sitemap/text"
)

// Entries yields the entries of the document that r holds, of any format, in
// document order. It is a single-use iterator, which reads r only while it is
// ranged over. At most one error comes, as the last element, after all entries
// that could be read: a *sitemap.ParseError for what is wrong with the document,
// or the error of r. It does not close r.
func Entries(r io.Reader, o *sitemap.Options) iter.Seq2[sitemap.Entry, error] {
	return func(yield func(sitemap.Entry, error) bool) {
		d, err := NewReader(r, o)
		if err != nil {
			yield(sitemap.Entry{}, err)
			return
		}
		d.Entries()(yield)
	}
}

// A Reader is a document whose format has been told. It is not safe for
// concurrent use.
type Reader struct {
	in      *input.Reader
	o       sitemap.Options
	format  sitemap.Format
	summary sitemap.Summary
	future  time.Time    // what starts after it is in the future
	first   sitemap.Time // the first lastmod
}

// NewReader reads the start of a document and tells its format. The error is a
// *sitemap.ParseError if the document is empty or none of the formats, or r's own.
// Problems of the document's start are reported to o.Report.
func NewReader(r io.Reader, o *sitemap.Options) (*Reader, error) {
	d := &Reader{future: time.Now().Add(24 * time.Hour)}
	if o != nil {
		d.o = *o
	}
	d.summary.Problems = make(map[sitemap.Code]int)
	report := d.o.Report
	d.o.Report = func(p sitemap.Problem) {
		d.summary.Problems[p.Code]++
		if report != nil {
			report(p)
		}
	}
	d.in = input.Open(r, &d.o)
	format, err := sniff.Document(d.in, d.o.Report)
	if err != nil {
		d.finish()
		return nil, err
	}
	d.format = format
	if d.o.ContentType != "" && sniff.ContentType(d.o.ContentType, format, d.in.Layers()) {
		d.o.Report(sitemap.Problem{Code: sitemap.WrongContentType, Pos: d.in.Position(0), Text: d.o.ContentType})
	}
	return d, nil
}

// Format returns the document's format. That of text is only a guess until its
// entries have been ranged over: text without a URL is no sitemap.
func (d *Reader) Format() sitemap.Format { return d.format }

// Summary returns what was learnt from the document so far.
func (d *Reader) Summary() sitemap.Summary {
	s := d.summary
	s.Format = d.format
	s.Encoding = d.in.Encoding()
	s.Bytes = d.in.Bytes()
	return s
}

func (d *Reader) finish() { d.in.Close() }

// Entries yields the document's entries as the function Entries does. It is a
// single-use iterator.
func (d *Reader) Entries() iter.Seq2[sitemap.Entry, error] {
	return func(yield func(sitemap.Entry, error) bool) {
		defer d.finish()
		d.read(func(e sitemap.Entry, err error) bool {
			if err != nil {
				d.fail(err)
			} else {
				d.count(&e)
			}
			return yield(e, err)
		})
	}
}

// read hands the document to its format's reader.
func (d *Reader) read(yield func(sitemap.Entry, error) bool) {
	switch d.format {
	case sitemap.RSS, sitemap.Atom:
		feed.Entries(d.in, &d.o)(yield)
	case sitemap.Text:
		text.Entries(d.in, &d.o)(yield)
	default:
		d.in.Ahead()
		newDocument(d.in, record.NewSink(&d.o, yield), &d.o).read()
	}
}

// fail notes that text turned out to be no sitemap.
func (d *Reader) fail(err error) {
	if pe, ok := err.(*sitemap.ParseError); ok && pe.Err == sitemap.ErrNoURLs {
		d.format = sitemap.UnknownFormat
	}
}

// count takes an entry into the statistics.
func (d *Reader) count(e *sitemap.Entry) {
	d.summary.Entries++
	if e.LastMod.IsZero() {
		return
	}
	l := &d.summary.LastMods
	l.Count++
	if l.Count == 1 {
		d.first = e.LastMod
	}
	if e.LastMod == d.first {
		l.Equal++
	}
	if e.LastMod.Precision() <= sitemap.Day {
		l.DateOnly++
	}
	if e.LastMod.After(d.future) {
		l.Future++
	}
}

// Sniff tells the format of the document that starts with prefix, which should
// hold its first 4 KiB or more, compressed or not. The error says what it is
// instead, as that of NewReader does.
func Sniff(prefix []byte) (sitemap.Format, error) {
	in := input.OpenPrefix(prefix)
	defer in.Close()
	return sniff.Document(in, nil)
}
