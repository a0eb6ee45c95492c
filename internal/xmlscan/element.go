package xmlscan

import (
	"bytes"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/input"
)

const (
	// MaxDepth is how deep elements are followed by name; deeper ones are counted.
	MaxDepth = 256
	// MaxName is how much of a name tells it from others.
	MaxName = 1 << 10
	// MaxText is how much text of one element is kept.
	MaxText = 64 << 10
)

// A Reader follows the elements of a document on top of a Scanner, and finds back
// to its entries. It is not safe for concurrent use.
type Reader struct {
	Scanner
	// IsEntry tells whether the current tag has the name and namespace of an
	// entry, IsField whether it has those of a field that an entry holds directly.
	IsEntry, IsField func() bool
	// IsExtension tells the namespaces of elements of an entry that a field's start tag
	// ends where they were left open.
	IsExtension func(Space) bool
	// HoldsFields tells, by namespace and local name in lower case, the elements of an entry
	// that a field's start tag does not end, since they may have such fields of their own.
	HoldsFields func(s Space, local string) bool

	// The current start tag, beside what the Scanner tells.
	Prefix, Local []byte // Local is in lower case
	Space         Space
	Declared      bool // the prefix is declared, or there is none
	Upper         bool // Local stands in another letter case

	// What Text read.
	Nested   bool // elements stood in the text
	Complete bool // the text's end stood in the document
	Overflow bool // there was more than MaxText of it

	// Direct is the first text that stood in the open entry itself, references
	// decoded; DirectCut says that there was more than 4 KiB of it.
	Direct    []byte
	DirectCut bool

	MixedCut bool // there was more text than Mixed keeps

	stack []open
	names []byte // of the open elements
	// How many of the outermost open elements are counted by the hashes of their names, and
	// the counts, which most documents do not need.
	hashed int
	hashes *[256]uint16
	deep   int // elements open beyond MaxDepth
	entry  int // depth of the open entry; 0 if none is
	// directEnd says that Direct is complete: an element followed it.
	directEnd  bool
	pending    bool // the current token is the next one
	pushed     bool // the current start tag's element is open
	inner      int  // elements of the root's name that were closed before their end tags
	rootEnd    bool // such an end tag came
	ended      bool // the root is closed
	cut        bool // the document ended before
	bindings   []binding
	seen       []declaration // namespaces declared so far
	others     int           // namespaces without a constant so far
	mixed      *[]byte       // where Mixed wants text
	text       []byte
	upper      []byte // a name in lower case
	undeclared bool   // an undeclared prefix was reported

	landmarks [4]landmark // by depth
	marked    int         // how deep they are at most
	// Bytes that were looked at for landmarks: for those that are far ahead, and for others.
	looked, lookedNear int64
}

// NewReader returns a reader of the rest of in, whose next start tag is the root.
func NewReader(in *input.Reader, report func(sitemap.Problem)) *Reader {
	r := &Reader{Scanner: *NewScanner(in, report)}
	r.IsEntry = func() bool { return false }
	r.IsField = r.IsEntry
	r.IsExtension = func(Space) bool { return false }
	r.HoldsFields = func(Space, string) bool { return false }
	return r
}

// Truncated reports whether the document ended before its root was closed.
func (r *Reader) Truncated() bool { return r.cut }

// Unfinished reports whether the document ended in the open entry, before its end tag
// was begun.
func (r *Reader) Unfinished() bool {
	return r.cut && (r.entry == 0 || len(r.stack) != r.entry || !r.endsHere(r.entry))
}

// Depth is the depth of the element whose start tag is current, for Child.
func (r *Reader) Depth() int {
	if r.Empty {
		return len(r.stack) + 1
	}
	return len(r.stack)
}

