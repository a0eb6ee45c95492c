package parse

import (
	"bytes"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/extension"
	"github.com/seed-322c453a/sitemap/internal/input"
	"github.com/seed-322c453a/sitemap/internal/location"
	"github.com/seed-322c453a/sitemap/internal/record"
	"github.com/seed-322c453a/sitemap/internal/xmlscan"
)

// A document is a urlset or sitemapindex as it is read.
type document struct {
	in   *input.Reader
	r    *xmlscan.Reader
	sink *record.Sink
	ext  *extension.Decoder // nil if extensions are skipped

	root     string        // local name
	kind     sitemap.Kind  // of the entries that belong in it
	skip     bool          // extensions are not to be read
	general  bool          // the short cut is not to be taken
	fast     *shortcut     // for entries like the last one, if that is common
	quick    xmlscan.Quick // reads extensions for the short cut
	space    xmlscan.Space // of the root
	prefix   string        // of the root's tag
	entrySpc xmlscan.Space // of the open entry
	uppered  bool          // uppercase_tag was reported
	unspaced bool          // missing_namespace was reported of an entry

	// The entry that is being read: one location of it, with what belongs to that.
	entry   sitemap.Entry
	locs    int  // locations of the element so far
	dropped bool // the location is not to be handed on
}

// newDocument returns the urlset or sitemapindex whose root's start tag is next in in.
func newDocument(in *input.Reader, sink *record.Sink, o *sitemap.Options) *document {
	d := &document{in: in, sink: sink, r: xmlscan.NewReader(in, sink.Report()), skip: o.SkipExtensions}
	d.r.IsEntry, d.r.IsField, d.r.IsExtension = d.isEntry, d.isField, d.isForeignSpace
	d.r.HoldsFields = d.holdsFields
	if !o.SkipExtensions {
		d.ext = extension.New(d.r, in, sink)
	}
	return d
}

// read reads the document: entry by entry the general way, or as many as it can
// by the short cut.
func (d *document) read() {
	if d.r.Child(0) {
		d.openRoot()
	}
	for !d.sink.Stopped() && d.r.Child(1) {
		d.child()
		if !d.general {
			d.fastEntries()
		}
	}
	d.sink.Finish(d.end())
}

// openRoot takes the root's start tag, of which it reports what is odd.
func (d *document) openRoot() {
	d.root, d.space, d.prefix = string(d.r.Local), d.r.Space, string(d.r.Prefix)
	d.entrySpc = d.space
	if d.root == "sitemapindex" {
		d.kind = sitemap.Sitemap
	}
	d.checkCase()
	switch d.space {
	case xmlscan.Sitemap:
	case xmlscan.NoSpace:
		d.problem(sitemap.MissingNamespace, d.root)
	default:
		if len(d.r.Prefix) == 0 || d.r.Declared {
			d.problem(sitemap.UnknownNamespace, d.root)
		}
	}
}

func (d *document) problem(code sitemap.Code, field string) {
	d.sink.Problem(code, d.in.Position(0), field, d.r.Raw)
}

// checkCase reports, once, that names stand in another letter case.
func (d *document) checkCase() {
	if d.r.Upper && !d.uppered {
		d.uppered = true
		d.problem(sitemap.UppercaseTag, string(d.r.Local))
	}
}

// isEntry tells an entry's start tag: by its name, in a namespace of the
// protocol's, the root's, or none; or without a prefix, or with one that is the root's or
// not declared, whatever the namespace, unless that is of an element around it in the entry.
func (d *document) isEntry() bool {
	name := d.r.Local
	return (string(name) == "url" || string(name) == "sitemap") &&
		(d.isOwn() || d.r.Unknown() || (len(d.r.Prefix) == 0 || string(d.r.Prefix) == d.prefix) && !d.r.Enclosed())
}

// isField tells the start tag of one of the protocol's own fields. A loc in
// another namespace is not the entry's.
func (d *document) isField() bool {
	switch string(d.r.Local) {
	case "loc", "lastmod", "changefreq", "priority":
		return d.isOwn()
	}
	return false
}

// isOwn tells a start tag in the namespace of the protocol, the root or the entry, or
// in none.
func (d *document) isOwn() bool { return !d.isForeignSpace(d.r.Space) }

func (d *document) isForeignSpace(s xmlscan.Space) bool {
	return s != xmlscan.Sitemap && s != xmlscan.NoSpace && s != d.space && s != d.entrySpc
}

// holdsFields tells an image whose prefix was forgotten, which has a loc.
func (d *document) holdsFields(s xmlscan.Space, local string) bool {
	return local == "image" && !d.isForeignSpace(s)
}

// isForeign reports whether elements of this prefix are certain not to be the
// entry's own fields.
func (d *document) isForeign(prefix []byte) bool {
	s, declared := d.r.Lookup(prefix)
	return declared && d.isForeignSpace(s)
}

// child reads a child of the root.
func (d *document) child() {
	switch {
	case d.isEntry():
		d.readEntry()
	case d.isField(), d.isExtension():
		d.problem(sitemap.MisplacedElement, string(d.r.Local))
	}
}

