package xmlscan

import "bytes"

// skipSpace advances past white space before markup.
func (r *Reader) skipSpace() {
	r.sync()
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
	b, old := r.in.Window(), r.Raw
	from := len(old) + spaceLen(b[len(old):])
	next, rest := b[from:], b[from:]
	for i := range r.Attrs {
		a := &r.Attrs[i]
		same := old[:cap(old)-cap(a.Value)] // up to the value
		value, ok := bytes.CutPrefix(rest, same)
		n := bytes.IndexByte(value, same[len(same)-1])
		if !ok || n < 0 {
			return false
		}
		old = old[len(same)+len(a.Value):]
		a.Value, rest = value[:n], value[n:]
	}
	rest, ok := bytes.CutPrefix(rest, old)
	next = next[:len(next)-len(rest)]
	if !ok || bytes.IndexByte(next[1:], '<') >= 0 {
		return false
	}
	r.in.Advance(from)
	r.Raw, r.size, r.current = next, len(next), fresh
	if r.report != nil {
		r.check()
		r.checkAttrs()
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
	if len(r.Prefix) == 0 || r.current != fresh || r.Cut {
		return
	}
	prefix := r.Name[:len(r.Prefix)+1]
	b := r.in.Window()
	for i := len(r.Raw); ; i++ {
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
