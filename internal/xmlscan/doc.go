// Package xmlscan reads XML as found on the web. It never fails because of the bytes, knows its
// position, and resynchronizes at the next entry after any damage.
//
//	r := xmlscan.NewReader(in, report)
//	for r.Child(0) { // the root
//		for r.Child(1) { // its children
//			fmt.Printf("%s: %s\n", r.Local, r.Text())
//		}
//	}
//
// # Tokens
//
// A Scanner splits the window of an input.Reader into tokens: tags, text, CDATA sections, and those
// that a reader skips (comments, processing instructions, declarations). A token that is cut by the
// end of the window is scanned again from its start once the window holds more. No other code deals
// with refilling. The bytes of a token are valid until the next one. Text may come in several
// tokens, which cut neither a reference nor a character in two.
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
//     within 4 KiB or follows another "<?", the instruction ends at the first '>' or before the
//     '<'.
//   - A DOCTYPE ends at the '>' outside quotes and its internal subset. If that does not come
//     within 64 KiB, or a tag or a '<' outside the subset comes first, it ends at the first '>' or
//     before the first '<'.
//   - A comment ends at "-->". If another "<!--" comes first, which XML forbids, or nothing closes
//     it within 512 KiB, it is not a comment: its "<!--" is skipped, and the rest is read.
//   - A CDATA section ends at "]]>". If another "<![CDATA[" comes first, that may belong to the
//     other section. It does if before the other section its element ends, its entry ends, or
//     another entry starts: the section ends there. It also does if a start tag of its element
//     comes right before the other section, or if the section is between entries: it then ends at
//     its first '<', as it does if nothing closes it within 512 KiB. But a "]]>" before the end tag
//     of the section's element closes the section if no start tag of that element is in it.
//
// So damage that starts a comment or a CDATA section costs the entries up to the next "-->" or
// "]]>" only if these close nothing else.
//
// # Resynchronization
//
// A Reader tracks elements on top of a Scanner, and knows which of them are entries. The start tag
// of an entry ends the entry before it, with or without its end tag. So does the end tag of an
// entry, and that of the root.
//
// Inside an element of an entry, a start tag with an entry's name counts only if another tag
// follows it directly, as in every entry. It does not count if its namespace is declared on such an
// element whose end tag follows, or if it is in an extension with a prefix whose end tag follows.
//
// The start tag of a field or of an extension ends the text of the field before it. It also ends an
// extension or an unknown element whose end tag does not come before the entry's. Such end tags are
// searched for in at most 16 KiB.
//
// Every other end tag closes the innermost element with its name, and the elements in that. An end
// tag that closes nothing is skipped.
package xmlscan
