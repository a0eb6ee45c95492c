// Package discover goes from a site to its sitemaps to its URLs: it reads
// robots.txt, tries known paths, follows indexes, and judges for each URL what
// entitles the sitemap to list it.
//
//	var c discover.Client
//	for u, err := range c.URLs(ctx, "https://example.com/", nil) {
//		if err != nil {
//			return err // the last element: what could not be read, after everything that could
//		}
//		fmt.Println(u.Loc)
//	}
//
// # Order
//
// A walk is in document order, depth first: sitemaps as robots.txt lists them, an
// index's own pages and then its children as it lists them, each document once,
// by the URL asked for and by the URL that answered; one that could not be read is asked
// for as other indexes spell it, three times at most. Documents are fetched ahead,
// but neither order nor verdicts depend on that: also what indexes list whose turn has not
// come, on their own hosts, unless Options.Follow is set; what turns out not to be wanted is
// given up. Where one host is busy, documents of others are asked for first.
//
// # Politeness
//
// A Crawl-delay for our agent is kept, up to MaxCrawlDelay, on each host that a
// walk gets more than one document from: its robots.txt is asked for it, also where
// the caller names the sitemaps. There it is asked for before the second document is, which
// waits for it: 10 s at most, and not at all once 4 hosts of the walk have not answered. One that
// cannot be had stops nothing, and a walk asks 1,000 hosts at most. Disallow bars only known
// paths: what robots.txt, an index or the caller names is fetched.
//
// # Fetching
//
// How documents are fetched is the Client's Fetcher to say. Who crawls names himself,
// and whose site is on loopback or in a private network opens the way to it:
//
//	c := discover.Client{Fetcher: &fetch.Client{
//		UserAgent: "mybot/1.0 (+https://mybot.example/)", RobotsAgent: "mybot",
//		AllowPrivateNetworks: true,
//	}}
//
// # Credentials
//
// A user name and password in the URL of a site, or of a sitemap that Walk is given,
// go with every request of the walk to the same scheme, host and port that has none
// of its own, or from http to https of that host, and to no other. They are left out
// of every Sitemap, Summary and error, and of a State. What Find returns is without
// them, too.
//
// # Errors
//
// A sequence has at most one error, its last element, after everything that could
// be read: a *WalkError that lists what could not, a *NoSitemapError, an
// unreachable robots.txt, or the context's error. Documents that fail are told to
// Options.Done as it happens, and so is a robots.txt that broke off after it had named
// sitemaps, and at the end known paths that failed for now before another one had a
// sitemap; defects of entries are Problems, told to Options.Report.
//
// A document whose body breaks off before anything of it was yielded is fetched again, as
// often as the Fetcher retries: also one that was fetched ahead and broke off before its turn,
// of which a fetch that came whole counts, else the one that brought most; and one that ends too
// early where only the end of its connection tells its end. Once three of a host in a row broke
// off every time, others of it are not, until one is read.
//
// # Trust
//
// A document may list the URLs that its grants cover: those of the hosts whose
// robots.txt name it, those below the directory it was served from, those of the
// hosts that the caller vouches for, and whatever an index that lists it may list.
// See Trust and Scope.
package discover

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/fetch"
)

// A Fetcher gets documents. A *fetch.Client is one. It must be safe for
// concurrent use and heed the context of its requests, which bounds the
// Document's Body too; a Body that is closed must leave nothing running.
//
// Of a *fetch.Client, RobotsToken, MaxRetries, SetDelay, HasSecrets and CloseIdleConnections
// are called too, and of any other Fetcher those of them that it has, as they are there: one that
// wraps a *fetch.Client has them all if it embeds it. SetDelay is called again where a
// Crawl-delay has changed, with 0 where there is none any more. HasSecrets says that it adds
// secrets to its requests: a host named without a scheme is then asked for by https only, as with
// credentials. Request.URL and Request.Origins may hold credentials, which errors must not. Of a
// Document, URL, Status and Body must be set; with an error there is none. One whose Status is no
// success, and that is not NotModified, counts as an error: fetch.ErrStatus. Other errors should be
// a *fetch.Error: only of these it is known whether another time may bring the document, and
// after how long. What reading the Body returns but io.EOF, errors of this module's packages, and
// what matches these means fetch.ErrBody: that it broke off. Where the Body is a *fetch.Client's
// own, documents that break off before their turn are fetched again early, and nested indexes
// looked into ahead.
type Fetcher interface {
	Get(ctx context.Context, req fetch.Request) (*fetch.Document, error)
}

