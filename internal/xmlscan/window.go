package xmlscan

import (
	"bytes"

	"github.com/seed-322c453a/sitemap/internal/input"
)

// skipSpace advances past white space before markup.
func (r *Reader) skipSpace() {
	r.Sync()
	b := r.in.Window()
	if n := spaceLen(b); n > 0 && n < len(b) && b[n] == '<' {
		r.in.Advance(n)
	}
}

// At moves the input to the byte after the current token, for a caller that reads the window
// itself. It reports whether the next token is directly in the element at depth d. The caller may
// advance past whole elements that need no report.
func (r *Reader) At(d int) bool {
	if r.current == fresh && r.Empty {
		r.open()
	}
	if r.current == fresh || len(r.stack) != d || r.deep > 0 || r.root != rootOpen || r.pending ||
		len(r.Direct) > 0 {
		return false
	}
	r.Sync()
	return true
}

// Enter opens an entry with this name whose start tag, without attributes, the caller has read
// itself. The window starts after it.
func (r *Reader) Enter(name []byte) {
	r.size, r.Empty = 0, false
	r.unbind(len(r.stack))
	r.pushEntry(name)
}

// Exit closes the open entry, whose end tag the caller has read itself.
func (r *Reader) Exit() { r.pop(r.entry - 1) }

// Again advances to the next start tag if it repeats the current one, that of an empty element,
// with other values of the attributes. It reports whether it did. If it did not, the attributes of
// the current tag are no longer valid.
func (r *Reader) Again() bool {
	n := len(r.bindings)
	declares := n > 0 && r.bindings[n-1].depth > len(r.stack)
	if !r.Empty || r.odd || r.pending || r.Kind != StartTag || declares {
		return false
	}
	b := r.in.Window()
	from := r.size + spaceLen(b[r.size:])
	last, next := 0, from
	for i := range r.attrs {
		a := &r.attrs[i]
		same := b[last:a.value.start] // up to the value
		value, ok := bytes.CutPrefix(b[next:], same)
		size := bytes.IndexByte(value, same[len(same)-1])
		if !ok || size < 0 {
			return false
		}
		next += len(same)
		shift := next - from - a.value.start
		a.name = span{a.name.start + shift, a.name.end + shift}
		last, a.value = a.value.end, span{next - from, next - from + size}
		next += size
	}
	same := b[last:r.size]
	end := next + len(same)
	if !bytes.HasPrefix(b[next:], same) || bytes.IndexByte(b[from+1:end], '<') >= 0 {
		return false
	}
	r.in.Advance(from)
	r.size, r.current = end-from, fresh
	if r.report != nil {
		r.check()
		r.checkAttrs()
	}
	if r.Listener != nil {
		r.hear()
	}
	return true
}

// isForeign reports whether a prefix is declared for a namespace of extensions.
func (r *Reader) isForeign(prefix []byte) bool {
	space, declared := r.Lookup(prefix)
	return declared && r.IsExtension(space)
}

// SkipRun skips the element whose start tag is current, and those that directly follow with a
// prefix of an extension. It does nothing, so that Child skips the element, if the name has no
// prefix, if an element without a prefix follows, or if the window ends before. It looks only at
// the start of each tag, and reports no problem.
func (r *Reader) SkipRun() {
	if len(r.Prefix()) == 0 || r.current != fresh || r.Cut {
		return
	}
	prefix := r.Name()[:len(r.Prefix())+1]
	b := r.in.Window()
	for i := r.size; ; i++ {
		lt := bytes.IndexByte(b[i:], '<')
		if lt < 0 {
			return
		}
		i += lt
		name := b[i+1:]
		ends := len(name) > 0 && name[0] == '/'
		if ends {
			name = name[1:]
		}
		switch {
		case bytes.HasPrefix(name, prefix):
		case ends || bytes.IndexByte(name[:NameLen(name)], ':') > 0:
			if p, _ := cutPrefix(name[:NameLen(name)]); !ends && r.isForeign(p) {
				prefix = name[:len(p)+1]
				continue
			}
			r.in.Advance(i)
			r.size, r.current = 0, unopened
			return
		case len(name) == 0 || name[0] != '!':
			return
		default:
			text := r.section(b, i)
			if text == nil {
				return
			}
			i += len(cdataStart) + len(text)
		}
	}
}

// plainTag advances past white space to the next tag in an entry if that has the usual shape: an end
// tag that closes the innermost element, or a start tag in ASCII that is neither an entry's nor a
// field's and has a declared prefix. It does what next does for any tag, but in one function, in
// half of the time. It reports whether it did.
func (r *Reader) plainTag() bool {
	if r.entry == 0 || r.pending || r.deep > 0 || r.mixed != nil || r.until != nil ||
		len(r.Direct) > 0 {
		return false
	}
	b := r.in.Window()
	b = b[:len(b)+input.Padding]
	i := r.size
	for IsSpace(b[i]) {
		i++
	}
	switch {
	case b[i] != '<':
		return false
	case b[i+1] == '/':
		return r.plainEnd(b, i)
	case !isNameStart(b[i+1]):
		return false
	}
	n, colon, has := i+1, -1, nameClass(0)
	for class := nameClasses[b[n]]; class != 0; class = nameClasses[b[n]] {
		if class&isColon != 0 {
			colon = n - (i + 1)
		}
		has |= class
		n++
	}
	if has&isOther != 0 || n >= len(b)-input.Padding {
		return false
	}
	r.in.Advance(i)
	b, n = b[i:len(b)-input.Padding], n-i
	r.size, r.attrs, r.prefixed, r.Empty = 0, r.attrs[:0], false, false
	end, ok := n, true
	if b[n] != '>' {
		end, ok = r.scanAttrs(b, n)
	}
	return ok && r.plainStart(b, end, n, colon, has)
}

// plainStart is plainTag for the start tag at the start of b, whose attributes were scanned. It ends
// with the '>' at b[end], and its name is b[1:n].
func (r *Reader) plainStart(b []byte, end, n, colon int, has nameClass) bool {
	d := len(r.stack)
	r.nameAt, r.colon, r.has = span{1, n}, colon, has
	r.Kind, r.size, r.Cut, r.odd, r.current = StartTag, end+1, false, false, fresh
	r.unbind(d)
	r.lowerName()
	if len(r.attrs) > 0 {
		r.bind(d + 1)
	}
	r.Space, r.Declared = r.Lookup(r.Prefix())
	if !r.Declared || r.IsEntry() || d > r.entry && r.IsField() {
		r.size, r.current = 0, unopened
		return false
	}
	r.owner = r.owner[:0]
	if !r.Empty {
		r.owner = append(r.owner, b[1:n]...)
	}
	if r.report != nil && len(r.attrs) > 0 {
		r.check()
		r.checkAttrs()
	}
	if r.Listener != nil {
		r.hear()
	}
	return true
}

// plainEnd is plainTag for an end tag at b[i].
func (r *Reader) plainEnd(b []byte, i int) bool {
	d := len(r.stack)
	name := r.name(d)
	end := i + len("</") + len(name)
	if end >= len(b) || b[end] != '>' || !bytes.Equal(b[i+2:end], name) {
		return false
	}
	r.in.Advance(i)
	r.Kind, r.size, r.nameAt = EndTag, end+1-i, span{2, end - i}
	r.Cut, r.current = false, unopened
	r.owner = r.owner[:0]
	r.pop(d - 1)
	return true
}
