package conformance

import "regexp"

// A difference is a kind of document for which our result knowingly differs from that of libxml2
// with the protocol's schema.
type difference struct {
	accepted bool           // whether libxml2 accepts the document
	message  *regexp.Regexp // matches its message
	reason   string
}

func refused(message, reason string) difference {
	return difference{false, regexp.MustCompile(message), reason}
}

// differences are all known differences.
var differences = []difference{
	refused(`This element is not expected. Expected is \( \{[^}]*\}loc \)`,
		"order of children: the protocol sets none, and everything is read in any order"),
	refused(`demanded by the strict wildcard`,
		"foreign elements: the protocol lets namespaces extend it, but the wildcard wants a schema for each"),
	refused(`'(\d{4}|\d{4}-\d\d|\d{4}-\d\d-\d\dT\d\d:\d\d(Z|[+-]\d\d:\d\d))' is not a valid value of the union type`,
		"W3C dates without day or seconds: W3C datetime has them, XSD has not"),
	refused(`The attribute '[^']*' is not allowed`,
		"attributes: XML lets applications pass over those they do not know"),
	refused(`\{http://www\.google\.com/schemas/sitemap/0\.84\}`,
		"the protocol's legacy namespace is the same to us"),
	refused(`\{http://www\.sitemaps\.org/schemas/sitemap/[^}]+\}\w+': No matching global declaration`,
		"so is any other version of its namespace"),
	refused(`Element '[^']*\}loc': '[^']*(\[|\]|#[^']*#|:/[^/]|://[^']*://)[^']*' is not a valid value of the atomic type`,
		"what anyURI does not let pass but servers answer: brackets, a second '#', a URL in a URL, and an empty port, which RFC 3986 has"),
	refused(`Element '[^']*\}loc': '(\x{a0}|\x{200b}|\x{feff}|\x{2028}|\x{85}).*' is not a valid|Element '[^']*\}loc': '.*(\x{a0}|\x{200b}|\x{feff}|\x{2028}|\x{85})' is not a valid`,
		"unseen characters around a location are cut off as white space is"),
	refused(`'minLength'`,
		"the schema wants 12 characters of a location; http://a.b/ has 11"),
	refused(`'enumeration'\] The value '\s*(always|hourly|daily|weekly|monthly|yearly|never)\s*'? `,
		"changefreq is trimmed (T22); the schema's string type keeps white space"),
	refused(`'enumeration'\] The value '(daily)$`,
		"the same, where the value holds a line break, at which the message ends"),
	refused(`XML declaration|Malformed declaration|parser error : expected '='|String not closed|String not started|Blank needed here|ParsePI|Invalid XML encoding name`,
		"the XML declaration's own syntax: only its encoding means anything to us"),
	refused(`^namespace error : xmlns:(\w+:)? .* is not a valid URI`,
		"a namespace's name is compared without the white space around it"),
	{true, regexp.MustCompile(`^$`), "libxml2's command ends a document at a NUL behind the root"},
}