// A Sitemap is a document's location, with how it was found and what it may list.
type Sitemap struct {
	// Loc is the location as listed, an absolute http or https URL.
	Loc string
	// LastMod is when it last changed, as the index that lists it says.
	LastMod sitemap.Time
	// Referrer is the index that lists it; nil for one that robots.txt, a known
	// path or the caller named.
	Referrer *Sitemap
	// RobotsURL is the robots.txt that names it, as it was asked for, else "".
	RobotsURL string
	// Line is the line of RobotsURL, from 1.
	Line int
	// Scope is what the document may list. What robots.txt, known paths and the
	// caller grant is there from the start, what the index, the location and
	// verification grant is added while a walk is in the document; after that, and
	// all else always, may be read on any goroutine.
	Scope Scope
}

// String returns the chain that led to the document, as a proof of what it may
// list: "robots.txt of www.example.com, line 12 → index → sitemap", where index and sitemap
// are locations.
func (s *Sitemap) String() string {
	var chain []string
	for ; s != nil; s = s.Referrer {
		chain = append(chain, sitemap.Redact(s.Loc))
		if s.RobotsURL != "" {
			from := "robots.txt of " + strings.TrimSuffix(withoutScheme(s.RobotsURL), "/robots.txt")
			if s.Line > 0 {
				from += ", line " + strconv.Itoa(s.Line)
			}
			chain = append(chain, from)
		}
	}
	slices.Reverse(chain)
	return strings.Join(chain, " → ")
}

func withoutScheme(loc string) string {
	if _, rest, ok := strings.Cut(loc, "://"); ok {
		return rest
	}
	return loc
}

// A URL is a page that a sitemap lists. It may be kept, and handed to other goroutines.
type URL struct {
	sitemap.Entry
	// Sitemap is the document that lists it.
	Sitemap *Sitemap
	// Trust is what entitles the document to list it.
	Trust Trust
	// OnSite says that the page is on the host of the site asked for, or on one
	// that differs from it by a leading "www." only. For Walk, the sites are the
	// hosts of the robots.txt that named the sitemaps walked from, or their own.
	OnSite bool
}

// Options are the options of one walk. A nil *Options is a zero Options. They are
// only read: one Options may serve several walks at once, if it has no State and its
// functions may be called so.
type Options struct {
	// Since leaves out what has not changed since: children of an index are not
	// fetched, and entries not yielded, if what their lastmod says, as exactly as it
	// does, was over by then, or 14 hours before where its zone was assumed. What has
	// no lastmod stays.
	Since time.Time
	// Follow, if set, says for each sitemap that an index lists whether it is
	// fetched. It must not change the Sitemap. With it, what an index lists is fetched only
	// from its turn on.
	Follow func(*Sitemap) bool
	// MinTrust is the least trust of the URLs that are yielded; others are dropped
	// and reported (sitemap.UntrustedLoc). 0 means ByVariant; Untrusted yields all.
	MinTrust Trust
	// VerifyHosts is how many hosts, at most, are asked for their robots.txt
	// because a document lists their URLs with no other grant, or did when it was read
	// before. Only hosts under the registrable domain of the site are, each by both
	// schemes if need be, and each is waited for 15 s. 0 means 4, a negative number none.
	VerifyHosts int
	// KnownPaths are tried instead of DefaultKnownPaths where robots.txt names no
	// sitemap; empty but not nil means none. Each is a path of the site's host, with a query or
	// without; of another URL its path counts, and what cannot be read is left out.
	KnownPaths []string
	// MaxDepth is how many indexes may lie above a document. 0 means 10, a
	// negative number any.
	MaxDepth int
	// MaxSitemaps is how many documents are read; a few more may be fetched ahead.
	// 0 means 50,001, an index and all that it may list, a negative number any, with memory that
	// grows with them.
	MaxSitemaps int
	// Limits bound each document; Limits.Bytes bounds it on the wire, too.
	Limits sitemap.Limits
	// SkipExtensions leaves Entry.Extensions nil.
	SkipExtensions bool
	// State, if set, remembers documents between walks and lets a walk go on that
	// was interrupted. See State.
	State *State
	// Report, if set, is called with each problem of a document, of a robots.txt
	// (with a Sitemap that has its location), or of the walk itself. Of a document that was
	// fetched several times they are those of the fetch that counts, the first 10,000 of them
	// at least.
	Report func(*Sitemap, sitemap.Problem)
	// Done, if set, is called when a document has ended: was read, failed, or was
	// left out for a reason that Summary.Skipped tells; not of one that a break or the
	// end of the context stopped. What it is given may be kept. Follow, Report and
	// Done are called on the goroutine that ranges over the walk.
	Done func(*Sitemap, Summary)
}

