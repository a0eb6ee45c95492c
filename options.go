package sitemap

import (
	"net/url"
	"time"
)

// Options control how one document is read. A nil *Options is a zero Options. Reading does not
// change them, so one Options may serve many documents at once if its Report may.
type Options struct {
	// Base is the location of the document. Relative locations are resolved against it; without a
	// Base, they are dropped.
	Base *url.URL
	// ContentType is the media type that the document was served with, if any. Its charset is used
	// unless the bytes contradict it. The format never depends on it.
	ContentType string
	// Limits bound the document.
	Limits Limits
	// SkipExtensions leaves [Entry.Extensions] nil. Problems in extensions may then not be
	// reported.
	SkipExtensions bool
	// Report, if set, is called with each problem, on the goroutine that ranges over the entries.
	// Problems come in document order, except that those of an entry as a whole come after those of
	// its parts.
	//
	// If Report is nil, the Entries functions of packages parse, feed and text skip problems that
	// affect no entry, such as control characters in the articles of a feed. A parse.Reader always
	// counts them.
	Report func(Problem)
}

// Limits bound how much of a document is read. A zero field means ten times the limit of the
// protocol, a negative one means no limit.
type Limits struct {
	Bytes   int64 // decoded bytes; zero: 524,288,000
	Entries int   // entries; zero: 500,000
}

// The limits of the protocol for a document (sitemaps.org, version 0.9). A document that exceeds
// them is reported and still read.
const (
	ProtocolBytes   = 52_428_800 // decoded bytes of a document
	ProtocolEntries = 50_000     // URLs of a sitemap, or sitemaps of an index
	ProtocolLoc     = 2_048      // characters of a location
)

// A Summary describes a document as far as it has been read.
type Summary struct {
	Format Format
	// a name of the WHATWG Encoding standard in lower case, or utf-32le or utf-32be
	Encoding string
	Bytes    int64        // decoded bytes read
	Entries  int64        // entries yielded
	Problems map[Code]int // problems reported, by code
	LastMods LastMods
	// elements of other namespaces directly in a urlset or sitemapindex; at most as many as an
	// entry has in [Extensions]
	Other []Element
	// Refresh is how long a feed asks its readers to wait between requests: its ttl (RSS 2.0), or
	// its sy:updatePeriod divided by its sy:updateFrequency (RSS 1.0, module syndication),
	// whichever is longer. It is 0 if the feed has neither, or none that is readable.
	Refresh time.Duration
}

// LastMods describe how credible the lastmod values of a document are. Bing and Google ignore those
// of a site if they do not reflect changes of its pages.
type LastMods struct {
	Count    int64 `json:"count"`     // entries with a lastmod
	Equal    int64 `json:"equal"`     // of these, those that equal the first one of the document
	Future   int64 `json:"future"`    // of these, those over a day after the time of reading
	DateOnly int64 `json:"date_only"` // of these, those without a time of day
}
