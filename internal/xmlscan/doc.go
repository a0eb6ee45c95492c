// Package xmlscan reads XML as the web has it. It never fails on bytes, knows
// where it is, and finds its way back to the next entry whatever stands between.
//
// # Tokens
//
// A Scanner cuts the window of an input.Reader into tokens: tags, text, CDATA
// sections, and what a reader skips (comments, processing instructions,
// declarations). A token that runs off the window is scanned again from its
// start when the window holds more; nothing else knows about refilling. What a
// token points to is valid until the next one. Text may come in several tokens,
// none of which cuts a reference or a character.
//
// # What was never closed
//
// Markup that opens and is not closed must not swallow what follows, and costs
// as few entries as can be told:
//
//   - A tag ends at the first '>' outside a quoted attribute value, and at
//     the latest before the next '<', where XML allows none. A quote opens a value
//     only after '=', and only if it is closed before the next '<'.
//     A '<' that starts no name is text.
//   - A processing instruction ends at "?>"; if a '<' comes first, and that does not come
//     within 4 KiB or another "<?" does before it, at the first '>' or before the '<'.
//   - A DOCTYPE ends at the '>' outside quotes and its internal subset; if that does not
//     come within 64 KiB, or a tag or a '<' outside the subset comes first, at the first
//     '>' or before the first '<'.
//   - A comment ends at "-->". If another "<!--" comes first, which XML forbids,
//     or nothing closes it within 512 KiB, it was never opened: its "<!--"
//     is skipped, and what follows is read.
//   - A CDATA section ends at "]]>". That closes another one if a "<![CDATA[" comes
//     first, and before it the end tag of the element that the section stands in, that
//     of the entry, or the start tag of another entry: then the section ends there. So
//     it does at its first '<' if directly before a "<![CDATA[" a start tag of that
//     element comes, or if it stands between entries; and if nothing closes it within
//     512 KiB. But a "]]>" that the end tag of the section's element follows closes
//     the section if no start tag of that element stands in it.
//
// So damage that opens a comment or a CDATA section costs the entries up to the
// next "-->" or "]]>" only where these close nothing else.
//
// # Finding back
//
// A Reader follows elements on top of a Scanner, and knows which of them are entries. An
// entry's start tag ends the entry before it, whether or not that one's end tag stood;
// so does an entry's end tag, and the root's. Inside an element of an entry, a start tag
// with an entry's name counts only if another tag follows it directly, as it does in
// every entry, and if it neither has its namespace from such an element whose end tag
// follows nor stands in an extension with a prefix whose end tag does. A field's start
// tag, and an extension's, ends the text of the field before it, and an extension or an
// unknown element whose end tag does not come before the entry's. For such end tags is
// looked ahead 512 KiB at most. Every other end tag closes the innermost element of its
// name and what is open within; one that closes nothing is skipped. Where an entry's
// start tag closed an element that has the root's name, the first end tag of that name
// is its, and does not close the root.
package xmlscan
