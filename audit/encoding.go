package audit

import (
	"path"
	"strings"

	"github.com/seed-322c453a/sitemap"
)

// The codes of compression and encoding.
const (
	WrongCompression sitemap.Code = "wrong_compression"
	NotUTF8          sitemap.Code = "not_utf8"
)

var _ = register(
	Rule{Code: sitemap.DoubleGzip, Severity: failure, Source: searchConsole,
		Summary: "gzip inside gzip",
		Why:     "Search engines undo one layer, find compressed data and read no URL.",
		Fix: "Compress the document once: if the server sends Content-Encoding: gzip, do not " +
			"compress sitemap.xml.gz again."},
	Rule{Code: sitemap.GzipTrailingJunk, Severity: warning, Source: rfcGzip,
		Summary: "bytes after the end of the gzip data",
		Why:     "They are ignored, or a reader reports a damaged file.",
		Fix:     "Compress the document again, and check the file with gzip -t."},
	Rule{Code: WrongCompression, Severity: failure, Source: searchConsole,
		Summary: "a .gz document that is not gzip, or gzip that neither its name nor a header " +
			"announces",
		Why: "Search Console reports a compression error, and readers that trust the name cannot " +
			"read the document.",
		Fix: "Compress the document with gzip if its name ends with .gz. Else add .gz to the " +
			"name, serve it as application/gzip, or do not compress it."},
	Rule{Code: sitemap.EncodingFallback, Severity: warning, Source: protocolXML,
		Summary: "an encoding that is unknown, undeclared or contradicted by the bytes",
		Why: "Readers guess the encoding differently, so letters outside of ASCII may turn into " +
			"other ones, and URLs with them fail.",
		Fix: `Save the document in UTF-8, and declare it: ` +
			`<?xml version="1.0" encoding="UTF-8"?>. Remove another charset from the ` +
			"Content-Type header."},
	Rule{Code: NotUTF8, Severity: failure, Source: protocolXML,
		Summary: "an encoding other than UTF-8",
		Why:     "The protocol requires UTF-8. Readers of UTF-8 alone refuse the document.",
		Fix: `Save the document in UTF-8, and declare it: ` +
			`<?xml version="1.0" encoding="UTF-8"?>. Remove a byte order mark of UTF-16.`},
	Rule{Code: sitemap.WrongContentType, Severity: warning, Source: "RFC 9110, section 8.3",
		Summary: "a content type that names another format than that of the document",
		Why:     "Readers that trust the header take the document for something else.",
		Fix: "Serve sitemaps in XML as application/xml, in text as text/plain, and .gz files as " +
			"application/gzip."},
	Rule{Code: sitemap.TooLarge, Severity: failure, Source: protocolXML + "; RFC 9309, section 2.5",
		Summary: "a sitemap of more than 52,428,800 bytes, or a robots.txt of more than 500 KiB",
		Why:     "Search engines refuse a larger sitemap. Of a robots.txt they ignore the rest.",
		Fix: "Split the sitemap into several, and list them in a sitemap index. The limit counts " +
			"bytes before compression."},
)

// encoding judges the encoding of a document that is not a feed.
func (j *judge) encoding(name, declared string, top place) {
	isUTF8 := declared == "" || strings.EqualFold(declared, "utf-8") ||
		strings.EqualFold(declared, "utf8")
	switch {
	case isFeed(j.format) || name == "utf-8" && isUTF8:
		return
	case name == "utf-8":
		name = declared
	}
	j.report(of(NotUTF8), top, name, "the encoding is %s, not UTF-8", name)
}

func isFeed(f sitemap.Format) bool { return f == sitemap.RSS || f == sitemap.Atom }

// compression judges whether the name of a document says how it is compressed.
func (j *judge) compression(src *Source, layers int, top place) {
	name := src.Name
	if src.Base != nil {
		name = src.Base.Path
	}
	ext := strings.ToLower(path.Ext(name))
	media := strings.ToLower(src.ContentType)
	isGzip := strings.Contains(media, "gzip") || strings.EqualFold(src.Encoding, "gzip")
	switch {
	case ext == ".gz" && layers == 0 && !strings.EqualFold(src.Encoding, "gzip"):
		j.report(of(WrongCompression), top, path.Base(name),
			"%s is not compressed", quoted(path.Base(name)))
	case ext != ".gz" && layers > 0 && !isGzip && ext != "":
		j.report(of(WrongCompression), top, path.Base(name),
			"%s is gzip, which neither its name nor its headers say", quoted(path.Base(name)))
	}
}
