package audit

import (
	"cmp"
	"errors"
	"io"
	"iter"
	"math"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/chars"
	"github.com/seed-322c453a/sitemap/internal/input"
	"github.com/seed-322c453a/sitemap/parse"
)

// A Source is a document to audit.
type Source struct {
	// Name is what findings call the document: its location, or the name of a file.
	Name string
	// Open returns a reader of the document from its start. It is called twice, and both readers
	// are closed.
	Open func() (io.ReadCloser, error)
	// Base is the location of the document. Relative locations are resolved against it.
	Base *url.URL
	// ContentType is the media type that came with the document, if any.
	ContentType string
	// Date is when the document was served. It is zero if that is not known.
	Date time.Time
	// Done, if set, is called when the document has been read, after its findings.
	Done func(sitemap.Summary)
}

// Document audits one document by the rules of reading and of single documents. It yields findings
// by and large in document order, and what is said of the document as a whole at the end. The error,
// if any, is the last element: that of Open, a [*sitemap.ParseError], or that of the reader.
//
// The sequence is a single-use iterator. It holds some 200 KiB, and for each of the first million
// entries 40 bytes. A nil o is a zero Options. Documents may be audited concurrently, but not with
// one Source.
func Document(src Source, o *Options) iter.Seq2[Finding, error] {
	if o == nil {
		o = new(Options)
	}
	return func(yield func(Finding, error) bool) {
		if err := newDocument(src, o, func(f Finding) bool { return yield(f, nil) }).run(); err != nil &&
			!errors.Is(err, errStopped) {
			yield(Finding{}, err)
		}
	}
}

// errStopped means that the caller wants no further findings.
var errStopped = errors.New("stopped")

// A document is one that is audited.
type document struct {
	Source
	o       *Options
	yield   func(Finding) bool
	stopped bool
	now     time.Time
	summary sitemap.Summary

	view      *view
	structure *structure
	entry     *sitemap.Entry    // that is visited, nil if it was dropped
	held      []sitemap.Problem // of entries that were not visited yet
	named     []span            // extensions of the current entry with findings

	malformed string // the XML declaration, if it is

	child  func(e *sitemap.Entry) // is called with each sitemap of an index, if it is not nil
	once   map[string]bool        // attributes and other things that are reported once
	values values
	top    mark            // of the document
	start  mark            // of its root
	news   int             // news entries
	sound  map[string]bool // codes of hreflang that are right
	seen   map[string]bool // those of the current entry, in lower case
}

// A span is a part of the document.
type span struct{ from, to int64 }

func newDocument(src Source, o *Options, yield func(Finding) bool) *document {
	return &document{Source: src, o: o, yield: yield, now: o.now(), once: map[string]bool{},
		sound: map[string]bool{}, seen: map[string]bool{}}
}

// run audits the document.
func (d *document) run() error {
	body, err := d.Open()
	if err != nil {
		return err
	}
	defer body.Close()
	again, err := d.Open()
	if err != nil {
		return err
	}
	defer again.Close()
	o := sitemap.Options{
		Base: d.Base, ContentType: d.ContentType, Limits: d.o.Limits, Report: d.hold,
	}
	in := input.Open(again, &sitemap.Options{ContentType: d.ContentType, Limits: d.o.Limits})
	defer in.Close()
	d.view = newView(in)
	declared := declaredEncoding(in.Window())
	d.checkDeclaration(in.Window())
	d.top = d.mark(0)
	d.start = d.top
	r, err := parse.NewReader(body, &o)
	switch {
	case err == nil:
		err = d.read(r)
		d.summary = r.Summary()
	case errors.Is(err, sitemap.ErrNotSitemap):
		d.held = nil // an HTML page may have a DOCTYPE
	}
	d.flush(nil)
	if d.structure != nil {
		d.structureUpTo(math.MaxInt64, nil)
	}
	if d.summary.Format != 0 {
		d.wholeDocument(declared)
	}
	if d.stopped {
		return errStopped
	}
	if d.Done != nil {
		d.Done(d.summary)
	}
	return err
}

