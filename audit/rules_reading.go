package audit

import (
	"slices"

	"github.com/seed-322c453a/sitemap"
)

// readingRules are the problems of reading, in package sitemap.
var readingRules = slices.Concat(syntaxRules, fieldRules, locRules)

// lostRest is why a document must be well-formed.
const lostRest = "An XML parser that follows the standard stops here. " +
	"Search engines report a parsing error, and the entries after it may be lost."

// syntaxRules are about the bytes and the markup of a document.
var syntaxRules = []Rule{
	{
		Code:     sitemap.ControlChar,
		Severity: failure,
		Summary:  "a NUL or another control character that XML forbids",
		Why:      lostRest,
		Fix: "Remove the control characters, for example U+0000 to U+0008, " +
			"from the data that the sitemap is made of.",
		Source: xmlCharacters,
	},
	{
		Code:     sitemap.Doctype,
		Severity: warning,
		Summary:  "a DOCTYPE",
		Why: "Readers skip it or refuse the document, because expanding entities is unsafe. " +
			"References to the entities that it declares remain as they are.",
		Fix: "Remove the DOCTYPE, and write the values of its entities " +
			"in place of the references to them.",
		Source: protocolXML,
	},
	{
		Code:     sitemap.DoubleGzip,
		Severity: failure,
		Summary:  "gzip inside gzip",
		Why:      "Search engines undo one layer, find compressed data and read no URL.",
		Fix: "Compress the document once: if the server sends Content-Encoding: gzip, " +
			"do not compress sitemap.xml.gz again.",
		Source: searchConsole,
	},
	{
		Code:     sitemap.EncodingFallback,
		Severity: warning,
		Summary:  "an encoding that is unknown, undeclared or contradicted by the bytes",
		Why: "Readers guess the encoding differently, " +
			"so letters outside of ASCII may turn into other ones, and URLs with them fail.",
		Fix: `Save the document in UTF-8, and declare it: ` +
			`<?xml version="1.0" encoding="UTF-8"?>. ` +
			"Remove another charset from the Content-Type header.",
		Source: protocolXML,
	},
	{
		Code:     sitemap.ForeignElement,
		Severity: info,
		Summary:  "an element of another namespace directly in a urlset or sitemapindex",
		Why: "The schema allows such elements before the entries, for data of other programs. " +
			"Search engines ignore them.",
		Fix:    "Nothing needs to change. Remove the element if no program reads it.",
		Source: protocolSchema,
	},
	{
		Code:     sitemap.GzipTrailingJunk,
		Severity: warning,
		Summary:  "bytes after the end of the gzip data",
		Why:      "They are ignored, or a reader reports a damaged file.",
		Fix:      "Compress the document again, and check the file with gzip -t.",
		Source:   rfcGzip,
	},
	{
		Code:     sitemap.InvalidUTF8,
		Severity: failure,
		Summary:  "bytes that are not UTF-8 in a UTF-8 document",
		Why:      lostRest,
		Fix:      "Convert the document to UTF-8, for example with iconv -f windows-1252 -t utf-8.",
		Source:   protocolXML,
	},
	{
		Code:     sitemap.JunkAfterRoot,
		Severity: failure,
		Summary:  "content after the root element",
		Why: "An XML parser that follows the standard reports an error there. " +
			"Search engines may refuse the document.",
		Fix: "End the document at </urlset> or </sitemapindex>. " +
			"Look for messages of the program that writes it, or for a second document.",
		Source: "XML 1.0, section 2.1",
	},
	{
		Code:     sitemap.JunkBeforeRoot,
		Severity: failure,
		Summary:  "text or markup before the root element",
		Why: "An XML parser that follows the standard stops at once, " +
			"and search engines may refuse the document.",
		Fix: "Print nothing before <?xml or <urlset. " +
			"Often it is a warning of the program that writes the document.",
		Source: xmlProlog,
	},
	{
		Code:     sitemap.LeadingWhitespace,
		Severity: failure,
		Summary:  "white space before the XML declaration",
		Why:      "Search Console reports leading white space, and an XML parser stops at once.",
		Fix: "Remove the spaces and line ends before <?xml. " +
			"Often they come from an empty line in a template.",
		Source: xmlProlog,
	},
	{
		Code:     sitemap.MismatchedTag,
		Severity: failure,
		Summary:  "a tag that is missing, misplaced or malformed",
		Why:      lostRest,
		Fix: "Close each element with the end tag of its own name, innermost first: " +
			"<url><loc>…</loc></url>.",
		Source: "XML 1.0, sections 2.1 and 3.1",
	},
	{
		Code:     sitemap.MisplacedElement,
		Severity: failure,
		Summary:  "a known element in the wrong parent",
		Why:      "Search engines ignore the element, or report an invalid tag.",
		Fix: "Move the element to its place: url in urlset, sitemap in sitemapindex, " +
			"the fields of a page in its url.",
		Source: protocolSchema,
	},
	{
		Code:     sitemap.MissingNamespace,
		Severity: failure,
		Summary:  "a root or an entry without a namespace",
		Why: "Search Console reports an incorrect namespace. " +
			"Search engines may ignore the document.",
		Fix: `Declare the namespace in the root: ` +
			`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">.`,
		Source: protocolXML,
	},
	{
		Code:     sitemap.MissingRoot,
		Severity: failure,
		Summary:  "entries without a root element around them",
		Why:      "Search engines do not recognize a sitemap in the document, and read no URL.",
		Fix: `Put the entries into a root: ` +
			`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"> before them ` +
			"and </urlset> after them.",
		Source: protocolXML,
	},
	{
		Code:     sitemap.NoEntries,
		Severity: failure,
		Summary:  "a valid document without entries",
		Why:      "Search Console reports an empty sitemap. The request for it is wasted.",
		Fix: "List at least one page, or remove the sitemap from robots.txt and from its index. " +
			"If it had entries before, check the program that writes it.",
		Source: searchConsole,
	},
	{
		Code:     sitemap.RawAmpersand,
		Severity: failure,
		Summary:  "an ampersand that is not escaped",
		Why:      lostRest,
		Fix:      "Write &amp; for &: https://www.example.com/?a=1&amp;b=2.",
		Source:   protocolEscaping,
	},
	{
		Code:     sitemap.RepeatedElement,
		Severity: failure,
		Summary:  "a second lastmod, changefreq, priority or RSS link in an entry",
		Why: "Search Console reports too many tags. " +
			"Readers differ on which of the values they use.",
		Fix:    "Keep one of them in the entry and remove the others.",
		Source: protocolSchema,
	},
	{
		Code:     sitemap.StrayText,
		Severity: warning,
		Summary:  "text between elements",
		Why:      "It is ignored. A validator refuses the document.",
		Fix:      "Remove the text, or put it into the element that it belongs in.",
		Source:   protocolSchema,
	},
	{
		Code:     sitemap.TooLarge,
		Severity: failure,
		Summary:  "a sitemap of more than 52,428,800 bytes, or a robots.txt of more than 500 KiB",
		Why:      "Search engines refuse a larger sitemap. Of a robots.txt they ignore the rest.",
		Fix: "Split the sitemap into several, and list them in a sitemap index. " +
			"The limit counts bytes before compression.",
		Source: protocolXML + "; RFC 9309, section 2.5",
	},
	{
		Code:     sitemap.TooManyEntries,
		Severity: failure,
		Summary:  "more than 50,000 entries",
		Why: "Search engines report too many URLs and refuse the document, " +
			"or ignore the rest.",
		Fix: "Split the document into several of at most 50,000 entries and list them in an " +
			"index.",
		Source: protocolIndex,
	},
	{
		Code:     sitemap.UndeclaredEntity,
		Severity: failure,
		Summary:  "a named reference that XML does not define",
		Why:      lostRest,
		Fix: "Write the character itself in UTF-8: é for &eacute;. " +
			"XML knows only &amp;, &lt;, &gt;, &quot; and &apos;.",
		Source: xmlReferences,
	},
	{
		Code:     sitemap.UndeclaredPrefix,
		Severity: failure,
		Summary:  "a namespace prefix without a declaration",
		Why:      "XML parsers with namespaces stop here, and others ignore the element.",
		Fix: "Declare the prefix in the root: " +
			`xmlns:image="http://www.google.com/schemas/sitemap-image/1.1".`,
		Source: "Namespaces in XML 1.0, section 5",
	},
	{
		Code:     sitemap.UnknownElement,
		Severity: failure,
		Summary:  "an element that the schema does not have",
		Why:      "Search Console reports an invalid XML tag, and the element is ignored.",
		Fix: "Correct its name, for example lastmod for lastModified, or remove it. " +
			"Other elements need a namespace of their own.",
		Source: protocolSchema,
	},
	{
		Code:     sitemap.UnknownNamespace,
		Severity: failure,
		Summary:  "a root in a namespace that does not belong to the format",
		Why: "Search Console reports an incorrect namespace. " +
			"Search engines may ignore the document.",
		Fix: `Declare the namespace as it is, with http: ` +
			`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">.`,
		Source: protocolXML,
	},
	{
		Code:     sitemap.UppercaseTag,
		Severity: failure,
		Summary:  "an element name in the wrong letter case",
		Why: "XML tells upper from lower case, " +
			"so search engines do not recognize the element.",
		Fix:    "Write the name as in the schema: <url> and <lastmod>, not <URL> and <lastMod>.",
		Source: protocolSchema,
	},
	{
		Code:     sitemap.WrappedRoot,
		Severity: failure,
		Summary:  "a known root element inside another element",
		Why: "Search engines take the outer element for the root and do not recognize a " +
			"sitemap.",
		Fix: "Remove the element around urlset or sitemapindex, " +
			"so that this is the first one.",
		Source: protocolXML,
	},
	{
		Code:     sitemap.WrongContentType,
		Severity: warning,
		Summary:  "a content type that names another format than that of the document",
		Why:      "Readers that trust the header take the document for something else.",
		Fix: "Serve sitemaps in XML as application/xml, in text as text/plain, " +
			"and .gz files as application/gzip.",
		Source: "RFC 9110, section 8.3",
	},
}