// isExtension tells the start tags of what is known to stand in entries.
func (d *document) isExtension() bool {
	s := d.r.Space
	return s > xmlscan.Sitemap && s < xmlscan.XHTML || s == xmlscan.XHTML && string(d.r.Local) == "link"
}

// readEntry reads an entry, which has one location, or several, each with what
// follows it up to the next.
func (d *document) readEntry() {
	kind := sitemap.Page
	if string(d.r.Local) == "sitemap" {
		kind = sitemap.Sitemap
	}
	if kind != d.kind {
		d.problem(sitemap.MisplacedElement, string(d.r.Local))
	} else {
		d.learn()
	}
	d.checkCase()
	if d.r.Space == xmlscan.NoSpace && d.space != xmlscan.NoSpace && !d.unspaced {
		d.unspaced = true
		d.problem(sitemap.MissingNamespace, string(d.r.Local))
	}
	d.entrySpc = d.r.Space
	d.entry = sitemap.Entry{Kind: kind, Pos: d.in.Position(0)}
	d.locs, d.dropped = 0, false
	start := xmlscan.Excerpt(d.r.Raw)
	for depth := d.r.Depth(); !d.sink.Stopped() && d.r.Child(depth); {
		if d.isField() {
			d.checkCase()
			d.readField()
		} else if d.ext != nil {
			d.ext.Element(d.isOwn())
		}
	}
	if d.locs == 0 {
		d.withoutLoc(start)
	}
	d.flush()
}

// learn sets the short cut for entries like the current one.
func (d *document) learn() {
	switch {
	case d.r.Upper || len(d.r.Attrs) > 0 || d.r.Empty:
		d.fast = nil
	case d.fast == nil || !d.fast.matches(d.r.Prefix):
		d.fast = newShortcut(d.r.Prefix, d.r.Local)
	}
}

// flush hands the location on that was read last.
func (d *document) flush() {
	if d.locs > 0 && !d.dropped {
		if d.ext != nil {
			d.entry.Extensions = d.ext.Take()
		}
		d.sink.Emit(&d.entry)
	} else if d.ext != nil {
		d.ext.Reset()
	}
}

// withoutLoc makes do with an entry that has no loc: a URL as bare text in it is
// taken for one.
func (d *document) withoutLoc(start string) {
	direct := bytes.TrimSpace(d.r.Direct)
	switch {
	case d.r.Unfinished():
		return
	case d.r.DirectCut:
		d.sink.Drop(sitemap.LocTooLong, d.entry.Pos, "loc", direct)
	case location.IsAbsolute(direct):
		d.sink.Problem(sitemap.TextAsLoc, d.entry.Pos, "loc", direct)
		d.setLoc(direct, d.entry.Pos)
	default:
		d.sink.Drop(sitemap.MissingLoc, d.entry.Pos, "loc", []byte(start))
	}
}

// readField reads one of the protocol's own fields.
func (d *document) readField() {
	pos := d.in.Position(0)
	name := fieldOf(d.r.Local)
	text := d.r.Text()
	if !d.r.Complete {
		return // the document's end cut it
	}
	if d.r.Nested && name != "loc" { // of which elements have a code of their own
		d.sink.Problem(sitemap.MismatchedTag, pos, name, text)
	}
	switch name {
	case "loc":
		if d.locs > 0 && !d.dropped && len(bytes.TrimSpace(text)) == 0 {
			d.sink.Drop(sitemap.EmptyLoc, pos, name, text)
			return
		}
		if d.locs > 0 {
			if d.locs == 1 {
				d.sink.Problem(sitemap.SeveralLocs, pos, name, text)
			}
			d.flush()
			d.entry = sitemap.Entry{Kind: d.entry.Kind, Pos: pos}
		}
		if d.r.Nested {
			d.sink.Problem(sitemap.ElementInLoc, pos, name, text)
		}
		if d.r.Overflow {
			d.locs++
			d.dropped = true
			d.sink.Drop(sitemap.LocTooLong, pos, name, text)
			return
		}
		d.setLoc(text, pos)
	case "lastmod":
		if t := d.sink.W3CTime(text, pos, name); !t.IsZero() {
			d.entry.LastMod = t
		}
	case "changefreq":
		if f := d.sink.ChangeFreq(text, pos, name); f != 0 {
			d.entry.ChangeFreq = f
		}
	case "priority":
		if p := d.sink.Priority(text, pos, name); !p.IsZero() {
			d.entry.Priority = p
		}
	}
}

// fieldOf returns the name of a field as a string that outlives the token.
func fieldOf(local []byte) string {
	switch string(local) {
	case "loc":
		return "loc"
	case "lastmod":
		return "lastmod"
	case "changefreq":
		return "changefreq"
	}
	return "priority"
}

// setLoc takes a location for the entry.
func (d *document) setLoc(raw []byte, pos sitemap.Position) {
	d.locs++
	loc, ok := d.sink.Loc(raw, pos, "loc")
	d.entry.Loc, d.dropped = loc, !ok
}

// end reads what follows the root and returns why the document ended, if not
// properly.
func (d *document) end() error {
	if d.sink.Stopped() {
		return nil
	}
	return record.EndXML(d.in, d.r, d.sink)
}