// Child moves to the next start tag directly in the element at depth d, passing
// over what is left of a child before it. It returns false when that element is
// closed: by its end tag, by that of an element around it, by the next entry or
// by the document's end. The root's own start tag is at depth 0.
func (r *Reader) Child(d int) bool {
	for {
		if len(r.stack) < d || r.cut || r.ended {
			return false
		}
		if len(r.stack) > d {
			r.skip(d)
			continue
		}
		if r.entry == 0 && !r.pending {
			r.owner = r.owner[:0] // what holds entries has no text
		}
		switch r.next() {
		case EOF:
			r.eof()
		case StartTag:
			if r.Cut && d > 0 && !r.IsEntry() {
				continue
			}
			if r.entry > 0 && r.IsEntry() && (d == r.entry || r.opensEntry()) {
				r.resume(d)
				continue
			}
			if d > r.entry && r.leftOpen() {
				r.reread(r.entry)
				continue
			}
			r.push()
			return true
		case EndTag:
			r.close()
		case Text, CDATA:
			r.direct(d)
		}
	}
}

// Mixed is Child, and appends the text that stands before the child, references
// decoded, to text.
func (r *Reader) Mixed(d int, text *[]byte) bool {
	r.mixed, r.MixedCut = text, false
	ok := r.Child(d)
	r.mixed = nil
	return ok
}

// direct keeps text that stands in the entry itself, or that Mixed asked for.
func (r *Reader) direct(d int) {
	switch {
	case r.mixed == nil:
	case len(*r.mixed)+len(r.Raw) > MaxText:
		r.MixedCut = true
	case r.Kind == CDATA:
		*r.mixed = append(*r.mixed, r.Data...)
	default:
		*r.mixed = Decode(*r.mixed, r.Raw)
	}
	switch {
	case d != r.entry || r.directEnd || r.DirectCut:
	case len(r.Direct)+len(r.Raw) > 4<<10:
		r.DirectCut = len(bytes.TrimSpace(r.Raw)) > 0
	case r.Kind == CDATA:
		r.Direct = append(r.Direct, r.Data...)
	default:
		r.Direct = Decode(r.Direct, r.Raw)
	}
}

// skip passes over what is open beyond depth d.
func (r *Reader) skip(d int) {
	for len(r.stack) > d && !r.cut && !r.ended {
		switch r.next() {
		case EOF:
			r.eof()
		case StartTag:
			if r.IsEntry() && r.opensEntry() {
				r.resume(d)
				return
			}
			if r.leftOpen() {
				r.reread(r.entry)
				return
			}
			if !r.Cut {
				r.push()
			}
		case EndTag:
			r.close()
		}
	}
}

// opensEntry reports whether the current start tag of an entry's name, within an element,
// opens one: it holds an element, and stands in no extension whose end tag follows.
func (r *Reader) opensEntry() bool {
	if !r.opensElement() {
		return false
	}
	if r.entry == 0 || len(r.stack) <= r.entry {
		return true
	}
	prefix, _ := cutPrefix(r.name(r.entry + 1))
	space, _ := r.Lookup(prefix)
	return len(prefix) == 0 || !r.IsExtension(space) || r.landmark(r.entry+1, nil) != itsEnd
}

// opensElement reports whether a start tag, a comment or a processing instruction follows the
// current start tag directly, in its element.
func (r *Reader) opensElement() bool {
	if r.Empty {
		return false
	}
	follows, _ := opens(r.ahead(3))
	return follows
}

// opens reports whether a start tag, a comment or a processing instruction stands in b behind
// white space, and whether b holds enough of it to know.
func opens(b []byte) (ok, known bool) {
	b = bytes.TrimLeft(b, " \t\r\n")
	switch {
	case len(b) == 0:
		return false, false
	case b[0] != '<':
		return false, true
	case len(b) == 1:
		return false, false
	case b[1] == '!':
		return bytes.HasPrefix(b, []byte("<!-")), len(b) > 2
	}
	return isNameStart(b[1]) || b[1] == '?', true
}

// ahead returns what follows the current token and white space behind it, n bytes
// or more unless the document or the window ends before.
func (r *Reader) ahead(n int) []byte {
	for more := true; ; more = r.more() { // which moves the window even if there is no more
		rest := bytes.TrimLeft(r.in.Window()[len(r.Raw):], " \t\r\n")
		if len(rest) >= n || !more {
			return rest
		}
	}
}

// more reads on behind the current tag, which moves.
func (r *Reader) more() bool {
	size := len(r.Raw)
	ok := r.in.More()
	report := r.report
	r.report = nil
	r.scan(r.in.Window(), true)
	r.report = report
	r.Raw = r.in.Window()[:size]
	if r.Kind == StartTag {
		r.split()
	}
	return ok
}

