// Package audit finds the defects of a site's sitemaps that matter to search engines. It judges the
// markup and the entries of documents, robots.txt, hosts, alternates and, on request, the pages
// themselves:
//
//	var c discover.Client
//	for f, err := range audit.Site(ctx, &c, "https://example.com/", nil) {
//		if err != nil {
//			return err // the last element: what could not be read
//		}
//		fmt.Printf("%s:%d:%d: %s [%s]\n", f.Sitemap, f.Pos.Line, f.Column, f.Message, f.Code)
//	}
//
// [Document] audits one document, [Robots] a robots.txt, and [Sitemaps] the sitemaps that the
// caller names. Each [Finding] has its place, the URL of the entry, the value, and a way to fix it.
//
// # Rules
//
// [Rules] returns all rules. The severity of a rule depends on the consequence. The protocol or its
// schema forbids an error, or a search engine refuses it. A search engine ignores or misreads a
// warning, or the defect is wasteful. So a document that the schema refuses has an error, with five
// exceptions that every engine reads: the order of elements, attributes, stray text, brackets in a
// URL, and W3C dates that XML Schema lacks. If the schema disagrees with a rule about a value, the
// schema's severity applies: white space around a date is only an info.
//
// Problems of reading ([sitemap.Problem]) are findings too, with their codes. If a tag is missing
// or malformed, only values are checked in the rest of its entry. An error that ends a document is
// not a finding. It is passed to [discover.Options.Done], and a rule explains its code. A document
// that could not be fetched is a finding at the place that lists it.
//
// If a defect is repeated by habit, such as duplicate_loc or element_order, the first 100 in a
// document are findings, and one more says how many follow.
//
// # How a document is audited
//
// A document is read once: package parse yields its entries and problems, and calls a listener with
// the elements as they are written. For entries of the common shape, which are most, it makes one
// call.
//
// # Memory
//
// Memory grows with the sitemaps of a site, not with its URLs. Within a document, a million
// locations are compared by their hashes. Defects across documents, such as a URL in several
// sitemaps, are found by an external merge sort with github.com/lanrat/extsort. Records are only
// added and then read once in order: an embedded database would be slower and larger. The records
// of a site take about as much disk as its sitemaps, in [Options.TempDir].
//
// # Files
//
// Each file builds on those below it:
//
//	site.go         Site and Sitemaps
//	walk.go         listens to a walk
//	pages.go        fetches pages
//	page.go         rules about a page
//	untrusted.go    rules about pages that a sitemap may not list
//	cross.go        rules about pages of different documents
//	files.go        rules about the folder of a site
//	pagehead.go     what a page says to search engines
//	sample.go       the pages that are fetched
//	memory.go       rules about changes, and what an audit keeps in a Store
//	children.go     documents that indexes list
//	robots.go       Robots, and the rules about robots.txt
//	fetch.go        CodeOf, and the rules about documents that cannot be read
//	sitejudge.go    what the rules of a site share
//	document.go     Document: listens to the parser
//	problem.go      problems of reading as findings
//	news.go         rules about news
//	media.go        rules about images and videos
//	alternate.go    rules about alternates
//	extension.go    rules about extensions
//	values.go       rules about dates, priorities and changefreqs
//	duplicate.go    rules about repetitions
//	occurrences.go  the locations of a document
//	loc.go          rules about locations
//	host.go         rules about hosts, and what is counted for each
//	schema.go       rules of the schema
//	encoding.go     rules about compression and encoding
//	xml.go          rules of XML
//	judge.go        what the rules of a document share
//	index.go        rules about indexes
//	entry.go        the elements of an entry
//	text.go         places in a document
//	forms.go        locations that are the same, and their characters
//	finding.go      Finding, and how one is reported
//	options.go      Source and Options
//	rule.go         Rule, and the sources of rules
package audit
