package extension

import (
	"bytes"

	"github.com/seed-322c453a/sitemap"
)

// An otherBudget counts the elements of other namespaces of the entry, and their text.
type otherBudget struct{ elements, text int }

// otherElement keeps an element of another namespace with its content.
func (d *Decoder) otherElement() {
	if el, ok := d.element(1); ok {
		*d.others.next() = el
	}
}

// Around reads an element of another namespace that is not in an entry. ReadEntry reads the entries
// in it. The limits are those of one entry, for all such elements together.
func (d *Decoder) Around(readEntry func()) (el sitemap.Element, ok bool) {
	d.readEntry = readEntry
	return d.element(1)
}

// element reads an element with its children. Meanwhile d.tree holds the children read so far of
// every open element, after its previous content.
func (d *Decoder) element(depth int) (el sitemap.Element, ok bool) {
	kept := d.other.elements < MaxElements && depth <= MaxOtherDepth
	if !kept {
		d.overflow(string(d.r.Name()))
	}
	if !kept && (d.r.InEntry() || depth > MaxOtherDepth) {
		return el, false
	}
	d.other.elements++
	el.Space = d.r.URI()
	el.Name = d.name(d.r.Name()[bytes.IndexByte(d.r.Name(), ':')+1:])
	el.Attrs = d.elementAttrs()
	if text, ok := d.r.Leaf(); ok {
		el.Text = d.keepOther(trim(text))
		return el, kept
	}
	first, text := len(d.tree), len(d.mix)
	cut := false
	for level := d.r.Depth(); !d.sink.Stopped() && d.r.Mixed(level, &d.mix); {
		cut = cut || d.r.Overflow
		if !d.r.InEntry() && d.r.IsEntry() {
			d.readEntry()
			continue
		}
		if child, ok := d.element(depth + 1); ok {
			d.tree = append(d.tree, child)
		}
	}
	if cut || d.r.Overflow {
		d.overflow(el.Name)
	}
	el.Text = d.keepOther(bytes.TrimSpace(d.mix[text:]))
	d.mix = d.mix[:text]
	el.Children = d.takeTree(first)
	return el, kept && !d.r.Truncated()
}

// takeTree removes the elements from index first on from d.tree and returns them.
func (d *Decoder) takeTree(first int) []sitemap.Element {
	for i := range d.tree[first:] {
		*d.children.next() = d.tree[first+i]
	}
	clear(d.tree[first:])
	d.tree = d.tree[:first]
	return d.children.take()
}

// elementAttrs reads the attributes of the current start tag, except declarations of namespaces.
func (d *Decoder) elementAttrs() []sitemap.Attribute {
	for attr := range d.r.Attrs() {
		if bytes.HasPrefix(attr.Name, []byte("xmlns")) {
			continue
		}
		if d.other.text+len(attr.Name)+len(attr.Value) > MaxOtherText ||
			d.attributes.len() == MaxRecords {
			d.overflow(string(attr.Name))
			continue
		}
		d.other.text += len(attr.Name)
		a := d.attributes.next()
		a.Name, a.Value = d.name(attr.Name), d.keepOther(d.attr(attr.Value))
	}
	return d.attributes.take()
}

// keepOther returns text as a string, or "" if the entry has too much of it.
func (d *Decoder) keepOther(raw []byte) string {
	if d.other.text+len(raw) > MaxOtherText {
		d.overflow("")
		return ""
	}
	d.other.text += len(raw)
	return d.keep(raw, "")
}
