package audit

import (
	"bytes"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/document"
	"github.com/seed-322c453a/sitemap/internal/namespace"
)

// The codes of the schema.
const (
	ElementOrder     sitemap.Code = "element_order"
	UnknownAttribute sitemap.Code = "unknown_attribute"
)

var _ = register(
	Rule{Code: ElementOrder, habit: true, Severity: info, Source: protocolSchema,
		Summary: "elements of an entry in another order than the schema's",
		Why:     "A validator refuses the document, but search engines read it.",
		Fix: "Write loc, lastmod, changefreq and priority in this order, and images and other " +
			"extensions after them."},
	Rule{Code: sitemap.ForeignElement, Severity: info, Source: protocolSchema,
		Summary: "an element of another namespace directly in a urlset or sitemapindex",
		Why: "The schema allows such elements before the entries, for data of other programs. " +
			"Search engines ignore them.",
		Fix: "Nothing needs to change. Remove the element if no program reads it."},
	Rule{Code: sitemap.MisplacedElement, Severity: failure, Source: protocolSchema,
		Summary: "a known element in the wrong parent",
		Why:     "Search engines ignore the element, or report an invalid tag.",
		Fix: "Move the element to its place: url in urlset, sitemap in sitemapindex, the fields " +
			"of a page in its url."},
	Rule{Code: sitemap.MissingNamespace, Severity: failure, Source: protocolXML,
		Summary: "a root or an entry without a namespace",
		Why: "Search Console reports an incorrect namespace. Search engines may ignore the " +
			"document.",
		Fix: "Declare the namespace in the root: <urlset " +
			`xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">.`},
	Rule{Code: sitemap.MissingRoot, Severity: failure, Source: protocolXML,
		Summary: "entries without a root element around them",
		Why:     "Search engines do not recognize a sitemap in the document, and read no URL.",
		Fix: `Put the entries into a root: ` +
			`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"> before them and ` +
			"</urlset> after them."},
	Rule{Code: sitemap.NoEntries, Severity: failure, Source: searchConsole,
		Summary: "a valid document without entries",
		Why:     "Search Console reports an empty sitemap. The request for it is wasted.",
		Fix: "List at least one page, or remove the sitemap from robots.txt and from its index. " +
			"If it had entries before, check the program that writes it."},
	Rule{Code: sitemap.RepeatedElement, Severity: failure, Source: protocolSchema,
		Summary: "a second lastmod, changefreq, priority or RSS link in an entry",
		Why: "Search Console reports too many tags. Readers differ on which of the values they " +
			"use.",
		Fix: "Keep one of them in the entry and remove the others."},
	Rule{Code: sitemap.StrayText, Severity: warning, Source: protocolSchema,
		Summary: "text between elements",
		Why:     "It is ignored. A validator refuses the document.",
		Fix:     "Remove the text, or put it into the element that it belongs in."},
	Rule{Code: sitemap.TooManyEntries, Severity: failure, Source: protocolIndex,
		Summary: "more than 50,000 entries",
		Why:     "Search engines report too many URLs and refuse the document, or ignore the rest.",
		Fix: "Split the document into several of at most 50,000 entries and list them in an " +
			"index."},
	Rule{Code: UnknownAttribute, habit: true, Severity: warning, Source: protocolSchema,
		Summary: "an attribute of a protocol element that the schema does not have",
		Why:     "It is ignored. A validator refuses the document.",
		Fix:     "Remove the attribute."},
	Rule{Code: sitemap.UnknownElement, Severity: failure, Source: protocolSchema,
		Summary: "an element that the schema does not have",
		Why:     "Search Console reports an invalid XML tag, and the element is ignored.",
		Fix: "Correct its name, for example lastmod for lastModified, or remove it. Other " +
			"elements need a namespace of their own."},
	Rule{Code: sitemap.UnknownNamespace, Severity: failure, Source: protocolXML,
		Summary: "a root in a namespace that does not belong to the format",
		Why: "Search Console reports an incorrect namespace. Search engines may ignore the " +
			"document.",
		Fix: "Declare the namespace as it is, with http: <urlset " +
			`xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">.`},
	Rule{Code: sitemap.UppercaseTag, Severity: failure, Source: protocolSchema,
		Summary: "an element name in the wrong letter case",
		Why:     "XML tells upper from lower case, so search engines do not recognize the element.",
		Fix:     "Write the name as in the schema: <url> and <lastmod>, not <URL> and <lastMod>."},
	Rule{Code: sitemap.WrappedRoot, Severity: failure, Source: protocolXML,
		Summary: "a known root element inside another element",
		Why: "Search engines take the outer element for the root and do not recognize a " +
			"sitemap.",
		Fix: "Remove the element around urlset or sitemapindex, " +
			"so that this is the first one."},
)

const protocolNamespace = "http://www.sitemaps.org/schemas/sitemap/0.9"

// rootNamespace judges the namespace of the root, which must be exactly that of the protocol. One
// that is none of its spellings is a problem of reading.
func (j *judge) rootNamespace(root *element, prefix string) {
	if root.space != namespace.Sitemap {
		return
	}
	declares := "xmlns"
	if prefix != "" {
		declares += ":" + prefix
	}
	for _, a := range root.attrs {
		uri := string(a.Value)
		if string(a.Name) == declares && uri != protocolNamespace {
			j.findIn(of(sitemap.UnknownNamespace), root, uri,
				"the namespace is %s, not %s", quoted(uri), quoted(protocolNamespace))
		}
	}
}

// order judges the order of the fields of the entry that was read.
func (j *judge) order() {
	var last document.FieldKind
	for i := range j.fields {
		f := &j.fields[i]
		if f.Kind < last {
			name, before := fieldName(f.Kind), fieldName(last)
			j.findAt(of(ElementOrder), j.placeOfField(f), name,
				"%s comes after %s, which follows it in the schema", name, before)
			return
		}
		last = f.Kind
	}
}

// fieldName returns the name of a field in messages.
func fieldName(kind document.FieldKind) string {
	return [...]string{"", "loc", "lastmod", "changefreq", "priority", "an extension"}[kind]
}

// attributes reports attributes that the schema does not have, each once a document.
func (j *judge) attributes(e *element) {
	for _, a := range e.attrs {
		prefix, local, hasPrefix := bytes.Cut(a.Name, []byte(":"))
		if string(prefix) == "xmlns" || hasPrefix && isInstance(local) {
			continue
		}
		if j.first(string(e.local) + " " + string(a.Name)) {
			j.findIn(of(UnknownAttribute), e, string(a.Name),
				"<%s> has an attribute %q, which the schema does not have", e.local, a.Name)
		}
	}
}

// isInstance reports whether an attribute is one of XML Schema's own, such as xsi:schemaLocation.
func isInstance(local []byte) bool {
	switch string(local) {
	case "schemaLocation", "noNamespaceSchemaLocation", "type", "nil":
		return true
	}
	return false
}
