package discover

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover/trust"
	"github.com/seed-322c453a/sitemap/fetch"
	"github.com/seed-322c453a/sitemap/internal/datetime"
)

// A Sitemap is the location of a document and how it was found. A walk never changes a Sitemap,
// so it may be kept and shared between goroutines.
type Sitemap struct {
	// Loc is the location as listed, an absolute http or https URL.
	Loc string
	// LastMod is when the document last changed, as the index that lists it says.
	LastMod sitemap.Time
	// Referrer is the index that lists the document. It is nil for a seed: one that robots.txt, a
	// home page, a known path or the caller named.
	Referrer *Sitemap
	// RobotsURL is the robots.txt that names the document, as it was requested, else "".
	RobotsURL string
	// Line is the line of RobotsURL, from 1.
	Line int
	// HomeURL is the home page that names the document by <link rel="sitemap">, else "". A page
	// vouches for nothing.
	HomeURL string
	// Grants entitle a seed to list URLs: those that [Client.Find] found, or that the caller adds.
	// A seed with neither Grants, Referrer, RobotsURL nor HomeURL was named by the caller, who
	// vouches for its host ([trust.FromCaller]). The whole scope of a document is in
	// [Summary.Scope].
	Grants trust.Scope
}

// source returns the kind of thing that named the document.
func (s *Sitemap) source() trust.Source {
	switch {
	case s.RobotsURL != "":
		return trust.FromRobots
	case s.Referrer != nil:
		return trust.FromIndex
	case s.HomeURL != "":
		return trust.FromHome
	case len(s.Grants) > 0:
		return trust.FromKnownPath
	}
	return trust.FromCaller
}

// String returns the chain of references that led to the document:
// "robots.txt of www.example.com, line 12 → index → sitemap", where index and sitemap are
// locations.
func (s *Sitemap) String() string {
	var chain []string
	for ; s != nil; s = s.Referrer {
		chain = append(chain, sitemap.Redact(s.Loc))
		if s.RobotsURL != "" {
			_, host, _ := strings.Cut(s.RobotsURL, "://")
			from := "robots.txt of " + strings.TrimSuffix(host, "/robots.txt")
			if s.Line > 0 {
				from += ", line " + strconv.Itoa(s.Line)
			}
			chain = append(chain, from)
		} else if s.HomeURL != "" {
			chain = append(chain, "home page "+s.HomeURL)
		}
	}
	slices.Reverse(chain)
	return strings.Join(chain, " → ")
}

// A URL is a page that a sitemap lists. It may be kept, and shared between goroutines.
type URL struct {
	sitemap.Entry
	// Sitemap is the document that lists the page.
	Sitemap *Sitemap
	// Trust says how strongly the document is entitled to list the page.
	Trust trust.Level
	// Grant is the grant that entitles it. It is zero if Trust is [trust.Untrusted].
	Grant trust.Grant
	// Change compares the page with the walks before. It is "" without [Options.Store].
	Change Change
	// OnSite reports whether the page is on the host of the site, or on one that differs from it
	// by a leading "www." only. The sites of [Client.Walk] are the hosts of the robots.txt files
	// that named its seeds, or the seeds' own hosts.
	OnSite bool
}

// A Change compares a page with what a Store remembers of it.
type Change string

// The changes of a page.
const (
	New       Change = "new"       // no walk has seen it
	Modified  Change = "modified"  // its lastmod is later than any that was seen
	Unchanged Change = "unchanged" // seen before, and its lastmod is not later
)

// Options are the options of one walk. A nil *Options is a zero Options. A walk only reads them:
// one Options may serve several walks at once if its functions may.
type Options struct {
	// Since leaves out documents and pages that have not changed since then. Children of an index
	// are not fetched, and pages not yielded, if the span of their lastmod ended before it: "2024"
	// ends with that year, in UTC. 14 hours are added to a time of day without a zone. A page
	// without a lastmod stays. The zero Time leaves out nothing.
	Since time.Time
	// IgnoreIndexLastMod ignores the lastmods that an index lists for its children. Since and
	// OnlyChanged then depend on the documents themselves. An index whose lastmods are older than
	// the pages of its children is reported as [sitemap.IndexLastModOld].
	IgnoreIndexLastMod bool
	// Newest reads the children of an index in the order of the lastmods that it lists for them,
	// the latest first and those without one last. [Options.MaxSitemaps] then leaves out the
	// oldest.
	Newest bool
	// Follow, if set, decides for each sitemap that an index lists whether to fetch it.
	Follow func(*Sitemap) bool
	// MinTrust is the least trust of the pages that are yielded. Others are dropped and reported as
	// [sitemap.UntrustedLoc]. 0 means [trust.Variant]; [trust.Untrusted] yields every page.
	MinTrust trust.Level
	// VerifyHosts is how many further hosts of the site may be asked whether their robots.txt names
	// a document that lists their pages. Each is waited for at most 15 s. 0 means 4, a negative
	// number none.
	VerifyHosts int
	// KnownPaths are tried instead of [DefaultKnownPaths]. An empty slice that is not nil means
	// that no path is tried. Each is a path of the site's host, with or without a query.
	KnownPaths []string
	// KnownPathsToo tries the known paths and the home page even if robots.txt names a sitemap that
	// can be read. It reads all sitemaps that they lead to, not only the first.
	KnownPathsToo bool
	// MaxDepth is how many indexes may lie above a document. 0 means 10, a negative number no
	// limit.
	MaxDepth int
	// MaxSitemaps is how many documents are read. 0 means 50,001: an index and the 50,000 children
	// that the protocol allows. A negative number means no limit; memory then grows with them.
	MaxSitemaps int
	// Limits bound each document. Limits.Bytes bounds it on the wire too.
	Limits sitemap.Limits
	// SkipExtensions leaves Entry.Extensions nil.
	SkipExtensions bool
	// Store, if set, remembers documents and pages between walks; see [Store].
	Store Store
	// Run names this walk in Store. A walk that was stopped resumes if it is begun again with the
	// same Run and the same site, or the same seeds. Documents that it had finished are skipped.
	// Documents that failed before their first entry are requested again. So a Run that has ended
	// yields nothing if it is begun again: choose another name for each run, such as its date. If
	// Run is empty, the walk starts from the beginning. Run has no effect without Store.
	Run string
	// OnlyChanged yields only pages that are [New] or [Modified], and requests only documents that
	// may have changed. It has no effect without Store.
	OnlyChanged bool
	// Validators, if set, returns the validators of the caller's version of a document, in a walk
	// without Store. A document that the server then calls unchanged ends with
	// [Summary.NotModified]. It yields nothing, and an index leads to none of its children.
	// Validators may be called before the turn of the document, on the goroutine that ranges over
	// the walk.
	Validators func(*Sitemap) fetch.Validators
	// Fetched, if set, is called with each document that was fetched, before it is read, even if it
	// turns out not to be a sitemap. For a robots.txt, the Sitemap is nil. A robots.txt from the
	// cache is not fetched. Fetched must not read or close the Body: use [fetch.Document.Again].
	Fetched func(*Sitemap, *fetch.Document)
	// Report, if set, is called with each problem of a document, of a robots.txt (with a Sitemap
	// that has its location), or of the walk itself.
	Report func(*Sitemap, sitemap.Problem)
	// Done, if set, is called when a document has ended: it was read, it failed, or it was skipped
	// for the reason in [Summary.Skipped]. It is not called for a document in which the caller
	// broke off. Follow, Fetched, Report and Done are called on the goroutine that ranges over the
	// walk.
	Done func(*Sitemap, Summary)
}

