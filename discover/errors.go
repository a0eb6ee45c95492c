package discover

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-322c453a/sitemap"
)

// Causes of errors, for [errors.Is].
var (
	// ErrNoSitemap means that neither robots.txt nor the known paths led to a sitemap.
	ErrNoSitemap = errors.New("no sitemap found")
	// ErrUnreachable means that a robots.txt could not be read, so that its rules are not known
	// (RFC 9309, section 2.3.1.4): the server answered 407, 429 or 5xx, not at all, or not to
	// the end, or no request may go there ([fetch.ErrRefused]).
	ErrUnreachable = errors.New("robots.txt unreachable")
	// ErrLimit means that documents were left out because of a limit of the walk.
	ErrLimit = errors.New("limit of the walk")
	// ErrSite means that the site is neither a host name nor an http or https URL.
	ErrSite = errors.New("not a site")
	// ErrRunning means that a walk of the same Run and site, with the same Store, is under way.
	ErrRunning = errors.New("a walk of the same run and site is under way")
)

// A WalkError lists what a walk could not read. Everything else was yielded.
type WalkError struct {
	// Failed counts the documents that failed, were cut short, or were left out because of a limit.
	Failed int
	// Errs are a [*LimitError] for each limit and a [*DocumentError] for each of the first
	// failures, 16 in all. An error of the Store is the last one.
	Errs []error
}

const maxErrs = 16

// add counts a document that failed.
func (e *WalkError) add(err *DocumentError) {
	e.Failed++
	if len(e.Errs) < maxErrs {
		e.Errs = append(e.Errs, err)
	}
}

// addFirst counts the documents that a limit left out, and lists it before all other errors.
func (e *WalkError) addFirst(err *LimitError) {
	e.Failed += err.Left
	e.Errs = slices.Insert(e.Errs, 0, error(err))
	e.Errs = e.Errs[:min(len(e.Errs), maxErrs)]
}

// Error returns the number of failures and the first three of them.
func (e *WalkError) Error() string {
	var texts []string
	for _, err := range e.Errs[:min(len(e.Errs), 3)] {
		texts = append(texts, err.Error())
	}
	if len(e.Errs) > 3 {
		texts = append(texts, "...")
	}
	failed := ""
	switch e.Failed {
	case 0: // the Store failed
	case 1:
		failed = "1 sitemap could not be read: "
	default:
		failed = strconv.Itoa(e.Failed) + " sitemaps could not be read: "
	}
	return "discover: " + failed + strings.Join(texts, "; ")
}

// Unwrap returns Errs.
func (e *WalkError) Unwrap() []error { return e.Errs }

// A DocumentError says why one document could not be read, or not to its end.
type DocumentError struct {
	Sitemap *Sitemap
	Err     error // a *fetch.Error, a *sitemap.ParseError, or an error of the reader
}

// Error returns the location, without credentials, and the cause.
func (e *DocumentError) Error() string {
	text, loc := fmt.Sprint(e.Err), sitemap.Redact(e.Sitemap.Loc)
	for _, prefix := range []string{"fetch: ", "sitemap: ", loc + ": "} {
		text = strings.TrimPrefix(text, prefix)
	}
	return loc + ": " + text
}

// Unwrap returns the cause.
func (e *DocumentError) Unwrap() error { return e.Err }

// An unreachableError is ErrUnreachable with its cause.
type unreachableError struct{ err error }

func (e *unreachableError) Error() string {
	cause := strings.TrimPrefix(strings.TrimPrefix(e.err.Error(), "robots: "), "fetch: ")
	return "discover: " + ErrUnreachable.Error() + ": " + cause
}

func (e *unreachableError) Unwrap() []error { return []error{ErrUnreachable, e.err} }

// A Limit names a limit of a walk.
type Limit string

// The limits in [LimitError.What].
const (
	LimitDepth    Limit = "depth"    // Options.MaxDepth
	LimitSitemaps Limit = "sitemaps" // Options.MaxSitemaps
	LimitForeign  Limit = "foreign"  // MaxForeign
	LimitMemory   Limit = "memory"   // 32 MiB of locations that wait for their turn
)

// A LimitError says that documents were left out. It matches [ErrLimit].
type LimitError struct {
	What Limit
	Max  int // the limit
	Left int // how many documents were left out
}

// Error returns the limit and the number of documents.
func (e *LimitError) Error() string {
	return fmt.Sprintf("limit of the walk: %s %d: %d left out", e.What, e.Max, e.Left)
}

// Is reports whether target is [ErrLimit].
func (e *LimitError) Is(target error) bool { return target == ErrLimit }

// A NoSitemapError says that a site has no sitemap, and lists the attempts. It matches
// [ErrNoSitemap].
type NoSitemapError struct {
	Site  string    // its URL, without credentials
	Tried []Attempt // in order, robots.txt first
}

// An Attempt is a URL that was tried for a sitemap.
type Attempt struct {
	URL string // without credentials
	// Err says why it led to no sitemap: a [*fetch.Error], a [*sitemap.ParseError], or that
	// robots.txt names none or disallows the path.
	Err error
}

// Error returns the site and the attempts.
func (e *NoSitemapError) Error() string {
	text := "discover: " + e.Site + ": " + ErrNoSitemap.Error()
	if len(e.Tried) == 0 {
		return text
	}
	var urls []string
	for _, t := range e.Tried {
		urls = append(urls, t.URL)
	}
	return text + " (tried " + strings.Join(urls, ", ") + ")"
}

// Is reports whether target is [ErrNoSitemap].
func (e *NoSitemapError) Is(target error) bool { return target == ErrNoSitemap }

// Unwrap returns the causes of the attempts.
func (e *NoSitemapError) Unwrap() []error {
	errs := make([]error, 0, len(e.Tried))
	for _, t := range e.Tried {
		errs = append(errs, t.Err)
	}
	return errs
}
