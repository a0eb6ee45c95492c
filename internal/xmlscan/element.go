package xmlscan

import (
	"bytes"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/input"
	"github.com/seed-322c453a/sitemap/internal/namespace"
	"github.com/seed-322c453a/sitemap/internal/xmlchar"
)

const (
	// MaxDepth is the depth up to which elements are tracked by name. Deeper ones are counted.
	MaxDepth = 64
	// MaxName is the number of bytes of a name that are compared.
	MaxName = 1 << 10
	// MaxText is the maximum number of bytes of text of one element. The rest is discarded.
	MaxText = 64 << 10
)

// A Reader tracks the elements of a document on top of a Scanner, and resynchronizes at its
// entries. It is not safe for concurrent use.
//
// These are its flags, and those of its Scanner. An elementState and a rootState replace what would
// be five more.
//
//	flag        set by                              cleared by
//	Empty       scanStart, scanAttrs, Child         the next start tag, readText, Enter
//	Cut         scanStart, scanEnd, scanDeclaration the next tag or declaration
//	odd         scanStart                           the next start tag
//	prefixed    scanAttrs, readAttrs                the next start tag
//	doctype     scanDeclaration, at the first one   -
//	Declared    resolve, lowerPrefix, plainStart    the next start tag
//	Upper       lowerName, lowerPrefix              the next start tag
//	pending     reread, Wrap                        next, Restart
//	current     Child, skip, plainStart: fresh      next, open, leaf, reread, Wrap,
//	            pushName: opened                    plainStart, plainEnd, SkipRun:
//	            leaf: soundLeaf                     unopened
//	root        push, pop, eof: rootEnded           -
//	            eof, readText: rootCut
//	rootEnd     close, within the root              -
//	wrapped     Wrap                                -
//	undeclared  resolve, bind, checkAttrs           -
//	Nested      readText                            the next Text
//	Complete    leaf, readText                      the next Text that the document's end cuts
//	Overflow    keep, direct                        the next Text or Mixed
//	DirectCut   direct                              the next entry
//	directEnd   directEnds                          the next entry
type Reader struct {
	Scanner
	Names
	Tag
	Texts
	text []byte
	end  []byte // "/loc>", while the text of a loc is read
	elements
	namespaces
	Listener Listener // or nil
}

// Names identify the elements of a format.
type Names struct {
	// IsEntry reports whether the current tag has the name and namespace of an entry, IsField
	// whether it has those of a field directly in an entry.
	IsEntry, IsField func() bool
	// IsExtension reports whether a namespace is that of elements of an entry that end at the start
	// tag of a field if they are unclosed.
	IsExtension func(namespace.Space) bool
	// Stray, which may be nil, is called with text that is directly in an element around entries,
	// or in an entry after Direct, as the current token.
	Stray func()
	// HoldsFields reports, by namespace and local name in lower case, whether an element of an
	// entry may have fields of its own. It does not end at the start tag of a field.
	HoldsFields func(s namespace.Space, local string) bool
}

// A Tag is the current start tag, in addition to the Scanner's fields.
type Tag struct {
	Space    namespace.Space
	Declared bool // the prefix is declared, or there is no prefix
	Upper    bool // the local name is in another letter case in the document
}

// Texts are the texts that a Reader has read.
type Texts struct {
	// Results of Text; the last one is also a result of Mixed.
	Nested   bool   // there were elements in the text
	Href     []byte // the target of the first link of HTML among them
	Complete bool   // the text was not cut by the end of the document
	Overflow bool   // there was more text than MaxText

	// Direct is the first text directly in the open entry, with decoded references. DirectCut
	// reports whether there was more than 4 KiB of it, and directEnd whether an element followed.
	Direct    []byte
	DirectAt  sitemap.Position
	DirectCut bool
	directEnd bool

	mixed *[]byte // the buffer for the text of Mixed
}

// elements are the open elements.
type elements struct {
	stack   []int // offsets of their names in names
	names   []byte
	deep    int  // elements open beyond MaxDepth
	entry   int  // depth of the open entry, or 0
	pending bool // the current token is also the next one
	current elementState
	root    rootState
	rootEnd bool  // an end tag with the root's name closed an element in it
	wrapped bool  // the root has no tags in the document
	noRun   int64 // the offset before which SkipRun found no end of a run
}

// namespaces are the declarations of namespaces.
type namespaces struct {
	bindings   []binding
	seen       []declaration // namespaces declared so far
	others     int           // namespaces without a constant so far
	lower      []byte        // the local name of the start tag, if it has capitals
	lowered    []byte        // its prefix in lower case, if only that has a namespace
	undeclared bool          // an undeclared prefix was reported
}

// NewReader returns a reader of the rest of in, whose next start tag is the root.
func NewReader(in *input.Reader, report func(sitemap.Problem)) *Reader {
	r := &Reader{Scanner: *NewScanner(in, report)}
	r.IsEntry = func() bool { return false }
	r.IsField = r.IsEntry
	r.IsExtension = func(namespace.Space) bool { return false }
	r.HoldsFields = func(namespace.Space, string) bool { return false }
	return r
}

// Truncated reports whether the document ended before its root.
func (r *Reader) Truncated() bool { return r.root == rootCut }

// Unfinished reports whether the document ended in the open entry, before the start of its end tag.
func (r *Reader) Unfinished() bool {
	return r.Truncated() && (r.entry == 0 || len(r.stack) != r.entry || !r.endsHere(r.entry))
}

// Wrap opens a root with this name around the element whose start tag is current. That tag becomes
// the next one again. The end of the document closes the root.
func (r *Reader) Wrap(name string) {
	r.pushName([]byte(name))
	r.wrapped, r.pending, r.current = true, true, unopened
}