// MaxForeign is how many documents a walk fetches from hosts that are neither the host of the
// index that lists them nor covered by its grants.
const MaxForeign = 100

// A Summary describes a document that has ended.
type Summary struct {
	// Summary holds the results of reading the document.
	sitemap.Summary
	URL         string        // the URL that was requested
	FinalURL    string        // the URL that answered, "" if none did
	Status      int           // HTTP status of the last response, 0 if there was none
	Attempts    int           // how often the document was requested, retries included
	Hops        []fetch.Hop   // the redirects that were followed
	Fetched     time.Time     // when reading began, zero if it was not read
	ContentType string        // as served, if it was read
	Received    int64         // bytes of the body on the wire
	Elapsed     time.Duration // from the request to the end of the caller's loop
	NotModified bool          // the server answered 304
	Dropped     int64         // how many entries were dropped because of problems
	Fresh       time.Duration // how long the response is fresh: see [fetch.Document.Fresh]
	Skipped     Skipped       // why it was not read, or ""
	// Validators are those of the response, for [Options.Validators] of another walk.
	Validators fetch.Validators
	// ByTrust counts the pages by trust, including those that were dropped because of it.
	ByTrust map[trust.Level]int64
	// Queued is how many documents are known to follow this one, its own children included.
	Queued int
	// Referrers are all Sitemaps that name the document and were known when it was read. The first
	// is the one that Done is called with.
	Referrers []*Sitemap
	// Scope holds the grants that the document had.
	Scope trust.Scope
	// Err is why the document could not be read, or not to its end: a [*fetch.Error], a
	// [*sitemap.ParseError], or nil.
	Err error
}

// Skipped says why a document was not read.
type Skipped string

// The reasons in [Summary.Skipped].
const (
	SkippedSince  Skipped = "since"  // its lastmod is before Options.Since
	SkippedFollow Skipped = "follow" // Options.Follow returned false
	SkippedState  Skipped = "state"  // by the Store its content has not changed
	SkippedResume Skipped = "resume" // it was read before this Run was stopped
)

// Excludes reports whether Since leaves out an entry with this lastmod. It is safe for concurrent
// use, and for a nil *Options.
func (o *Options) Excludes(lastMod sitemap.Time) bool {
	if o == nil || o.Since.IsZero() || lastMod.IsZero() {
		return false
	}
	end := lastMod.End()
	if lastMod.ZoneAssumed() {
		end = end.Add(14 * time.Hour)
	}
	return !end.After(o.Since)
}

// judgeDate reports whether Since leaves out an entry with this lastmod, and whether the lastmod is
// after listed, the end of the lastmod in an index, unless listed is zero.
func (o *Options) judgeDate(lastMod sitemap.Time, listed time.Time) (excluded, isLate bool) {
	isLater := !listed.IsZero() && lastMod.Start().After(listed)
	return o.Excludes(lastMod), isLater && !datetime.IsAhead(lastMod, time.Now())
}

// fetched calls Fetched if there is one.
func (o *Options) fetched(s *Sitemap, doc *fetch.Document) {
	if o != nil && o.Fetched != nil {
		o.Fetched(s, doc)
	}
}

// report calls Report if there is one.
func (o *Options) report(s *Sitemap, p sitemap.Problem) {
	if o.Report != nil {
		o.Report(s, p)
	}
}

func (o *Options) minTrust() trust.Level { return cmp.Or(o.MinTrust, trust.Variant) }
func (o *Options) verifyHosts() int      { return max(cmp.Or(o.VerifyHosts, 4), 0) }
func (o *Options) maxDepth() int         { return orDefault(o.MaxDepth, 10) }
func (o *Options) maxSitemaps() int      { return orDefault(o.MaxSitemaps, 50_001) }

// orDefault resolves a limit: def for zero, no limit for negative numbers.
func orDefault(n, def int) int {
	if n < 0 {
		return math.MaxInt
	}
	return cmp.Or(n, def)
}
