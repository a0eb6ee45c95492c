package jsonl

import (
	"errors"
	"io/fs"
	"strings"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/fetch"
)

// codes are the codes of errors. The first error that matches counts.
var codes = []struct {
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

// Code returns the code of an error, such as "timeout".
func Code(err error) string {
	for _, f := range codes {
		if errors.Is(err, f.err) {
			return f.code
		}
	}
	if e := (*fetch.Error)(nil); errors.As(err, &e) {
		return "fetch_failed"
	}
	return "read_failed"
}

// Message returns the text of an error without the names of packages, and without the name of
// the document that the message is about.
func Message(name string, err error) string {
	text := err.Error()
	if e := (*fs.PathError)(nil); errors.As(err, &e) && text == e.Error() {
		text = e.Err.Error()
		if errors.Is(e.Err, fs.ErrNotExist) {
			text = "no such file or directory" // on Windows too
		}
	}
	for _, prefix := range []string{"discover: ", "robots: ", "fetch: ", "sitemap: "} {
		text = strings.ReplaceAll(strings.TrimPrefix(text, prefix), ": "+prefix, ": ")
	}
	return strings.TrimPrefix(text, name+": ")
}

// An Error is an error as it is printed.
type Error struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	// of damaged gzip: where the decoded bytes become doubtful
	Offset *int64 `json:"offset,omitempty"`
}

// ErrorOf returns an error of the document with this name, nil if err is nil.
func ErrorOf(name string, err error) *Error {
	if err == nil {
		return nil
	}
	e := &Error{Code: Code(err), Message: Message(name, err)}
	if pe := (*sitemap.ParseError)(nil); errors.Is(err, sitemap.ErrGzip) && errors.As(err, &pe) {
		e.Offset = &pe.Pos.Offset
	}
	return e
}