// InEntry reports whether an entry is open.
func (r *Reader) InEntry() bool { return r.entry > 0 }

// Depth opens the element whose start tag is current and returns its depth, for Child.
func (r *Reader) Depth() int {
	r.open()
	if r.Empty {
		return len(r.stack) + 1
	}
	return len(r.stack)
}

// Child advances to the next start tag directly in the element at depth d, skipping the rest of the
// child before it. It returns false once that element is closed: by its end tag, by that of an
// element around it, by the next entry or by the end of the document. The root's own start tag is
// at depth 0.
func (r *Reader) Child(d int) bool {
	if r.current == fresh && (len(r.stack) != d || !r.skipLeaf()) {
		r.open()
	}
	for {
		if len(r.stack) < d || r.root != rootOpen {
			return false
		}
		if len(r.stack) > d {
			r.skip(d)
			continue
		}
		if !r.pending {
			if r.entry == 0 {
				r.owner = r.owner[:0] // an element that contains entries has no text
			}
			if r.mixed == nil && len(r.Direct) == 0 {
				r.skipSpace()
				if r.plainTag() {
					if r.Kind == StartTag {
						return true
					}
					continue
				}
			}
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
			if d == 0 && r.odd && r.Empty { // a quote is missing before the '/'
				r.Empty = !bytes.HasPrefix(r.ahead(1), []byte("<"))
			}
			r.current = fresh
			return true
		case EndTag:
			r.close()
		case Text, CDATA:
			r.direct(d)
		}
	}
}

// Mixed is Child, and appends the text before the child, with decoded references, to text.
func (r *Reader) Mixed(d int, text *[]byte) bool {
	r.mixed, r.Overflow = text, false
	ok := r.Child(d)
	r.mixed = nil
	return ok
}

// direct keeps text directly in the entry, or text for Mixed.
func (r *Reader) direct(d int) {
	switch {
	case r.mixed == nil:
	case len(*r.mixed)+len(r.Raw()) > MaxText:
		r.Overflow = true
	case r.Kind == CDATA:
		*r.mixed = append(*r.mixed, r.Data...)
	default:
		*r.mixed = xmlchar.Decode(*r.mixed, r.Raw())
	}
	isStray := r.entry == 0 || d == r.entry && r.directEnd
	if r.Stray != nil && isStray && r.mixed == nil && len(TrimSpace(r.Raw())) > 0 {
		r.Stray()
	}
	if len(TrimSpace(r.Direct)) == 0 {
		r.DirectAt = r.in.Position(spaceLen(r.Raw()))
	}
	switch {
	case d != r.entry || r.directEnd || r.DirectCut:
	case len(r.Direct)+len(r.Raw()) > 4<<10:
		r.DirectCut = len(bytes.TrimSpace(r.Raw())) > 0
	case r.Kind == CDATA:
		r.Direct = append(r.Direct, r.Data...)
	default:
		r.Direct = xmlchar.Decode(r.Direct, r.Raw())
	}
}

// skip skips the rest of the elements deeper than d.
func (r *Reader) skip(d int) {
	for len(r.stack) > d && r.root == rootOpen {
		if !r.pending {
			r.skipSpace()
		}
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
			if r.Cut {
				continue
			}
			if r.current = fresh; !r.skipLeaf() {
				r.open()
			}
		case EndTag:
			r.close()
		}
	}
}

// open opens the element of the current start tag, unless that was done.
func (r *Reader) open() {
	if r.current == fresh {
		r.current = unopened
		r.push()
	}
}

// opensEntry reports whether the current start tag, which has an entry's name and is within an
// element, starts an entry. It does if it contains an element and is not in an extension whose end
// tag follows.
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

// opensElement reports whether a start tag, a comment or a processing instruction directly follows
// the current start tag, in its element.
func (r *Reader) opensElement() bool {
	if r.Empty {
		return false
	}
	follows, _ := opens(r.ahead(3))
	return follows
}

// opens reports whether b has a start tag, a comment or a processing instruction after white space,
// and whether b holds enough to decide.
func opens(b []byte) (ok, known bool) {
	b = b[spaceLen(b):]
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

// ahead returns the bytes after the current token and white space: n bytes or more, unless the
// document or the window ends before.
func (r *Reader) ahead(n int) []byte {
	for more := true; ; more = r.in.More() { // it moves the window even if there is no more
		rest := r.in.Window()[r.size:]
		rest = rest[spaceLen(rest):]
		if len(rest) >= n || !more {
			return rest
		}
	}
}

// next advances to the next token and resolves the names of a tag.
func (r *Reader) next() Kind {
	r.current = unopened
	if r.pending {
		r.pending = false
	} else {
		r.Scanner.Next()
	}
	switch r.Kind {
	case StartTag:
		if len(r.stack) == r.entry && len(r.Direct) > 0 {
			r.directEnds()
		}
		r.resolve()
	case Instruction:
		if IsDeclaration(r.Raw()) { // allowed only at the start of a document
			r.mismatched(r.Raw())
		}
	case Declaration:
		if r.IsDoctype() { // allowed only before the root
			r.problem(sitemap.Doctype, 0, r.Raw())
		}
	}
	if r.Listener != nil {
		r.hear()
	}
	return r.Kind
}

// directEnds records that an element follows Direct. White space does not count.
func (r *Reader) directEnds() {
	if len(bytes.TrimSpace(r.Direct)) > 0 {
		r.directEnd = true
	} else {
		r.Direct = r.Direct[:0]
	}
}

// Restart moves the input to the start of the next token, for a reader that reads the window
// itself. The open elements stay open.
func (r *Reader) Restart() {
	if r.pending {
		r.pending, r.size = false, 0
	}
	r.Sync()
}