// read audits the entries.
func (d *document) read(r *parse.Reader) error {
	if f := r.Format(); f == sitemap.URLSet || f == sitemap.SitemapIndex {
		d.structure = newStructure(d.view)
	}
	d.summary.Format = r.Format()
	var current sitemap.Entry // one allocation for all
	for e, err := range r.Entries() {
		if err != nil {
			return err
		}
		current = e
		d.flush(&current)
		if d.stopped {
			return nil
		}
		d.values.add(d, &current)
		if d.child != nil && e.Kind == sitemap.Sitemap {
			d.child(&current)
		}
	}
	return nil
}

// maxHeld is how many problems wait for the entry that they may be of.
const maxHeld = 1_000

// hold keeps a problem until its entry is known.
func (d *document) hold(p sitemap.Problem) {
	if d.held = append(d.held, p); len(d.held) >= maxHeld {
		d.flush(nil)
	}
}

// flush emits the problems that are held, in their order, and the findings about the structure of
// the entries before them and of e, unless that is nil.
func (d *document) flush(e *sitemap.Entry) {
	if len(d.held) > 1 {
		slices.SortStableFunc(d.held, func(a, b sitemap.Problem) int {
			return cmp.Compare(a.Pos.Offset, b.Pos.Offset)
		})
	}
	for _, p := range d.held {
		d.structureUpTo(p.Pos.Offset, e)
		d.problem(p, e)
	}
	d.held = d.held[:0]
	if e != nil {
		d.structureUpTo(e.Pos.Offset, e)
	}
}

// structureUpTo visits the entries that start at limit or before it, of which e is the last.
func (d *document) structureUpTo(limit int64, e *sitemap.Entry) {
	if d.structure == nil {
		return
	}
	defer d.root()
	d.structure.upTo(limit, func() {
		d.entry = nil
		if start := d.structure.elements[0].offset; e != nil && start == e.Pos.Offset {
			d.entry = e
		}
		d.named = d.named[:0]
		d.elements(d.structure.elements)
	})
}

// problem emits a problem of reading. A bad_extension is left out if a rule of its own names the
// defect.
func (d *document) problem(p sitemap.Problem, e *sitemap.Entry) {
	if p.Code == sitemap.BadExtension {
		for _, s := range d.named {
			if s.from <= p.Pos.Offset && p.Pos.Offset < s.to {
				return
			}
		}
	}
	switch p.Code {
	case sitemap.UnknownNamespace, sitemap.MissingNamespace:
		d.once["namespace"] = true
	case sitemap.WrappedRoot:
		d.once["wrapped"] = true
	case sitemap.JunkAfterRoot:
		if d.once["wrapped"] && strings.HasPrefix(p.Text, "</") { // of what is around the root
			return
		}
	}
	f := Finding{
		Code:    p.Code,
		Pos:     p.Pos,
		Text:    p.Text,
		Message: p.Message(),
		Dropped: p.Dropped,
	}
	if e != nil && p.Pos.Offset >= e.Pos.Offset {
		f.Loc = e.Loc
	}
	if f = completed(f); d.structure != nil {
		f.Severity = bySchema(p)
	}
	d.emit(f)
}

// find emits what a rule finds at an offset in the current entry.
func (d *document) find(code sitemap.Code, offset int64, text, message string) {
	f := Finding{Code: code, Text: chars.Excerpt(text), Message: message}
	f.Pos.Offset = offset
	if d.entry != nil {
		f.Loc = d.entry.Loc
	}
	d.emit(f)
}

// A mark is a place that a finding at the end of the document may be about.
type mark struct {
	pos     sitemap.Position
	column  int
	excerpt Excerpt
}

// mark returns the place at an offset.
func (d *document) mark(offset int64) mark {
	var m mark
	m.pos, m.column = d.view.place(offset)
	if d.o.Excerpts {
		m.excerpt = d.view.excerpt(offset)
	}
	return m
}

// findAt is find for a place that was marked.
func (d *document) findAt(code sitemap.Code, m mark, text, message string) {
	d.emit(Finding{
		Code: code, Text: chars.Excerpt(text), Message: message,
		Pos: m.pos, Column: m.column, Excerpt: m.excerpt,
	})
}

// emit completes a finding and yields it.
func (d *document) emit(f Finding) {
	if d.stopped {
		return
	}
	if f.Column == 0 {
		m := d.mark(f.Pos.Offset)
		if m.column > 0 {
			f.Pos = m.pos
		}
		f.Column, f.Excerpt = m.column, m.excerpt
	}
	f.Sitemap = d.Name
	d.stopped = !d.yield(completed(f))
}
