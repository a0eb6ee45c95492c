package parse

import (
	"bytes"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/chars"
	"github.com/seed-322c453a/sitemap/internal/document"
	"github.com/seed-322c453a/sitemap/internal/extension"
	"github.com/seed-322c453a/sitemap/internal/input"
	"github.com/seed-322c453a/sitemap/internal/location"
	"github.com/seed-322c453a/sitemap/internal/namespace"
	"github.com/seed-322c453a/sitemap/internal/xmlscan"
)

// newDecoder returns the decoder of a document whose next token is the start tag of the root.
func newDecoder(in *input.Reader, format sitemap.Format, sink *document.Sink,
	o *sitemap.Options) *decoder {
	d := &decoder{in: in, sink: sink, r: xmlscan.NewReader(in, sink.Report())}
	if format == sitemap.SitemapIndex {
		d.kind = sitemap.Sitemap
	}
	d.r.Stray = func() { sink.Stray(in, d.r.Raw()) }
	d.r.IsEntry, d.r.IsField, d.r.IsExtension = d.isEntry, d.isField, d.isForeignSpace
	d.r.HoldsFields = d.holdsFields
	d.skip = o.SkipExtensions
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

// quickEntries reads entries of the most common shape straight from the window: tags without
// attributes or elements in fields. At anything else it hands over to the general reader, in the
// middle of an entry or between two.
func (d *decoder) quickEntries() {
	q := &d.quick
	for at := !q.disabled && d.r.At(1); at && !d.sink.Stopped(); {
		b := d.padded()
		i := xmlscan.SkipSpace(b, 0)
		name, own := d.pass(b, i+1)
		if b[i] != '<' || !own || !q.isEntry(b, name) {
			return
		}
		d.begin(d.kind, i)
		i = d.quickFields(b, name+q.size)
		if d.listener != nil {
			d.listener.Entry(d.entry.Pos.Offset, d.fields)
		}
		end := d.endTag(b, i)
		if len(b)-i < maxCut && !q.isEntry(b, end) {
			d.in.Advance(i)
			d.in.MoreAtHand()
			b = d.padded()
			d.fields = d.fields[:0]
			i = d.quickFields(b, 0)
			if len(d.fields) > 0 {
				d.listener.Entry(d.entry.Pos.Offset, d.fields)
			}
			end = d.endTag(b, i)
		}
		if d.locs == 0 || !q.isEntry(b, end) {
			d.in.Advance(i)
			d.enter()
			at = d.r.At(1)
			continue
		}
		d.in.Advance(end + q.size)
		d.flush()
	}
}

// maxCut is longer than most fields and groups of links, which the end of the window may cut.
const maxCut = 4 << 10

// enter leaves the rest of an entry that was read quickly so far to the general reader.
func (d *decoder) enter() {
	start := d.quick.start
	d.r.Enter(start[1:len(start)-1], d.locs > 0 || d.seen != 0 || d.extended)
	d.entrySpc, d.usual = d.space, true
	d.start = append(d.start[:0], start...)
	d.readFields(false)
}

// padded returns the window with its padding.
func (d *decoder) padded() []byte {
	b := d.in.Window()
	return b[:len(b)+input.Padding]
}

// quickRest reads fields of the open entry, and its end tag, as far as they have the common shape.
// It reports whether it has read the end tag.
func (d *decoder) quickRest(depth int) (ended bool) {
	if !d.usual || d.quick.disabled || d.listener != nil || !d.r.At(depth) {
		return false
	}
	b := d.padded()
	i := d.quickFields(b, 0)
	end := d.endTag(b, i)
	if ended = d.quick.isEntry(b, end); ended {
		i = end + d.quick.size
		d.r.Exit()
	}
	d.in.Advance(i)
	return ended
}

// openRoot reads the start tag of the root and reports its problems. The root of entries without
// one has no tags.
func (d *decoder) openRoot() {
	d.root, d.space, d.prefix = string(d.r.Local()), d.r.Space, string(d.r.Prefix())
	d.entrySpc = d.space
	d.quick = newQuick(d.kind, d.prefix, d.quick.disabled)
	if d.listener != nil {
		d.listener.Root(d.r)
	}
	d.checkName()
	if d.root == "url" || d.root == "sitemap" {
		d.r.Wrap(map[string]string{"url": "urlset", "sitemap": "sitemapindex"}[d.root])
		return
	}
	switch d.space {
	case namespace.Sitemap:
	case namespace.NoSpace:
		d.problem(sitemap.MissingNamespace, d.root)
	default:
		if len(d.r.Prefix()) == 0 || d.r.Declared {
			d.problem(sitemap.UnknownNamespace, d.root)
		}
	}
}

// checkName reports, once each, a name in another letter case, and an entry or a field in no
// namespace under a root that has one.
func (d *decoder) checkName() {
	if d.r.Upper && !d.uppered {
		d.uppered = true
		d.problem(sitemap.UppercaseTag, string(d.r.Local()))
	}
	if d.r.Space == namespace.NoSpace && d.space != namespace.NoSpace && !d.unspaced {
		d.unspaced = true
		d.problem(sitemap.MissingNamespace, string(d.r.Local()))
	}
}

// isEntry reports whether the current start tag is that of an entry. Its namespace is that of the
// protocol or of the root, or it has none. Any namespace will do without a prefix, or with a prefix
// that is the root's or undeclared, unless an element around it in the entry has the same
// namespace.
func (d *decoder) isEntry() bool {
	name := d.r.Local()
	return (string(name) == "url" || string(name) == "sitemap") &&
		(d.isOwn() || d.r.Unknown() ||
			(len(d.r.Prefix()) == 0 || string(d.r.Prefix()) == d.prefix) && !d.r.Enclosed())
}

// isField reports whether the current start tag is that of one of the protocol's own fields. A loc
// in another namespace is not a location of the entry.
func (d *decoder) isField() bool {
	switch string(d.r.Local()) {
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
func (d *decoder) holdsFields(s namespace.Space, local string) bool {
	return local == "image" && !d.isForeignSpace(s)
}

// maxGroups is the depth up to which entries are looked for in elements around them.
const maxGroups = 8

// child reads a child of the root. An unknown one may hold entries.
func (d *decoder) child() {
	switch {
	case d.isEntry():
		d.readEntry()
		return
	case d.isField(), d.isExtension():
		d.problem(sitemap.MisplacedElement, string(d.r.Local()))
		return
	case !d.isOwn():
		d.readForeign()
		return
	}
	d.reportUnknown()
	if depth := d.r.Depth(); depth < maxGroups {
		for !d.sink.Stopped() && d.r.Child(depth) {
			d.child()
		}
	}
}

// readForeign reads an element of another namespace, with the entries in it, and keeps it.
func (d *decoder) readForeign() {
	d.sink.Unknown(sitemap.ForeignElement, d.in, d.r.Name(), d.r.Raw())
	if d.data == nil {
		d.data = extension.New(d.r, d.in, d.sink)
	}
	if e, ok := d.data.Around(d.readEntry); ok {
		d.sink.Other(e)
	}
}

// reportUnknown reports the current element, which the schema does not have.
func (d *decoder) reportUnknown() {
	d.sink.Unknown(sitemap.UnknownElement, d.in, d.r.Local(), d.r.Raw())
}

// isExtension reports whether the current start tag is that of a known child of entries.
func (d *decoder) isExtension() bool {
	s := d.r.Space
	return s > namespace.Sitemap && s < namespace.XHTML ||
		s == namespace.XHTML && string(d.r.Local()) == "link"
}

// readEntry reads an entry. If it has several locations, the fields after each belong to it.
func (d *decoder) readEntry() {
	kind := sitemap.Page
	if string(d.r.Local()) == "sitemap" {
		kind = sitemap.Sitemap
	}
	if kind != d.kind {
		d.problem(sitemap.MisplacedElement, string(d.r.Local()))
	}
	d.checkName()
	d.entrySpc = d.r.Space
	usual := d.quick.start
	d.usual = d.r.Space == d.space && bytes.Equal(d.r.Name(), usual[1:len(usual)-1])
	d.begin(kind, 0)
	d.start = append(d.start[:0], chars.Excerpt(d.r.Raw())...)
	d.readFields(d.quickRest(d.r.Depth()))
}

// readFields reads the rest of the open entry, unless its end tag was read already.
func (d *decoder) readFields(ended bool) {
	for depth := d.r.Depth(); !ended && !d.sink.Stopped() && d.r.Child(depth); {
		own := d.isOwn()
		if d.isField() {
			d.checkName()
			d.readField()
		} else {
			d.readOther(own)
		}
		ended = own && d.quickRest(depth)
	}
	direct := xmlscan.TrimSpace(d.r.Direct)
	if d.locs == 0 {
		d.withoutLoc(direct)
	} else if len(direct) > 0 {
		d.sink.Problem(sitemap.StrayText, d.r.DirectAt, "", direct)
	}
	d.flush()
}

// readOther reads a child of an entry that is not one of its fields.
func (d *decoder) readOther(own bool) {
	if own && !extension.IsRecord(d.r) {
		d.reportUnknown()
	}
	switch {
	case !d.skip:
		d.extended = true
		d.extensions().Element(own)
	case !own:
		d.r.SkipRun()
	}
}

// withoutLoc handles an entry without a loc: a URL in its text is used instead.
func (d *decoder) withoutLoc(direct []byte) {
	switch {
	case d.r.Unfinished():
		return
	case d.r.DirectCut:
		d.sink.Drop(sitemap.LocTooLong, d.entry.Pos, "loc", direct)
	case location.IsAbsolute(direct):
		d.sink.Problem(sitemap.TextAsLoc, d.r.DirectAt, "loc", direct)
		d.setLoc(direct, d.entry.Pos)
	default:
		if len(direct) > 0 {
			d.sink.Problem(sitemap.StrayText, d.r.DirectAt, "", direct)
		}
		d.sink.Drop(sitemap.MissingLoc, d.entry.Pos, "loc", d.start)
	}
}

// readField reads one of the protocol's own fields.
func (d *decoder) readField() {
	pos := d.in.Position(0)
	name, field := fieldOf(d.r.Local())
	if d.entry.Kind == sitemap.Sitemap && (field == changeFreq || field == priority) {
		d.reportUnknown()
	}
	text := d.r.Text()
	if !d.r.Complete {
		return // cut by the end of the document
	}
	if field != 0 && !d.seen.add(field) {
		d.sink.Problem(sitemap.RepeatedElement, pos, name, text)
	}
	if d.r.Nested && field != 0 { // elements in a loc have a code of their own
		d.sink.Problem(sitemap.UnknownElement, pos, name, text)
	}
	switch field {
	default:
		if d.locs > 0 && !d.dropped && len(bytes.TrimSpace(text)) == 0 {
			d.sink.Drop(sitemap.EmptyLoc, pos, name, text)
			return
		}
		if d.locs > 0 {
			if d.locs == 1 {
				d.sink.Problem(sitemap.SeveralLocs, pos, name, text)
			}
			d.flush()
			d.entry, d.seen = sitemap.Entry{Kind: d.entry.Kind, Pos: pos}, 0
		}
		if d.r.Nested {
			d.sink.Problem(sitemap.ElementInLoc, pos, name, text)
			if len(d.r.Href) > 0 && !location.IsAbsolute(text) {
				text = d.r.Href
			}
		}
		if d.r.Overflow {
			d.locs++
			d.dropped = true
			d.sink.Drop(sitemap.LocTooLong, pos, name, text)
			return
		}
		d.setLoc(text, pos)
	case lastMod:
		if t := d.sink.W3CTime(text, pos, name); !t.IsZero() {
			d.entry.LastMod = t
		}
	case changeFreq:
		if f := d.sink.ChangeFreq(text, pos, name); f != 0 {
			d.entry.ChangeFreq = f
		}
	case priority:
		if p := d.sink.Priority(text, pos, name); !p.IsZero() {
			d.entry.Priority = p
		}
	}
}

// fieldOf returns the name of a field as a string that outlives the token, and the field, which is
// 0 for a loc.
func fieldOf(local []byte) (string, fieldSet) {
	switch string(local) {
	case "loc":
		return "loc", 0
	case "lastmod":
		return "lastmod", lastMod
	case "changefreq":
		return "changefreq", changeFreq
	}
	return "priority", priority
}

// end reads the part after the root and returns the error that the document ended with, or nil.
func (d *decoder) end() error {
	if d.sink.Stopped() {
		return nil
	}
	if !d.r.Truncated() && !d.sink.Listed() {
		d.sink.Problem(sitemap.NoEntries, d.in.Position(0), "", nil)
	}
	return document.EndXML(d.in, d.r, d.sink)
}
