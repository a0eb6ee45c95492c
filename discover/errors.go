package discover

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/seed-322c453a/sitemap"
)

// Causes to be told with errors.Is.
var (
	// ErrNoSitemap: neither robots.txt nor the known paths led to a sitemap.
	ErrNoSitemap = errors.New("no sitemap found")
	// ErrUnreachable: a robots.txt could not be had, so that what it allows is not
	// known (RFC 9309, section 2.3.1.4): the server answered 429 or 5xx, not at
	// all, or not to the end, a proxy wants credentials (407), or the site is where no request
	// may go (fetch.ErrRefused).
	ErrUnreachable = errors.New("robots.txt unreachable")
	// ErrLimit: documents were left out because of a limit of the walk.
	ErrLimit = errors.New("limit of the walk")
	// ErrSite: the site is no host name and no http or https URL.
	ErrSite = errors.New("not a site")
)

// A WalkError says what of a walk could not be read. All else was yielded.
type WalkError struct {
	// Failed counts the documents that failed, were cut short, or were left out
	// because of a limit.
	Failed int
	// Errs are the first 16 failures: *DocumentError for a document, *LimitError
	// for a limit.
	Errs []error
}

const maxErrs = 16

// Error returns the count and the failures, the first few.
func (e *WalkError) Error() string {
	var b strings.Builder
	b.WriteString("discover: " + strconv.Itoa(e.Failed))
	if e.Failed == 1 {
		b.WriteString(" sitemap could not be read")
	} else {
		b.WriteString(" sitemaps could not be read")
	}
	const shown = 3
	for i, err := range e.Errs {
		if i == shown {
			b.WriteString("; ...")
			break
		}
		b.WriteString([]string{": ", "; "}[min(i, 1)] + err.Error())
	}
	return b.String()
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
	text, loc := fmt.Sprint(e.Err), "no sitemap"
	if e.Sitemap != nil {
		loc = sitemap.Redact(e.Sitemap.Loc)
	}
	for _, prefix := range []string{"fetch: ", "sitemap: ", loc + ": "} {
		text = strings.TrimPrefix(text, prefix)
	}
	return loc + ": " + text
}

// Unwrap returns the cause.
func (e *DocumentError) Unwrap() error { return e.Err }

// An unreachable is ErrUnreachable with its cause.
type unreachable struct{ err error }

func (e *unreachable) Error() string {
	return fmt.Sprintf("discover: %v: %s", ErrUnreachable, strings.TrimPrefix(e.err.Error(), "fetch: "))
}

func (e *unreachable) Unwrap() []error { return []error{ErrUnreachable, e.err} }

// A LimitError says that documents were left out. It matches ErrLimit.
type LimitError struct {
	// What is "depth" (Options.MaxDepth), "sitemaps" (Options.MaxSitemaps),
	// "foreign" (MaxForeign) or "memory" (locations of children that are waited
	// for, 16 MB by default).
	What string
	Max  int // the limit
	Left int // how many documents were left out
}

// Error returns the limit and the count.
func (e *LimitError) Error() string {
	return fmt.Sprintf("limit of the walk: %s %d: %d left out", e.What, e.Max, e.Left)
}

// Is reports whether target is ErrLimit.
func (e *LimitError) Is(target error) bool { return target == ErrLimit }

// A NoSitemapError says that a site has no sitemap, and what was tried. It
// matches ErrNoSitemap.
type NoSitemapError struct {
	Site  string    // its URL, without credentials
	Tried []Attempt // in order, that of the robots.txt first
}

// An Attempt is a URL that was tried for a sitemap, and why it is none.
type Attempt struct {
	URL string // without credentials
	// Err is what Robots.WhyNone says of the robots.txt; of a known path a *fetch.Error, a
	// *sitemap.ParseError, or that the robots.txt disallows it.
	Err error
}

// Error returns the site and what was tried.
func (e *NoSitemapError) Error() string {
	var b strings.Builder
	b.WriteString("discover: " + e.Site + ": " + ErrNoSitemap.Error())
	for i, t := range e.Tried {
		b.WriteString([]string{" (tried ", ", "}[min(i, 1)] + t.URL)
	}
	if len(e.Tried) > 0 {
		b.WriteString(")")
	}
	return b.String()
}

// Is reports whether target is ErrNoSitemap.
func (e *NoSitemapError) Is(target error) bool { return target == ErrNoSitemap }

// Unwrap returns why each was none.
func (e *NoSitemapError) Unwrap() []error {
	errs := make([]error, 0, len(e.Tried))
	for _, t := range e.Tried {
		errs = append(errs, t.Err)
	}
	return errs
}
