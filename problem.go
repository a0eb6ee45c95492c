package sitemap

import "fmt"

// A Problem is something a document got wrong that was survived: repaired,
// assumed, or dropped. It never ends a document.
type Problem struct {
	Code    Code
	Pos     Position
	Field   string // the element it is about, as the format names it ("loc", "lastmod"), or ""
	Text    string // the raw text it is about, at most 256 bytes of it
	Dropped bool   // whether an entry was dropped for it
}

// A Severity weighs a problem.
type Severity uint8

// The severities of problems.
const (
	Info    Severity = iota // harmless
	Warning                 // something was repaired or assumed
	Error                   // an entry or a value was dropped
)

var severityNames = [...]string{"info", "warning", "error"}

// String returns "info", "warning" or "error".
func (s Severity) String() string { return name(severityNames[:], int(s)) }

// MarshalText returns the severity's name.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what MarshalText returns.
func (s *Severity) UnmarshalText(text []byte) error {
	return readName(s, severityNames[:], "severity", text)
}

// A Code names a kind of problem. Its String is stable and made for programs.
type Code uint8

// The codes of problems.
const (
	BadChangeFreq         Code = iota + 1 // changefreq is none of the seven values; left out
	BadEscape                             // % not followed by two hex digits in a URL; kept
	BadExtension                          // image, video, news or link record incomplete or invalid; the page is unharmed
	BadLoc                                // no host, or host or port unreadable; entry dropped
	BadLastMod                            // date unreadable, impossible, ambiguous or an epoch number; left out
	BadPriority                           // priority is no number or out of range; left out
	BadScheme                             // URL scheme other than http and https; entry dropped
	BogusLoc                              // placeholder instead of a URL (None, null); entry dropped
	ControlChar                           // control character or NUL that XML forbids; removed
	Doctype                               // DOCTYPE present; skipped, nothing expanded or fetched
	DoubleEscaped                         // an ampersand reference remains after decoding once; left as it is
	DoubleGzip                            // gzip inside gzip; both layers unwrapped
	DuplicateLoc                          // a robots.txt names the same sitemap again
	ElementInLoc                          // element inside loc; its text is used
	EmptyLoc                              // loc present but empty; entry dropped
	EncodingFallback                      // declared encoding unknown or contradicted by the bytes, or none declared and the bytes are not UTF-8
	ForeignChild                          // an index lists a sitemap on another host
	GuidAsLoc                             // RSS item without link, guid used
	GzipTrailingJunk                      // bytes after the last gzip member; ignored
	IDAsLoc                               // Atom entry without a usable link, id used
	ImplausibleLastMod                    // readable date that cannot be meant; kept
	InvalidUTF8                           // byte sequence that is not UTF-8 in a UTF-8 document
	JunkAfterRoot                         // anything but white space, comments and processing instructions after the root end tag; ignored
	JunkBeforeRoot                        // text or markup before the document; skipped
	JunkLine                              // line of a text sitemap that is no URL; skipped
	LateGrant                             // a grant came too late for a document that was already read; very many are left out
	LeadingWhitespace                     // white space before the XML declaration
	LineCut                               // line of a text sitemap cut at the first space or tab
	LocTooLong                            // URL over 2,048 characters; kept up to 8 KiB
	LocWhitespace                         // white space, or U+007F to U+009F, inside a URL; removed, spaces escaped
	MismatchedTag                         // end tag missing, misplaced or with another name, or a tag that is none
	MisplacedElement                      // known element under the wrong parent
	MissingLoc                            // entry without any loc, link or usable id; entry dropped
	MissingNamespace                      // root or entry in no namespace
	NoEntries                             // sound document that lists nothing
	NonstandardChangeFreq                 // changefreq read in spite of its letter case, or of blanks that XML does not know
	NonstandardLastMod                    // date read, but not in the form the format asks for
	NonstandardPriority                   // number read, but not in plain decimal form, or in blanks that XML does not know
	NonstandardRel                        // link relation read in spite of its letter case
	RawAmpersand                          // & that starts no reference; taken literally
	RelativeLoc                           // relative reference; resolved
	RobotsHTML                            // HTML where robots.txt should be
	SchemeAssumed                         // URL without scheme that starts with a host name; scheme of the base put in front
	SeveralLocs                           // more than one loc in one entry; one entry each
	TextAsLoc                             // URL as bare text in url or sitemap instead of loc; used
	TooLarge                              // document over 52,428,800 bytes
	TooManyEntries                        // document with more than 50,000 entries
	UndeclaredEntity                      // named reference that XML does not define
	UndeclaredPrefix                      // namespace prefix used without declaration
	UnknownNamespace                      // root in a namespace that is not one of the format; accepted
	UntrustedLoc                          // URL that the sitemap may not list; entry dropped
	UppercaseTag                          // element name in another letter case; accepted
	Userinfo                              // user name or password in a URL; kept
	WrappedRoot                           // known root element inside another element; accepted
	WrongContentType                      // content type names another format than both the bytes as sent and the document inside
	ZoneAssumed                           // date and time without zone; UTC assumed
	numCodes
)

