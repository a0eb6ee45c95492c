package audit

import (
	"bytes"
	"strings"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/namespace"
	"github.com/seed-322c453a/sitemap/internal/pattern"
)

// SmartQuotes is the code of typographic quotes in place of straight ones.
const SmartQuotes sitemap.Code = "smart_quotes"

// lostRest is the consequence if a document is not well-formed.
const lostRest = "An XML parser that follows the standard stops here. " +
	"Search engines report a parsing error, and the entries after it may be lost."

var _ = register(
	rule(sitemap.ControlChar, failure, "XML 1.0, section 2.2",
		"a NUL or another control character that XML forbids",
		lostRest,
		"Remove the control characters, for example U+0000 to U+0008, from the data that the "+
			"sitemap is made of."),
	rule(sitemap.Doctype, warning, protocolXML, "a DOCTYPE",
		"Readers skip it or refuse the document, because expanding entities is unsafe. References "+
			"to the entities that it declares remain as they are.",
		"Remove the DOCTYPE, and write the values of its entities in place of the references to "+
			"them."),
	rule(sitemap.InvalidUTF8, failure, protocolXML, "bytes that are not UTF-8 in a UTF-8 document",
		lostRest,
		"Convert the document to UTF-8, for example with iconv -f windows-1252 -t utf-8."),
	rule(sitemap.JunkAfterRoot, failure, "XML 1.0, section 2.1", "content after the root element",
		"An XML parser reports an error there. Search engines may refuse the document.",
		"End the document at </urlset> or </sitemapindex>. Look for messages of the program that "+
			"writes it, or for a second document."),
	rule(sitemap.JunkBeforeRoot, failure, xmlProlog, "text or markup before the root element",
		"An XML parser stops at once, and search engines may refuse the document.",
		"Print nothing before <?xml or <urlset. Often it is a warning of the program that writes "+
			"the document."),
	rule(sitemap.LeadingWhitespace, failure, xmlProlog, "white space before the XML declaration",
		"Search Console reports leading white space, and an XML parser stops at once.",
		"Remove the spaces and line ends before <?xml. Often they come from an empty line in a "+
			"template."),
	rule(sitemap.MismatchedTag, failure, "XML 1.0, sections 2.1 and 3.1",
		"a tag that is missing, misplaced or malformed",
		lostRest+" In the rest of the entry, only values are checked until it is fixed.",
		"Close each element with the end tag of its own name, innermost first: "+
			"<url><loc>…</loc></url>."),
	rule(SmartQuotes, failure, "XML 1.0, sections 2.3 and 2.8",
		"typographic quotes in a tag or in the XML declaration",
		"XML knows straight quotes only. Word processors and some editors write the others.",
		`Write straight quotes, " or ', around the values of attributes.`),
	rule(sitemap.RawAmpersand, failure, protocolEscaping, "an ampersand that is not escaped",
		lostRest, "Write &amp; for &: https://www.example.com/?a=1&amp;b=2."),
	rule(sitemap.UndeclaredEntity, failure, "XML 1.0, section 4.1",
		"a named reference that XML does not define",
		lostRest,
		"Write the character itself in UTF-8: é for &eacute;. XML knows only &amp;, &lt;, &gt;, "+
			"&quot; and &apos;."),
	rule(sitemap.UndeclaredPrefix, failure, "Namespaces in XML 1.0, section 5",
		"a namespace prefix without a declaration",
		"XML parsers with namespaces stop here, and others ignore the element.",
		"Declare the prefix in the root: "+
			`xmlns:image="http://www.google.com/schemas/sitemap-image/1.1".`),
)

