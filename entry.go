package sitemap

import (
	"fmt"
	"net/url"
	"slices"
)

// An Entry is one entry of a document: a <url>, a <sitemap>, an <item>, an Atom <entry> or a line
// of text. A field that is missing or unreadable is zero; no value is ever invented.
//
// Entries of one document may share the memory of Extensions, so an entry that is kept may keep the
// extensions of a few neighbors. Loc has its own memory, except in text: there, neighboring lines
// share at most 6 KiB. To keep a few locations of many, copy them with [strings.Clone].
type Entry struct {
	// Loc is the location of the page or sitemap as the document lists it. References are decoded
	// once, white space around it, line breaks and control characters are removed, and inner spaces
	// are written as %20. Loc is an absolute http or https URL; a relative location is resolved
	// against [Options.Base]. Non-ASCII characters are kept (an IRI, RFC 3987). URL returns the
	// form that a request needs.
	Loc string
	// LastMod is the time when the page or sitemap last changed.
	LastMod Time
	// Published is the time when the entry of a feed was first published (Atom published or
	// issued). It is zero if that time is the LastMod.
	Published Time
	// Priority is the page's priority within the site, from 0 to 1. It is absent if the document
	// lists none; the protocol's default is 0.5.
	Priority Optional[float64]
	// Pos is the position where the entry starts in the decoded document.
	Pos Position
	// Extensions are images, videos, news, alternates and elements of other namespaces. It is nil
	// if the entry has none or [Options.SkipExtensions] is set.
	Extensions *Extensions
	// Kind is Page, or Sitemap if an index lists the entry.
	Kind Kind
	// ChangeFreq is how often the page changes, by its own account.
	ChangeFreq ChangeFreq
}

// URL returns Loc in the form that a request needs (RFC 3986); see [ParseLoc].
func (e Entry) URL() (*url.URL, error) { return ParseLoc(e.Loc) }

// A Position is a place in a decoded document: without gzip, in UTF-8, without a byte order mark.
type Position struct {
	Offset int64 // bytes from the start, from 0
	Line   int   // from 1; a line ends with LF, CR LF or CR
	Column int   // in bytes, from 1; 0 if it is not known
}

// A Kind says whether an entry is a page or a sitemap.
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

// UnmarshalText reads a name that String returns.
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
	Text                 // one URL per line
)

var formatNames = [...]string{"", "urlset", "sitemapindex", "rss", "atom", "text"}

// String returns the format's name: "urlset", "sitemapindex", "rss", "atom",
// "text", or "" for UnknownFormat.
func (f Format) String() string { return name(formatNames[:], int(f)) }

// MarshalText returns the format's name.
func (f Format) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText reads a name that String returns.
func (f *Format) UnmarshalText(text []byte) error {
	return readName(f, formatNames[:], "format", text)
}

// A ChangeFreq says how often a page changes.
type ChangeFreq uint8

// The frequencies of the protocol. The zero ChangeFreq means that it is absent or invalid.
const (
	Always ChangeFreq = iota + 1
	Hourly
	Daily
	Weekly
	Monthly
	Yearly
	Never
)

var changeFreqNames = [...]string{"", "always", "hourly", "daily", "weekly", "monthly", "yearly",
	"never"}

// String returns the frequency's name in lower case, or "" for the zero ChangeFreq.
func (f ChangeFreq) String() string { return name(changeFreqNames[:], int(f)) }

// MarshalText returns the frequency's name.
func (f ChangeFreq) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText reads a name that String returns.
func (f *ChangeFreq) UnmarshalText(text []byte) error {
	return readName(f, changeFreqNames[:], "changefreq", text)
}

func name(names []string, i int) string {
	if i < len(names) {
		return names[i]
	}
	return "invalid"
}

// readName sets *to to the index of text in names.
func readName[T ~uint8](to *T, names []string, what string, text []byte) error {
	i := slices.Index(names, string(text))
	if i < 0 {
		return fmt.Errorf("sitemap: unknown %s %.40q", what, text)
	}
	*to = T(i)
	return nil
}
