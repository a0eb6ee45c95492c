package xmlscan

import (
	"bytes"

	"github.com/seed-322c453a/sitemap/internal/namespace"
)

// skipSpace advances past white space before markup.
func (r *Reader) skipSpace() {
	r.Sync()
	b := r.in.Window()
	if n := spaceLen(b); n > 0 && n < len(b) && b[n] == '<' {
		r.in.Advance(n)
	}
}

// At moves the input to the byte after the current token, or after its element if that holds only
// text, for a caller that reads the window itself. It reports whether the next token is directly in
// the element at depth d. The caller may advance past whole elements that need no report.
func (r *Reader) At(d int) bool {
	switch {
	case r.current != fresh:
	case r.Empty:
		r.open()
	case len(r.stack) != d || !r.skipLeaf():
		return false
	}
	if len(r.stack) != d || r.deep > 0 || r.root != rootOpen || r.pending || len(r.Direct) > 0 {
		return false
	}
	r.Sync()
	r.unbind(d)
	return true
}

// PlainSection returns the text of the CDATA section at b[i] if it contains no '<' or ']', and the
// offset of the '<' that follows. The offset is 0 if there is no such section, or no '<'.
func PlainSection(b []byte, i int) (text []byte, end int) {
	if !bytes.HasPrefix(b[i:], cdataStart) {
		return nil, 0
	}
	i += len(cdataStart)
	n := bytes.IndexByte(b[i:], ']')
	if n < 0 || !bytes.HasPrefix(b[i+n:], []byte("]]><")) || bytes.IndexByte(b[i:i+n], '<') >= 0 {
		return nil, 0
	}
	return b[i : i+n], i + n + len(cdataEnd)
}

// Enter opens an entry with this name whose start tag, without attributes, the caller has read
// itself, and elements in it if hasElements is set. The window starts after them.
func (r *Reader) Enter(name []byte, hasElements bool) {
	r.size, r.Empty = 0, false
	r.unbind(len(r.stack))
	r.pushEntry(name)
	r.owner = r.owner[:0]
	if !hasElements {
		r.owner = append(r.owner, name...)
	}
}

// Passed records that the caller has itself read an element in the entry. Text that follows is not
// the text of a start tag.
func (r *Reader) Passed() { r.owner = r.owner[:0] }

// Exit closes the open entry, whose end tag the caller has read itself.
func (r *Reader) Exit() { r.pop(r.entry - 1) }

// isForeign reports whether a prefix is declared for a namespace of extensions.
func (r *Reader) isForeign(prefix []byte) bool {
	space, declared := r.Lookup(prefix)
	return declared && r.IsExtension(space)
}

// SkipRun skips the element whose start tag is current, and those that directly follow with a
// prefix of an extension, up to the end of the entry. It does nothing, so that Child skips the
// element, if the name has no prefix, if another tag comes first, which may be in the run, or if the
// window ends before. It looks only at the start of each tag, and reports no problem.
func (r *Reader) SkipRun() {
	if len(r.Prefix()) == 0 || r.current != fresh || r.Cut || r.entry == 0 ||
		r.in.Offset() < r.noRun {
		return
	}
	end, ok := r.runEnd(r.in.Window(), r.size, r.Name()[:len(r.Prefix())+1], r.name(r.entry))
	if !ok {
		r.noRun = r.in.Offset() + int64(end)
		return
	}
	r.in.Advance(end)
	r.size, r.current = 0, unopened
}

// Run returns the index after the elements that SkipRun skips, from the start tag at the window's
// byte i on, or 0. It is for a caller that reads the window, and the start tag of an entry with this
// name, itself.
func (r *Reader) Run(i int, entry []byte) int {
	b := r.in.Window()
	name := b[i+1:]
	prefix, _ := cutPrefix(name[:NameLen(name)])
	space := r.Documented(prefix)
	if len(prefix) == 0 || space == namespace.NoSpace || !r.IsExtension(space) {
		return 0
	}
	if end, ok := r.runEnd(b, i+1, name[:len(prefix)+1], entry); ok {
		return end
	}
	return 0
}

// runEnd returns the index in b of the end tag of the entry with this name, if there are only
// extensions between i and it. The current one has this prefix, with its colon. If SkipRun does
// nothing, runEnd reports false, and how far it has searched.
func (r *Reader) runEnd(b []byte, i int, prefix, entry []byte) (end int, ok bool) {
	for ; ; i++ {
		lt := bytes.IndexByte(b[i:], '<')
		if lt < 0 {
			return len(b), false
		}
		i += lt
		name := b[i+1:]
		ends := len(name) > 0 && name[0] == '/'
		if ends {
			name = name[1:]
		}
		if bytes.HasPrefix(name, prefix) {
			continue
		}
		size := NameLen(name)
		switch p, _ := cutPrefix(name[:size]); {
		case size == len(name):
			return i, false
		case ends:
			return i, bytes.Equal(name[:size], entry)
		case len(p) > 0 && r.isForeign(p):
			prefix = name[:len(p)+1]
		case name[0] != '!':
			return i, false
		default:
			text := r.section(b, i)
			if text == nil {
				return i, false
			}
			i += len(cdataStart) + len(text)
		}
	}
}

// plainTag advances to the next tag if that is in an entry and has the usual shape: an end tag that
// closes the innermost element, or a start tag in ASCII that is neither an entry's nor a field's
// and has a declared prefix. It does what next does for any tag, but in one function, in half of
// the time. It reports whether it did.
func (r *Reader) plainTag() bool {
	b := r.in.Window()
	switch {
	case r.entry == 0 || r.deep > 0 || r.until != nil || len(b) < 2 || b[0] != '<':
		return false
	case b[1] == '/':
		return r.plainEnd(b)
	}
	return r.plainStart(b)
}

// plainStart is plainTag for a start tag at the start of b.
func (r *Reader) plainStart(b []byte) bool {
	n, colon, has := scanName(b[1:])
	n++
	if n == 1 || n == len(b) || has&isOther != 0 {
		return false
	}
	r.attrs, r.prefixed, r.Empty = r.attrs[:0], false, false
	end, ok := n, true
	if b[n] != '>' {
		end, ok = r.scanAttrs(b, n)
	}
	if !ok {
		return false
	}
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

// plainEnd is plainTag for an end tag at the start of b.
func (r *Reader) plainEnd(b []byte) bool {
	d := len(r.stack)
	name := r.name(d)
	end := len("</") + len(name)
	if end >= len(b) || b[end] != '>' || !bytes.Equal(b[2:end], name) {
		return false
	}
	r.Kind, r.size, r.nameAt, r.Cut = EndTag, end+1, span{2, end}, false
	r.current, r.owner = unopened, r.owner[:0]
	r.pop(d - 1)
	return true
}
