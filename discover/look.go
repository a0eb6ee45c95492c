package discover

import "slices"

// A look is a child that was looked at for fetching ahead.
type look struct {
	fr     *frame
	at     int   // in fr.children, or of hint
	putOff bool  // it was put off before
	hint   *hint // that lists it, if its index was not walked yet
}

func (l *look) child() *child {
	if l.hint != nil {
		return &l.hint.children[l.at]
	}
	return &l.fr.children[l.at]
}

// index returns the record of the index that lists the child, or what stands for it.
func (l *look) index() *record {
	if l.hint != nil {
		return l.hint.index
	}
	return l.fr.index
}

// upcoming returns, in document order as far as it is known, the next child that was not looked
// at for fetching ahead, or was put off and is not on a host that is full, or nil. No more are put
// off than are within reach, so that it is not the last ones that are fetched first.
func (f *frontier) upcoming(full func(authority string) bool, reach int) *look {
	before := 0 // children that were put off
	for _, fr := range slices.Backward(f.frames) {
		fr.ahead = max(fr.ahead, fr.next)
		if h := fr.firstHint(full); h != nil {
			h.next++
			return &look{fr: fr, at: h.next - 1, hint: h}
		}
		if reach <= 0 {
			continue // to a hint
		}
		if at, ok := fr.firstPutOff(full); ok {
			fr.children[at].putOff = false
			fr.putOff--
			return &look{fr: fr, at: at, putOff: true}
		}
		if before += fr.putOff; before >= reach {
			return nil
		}
		if fr.ahead < len(fr.children) {
			fr.ahead++
			return &look{fr: fr, at: fr.ahead - 1}
		}
	}
	return nil
}

// firstHint returns the first hint with a child that may be fetched ahead, unless its host is full.
func (fr *frame) firstHint(full func(authority string) bool) *hint {
	for _, h := range fr.hints {
		if h.next < len(h.children) && !full(authority(h.children[h.next].loc)) {
			return h
		}
	}
	return nil
}

// firstPutOff takes the first child that was put off and is not on a host that is full.
func (fr *frame) firstPutOff(full func(authority string) bool) (at int, ok bool) {
	var first string
	for on, waiting := range fr.waiting {
		for len(waiting) > 0 && !fr.isPutOff(waiting[0]-fr.gone) {
			waiting = waiting[1:]
		}
		if fr.waiting[on] = waiting; len(waiting) == 0 {
			delete(fr.waiting, on)
		} else if i := waiting[0] - fr.gone; !full(on) && (!ok || i < at) {
			first, at, ok = on, i, true
		}
	}
	if ok {
		fr.waiting[first] = fr.waiting[first][1:]
	}
	return at, ok
}

// isPutOff reports whether the child at i is still there, and put off.
func (fr *frame) isPutOff(i int) bool {
	return i >= fr.next && i < len(fr.children) && fr.children[i].putOff
}

// delay puts a child off until its host is not full; that of a hint stays where it is.
func (l *look) delay() {
	if l.hint != nil {
		l.hint.next--
		return
	}
	c := l.child()
	c.putOff = true
	l.fr.putOff++
	if l.fr.waiting == nil {
		l.fr.waiting = map[string][]int{}
	}
	on := authority(c.loc)
	waiting := append(l.fr.waiting[on], l.fr.gone+l.at)
	slices.Sort(waiting) // already, unless it was put off before
	l.fr.waiting[on] = waiting
}

// undo has the child looked at again.
func (l *look) undo() {
	if l.hint != nil || l.putOff {
		l.delay()
	} else {
		l.fr.ahead--
	}
}
