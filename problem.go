package sitemap

import (
	"cmp"
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"github.com/seed-322c453a/sitemap/internal/chars"
)

// A Problem is a defect of a document that reading survived: something was repaired, assumed or
// dropped. A Problem never ends a document.
type Problem struct {
	Code Code
	Pos  Position
	// the element with the problem, by its name in the format ("loc", "lastmod"), or ""
	Field   string
	Text    string // the raw text with the problem, at most 256 bytes of it
	Dropped bool   // an entry was dropped because of it
}

// A Severity says how serious a problem is. Severities are ordered.
type Severity uint8

// The severities of problems.
const (
	SeverityInfo    Severity = iota // worth knowing
	SeverityWarning                 // something is ignored, misread or wasteful
	SeverityError                   // the format forbids it, or search engines refuse it
)

var severityNames = [...]string{"info", "warning", "error"}

// String returns "info", "warning" or "error".
func (s Severity) String() string { return name(severityNames[:], int(s)) }

// MarshalText returns the severity's name.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads a name that String returns.
func (s *Severity) UnmarshalText(text []byte) error {
	return readName(s, severityNames[:], "severity", text)
}

// A Code names a kind of problem, such as "raw_ampersand". Codes are stable: programs may store and
// compare them.
type Code string

// The codes of problems.
const (
	// BadChangeFreq reports a changefreq that is not one of the seven values. It is left out.
	BadChangeFreq Code = "bad_changefreq"
	// BadEscape reports a percent sign in a URL that is not followed by two hex digits. It is
	// kept.
	BadEscape Code = "bad_escape"
	// BadExtension reports an incomplete or invalid record for an image, a video, news or a
	// link, which is left out, or one value of it that is.
	BadExtension Code = "bad_extension"
	// BadFeedDate reports a date of a feed that is unreadable: neither one of RFC 822 or RFC 3339,
	// as the format asks for, nor of another known form. It is left out.
	BadFeedDate Code = "bad_feed_date"
	// BadLoc reports a location without a host, or with an invalid host or port. The entry is
	// dropped.
	BadLoc Code = "bad_loc"
	// BadLastMod reports a date that is unreadable, impossible, ambiguous or a number of
	// seconds. It is left out.
	BadLastMod Code = "bad_lastmod"
	// BadPriority reports a priority that is not a number from 0 to 1. It is left out.
	BadPriority Code = "bad_priority"
	// BadScheme reports a URL scheme other than http and https. The entry is dropped.
	BadScheme Code = "bad_scheme"
	// BogusLoc reports text that was not meant as a URL: a placeholder such as None, a template,
	// markup, or a URL whose scheme is mistyped. The entry is dropped.
	BogusLoc Code = "bogus_loc"
	// ControlChar reports a NUL or another control character that XML forbids. It is removed.
	ControlChar Code = "control_char"
	// Doctype reports a DOCTYPE. It is skipped: nothing is expanded or fetched.
	Doctype Code = "doctype"
	// DoubleEscaped reports a reference to an ampersand that remains after decoding once. It is
	// kept.
	DoubleEscaped Code = "double_escaped"
	// DoubleGzip reports gzip inside gzip. Both layers are undone.
	DoubleGzip Code = "double_gzip"
	// DuplicateLoc reports a sitemap that a robots.txt names twice, or that leads to one that was
	// read.
	DuplicateLoc Code = "duplicate_loc"
	// ElementInLoc reports an element inside loc. Its text is used, or the href of an HTML link if
	// the text is no absolute URL.
	ElementInLoc Code = "element_in_loc"
	// EmptyLoc reports an empty loc. The entry is dropped.
	EmptyLoc Code = "empty_loc"
	// EncodingFallback reports that the declared encoding is unknown or contradicted by the
	// bytes, or that none is declared and the bytes are not UTF-8.
	EncodingFallback Code = "encoding_fallback"
	// ExtensionNamespace reports an image, a video, news or another known extension in a namespace
	// other than the documented one, once for each namespace. It is read all the same.
	ExtensionNamespace Code = "extension_namespace"
	// ForeignChild reports that an index lists a sitemap on another host.
	ForeignChild Code = "foreign_child"
	// ForeignElement reports an element of another namespace directly in a urlset or sitemapindex,
	// once for each name. It is kept in [Summary.Other].
	ForeignElement Code = "foreign_element"
	// GuidAsLoc reports an RSS item without a link. Its guid is used.
	GuidAsLoc Code = "guid_as_loc"
	// GzipTrailingJunk reports bytes after the last gzip member. They are ignored.
	GzipTrailingJunk Code = "gzip_trailing_junk"
	// IDAsLoc reports an Atom entry without a usable link. Its id is used.
	IDAsLoc Code = "id_as_loc"
	// ImplausibleLastMod reports a readable date that is too unlikely to be meant. It is kept.
	ImplausibleLastMod Code = "implausible_lastmod"
	// IndexLastModOld reports, in walks, that an index says a sitemap was last changed before a
	// page in it was. With discover.Options.Since, pages may be missed that way.
	IndexLastModOld Code = "index_lastmod_old"
	// InvalidUTF8 reports bytes that are not UTF-8 in a UTF-8 document.
	InvalidUTF8 Code = "invalid_utf8"
	// JunkAfterRoot reports content after the root element other than white space, comments and
	// processing instructions. It is ignored.
	JunkAfterRoot Code = "junk_after_root"
	// JunkBeforeRoot reports text or markup before the root element. It is skipped.
	JunkBeforeRoot Code = "junk_before_root"
	// JunkLine reports a line of a text sitemap that is not a URL. It is skipped, unless it is a
	// URL in quotes or angle brackets.
	JunkLine Code = "junk_line"
	// LateGrant reports a grant for a document that was already read, or one grant too many.
	LateGrant Code = "late_grant"
	// LeadingWhitespace reports white space before the XML declaration.
	LeadingWhitespace Code = "leading_whitespace"
	// LineCut reports a line of a text sitemap that was cut at the first space or tab, or at a
	// comma before a date or another URL, or a robots.txt that has lost its line breaks.
	LineCut Code = "line_cut"
	// LocTooLong reports a URL of more than 2,048 characters. It is kept up to 8 KiB.
	LocTooLong Code = "loc_too_long"
	// LocWhitespace reports white space, or characters from U+007F to U+009F, inside a URL.
	// Spaces are escaped and the others removed.
	LocWhitespace Code = "loc_whitespace"
	// MismatchedTag reports an end tag that is missing, misplaced or misnamed, or a tag that is
	// malformed.
	MismatchedTag Code = "mismatched_tag"
	// MisplacedElement reports a known element in the wrong parent.
	MisplacedElement Code = "misplaced_element"
	// MissingLoc reports an entry without a loc, a link or a usable id. The entry is dropped.
	MissingLoc Code = "missing_loc"
	// MissingRoot reports entries without the root element of a format around them. They are
	// read.
	MissingRoot Code = "missing_root"
	// MissingNamespace reports a root, an entry or a field without a namespace.
	MissingNamespace Code = "missing_namespace"
	// NoEntries reports a valid urlset or sitemapindex without entries.
	NoEntries Code = "no_entries"
	// NonstandardChangeFreq reports a changefreq in the wrong letter case, or with white space
	// that XML does not know. It is read.
	NonstandardChangeFreq Code = "nonstandard_changefreq"
	// NonstandardKey reports a record of a robots.txt whose key is a misspelling of Sitemap. It is
	// read.
	NonstandardKey Code = "nonstandard_key"
	// NonstandardLastMod reports a date in another form than that of the format. It is read.
	NonstandardLastMod Code = "nonstandard_lastmod"
	// NonstandardPriority reports a priority that is not plain decimal, or has white space that
	// XML does not know. It is read.
	NonstandardPriority Code = "nonstandard_priority"
	// NonstandardRel reports a link relation in the wrong letter case. It is read.
	NonstandardRel Code = "nonstandard_rel"
	// NonstandardRule reports a rule of a robots.txt that starts with neither a slash nor an
	// asterisk. It matches nothing.
	NonstandardRule Code = "nonstandard_rule"
	// RawAmpersand reports an ampersand that starts no reference. It is taken literally.
	RawAmpersand Code = "raw_ampersand"
	// RelativeLoc reports a relative location. It is resolved, or its entry is dropped if there
	// is no base.
	RelativeLoc Code = "relative_loc"
	// RepeatedElement reports a second lastmod, changefreq, priority or RSS link in an entry. Of
	// the links the first counts, of the others the last valid one.
	RepeatedElement Code = "repeated_element"
	// RobotsHTML reports HTML instead of a robots.txt.
	RobotsHTML Code = "robots_html"
	// SchemeAssumed reports a URL without a scheme. That of the base is assumed, or https without
	// a base.
	SchemeAssumed Code = "scheme_assumed"
	// SeveralLocs reports several locs in one entry. Each makes an entry.
	SeveralLocs Code = "several_locs"
	// StoreFormat reports, in walks, that another version of this module wrote the records in a
	// Store. They count as absent.
	StoreFormat Code = "store_format"
	// StrayText reports text between elements that is not taken for a location. It is ignored.
	StrayText Code = "stray_text"
	// TextAsLoc reports a URL as text of an entry, without a loc around it. It is used.
	TextAsLoc Code = "text_as_loc"
	// TooLarge reports a document of more than 52,428,800 bytes, or a robots.txt of more than 500 KiB.
	TooLarge Code = "too_large"
	// TooManyEntries reports a document with more than 50,000 entries.
	TooManyEntries Code = "too_many_entries"
	// UndeclaredEntity reports a named reference that XML does not define.
	UndeclaredEntity Code = "undeclared_entity"
	// UndeclaredPrefix reports a namespace prefix without a declaration.
	UndeclaredPrefix Code = "undeclared_prefix"
	// UnknownElement reports an element of the protocol's namespace, or of none, that the schema
	// does not have, once for each name in a document. It is ignored, except for the entries in it.
	UnknownElement Code = "unknown_element"
	// UnknownNamespace reports a root in a namespace that does not belong to the format. It is
	// read.
	UnknownNamespace Code = "unknown_namespace"
	// UntrustedLoc reports a URL that the sitemap may not list. The entry is dropped.
	UntrustedLoc Code = "untrusted_loc"
	// UppercaseTag reports an element name in the wrong letter case. It is read.
	UppercaseTag Code = "uppercase_tag"
	// Userinfo reports a user name or password in a URL. It is kept.
	Userinfo Code = "userinfo"
	// WrappedRoot reports a known root element inside another element. It is read.
	WrappedRoot Code = "wrapped_root"
	// WrongContentType reports a content type that fits neither the bytes as sent nor the document
	// in them.
	WrongContentType Code = "wrong_content_type"
	// ZoneAssumed reports a date and time without a zone. UTC is assumed.
	ZoneAssumed Code = "zone_assumed"
)

