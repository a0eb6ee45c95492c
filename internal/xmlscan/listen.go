package xmlscan

// A Listener takes the elements of entries as a Reader meets them, for a caller that judges how a
// document is written. Arguments are valid during the call only.
type Listener interface {
	// Element takes the current start tag: that of an entry, at depth 0, or of an element in it. It
	// is called again for a tag that ends an unclosed element before it; the last call has the
	// depth that counts.
	Element(r *Reader, depth int)
	// Text takes text, or with isRaw unset a CDATA section, directly in the last element at depth.
	Text(text []byte, isRaw bool, depth int)
}

// depth returns the depth of a child of the innermost open element. It is 0 for an entry, and -1
// for other elements outside of entries.
func (r *Reader) depth() int {
	switch {
	case r.entry > 0:
		return len(r.stack) + r.deep - r.entry + 1
	case len(r.stack) > 0 && r.IsEntry():
		return 0
	}
	return -1
}

// hear passes the current token to the Listener.
func (r *Reader) hear() {
	switch r.Kind {
	case StartTag:
		isOpen := r.current == opened // by Enclosed
		d := r.depth()
		if isOpen {
			d--
		}
		if d >= 0 {
			r.Listener.Element(r, d)
		}
	case Text:
		if r.entry > 0 {
			r.Listener.Text(r.Raw(), true, r.depth()-1)
		}
	case CDATA:
		if r.entry > 0 {
			r.Listener.Text(r.Data, false, r.depth()-1)
		}
	}
}

// Offset returns the offset of the current token in the document.
func (r *Reader) Offset() int64 { return r.in.Offset() }
