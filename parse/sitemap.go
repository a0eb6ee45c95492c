package parse

import (
	"bytes"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/chars"
	"github.com/seed-322c453a/sitemap/internal/document"
	"github.com/seed-322c453a/sitemap/internal/extension"
	"github.com/seed-322c453a/sitemap/internal/input"
	"github.com/seed-322c453a/sitemap/internal/location"
	"github.com/seed-322c453a/sitemap/internal/xmlscan"
)

// newDecoder returns the decoder of a document whose next token is the start tag of the root.
func newDecoder(in *input.Reader, sink *document.Sink, o *sitemap.Options) *decoder {
	d := &decoder{in: in, sink: sink, r: xmlscan.NewReader(in, sink.Report())}
	d.r.IsEntry, d.r.IsField, d.r.IsExtension = d.isEntry, d.isField, d.isForeignSpace
	d.r.HoldsFields = d.holdsFields
	if !o.SkipExtensions {
		d.ext = extension.New(d.r, in, sink)
	}
	return d
}

// read reads the document, with the short cut as far as possible.
func (d *decoder) read() {
	if d.r.Child(0) {
		d.openRoot()
	}
	for d.quickEntries(); !d.sink.Stopped() && d.r.Child(1); d.quickEntries() {
		d.child()
	}
	d.sink.Finish(d.end())
}

// openRoot reads the start tag of the root and reports its problems.
func (d *decoder) openRoot() {
	d.root, d.space, d.prefix = string(d.r.Local), d.r.Space, string(d.r.Prefix)
	d.entrySpc = d.space
	if d.root == "sitemapindex" {
		d.kind = sitemap.Sitemap
	}
	q := newQuick(d.root, d.prefix)
	q.disabled = d.quick.disabled
	d.quick = q
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

// checkCase reports, once, a name in another letter case.
func (d *decoder) checkCase() {
	if d.r.Upper && !d.uppered {
		d.uppered = true
		d.problem(sitemap.UppercaseTag, string(d.r.Local))
	}
}

// isEntry reports whether the current start tag is that of an entry. Its namespace is that of the
// protocol or of the root, or it has none. Any namespace will do without a prefix, or with a prefix
// that is the root's or undeclared, unless an element around it in the entry has the same
// namespace.
func (d *decoder) isEntry() bool {
	name := d.r.Local
	return (string(name) == "url" || string(name) == "sitemap") &&
		(d.isOwn() || d.r.Unknown() || (len(d.r.Prefix) == 0 || string(d.r.Prefix) == d.prefix) &&
			!d.r.Enclosed())
}

// isField reports whether the current start tag is that of one of the protocol's own fields. A loc
// in another namespace is not a location of the entry.
func (d *decoder) isField() bool {
	switch string(d.r.Local) {
	case "loc", "lastmod", "changefreq", "priority":
		return d.isOwn()
	}
	return false
}

// isOwn reports whether the current start tag is in the namespace of the protocol, the root or the
// entry, or in none.
func (d *decoder) isOwn() bool { return !d.isForeignSpace(d.r.Space) }

// holdsFields reports whether an element has fields of its own: an image without its prefix has a
// loc.
func (d *decoder) holdsFields(s xmlscan.Space, local string) bool {
	return local == "image" && !d.isForeignSpace(s)
}

// child reads a child of the root.
func (d *decoder) child() {
	switch {
	case d.isEntry():
		d.readEntry()
	case d.isField(), d.isExtension():
		d.problem(sitemap.MisplacedElement, string(d.r.Local))
	}
}

// isExtension reports whether the current start tag is that of a known child of entries.
func (d *decoder) isExtension() bool {
	s := d.r.Space
	return s > xmlscan.Sitemap && s < xmlscan.XHTML ||
		s == xmlscan.XHTML && string(d.r.Local) == "link"
}

// readEntry reads an entry. If it has several locations, the fields after each belong to it.
func (d *decoder) readEntry() {
	kind := sitemap.Page
	if string(d.r.Local) == "sitemap" {
		kind = sitemap.Sitemap
	}
	if kind != d.kind {
		d.problem(sitemap.MisplacedElement, string(d.r.Local))
	}
	d.checkCase()
	if d.r.Space == xmlscan.NoSpace && d.space != xmlscan.NoSpace && !d.unspaced {
		d.unspaced = true
		d.problem(sitemap.MissingNamespace, string(d.r.Local))
	}
	d.entrySpc, d.usual = d.r.Space, d.r.Space == d.space && string(d.r.Prefix) == d.prefix
	d.begin(kind, 0)
	d.start = append(d.start[:0], chars.Excerpt(d.r.Raw)...)
	d.readFields()
}

// begin starts an entry at the window's byte at.
func (d *decoder) begin(kind sitemap.Kind, at int) {
	d.entry = sitemap.Entry{Kind: kind, Pos: d.in.Position(at)}
	d.locs, d.dropped, d.extended = 0, false, false
}

// readFields reads the rest of the open entry.
func (d *decoder) readFields() {
	depth := d.r.Depth()
	for d.quickField(depth); !d.sink.Stopped() && d.r.Child(depth); d.quickField(depth) {
		if d.isField() {
			d.checkCase()
			d.readField()
		} else if d.ext != nil {
			d.extended = true
			d.ext.Element(d.isOwn())
		} else if !d.isOwn() {
			d.r.SkipRun()
		}
	}
	if d.locs == 0 {
		d.withoutLoc()
	}
	d.flush()
}

// flush yields the location that was read last.
func (d *decoder) flush() {
	if d.locs > 0 && !d.dropped {
		if d.extended {
			d.entry.Extensions = d.ext.Take()
		}
		d.sink.Emit(&d.entry)
	} else if d.extended {
		d.ext.Reset()
	}
	d.extended = false
}

// withoutLoc handles an entry without a loc: a URL in its text is used instead.
func (d *decoder) withoutLoc() {
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
		d.sink.Drop(sitemap.MissingLoc, d.entry.Pos, "loc", d.start)
	}
}

// readField reads one of the protocol's own fields.
func (d *decoder) readField() {
	pos := d.in.Position(0)
	name := fieldOf(d.r.Local)
	text := d.r.Text()
	if !d.r.Complete {
		return // cut by the end of the document
	}
	if d.r.Nested && name != "loc" { // elements in a loc have a code of their own
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

// setLoc sets the location of the entry.
func (d *decoder) setLoc(raw []byte, pos sitemap.Position) {
	d.locs++
	loc, ok := d.sink.Loc(raw, pos, "loc")
	d.entry.Loc, d.dropped = loc, !ok
}

// end reads the part after the root and returns the error that the document ended with, or nil.
func (d *decoder) end() error {
	if d.sink.Stopped() {
		return nil
	}
	return document.EndXML(d.in, d.r, d.sink)
}
