package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/fetch"
)

// failureCodes are the codes of errors. The first error that matches counts.
var failureCodes = []struct {
	err  error
	code string
}{
	{discover.ErrNoSitemap, "no_sitemap"}, // first: it wraps the errors of all that was tried
	{sitemap.ErrTooLarge, "too_large"},
	{sitemap.ErrTooManyEntries, "too_many_entries"},
	{fetch.ErrRefused, "refused"},
	{discover.ErrUnreachable, "robots_unreachable"},
	{fetch.ErrHostDown, "host_down"},
	{fetch.ErrTimeout, "timeout"},
	{fetch.ErrRedirect, "bad_redirect"},
	{fetch.ErrEncoding, "unknown_encoding"},
	{discover.ErrLimit, "limit"},
	{discover.ErrSite, "not_a_site"},
	{fetch.ErrBody, "fetch_failed"},
	{sitemap.ErrNotSitemap, "not_a_sitemap"},
	{sitemap.ErrEmpty, "empty"},
	{sitemap.ErrTruncated, "truncated"},
	{sitemap.ErrGzip, "bad_gzip"},
}

// failureCode returns the code of an error.
func failureCode(err error) string {
	for _, f := range failureCodes {
		if errors.Is(err, f.err) {
			return f.code
		}
	}
	if e := (*fetch.Error)(nil); errors.As(err, &e) {
		return "fetch_failed"
	}
	return "read_failed"
}

// failureText returns the text of an error without the names of packages, and without the name of
// the document that the message is about.
func failureText(name string, err error) string {
	text := err.Error()
	if e := (*fs.PathError)(nil); errors.As(err, &e) {
		text = e.Err.Error()
	}
	for _, prefix := range []string{"discover: ", "robots: ", "fetch: ", "sitemap: "} {
		text = strings.ReplaceAll(strings.TrimPrefix(text, prefix), ": "+prefix, ": ")
	}
	return strings.TrimPrefix(text, name+": ")
}

// A lineError is an error as jsonl prints it.
type lineError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	// of damaged gzip: where the decoded bytes become doubtful
	Offset *int64 `json:"offset,omitempty"`
}

// errorOf returns an error of the document with this name, nil if err is nil.
func errorOf(name string, err error) *lineError {
	if err == nil {
		return nil
	}
	e := &lineError{Code: failureCode(err), Message: failureText(name, err)}
	if pe := (*sitemap.ParseError)(nil); errors.Is(err, sitemap.ErrGzip) && errors.As(err, &pe) {
		e.Offset = &pe.Pos.Offset
	}
	return e
}

// documentFailure returns why a document could not be read, and how it was found.
func documentFailure(s *discover.Sitemap, err error) string {
	loc := fileName(s.Loc)
	text := loc + ": " + failureText(loc, err)
	if s.Referrer == nil && s.RobotsURL == "" {
		return text
	}
	return text + " (" + strings.TrimSuffix(s.String(), " → "+loc) + ")"
}

// targetFailure returns why a target was not walked.
func targetFailure(label string, err error) string {
	var none *discover.NoSitemapError
	if !errors.As(err, &none) {
		return label + ": " + failureText(label, err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %v; tried:", none.Site, discover.ErrNoSitemap)
	for _, try := range none.Tried {
		fmt.Fprintf(&b, "\n  %s: %s", try.URL, failureText(try.URL, try.Err))
	}
	return b.String()
}

// limitHint names the flag that lifts the limit in err.
func limitHint(err error) string {
	var walk *discover.LimitError
	ofWalk := errors.As(err, &walk) && (walk.What == "depth" || walk.What == "sitemaps")
	if ofWalk || errors.Is(err, sitemap.ErrTooLarge) || errors.Is(err, sitemap.ErrTooManyEntries) {
		return " (see --limit)"
	}
	return ""
}

// privateHint names the flag that allows the address of a target. It does not for an address that a
// server redirects to.
func privateHint(err error) string {
	var e *fetch.Error
	refused := errors.Is(err, fetch.ErrRefused) && errors.As(err, &e)
	if refused && len(e.Hops) == 0 && e.Status == 0 {
		return " (see --allow-private)"
	}
	return ""
}

const stdin = "-"

// fileName returns the name of a file in messages.
func fileName(name string) string {
	if name == stdin {
		return "standard input"
	}
	return redact(name)
}

// redact returns a URL, also a mistyped one, without user name and password. It returns the name of
// a file as it is.
func redact(loc string) string {
	before, _, ok := strings.Cut(loc, "@")
	scheme, _, colon := strings.Cut(before, ":")
	if !ok || !colon {
		return loc
	}
	switch strings.ToLower(scheme) {
	case "http", "https":
		return sitemap.Redact(loc)
	}
	if _, err := os.Stat(loc); err == nil && !strings.Contains(before, "://") {
		return loc
	}
	return sitemap.Redact(loc)
}