// Severity returns the severity of such a problem, by its consequence for readers that repair
// nothing. For a code that is not listed above it returns SeverityWarning.
func (c Code) Severity() Severity {
	switch c {
	case BadChangeFreq, BadEscape, BadFeedDate, BadLoc, BadLastMod, BadPriority, BadScheme,
		BogusLoc, ControlChar, DoubleGzip, ElementInLoc, EmptyLoc, ExtensionNamespace, InvalidUTF8,
		JunkAfterRoot, JunkBeforeRoot, JunkLine, LeadingWhitespace, LineCut, LocTooLong,
		MismatchedTag, MisplacedElement, MissingLoc, MissingNamespace, MissingRoot, NoEntries,
		NonstandardChangeFreq, NonstandardLastMod, NonstandardPriority, RawAmpersand, RelativeLoc,
		RepeatedElement, SchemeAssumed, SeveralLocs, TextAsLoc, TooLarge, TooManyEntries,
		UndeclaredEntity, UndeclaredPrefix, UnknownElement, UnknownNamespace, UntrustedLoc,
		UppercaseTag, WrappedRoot:
		return SeverityError
	case ForeignElement, NonstandardRel, StoreFormat, ZoneAssumed:
		return SeverityInfo
	}
	return SeverityWarning
}

// Severity returns the severity of the code. It does not depend on Dropped.
func (p Problem) Severity() Severity { return p.Code.Severity() }

