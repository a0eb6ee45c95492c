package audit

import (
	"bytes"
	"slices"
	"strings"

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
	rule(ElementOrder, info, protocolSchema,
		"elements of an entry in another order than the schema's",
		"A validator refuses the document, but search engines read it.",
		"Write loc, lastmod, changefreq and priority in this order, and images and other "+
			"extensions after them.").ofHabit(),
	rule(sitemap.ForeignElement, info, protocolSchema,
		"an element of another namespace directly in a urlset or sitemapindex",
		"The schema allows such elements before the entries, for data of other programs. Search "+
			"engines ignore them.",
		"Nothing needs to change. Remove the element if no program reads it."),
	rule(sitemap.MisplacedElement, failure, protocolSchema, "a known element in the wrong parent",
		"Search engines ignore the element, or report an invalid tag.",
		"Move the element to its place: url in urlset, sitemap in sitemapindex, the fields of a "+
			"page in its url."),
	rule(sitemap.MissingNamespace, failure, protocolXML, "an element without a namespace",
		"Search Console reports an incorrect namespace. Search engines may ignore the document.",
		"Declare the namespace in the root: <urlset "+
			`xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">, and write no xmlns="" below it.`),
	rule(sitemap.MissingRoot, failure, protocolXML, "entries without a root element around them",
		"Search engines do not recognize a sitemap in the document, and read no URL.",
		"Put the entries into a root: <urlset "+
			`xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"> before them and </urlset> after `+
			"them."),
	rule(sitemap.NoEntries, failure, searchConsole, "a valid document without entries",
		"Search Console reports an empty sitemap. The request for it is wasted.",
		"List at least one page, or remove the sitemap from robots.txt and from its index. If it "+
			"had entries before, check the program that writes it."),
	rule(sitemap.RepeatedElement, failure, protocolSchema,
		"a second lastmod, changefreq, priority or RSS link in an entry",
		"Search Console reports too many tags. Readers differ on which of the values they use.",
		"Keep one of them in the entry and remove the others."),
	rule(sitemap.StrayText, warning, protocolSchema, "text between elements",
		"It is ignored. A validator refuses the document.",
		"Remove the text, or put it into the element that it belongs in."),
	rule(sitemap.TooManyEntries, failure, protocolIndex, "more than 50,000 entries",
		"Search engines report too many URLs and refuse the document, or ignore the rest.",
		"Split the document into several of at most 50,000 entries and list them in an index."),
	rule(UnknownAttribute, warning, protocolSchema,
		"an attribute of a protocol element that the schema does not have",
		"It is ignored. A validator refuses the document.",
		"Remove the attribute.").ofHabit(),
	rule(sitemap.UnknownElement, failure, protocolSchema,
		"an element that the schema does not have",
		"Search Console reports an invalid XML tag, and the element is ignored.",
		"Correct its name, for example lastmod for lastModified, or remove it. Other elements "+
			"need a namespace of their own."),
	rule(sitemap.UnknownNamespace, failure, protocolXML,
		"a root in a namespace that does not belong to the format",
		"Search Console reports an incorrect namespace. Search engines may ignore the document.",
		"Declare the namespace as it is, with http: <urlset "+
			`xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">.`),
	rule(sitemap.UppercaseTag, failure, protocolSchema, "an element name in the wrong letter case",
		"XML distinguishes upper and lower case, so search engines do not recognize the element.",
		"Write the name as in the schema: <url> and <lastmod>, not <URL> and <lastMod>."),
	rule(sitemap.WrappedRoot, failure, protocolXML, "a known root element inside another element",
		"Search engines take the outer element for the root and do not recognize a sitemap.",
		"Remove the element around urlset or sitemapindex, so that this is the first one."),
)

const protocolNamespace = "http://www.sitemaps.org/schemas/sitemap/0.9"

// rootNamespace judges the namespace of the root, which must be exactly that of the protocol. A
// namespace that is not one of its spellings is a problem of reading.
func (j *judge) rootNamespace(root *element, prefix string) {
	if root.space != namespace.Sitemap {
		return
	}
	declares := strings.TrimSuffix("xmlns:"+prefix, ":")
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
			name, before := fieldNames[f.Kind], fieldNames[last]
			j.findAt(of(ElementOrder), j.placeOf(f.Offset), name,
				"%s comes after %s, which follows it in the schema", name, before)
			return
		}
		last = f.Kind
	}
}

// attributes reports attributes that the schema does not have, each once a document.
func (j *judge) attributes(e *element) {
	for _, a := range e.attrs {
		prefix, local, hasPrefix := bytes.Cut(a.Name, []byte(":"))
		if string(prefix) == "xmlns" || hasPrefix && slices.Contains(instanceNames, string(local)) {
			continue
		}
		if j.first(string(e.local) + " " + string(a.Name)) {
			j.findIn(of(UnknownAttribute), e, string(a.Name),
				"<%s> has an attribute %q, which the schema does not have", e.local, a.Name)
		}
	}
}

// instanceNames are the attributes of XML Schema's own, such as xsi:schemaLocation.
var instanceNames = []string{"schemaLocation", "noNamespaceSchemaLocation", "type", "nil"}