// declaration matches a well-formed XML declaration (XML 1.0, section 2.8), with its encoding.
var declaration = pattern.Of(
	`^<\?xml[ \t\r\n]+version[ \t\r\n]*=[ \t\r\n]*(?:"1\.[0-9]*"|'1\.[0-9]*')` +
		`(?:[ \t\r\n]+encoding[ \t\r\n]*=[ \t\r\n]*` +
		`(?:"([A-Za-z][A-Za-z0-9._-]*)"|'([A-Za-z][A-Za-z0-9._-]*)'))?` +
		`(?:[ \t\r\n]+standalone[ \t\r\n]*=[ \t\r\n]*(?:"(?:yes|no)"|'(?:yes|no)'))?[ \t\r\n]*\?>`,
)

// checkDeclaration judges the XML declaration at the start of a document, and returns its encoding.
func (j *judge) checkDeclaration(start []byte) string {
	if m := declaration().FindSubmatch(start); m != nil {
		return string(m[1]) + string(m[2])
	}
	text, _, _ := bytes.Cut(start[:min(len(start), 200)], []byte(">"))
	rest, ok := bytes.CutPrefix(text, []byte("<?xml"))
	if ok && (len(rest) == 0 || rest[0] <= ' ') {
		j.fallback = sitemap.Problem{}
		j.withdraw(sitemap.MismatchedTag, 0, 1)
		j.findAt(malformed(string(text)), j.place(0), string(text),
			"the XML declaration is malformed")
	} // else another instruction
	return ""
}

func hasSmartQuotes(text string) bool {
	return strings.ContainsAny(text, "“”„‟‘’‚«»″")
}

// otherMarkup has fixes for markup that is not a tag, by its start.
var otherMarkup = []struct{ start, fix string }{
	{"<?xml", "Write the declaration once, at the very start: " +
		`<?xml version="1.0" encoding="UTF-8"?>.`},
	{"<!--", "End the comment with -->, and write no other -- in it."},
	{"<![cdata[", "End the section with ]]>."},
	{"]]>", "Write ]]&gt; for ]]> in text."},
	{"< ", "Write &lt; for < in text, and no space after the < of a tag."},
}

// malformed returns the rule about markup that is malformed, with the fix for its kind.
func malformed(text string) Rule {
	rule, lower := of(sitemap.MismatchedTag), strings.ToLower(text)
	if hasSmartQuotes(text) {
		return of(SmartQuotes)
	}
	for _, m := range otherMarkup {
		if strings.HasPrefix(lower, m.start) {
			return rule.fixedBy(m.fix)
		}
	}
	if !strings.Contains(text, "=") {
		return rule
	}
	names := map[string]bool{}
	for _, m := range attribute().FindAllStringSubmatch(quotedValue().ReplaceAllString(text, `""`), -1) {
		if names[m[1]] || m[2] != `"` {
			return rule.fixedBy("Write each attribute of a tag once, with its value in quotes.")
		}
		names[m[1]] = true
	}
	return rule
}

var (
	quotedValue = pattern.Of(`"[^"]*(?:"|$)|'[^']*(?:'|$)`)
	attribute   = pattern.Of(`([\w:.-]+)\s*=\s*(.)`)
	prefixOf    = pattern.Of(`([A-Za-z][\w.-]*):`)
)

// undeclared returns the rule about the prefix in a tag, with its namespace.
func undeclared(tag string) Rule {
	rule := of(sitemap.UndeclaredPrefix)
	for _, m := range prefixOf().FindAllStringSubmatch(quotedValue().ReplaceAllString(tag, ""), -1) {
		prefix := m[1]
		if prefix == "xmlns" || strings.Contains(tag, "xmlns:"+prefix+"=") {
			continue
		}
		uri := namespace.Documented(namespace.Conventional[strings.ToLower(prefix)])
		if prefix == "xsi" {
			uri = "http://www.w3.org/2001/XMLSchema-instance"
		}
		if uri != "" {
			return rule.fixedBy("Declare the prefix in the root: xmlns:" + prefix + `="` + uri + `".`)
		}
		return rule.fixedBy("Declare the prefix " + prefix + " in the root with the namespace of " +
			"its elements, or remove it.")
	}
	return rule
}