// messages has a line for each code: the code and what Message returns, where {field} stands for
// Field and {text} for the quoted Text.
//
//go:embed messages.txt
var messages string

// Message returns a sentence about the problem that names the value, without credentials and up to
// 80 bytes of it: `lastmod "yesterday" is not a W3C date`.
func (p Problem) Message() string {
	message, ok := messageOf()[p.Code]
	if !ok {
		message = "{text}"
	}
	text := ""
	if p.Text != "" {
		text = chars.Quote(Redact(p.Text))
	}
	message = strings.Replace(message, "{field}", cmp.Or(p.Field, "value"), 1)
	message = strings.Replace(message, "{text}", text, 1)
	if text == "" {
		message = strings.Join(strings.Fields(message), " ")
	}
	return strings.TrimSuffix(strings.TrimSpace(message), ":")
}

// messageOf returns the lines of messages by their codes.
var messageOf = sync.OnceValue(func() map[Code]string {
	byCode := map[Code]string{}
	for line := range strings.Lines(messages) {
		code, message, _ := strings.Cut(line, ": ")
		byCode[Code(code)] = message
	}
	return byCode
})

// String returns the place of the problem, its code and its Message:
//
//	line 3, column 52: bad_lastmod: lastmod "yesterday" is not a W3C date
func (p Problem) String() string {
	s := strings.TrimSuffix(string(p.Code)+": "+p.Message(), ": ")
	switch {
	case p.Pos.Column > 0:
		return fmt.Sprintf("line %d, column %d: %s", p.Pos.Line, p.Pos.Column, s)
	case p.Pos.Line > 0:
		return fmt.Sprintf("line %d: %s", p.Pos.Line, s)
	}
	return s
}
