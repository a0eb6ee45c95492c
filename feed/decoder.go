package feed

import (
	"net/url"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/document"
	"github.com/seed-322c453a/sitemap/internal/extension"
	"github.com/seed-322c453a/sitemap/internal/input"
	"github.com/seed-322c453a/sitemap/internal/namespace"
	"github.com/seed-322c453a/sitemap/internal/xmlscan"
)

// A decoder reads one feed.
type decoder struct {
	in    *input.Reader
	r     *xmlscan.Reader
	sink  *document.Sink
	tally *document.Tally
	ext   *extension.Decoder // nil if extensions are skipped

	atom       bool
	space      namespace.Space // of the root
	prefix     string          // of the root's tag
	entrySpace namespace.Space // of the open entry
	uppered    bool            // uppercase_tag was reported
	misplaced  bool            // the open entry is one of the other format
	location   *url.URL        // of the feed
	base       *url.URL        // of the element around the entry

	unknownRoot bool // the root is of no format, and no entry was read yet

	ttl, period time.Duration // that the channel gives
	perPeriod   uint64        // updates in a period, or 0

	entry entry
	href  []byte // decoded
}

func (d *decoder) problem(code sitemap.Code, field string) {
	d.sink.Problem(code, d.in.Position(0), field, d.r.Raw())
}

// here returns the position of the current token, if there is a report to use it.
func (d *decoder) here() (pos sitemap.Position) {
	if d.sink.Report() != nil {
		pos = d.in.Position(0)
	}
	return pos
}

// A rank orders the links of an entry. A lower one is preferred.
type rank int

const (
	noLink    rank = iota - 1 // a link to something other than the page
	unlinked                  // no link so far
	plainLink                 // RSS's own, or Atom's without rel
	htmlAlternate
	alternate
	rssAtomLink // an Atom link in an RSS item, with any rel
)

// A candidate is a possible location of an entry. Its text is a copy.
type candidate struct {
	rank   rank
	usable bool
	raw    []byte
	pos    sitemap.Position
	base   *url.URL
	atom   bool // a link of Atom, which may be relative to an xml:base
	field  string
	code   sitemap.Code // reported if it becomes the location, or ""
}

// set replaces the candidate.
func (c *candidate) set(raw []byte, from candidate) {
	from.raw = append(c.raw[:0], raw...)
	*c = from
}

// unset clears the candidate but keeps its memory. The other fields have no meaning for a candidate
// that is neither ranked nor usable.
func (c *candidate) unset() { c.rank, c.usable = unlinked, false }

// An entry is the item or entry being read. Its buffers are reused for all entries of the document.
type entry struct {
	sitemap.Entry
	base   *url.URL
	start  []byte // its start tag, cut at 256 bytes
	link   candidate
	linked bool      // it has a link of RSS
	id     candidate // guid, id or rdf:about
	dates  [dates]sitemap.Time
}

// A date is a kind of date of an entry. A smaller one is preferred as LastMod.
type date int

const (
	modified  date = iota // pubDate; Atom's updated, modified
	described             // dc:date, in RSS
	revised               // atom:updated and dcterms:modified, in RSS
	published
	issued
	created
	other // dc:date and dcterms:modified, in Atom
	dates
)