// next moves to the next token and resolves the names of a tag.
func (r *Reader) next() Kind {
	r.pushed = false
	if r.pending {
		r.pending = false
	} else {
		r.Scanner.Next()
	}
	switch r.Kind {
	case StartTag:
		if len(r.stack) == r.entry {
			r.directEnds()
		}
		r.resolve()
	case Instruction:
		if IsDeclaration(r.Raw) { // which stands at a document's start only
			r.mismatched(r.Raw)
		}
	case Declaration:
		if r.IsDoctype() { // which stands before the root
			r.problem(sitemap.Doctype, 0, r.Raw)
		}
	}
	return r.Kind
}

// directEnds notes that an element follows Direct, which blanks do not count for.
func (r *Reader) directEnds() {
	if len(bytes.TrimSpace(r.Direct)) > 0 {
		r.directEnd = true
	} else {
		r.Direct = r.Direct[:0]
	}
}

// resolve splits a start tag's name and finds its namespace.
func (r *Reader) resolve() {
	depth := len(r.stack)
	for n := len(r.bindings); n > 0 && r.bindings[n-1].depth > depth; n-- {
		r.bindings = r.bindings[:n-1]
	}
	r.split()
	if len(r.Attrs) > 0 && bytes.Contains(r.Attrs, []byte("xmlns")) {
		r.bind(r.Attrs, depth+1)
	}
	if r.Space, r.Declared = r.Lookup(r.Prefix); !r.Declared && !r.undeclared {
		r.undeclared = true
		r.problem(sitemap.UndeclaredPrefix, 0, r.Name)
	}
	if len(r.Attrs) > 0 && !r.undeclared {
		r.checkAttrs()
	}
}

// checkAttrs reports the first attribute whose prefix is not declared, and one that is another by
// its namespace (Namespaces in XML 1.0, section 6.3).
func (r *Reader) checkAttrs() {
	if r.Cut {
		return
	}
	var seen [maxQuickAttrs]struct {
		space Space
		local []byte
	}
	n := 0
	for attrs := r.Attrs; bytes.IndexByte(attrs, ':') >= 0; {
		name, _, rest, ok := NextAttr(attrs)
		if !ok {
			return
		}
		attrs = rest
		colon := bytes.IndexByte(name, ':')
		if colon <= 0 || bytes.Equal(name[:colon], xmlns) {
			continue
		}
		space, declared := r.Lookup(name[:colon])
		if !declared {
			r.undeclared = true
			r.problem(sitemap.UndeclaredPrefix, 0, r.Raw)
			return
		}
		for _, a := range seen[:n] {
			if a.space == space && space != firstOther && bytes.Equal(a.local, name[colon+1:]) {
				r.mismatched(r.Raw)
				return
			}
		}
		if n < len(seen) {
			seen[n].space, seen[n].local = space, name[colon+1:]
			n++
		}
	}
}

// knows reports whether an attribute may have this prefix: it is declared, or declares, or
// that one is not was reported.
func (r *Reader) knows(prefix []byte) bool {
	if r.undeclared || bytes.Equal(prefix, xmlns) {
		return true
	}
	_, declared := r.Lookup(prefix)
	return declared
}

// split cuts a start tag's name at its colon and lowers its local part.
func (r *Reader) split() {
	r.Prefix, r.Local = cutPrefix(r.Name)
	r.Upper = false
	for _, c := range r.Local {
		if 'A' <= c && c <= 'Z' {
			r.upper = appendLower(r.upper[:0], r.Local)
			r.Local, r.Upper = r.upper, true
			return
		}
	}
}

// cutPrefix cuts a name at its colon.
func cutPrefix(name []byte) (prefix, local []byte) {
	if colon := bytes.IndexByte(name, ':'); colon >= 0 {
		return name[:colon], name[colon+1:]
	}
	return nil, name
}

// appendLower appends b with its ASCII letters in lower case.
func appendLower(dst, b []byte) []byte {
	for _, c := range b {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		dst = append(dst, c)
	}
	return dst
}

// Restart puts the input where the next token starts, for a reader that looks at
// its window itself. Elements stay open as they are.
func (r *Reader) Restart() {
	if r.pending {
		r.pending, r.Raw = false, nil
	}
	r.Sync()
}
