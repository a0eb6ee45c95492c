package audit

import (
	"path"
	"slices"
	"strings"

	"github.com/seed-322c453a/sitemap"
)

// The codes of compression and encoding.
const (
	WrongCompression sitemap.Code = "wrong_compression"
	NotUTF8          sitemap.Code = "not_utf8"
)

var _ = register(
	rule(sitemap.DoubleGzip, failure, searchConsole, "gzip inside gzip",
		"Search engines undo one layer, find compressed data and read no URL.",
		"Compress the document once: if the server sends Content-Encoding: gzip, do not compress "+
			"sitemap.xml.gz again."),
	rule(sitemap.GzipTrailingJunk, warning, rfcGzip, "bytes after the end of the gzip data",
		"They are ignored, or a reader reports a damaged file.",
		"Compress the document again, and check the file with gzip -t."),
	rule(WrongCompression, failure, searchConsole,
		"a .gz document that is not gzip, or gzip that neither its name nor a header announces",
		"Search Console reports a compression error, and readers that trust the name fail.",
		"Compress the document with gzip if its name ends with .gz. Else add .gz to the name, "+
			"serve it as application/gzip, or do not compress it."),
	rule(sitemap.EncodingFallback, warning, protocolXML,
		"an encoding that is unknown, undeclared or contradicted by the bytes",
		"Readers guess the encoding differently, so letters outside of ASCII may turn into other "+
			"ones, and URLs with them fail.",
		`Save the document in UTF-8, and declare it: <?xml version="1.0" encoding="UTF-8"?>. `+
			"Remove another charset from the Content-Type header."),
	rule(NotUTF8, failure, protocolXML, "an encoding other than UTF-8",
		"The protocol requires UTF-8. Readers of UTF-8 alone refuse the document.",
		`Save the document in UTF-8, and declare it: <?xml version="1.0" encoding="UTF-8"?>. `+
			"Remove a byte order mark of UTF-16, or another charset from the Content-Type header."),
	rule(sitemap.WrongContentType, warning, "RFC 9110, section 8.3",
		"a content type that names another format than that of the document",
		"Readers that trust the header take the document for something else.",
		"Serve sitemaps in XML as application/xml, in text as text/plain, and .gz files as "+
			"application/gzip."),
	rule(sitemap.TooLarge, failure, protocolXML+"; RFC 9309, section 2.5",
		"a sitemap of more than 52,428,800 bytes, or a robots.txt of more than 500 KiB",
		"Search engines refuse a larger sitemap. Of a robots.txt they ignore the rest.",
		"Split the sitemap into several, and list them in a sitemap index. The limit counts bytes "+
			"before compression."),
)

// encoding judges how the encoding of a document was found, and unless it is a feed, whether it is
// UTF-8. ASCII is UTF-8, so a document may declare it if all its bytes are ASCII.
func (j *judge) encoding(name, declared string, top place) {
	lower, isGuess := strings.ToLower(declared), j.fallback.Code != ""
	isUTF8 := name == "utf-8" && slices.Contains([]string{"", "utf-8", "utf8"}, lower)
	isASCII := strings.Contains(lower, "ascii") && !isGuess
	isSound := isUTF8 || isASCII || isFeed(j.format)
	report := func(rule Rule, text, message string) {
		if j.format == sitemap.Text {
			rule = rule.fixedBy(saveUTF8)
		}
		j.report(rule, top, text, "%s", message)
	}
	isUTF16 := strings.Contains(name+" "+lower, "utf-16")
	if isGuess && (isSound || !isUTF16 || !j.out.o.wants(NotUTF8)) { // a false UTF-16 is one defect
		report(of(sitemap.EncodingFallback), j.fallback.Text, j.fallback.Message())
	}
	if isSound {
		return
	}
	if name == "utf-8" {
		name = declared
	}
	report(of(NotUTF8), name, "the encoding is "+name+", not UTF-8")
}

// saveUTF8 is the fix for the encoding of a text sitemap, which cannot declare one.
const saveUTF8 = "Save the document in UTF-8, and remove another charset from the Content-Type " +
	"header."

func isFeed(f sitemap.Format) bool { return f == sitemap.RSS || f == sitemap.Atom }

// compression judges whether the name of a document says how it is compressed.
func (j *judge) compression(src *Source, layers int, top place) {
	name := src.Name
	if src.Base != nil {
		name = src.Base.Path
	}
	base, ext := path.Base(name), strings.ToLower(path.Ext(name))
	isMedia := strings.Contains(strings.ToLower(src.ContentType), "gzip")
	switch {
	case strings.EqualFold(src.Encoding, "gzip"):
	case ext == ".gz" && layers == 0:
		j.report(of(WrongCompression), top, base, "%s is not compressed", quoted(base))
	case ext != ".gz" && ext != "" && layers > 0 && !isMedia:
		j.report(of(WrongCompression), top, base,
			"%s is gzip, which neither its name nor its headers say", quoted(base))
	}
}
