package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/chars"
	"github.com/seed-322c453a/sitemap/internal/pattern"
)

// trimSpace removes leading white space.
func trimSpace(b []byte) []byte {
	b = bytes.TrimLeft(b, " \t\r\n") // faster
	return bytes.TrimLeftFunc(b, chars.IsSpace)
}

// isBinary reports whether b is data of no text format. It has the signature of such data, or more
// than one character in sixteen is a control character. NULs that pad lines do not count.
func isBinary(b []byte) bool {
	b = b[:min(len(b), 512)]
	switch media := http.DetectContentType(b); {
	case strings.HasPrefix(media, "text/"):
		return false
	case media != "application/octet-stream":
		return true
	}
	controls := 0
	b = padding().ReplaceAll(b, nil)
	for _, c := range b {
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f' {
			controls++
		}
	}
	return controls > utf8.RuneCount(b)/16 || len(b) == 0
}

// padding matches line breaks with the NULs around them, and NULs at the end.
var padding = pattern.Of(`\x00*[\r\n][\r\n\x00]*|\x00+$`)

// isListOfURLs reports whether b has markup in its first line only, with a URL right after it: text
// with something put in front.
func isListOfURLs(b []byte) bool {
	_, rest, _ := bytes.Cut(b, []byte("\n"))
	return bytes.HasPrefix(rest, []byte("http")) && bytes.IndexByte(rest, '<') < 0
}

// startsWithURL reports whether b starts with a URL.
func startsWithURL(b []byte) bool {
	scheme, _, ok := bytes.Cut(trimSpace(b[:min(len(b), maxJunk)]), []byte("://"))
	return ok && chars.IsHTTP(scheme)
}

// isJSON reports whether b is JSON, complete or not, rather than text in brackets.
func isJSON(b []byte) bool {
	if b[0] != '{' && b[0] != '[' {
		return false
	}
	var v json.RawMessage
	d := json.NewDecoder(bytes.NewReader(b))
	err := d.Decode(&v)
	return errors.Is(err, io.ErrUnexpectedEOF) ||
		err == nil && len(trimSpace(b[d.InputOffset():])) == 0
}

// htmlVoid are HTML elements that often have no end tag.
var htmlVoid = map[string]bool{
	"br": true, "hr": true, "p": true, "img": true, "meta": true, "link": true, "input": true,
	"li": true,
}

// htmlElements are elements at the start of an HTML page or of a part of one.
var htmlElements = map[string]bool{
	"a": true, "b": true, "br": true, "body": true, "center": true, "div": true, "font": true,
	"h1": true, "h2": true, "h3": true, "head": true, "header": true, "hr": true, "html": true,
	"i": true, "iframe": true, "img": true, "li": true, "main": true, "meta": true, "p": true,
	"pre": true, "script": true, "section": true, "span": true, "strong": true, "style": true,
	"table": true, "title": true, "ul": true,
}

// Contradicts reports whether a media type contradicts the format of a document inside this number
// of gzip layers. It does if it names another format than both the bytes as sent and the document
// inside.
func Contradicts(contentType string, f sitemap.Format, layers int) (contradicts bool) {
	media, _, err := mime.ParseMediaType(contentType)
	if err != nil && media == "" {
		return false
	}
	var named []sitemap.Format
	switch media {
	case "application/gzip", "application/x-gzip", "application/gzip-compressed",
		"application/x-gunzip":
		return layers == 0
	case "text/plain":
		named = []sitemap.Format{sitemap.Text}
	case "application/rss+xml":
		named = []sitemap.Format{sitemap.RSS}
	case "application/atom+xml":
		named = []sitemap.Format{sitemap.Atom}
	case "application/rdf+xml":
		named = []sitemap.Format{sitemap.RSS}
	case "application/json", "text/html", "application/xhtml+xml", "application/pdf", "text/css",
		"text/javascript":
	case "text/xml", "application/xml":
		return f == sitemap.Text
	default:
		return strings.HasPrefix(media, "image/") || strings.HasPrefix(media, "video/") ||
			strings.HasPrefix(media, "audio/")
	}
	return !slices.Contains(named, f)
}

// maxJunk is how much junk may precede the root element. White space, comments, processing
// instructions and a DOCTYPE do not count.
const maxJunk = 1 << 10
