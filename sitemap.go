package sitemap

import (
	"fmt"
	"net/url"
	"slices"
)

// An Entry is one thing a document lists: a <url>, a <sitemap>, an <item>, an
// Atom <entry> or a line. A field that the document left out, or that could not
// be read, is zero: no value is ever invented.
//
// Loc is a string of its own. Entries of one document may share the memory
// behind Extensions: keeping one keeps a few neighbours' extensions alive.
type Entry struct {
	// Loc is where the entry points, as the site lists it: references decoded
	// once, trimmed, line breaks and control characters removed, inner spaces as
	// %20, resolved against the document's location. It is an absolute http or
	// https URL whose non-ASCII characters are kept (an IRI, RFC 3987). URL gives
	// the form that a request needs.
	Loc string
	// LastMod is when the page or sitemap last changed.
	LastMod Time
	// Published is when a feed's entry was first published (Atom published or
	// issued), where that is not already the LastMod.
	Published Time
	// Priority is the page's priority in the site, from 0 to 1; absent is told
	// from the protocol's default of 0.5.
	Priority Optional[float64]
	// Pos is where the entry starts in the decoded document.
	Pos Position
	// Extensions are images, videos, news, alternates and elements of other
	// namespaces; nil where the entry has none or Options.SkipExtensions is set.
	Extensions *Extensions
	// Kind is Page, or Sitemap where an index lists it.
	Kind Kind
	// ChangeFreq is how often the page is said to change.
	ChangeFreq ChangeFreq
}

// URL returns Loc in the form a request needs (RFC 3986): percent-encoded UTF-8,
// the host in ASCII (IDNA), a stray % escaped. See ParseLoc.
func (e Entry) URL() (*url.URL, error) { return ParseLoc(e.Loc) }

// A Position is a place in a decoded document: after gzip, as UTF-8, without a
// byte order mark.
type Position struct {
	Offset int64 // bytes from the start, from 0
	Line   int   // from 1; a line ends with LF, CR LF or CR
}

// A Kind tells what an entry points to.
type Kind uint8

// The kinds of entries.
const (
	Page    Kind = iota // a page
	Sitemap             // another sitemap, listed by an index
)

var kindNames = [...]string{"page", "sitemap"}

// String returns "page" or "sitemap".
func (k Kind) String() string { return name(kindNames[:], int(k)) }

// MarshalText returns the kind's name.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads what MarshalText returns.
func (k *Kind) UnmarshalText(text []byte) error { return readName(k, kindNames[:], "kind", text) }

// A Format is a kind of document.
type Format uint8

// The formats of documents.
const (
	UnknownFormat Format = iota
	URLSet               // urlset of the sitemap protocol
	SitemapIndex         // sitemapindex of the sitemap protocol
	RSS                  // RSS 0.9x, 1.0 and 2.0
	Atom                 // Atom 0.3 and 1.0
	Text                 // one URL a line
)

var formatNames = [...]string{"", "urlset", "sitemapindex", "rss", "atom", "text"}

// String returns the format's name: "urlset", "sitemapindex", "rss", "atom",
// "text", or "" for UnknownFormat.
func (f Format) String() string { return name(formatNames[:], int(f)) }

// MarshalText returns the format's name.
func (f Format) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText reads what MarshalText returns.
func (f *Format) UnmarshalText(text []byte) error { return readName(f, formatNames[:], "format", text) }

// A ChangeFreq is how often a page is said to change.
type ChangeFreq uint8

// The frequencies of the protocol; the zero ChangeFreq is an absent or unknown one.
const (
	Always ChangeFreq = iota + 1
	Hourly
	Daily
	Weekly
	Monthly
	Yearly
	Never
)

var changeFreqNames = [...]string{"", "always", "hourly", "daily", "weekly", "monthly", "yearly", "never"}

// String returns the frequency's name in lower case, or "" for the zero ChangeFreq.
func (f ChangeFreq) String() string { return name(changeFreqNames[:], int(f)) }

// MarshalText returns the frequency's name.
func (f ChangeFreq) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText reads what MarshalText returns.
func (f *ChangeFreq) UnmarshalText(text []byte) error {
	return readName(f, changeFreqNames[:], "changefreq", text)
}

func name(names []string, i int) string {
	if i < len(names) {
		return names[i]
	}
	return "invalid"
}

// readName sets to to the number of the name that text is.
func readName[T ~uint8](to *T, names []string, what string, text []byte) error {
	i := slices.Index(names, string(text))
	if i < 0 {
		return fmt.Errorf("sitemap: unknown %s %.40q", what, text)
	}
	*to = T(i)
	return nil
}

// Options say how one document is read. A nil *Options is a zero Options.
// They are only read: one Options may serve many documents at once if its
// Report may.
type Options struct {
	// Base is the document's location: relative locations are resolved against
	// it. With no Base, an entry with a relative location is dropped.
	Base *url.URL
	// ContentType is the media type that came with the document, if any. Its
	// charset is heeded unless the bytes contradict it; the format never
	// depends on it.
	ContentType string
	// Limits bound the document.
	Limits Limits
	// SkipExtensions leaves Entry.Extensions nil and the extensions unread: what is
	// wrong in them may go unreported.
	SkipExtensions bool
	// Report, if set, is called with each problem, in document order, but for those of
	// an entry as a whole, which come behind those of what it holds, on the
	// goroutine that ranges over the entries. Where it is not, the
	// Entries of packages parse, feed and text do not look for problems that no
	// entry depends on, such as control characters in a feed's articles. A
	// parse.Reader counts them all the same.
	Report func(Problem)
}

// Limits bound how much of a document is read. A field that is zero means ten
// times the protocol's limit, a negative one means none.
type Limits struct {
	Bytes   int64 // decoded bytes; zero: 524,288,000
	Entries int   // entries; zero: 500,000
}

// The limits that the protocol sets a document (sitemaps.org, version 0.9); what
// crosses them is reported and read on.
const (
	ProtocolBytes   = 52_428_800 // decoded bytes of a document
	ProtocolEntries = 50_000     // URLs of a sitemap, sitemaps of an index
	ProtocolLoc     = 2_048      // characters of a location
)

const unlimited = 1<<63 - 1

// MaxBytes returns the limit of decoded bytes, resolved: the largest int64 for none.
func (l Limits) MaxBytes() int64 {
	switch {
	case l.Bytes < 0:
		return unlimited
	case l.Bytes == 0:
		return 10 * ProtocolBytes
	}
	return l.Bytes
}

// MaxEntries returns the limit of entries, resolved: the largest int64 for none.
func (l Limits) MaxEntries() int64 {
	switch {
	case l.Entries < 0:
		return unlimited
	case l.Entries == 0:
		return 10 * ProtocolEntries
	}
	return int64(l.Entries)
}

// A Summary is what was learnt from a document, so far or, once its entries were
// ranged over, in all.
type Summary struct {
	Format   Format
	Encoding string       // as named by the WHATWG Encoding standard, in lower case: "utf-8"; or utf-32le, utf-32be
	Bytes    int64        // decoded bytes read
	Entries  int64        // entries yielded
	Problems map[Code]int // problems reported, by code
	LastMods LastMods
}

// LastMods are what search engines judge a document's lastmod values by. Bing
// and Google ignore the values of a site where they do not tell when pages changed.
type LastMods struct {
	Count    int64 // entries with a lastmod
	Equal    int64 // of these, how many equal the document's first
	Future   int64 // of these, how many start more than a day after the time of reading
	DateOnly int64 // of these, how many have no time of day
}
