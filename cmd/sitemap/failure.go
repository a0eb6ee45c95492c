package main

import (
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/fetch"
)

// failureCodes names the errors that end documents and walks; the first that an
// error matches counts.
var failureCodes = []struct {
	err  error
	code string
}{
	{sitemap.ErrTooLarge, "too_large"},
	{sitemap.ErrTooManyEntries, "too_many_entries"},
	{fetch.ErrRefused, "refused"},
	{discover.ErrUnreachable, "robots_unreachable"},
	{fetch.ErrTimeout, "timeout"},
	{fetch.ErrSilent, "timeout"},
	{fetch.ErrRedirect, "bad_redirect"},
	{fetch.ErrEncoding, "unknown_encoding"},
	{discover.ErrNoSitemap, "no_sitemap"},
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
	// What was tried for a site without sitemap has errors of its own.
	if errors.Is(err, discover.ErrNoSitemap) {
		return "no_sitemap"
	}
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

// failureText returns an error's text without the names of packages.
func failureText(err error) string {
	text := err.Error()
	if e := (*fs.PathError)(nil); errors.As(err, &e) {
		text = e.Err.Error()
	}
	for _, prefix := range []string{"discover: ", "fetch: ", "sitemap: "} {
		text = strings.ReplaceAll(strings.TrimPrefix(text, prefix), ": "+prefix, ": ")
	}
	return text
}

// failureTextOf is failureText without the name of the document, which is said
// beside it.
func failureTextOf(name string, err error) string {
	return strings.TrimPrefix(failureText(err), name+": ")
}

// limitHint says which flag goes on where a limit stopped reading.
func limitHint(err error) string {
	var walk *discover.LimitError
	ofWalk := errors.As(err, &walk) && (walk.What == "depth" || walk.What == "sitemaps" || walk.What == "memory")
	if ofWalk || errors.Is(err, sitemap.ErrTooLarge) || errors.Is(err, sitemap.ErrTooManyEntries) {
		return " (see --limit)"
	}
	return ""
}

// privateHint says which flag lets a target be gone to whose address is not
// public. To where a server redirects, nobody is led.
func (w *walkFlags) privateHint(err error) string {
	var e *fetch.Error
	if !w.allowPrivate && errors.Is(err, fetch.ErrRefused) && errors.As(err, &e) && len(e.Hops) == 0 && e.Status == 0 {
		return " (see --allow-private)"
	}
	return ""
}

// targetHint says why a site may not have been found.
func (w *walkFlags) targetHint(t target, err error) string {
	if t.kind == siteTarget && w.as == "" && schemeOf(t.name) == "" && documentNames[strings.ToLower(path.Ext(t.name))] && errors.Is(err, fetch.ErrConnect) {
		return " (there is no such file, so it is taken for a site)"
	}
	return w.privateHint(err)
}

// urlHint says what reads name where it is a URL and no file.
func urlHint(name string) string {
	if s := schemeOf(name); s == "http" || s == "https" {
		return " (parse reads files; see sitemap urls)"
	}
	return ""
}

// documentNames are endings of files rather than of hosts.
var documentNames = map[string]bool{".xml": true, ".gz": true, ".txt": true, ".rss": true, ".atom": true, ".rdf": true}

const failureHelp = `Codes of errors: not_a_sitemap, empty, truncated, bad_gzip, too_large,
too_many_entries; fetch_failed (no connection, an error status, a body
that breaks off), timeout, refused (an address, port or scheme that is not gone
to), bad_redirect, unknown_encoding; read_failed (a file); of a whole target:
no_sitemap, robots_unreachable, limit (documents left out), not_a_site.`
