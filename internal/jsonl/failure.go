package jsonl

import (
	"errors"
	"io/fs"
	"strings"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/audit"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/internal/pattern"
)

// localPort matches the part of an error message that differs between connections.
var localPort = pattern.Of(`\btcp \S+->`)

// Message returns the text of an error without the names of packages, without the name of the
// document that the message is about, and without the local port of a connection.
func Message(name string, err error) string {
	text := err.Error()
	if e := (*fs.PathError)(nil); errors.As(err, &e) && text == e.Error() {
		text = e.Err.Error()
		if errors.Is(e.Err, fs.ErrNotExist) {
			text = "no such file or directory" // on Windows too
		}
	}
	for _, prefix := range []string{"discover: ", "robots: ", "fetch: ", "sitemap: ", "watch: "} {
		text = strings.ReplaceAll(strings.TrimPrefix(text, prefix), ": "+prefix, ": ")
	}
	return localPort().ReplaceAllString(strings.TrimPrefix(text, name+": "), "tcp ")
}

// An Error is an error as it is printed.
type Error struct {
	Code    sitemap.Code `json:"code"`
	Message string       `json:"message"`
	// of damaged gzip: where the decoded bytes become doubtful
	Offset *int64 `json:"offset,omitempty"`
}

// ErrorOf returns an error of the document with this name, nil if err is nil.
func ErrorOf(name string, err error) *Error {
	if err == nil {
		return nil
	}
	e := &Error{Code: audit.CodeOf(err), Message: Message(name, err)}
	if e.Code == audit.SiteRefused {
		e.Message = strings.Replace(e.Message, discover.ErrNoSitemap.Error(),
			"refused to say whether it has a sitemap", 1)
	}
	if pe := (*sitemap.ParseError)(nil); errors.Is(err, sitemap.ErrGzip) && errors.As(err, &pe) {
		e.Offset = &pe.Pos.Offset
	}
	return e
}
