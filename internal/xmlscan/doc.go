// Package xmlscan reads XML as found on the web. It never fails because of the bytes, knows its
// position, and resynchronizes at the next entry after any damage.
//
//	r := xmlscan.NewReader(in, report)
//	for r.Child(0) { // the root
//		for r.Child(1) { // its children
//			fmt.Printf("%s: %s\n", r.Local(), r.Text())
//		}
//	}
//
// # Window
//
// The document comes through the window of an input.Reader: its next bytes, 64 KiB at first. A
// token is a part of the window and is valid until the next token. If the window ends within a
// token, more bytes are read into it, and the token is scanned again from its start. A window grows
// to 1 MiB at most, for a long token. No other code deals with refilling.
//
// # Tokens
//
// A Scanner splits the window into tokens: tags, text, CDATA sections, and those that a reader
// skips (comments, processing instructions, declarations). For example, "<loc>a &amp; b</loc>" is a
// start tag, the text "a &amp; b" with its reference, and an end tag. Text longer than 64 KiB comes
// in several tokens, which cut neither a reference nor a character in two. So do comments, CDATA
// sections and processing instructions that are not closed within 512 KiB.
//
// # Elements
//
// A Reader tracks the open elements on top of a Scanner. Child advances to the next start tag in
// an element, and the caller reads the new element with Text, with Child again, or not at all:
// then the next Child skips it. Most elements hold only text and end in the window; Leaf reads
// such an element at once, without opening it. At and Enter let a caller read the bytes of the
// window itself where they have the shape that it expects.
//
// # Unclosed markup
//
// Markup that is not closed must not swallow the rest of the document. It costs as few entries as
// possible:
//
//   - A tag ends at the first '>' outside a quoted attribute value, and at the latest before the
//     next '<', which XML forbids there. A quote starts a value only after '=', and only if it is
//     closed before the next '<'. A '<' that starts no name is text.
//   - A processing instruction ends at "?>". If a '<' comes first, and the "?>" does not come
//     within 512 KiB or follows another "<?", the instruction ends at the first '>' or before the
//     '<'.
//   - A DOCTYPE ends at the '>' outside quotes and its internal subset. If that does not come
//     within 64 KiB, or a tag or a '<' outside the subset comes first, it ends at the first '>' or
//     before the first '<'.
//   - A comment ends at "-->". If another "<!--" comes first, which XML forbids, or the document
//     ends, it is not a comment: its "<!--" is skipped, and the rest is read.
//   - A CDATA section ends at "]]>". If another "<![CDATA[" comes first, the "]]>" may belong to
//     that one: then the section ends at its first '<', as it does if the document ends. But the
//     "]]>" closes the section if no end tag of another element follows next, and if the tags in
//     the section that have its element's name belong together (neverClosed).
//   - What nothing closes within 512 KiB is never read as markup. If nothing closes it later
//     either, the document is truncated.
//
// So damage that starts a comment or a CDATA section costs the entries up to the next "-->" or
// "]]>" only if these close nothing else, or come late.
//
// # Resynchronization
//
// After damage, a Reader goes on at the next entry. So it knows which elements are entries, fields
// and extensions, by the functions in Names. These are the rules, each in one function:
//
//   - The start tag of an entry ends the entry before it, with or without its end tag (resume). So
//     does the end tag of an entry, and that of the root (close).
//   - Inside an element of an entry, a start tag with an entry's name counts only if another tag
//     follows it directly, as in every entry. It does not count in an extension with a prefix whose
//     end tag follows, nor if its namespace is declared on such an element (opensEntry, Enclosed).
//   - The start tag of a field, or of an extension, ends the text of the field before it
//     (isNextField, isNextPart). It also ends an extension or an unknown element whose end tag does
//     not come before the entry's (leftOpen). Such end tags are searched for in at most 16 KiB
//     (landmark).
//   - Every other end tag closes the innermost element with its name, and the elements in that. An
//     end tag that closes nothing is skipped (close).
//
// # Files
//
// A Scanner is in the first four of these files, and a Reader in the others:
//
//	scanner.go   tokens: text, start and end tags
//	attr.go      attributes of start tags
//	section.go   comments, CDATA sections, instructions and declarations
//	text.go      problems inside tokens
//	element.go   Reader: children of elements
//	names.go     names of tags and their namespaces
//	space.go     declarations of namespaces
//	stack.go     open elements, and how end tags close them
//	content.go   text of elements
//	window.go    tags of the usual shape, runs of elements, and callers that read the window
//	landmark.go  whether an open element is ever closed
//	listen.go    for callers that judge how the document is written
package xmlscan
