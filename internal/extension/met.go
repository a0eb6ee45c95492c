package extension

import (
	"bytes"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/xmlscan"
)

// maxMet is the number of tags that are remembered. An item of a blog has two or three such
// elements.
const maxMet = 4

// metTags remembers the last tags of elements of other namespaces that have no attributes. Most
// items have the same few.
type metTags struct {
	tags []metTag
	next int // index of the one to replace next
}

type metTag struct {
	start, end  []byte
	space, name string // namespace and local name of the tag
}

// add remembers the tags of an element with this name.
func (m *metTags) add(name []byte, el *sitemap.Element) {
	for i := range m.tags {
		if start := m.tags[i].start; string(start[1:len(start)-1]) == string(name) {
			return
		}
	}
	if len(m.tags) < maxMet {
		m.tags = append(m.tags, metTag{})
	}
	t := &m.tags[m.next]
	t.start = append(append(append(t.start[:0], '<'), name...), '>')
	t.end = append(append(append(t.end[:0], "</"...), name...), '>')
	t.space, t.name = el.Space, el.Name
	m.next = (m.next + 1) % maxMet
}

// ForgetMet discards the remembered tags. Call it if prefixes may have changed their meaning.
func (d *Decoder) ForgetMet() { d.met = metTags{tags: d.met.tags[:0]} }

// QuickMet is Quick for an element of another namespace with plain text and a remembered tag. It is
// called before the start tag, which it need not parse again. It does not advance if it returns
// false.
func (d *Decoder) QuickMet(q *xmlscan.Quick) bool {
	for i := range d.met.tags {
		t := &d.met.tags[i]
		if !bytes.HasPrefix(q.Ahead(), t.start) {
			continue
		}
		from := q.Offset()
		text, ok := q.Plain(t.start, t.end)
		text = trim(text)
		if !ok || d.other.elements == MaxElements || d.other.text+len(text) > MaxOtherText ||
			d.textSize+q.Len() > MaxText {
			q.Seek(from)
			return false
		}
		d.sound = true
		el := d.addOther(text)
		el.Space, el.Name = t.space, t.name
		return true
	}
	return false
}