var codes = [numCodes]struct {
	name     string
	severity Severity
}{
	BadChangeFreq:         {"bad_changefreq", Error},
	BadEscape:             {"bad_escape", Warning},
	BadExtension:          {"bad_extension", Error},
	BadLoc:                {"bad_loc", Error},
	BadLastMod:            {"bad_lastmod", Error},
	BadPriority:           {"bad_priority", Error},
	BadScheme:             {"bad_scheme", Error},
	BogusLoc:              {"bogus_loc", Error},
	ControlChar:           {"control_char", Warning},
	Doctype:               {"doctype", Info},
	DoubleEscaped:         {"double_escaped", Info},
	DoubleGzip:            {"double_gzip", Warning},
	DuplicateLoc:          {"duplicate_loc", Info},
	ElementInLoc:          {"element_in_loc", Warning},
	EmptyLoc:              {"empty_loc", Error},
	EncodingFallback:      {"encoding_fallback", Warning},
	ForeignChild:          {"foreign_child", Info},
	GuidAsLoc:             {"guid_as_loc", Warning},
	GzipTrailingJunk:      {"gzip_trailing_junk", Warning},
	IDAsLoc:               {"id_as_loc", Warning},
	ImplausibleLastMod:    {"implausible_lastmod", Info},
	InvalidUTF8:           {"invalid_utf8", Warning},
	JunkAfterRoot:         {"junk_after_root", Warning},
	JunkBeforeRoot:        {"junk_before_root", Warning},
	JunkLine:              {"junk_line", Warning},
	LateGrant:             {"late_grant", Info},
	LeadingWhitespace:     {"leading_whitespace", Info},
	LineCut:               {"line_cut", Warning},
	LocTooLong:            {"loc_too_long", Warning},
	LocWhitespace:         {"loc_whitespace", Warning},
	MismatchedTag:         {"mismatched_tag", Warning},
	MisplacedElement:      {"misplaced_element", Warning},
	MissingLoc:            {"missing_loc", Error},
	MissingNamespace:      {"missing_namespace", Info},
	NoEntries:             {"no_entries", Info},
	NonstandardChangeFreq: {"nonstandard_changefreq", Warning},
	NonstandardLastMod:    {"nonstandard_lastmod", Warning},
	NonstandardPriority:   {"nonstandard_priority", Warning},
	NonstandardRel:        {"nonstandard_rel", Warning},
	RawAmpersand:          {"raw_ampersand", Warning},
	RelativeLoc:           {"relative_loc", Warning},
	RobotsHTML:            {"robots_html", Warning},
	SchemeAssumed:         {"scheme_assumed", Warning},
	SeveralLocs:           {"several_locs", Warning},
	TextAsLoc:             {"text_as_loc", Warning},
	TooLarge:              {"too_large", Warning},
	TooManyEntries:        {"too_many_entries", Warning},
	UndeclaredEntity:      {"undeclared_entity", Warning},
	UndeclaredPrefix:      {"undeclared_prefix", Warning},
	UnknownNamespace:      {"unknown_namespace", Info},
	UntrustedLoc:          {"untrusted_loc", Error},
	UppercaseTag:          {"uppercase_tag", Warning},
	Userinfo:              {"userinfo", Info},
	WrappedRoot:           {"wrapped_root", Warning},
	WrongContentType:      {"wrong_content_type", Warning},
	ZoneAssumed:           {"zone_assumed", Warning},
}

// String returns the code's name, such as "raw_ampersand".
func (c Code) String() string {
	if c == 0 || c >= numCodes {
		return "invalid"
	}
	return codes[c].name
}

// MarshalText returns the code's name.
func (c Code) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads what MarshalText returns.
func (c *Code) UnmarshalText(text []byte) error {
	for i := Code(1); i < numCodes; i++ {
		if codes[i].name == string(text) {
			*c = i
			return nil
		}
	}
	return fmt.Errorf("sitemap: unknown code %.40q", text)
}

// Severity weighs a problem of this code: Error where an entry or a value was
// dropped, Warning where something was repaired or assumed, Info otherwise. See
// also Problem.Severity.
func (c Code) Severity() Severity {
	if c == 0 || c >= numCodes {
		return Info
	}
	return codes[c].severity
}

// Severity weighs the problem: its code's severity, or Error where an entry was
// dropped for it.
func (p Problem) Severity() Severity {
	if p.Dropped {
		return Error
	}
	return p.Code.Severity()
}