// Defaults of Options.
const (
	DefaultVerifyHosts = 4
	DefaultMaxDepth    = 10
	DefaultMaxSitemaps = 50_001
)

// MaxForeign is how many children of indexes a walk fetches from hosts that are
// neither the index's own nor covered by its grants.
const MaxForeign = 100

// A Summary is what is known of a document when it has ended.
type Summary struct {
	// Summary is what reading it told. Of a robots.txt that broke off, Entries are the
	// sitemaps that it named before.
	sitemap.Summary
	// URL is the URL that was asked for.
	URL string
	// FinalURL is the URL that answered, "" if none did.
	FinalURL string
	// Status is the HTTP status of the response to the last request, 0 if that had none.
	Status int
	// Attempts is how often it was tried, over all fetches of it. Of a known path that was missed
	// only the last one counts, of a robots.txt that broke off only the one that was kept.
	Attempts int
	// Hops are the redirects.
	Hops []fetch.Hop
	// Received is how many bytes of it came on the wire, over all fetches.
	Received int64
	// FirstByte is the time from when it was asked for to the header of the response, waits for
	// the Limiter and retries included, of the fetch that counts; 0 if it brought no document.
	FirstByte time.Duration
	// Elapsed is the time from when it was first asked for to the end of the document, with the
	// waits for the caller's loop.
	Elapsed time.Duration
	// NotModified says that it has not changed since the State's last walk.
	NotModified bool
	// Skipped is why the document was not read this time. Err then says what became of it
	// when it was, if that was a failure.
	Skipped Skip
	// ByTrust counts its pages by verdict, those dropped for it too.
	ByTrust map[Trust]int64
	// Queued is how many documents are still to be walked after this one, as far as is known, those
	// that it lists included; some may turn out to be known already, or be left out.
	Queued int
	// Referrers are all Sitemaps that name the document, as far as they were known
	// when it was read: the one that Done is called with first, then those that
	// another robots.txt or the caller named. Each tells its own Referrer,
	// RobotsURL and Line.
	Referrers []*Sitemap
	// Err is why it could not be read, or not to its end: a *fetch.Error, a
	// *sitemap.ParseError, an error of the reader, or nil.
	Err error
}

// A Skip is a reason not to read a document.
type Skip uint8

// The reasons to skip a document.
const (
	NotSkipped Skip = iota
	BySince         // its lastmod is before Options.Since
	ByFollow        // Options.Follow said no
	ByState         // its lastmod has not moved, and its host's lastmods are honest; or its server asked to wait (Retry-After)
	ByResume        // the interrupted walk that goes on had read it
)

var skipNames = [...]string{"", "since", "follow", "state", "resume"}

// String returns "since", "follow", "state" or "resume", or "" for NotSkipped.
func (s Skip) String() string {
	if int(s) < len(skipNames) {
		return skipNames[s]
	}
	return "invalid"
}

// MarshalText returns what String does.
func (s Skip) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what String returns.
func (s *Skip) UnmarshalText(text []byte) error {
	i := slices.Index(skipNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("discover: unknown skip %q", text)
	}
	*s = Skip(i)
	return nil
}

func (o *Options) minTrust() Trust {
	if o.MinTrust == 0 {
		return ByVariant
	}
	return o.MinTrust
}

// orDefault resolves a limit: def for zero, no limit for negative numbers.
func orDefault(n, def int) int {
	switch {
	case n == 0:
		return def
	case n < 0:
		return math.MaxInt
	}
	return n
}

func (o *Options) verifyHosts() int {
	if o.VerifyHosts < 0 {
		return 0
	}
	return orDefault(o.VerifyHosts, DefaultVerifyHosts)
}

func (o *Options) maxDepth() int    { return orDefault(o.MaxDepth, DefaultMaxDepth) }
func (o *Options) maxSitemaps() int { return orDefault(o.MaxSitemaps, DefaultMaxSitemaps) }

func (o *Options) knownPaths() []string {
	if o.KnownPaths == nil {
		return DefaultKnownPaths()
	}
	return o.KnownPaths
}

// LeavesOut reports whether Since leaves out what has this lastmod: whether that is known to end
// before it. Who reads documents without a walk may ask, too. It is safe for concurrent use.
func (o *Options) LeavesOut(lastMod sitemap.Time) bool {
	if o == nil || o.Since.IsZero() || lastMod.IsZero() {
		return false
	}
	end := lastMod.End()
	if lastMod.ZoneAssumed() {
		end = end.Add(14 * time.Hour)
	}
	return !end.After(o.Since) // which does not belong to it any more
}
