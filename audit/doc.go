// Package audit says what is wrong with the sitemaps of a site, as a search engine would see it. It
// judges how documents are written, what they list, robots.txt, hosts, alternates, and on request
// the pages themselves:
//
//	var c discover.Client
//	for f, err := range audit.Site(ctx, &c, "https://example.com/", nil) {
//		if err != nil {
//			return err // the last element: what could not be read
//		}
//		fmt.Printf("%s:%d:%d: %s [%s]\n", f.Sitemap, f.Pos.Line, f.Column, f.Message, f.Code)
//	}
//
// [Document] audits one document, [Sitemaps] those that the caller names. Each finding has its
// place, the URL of the entry, the value, and what to do.
//
// # Rules
//
// [Rules] lists what is judged. The severity of a rule is by consequence: an error is what the
// protocol or its schema forbids, or what a search engine refuses; a warning is what is ignored,
// misread or wasteful. So a document that the schema refuses has an error, with four exceptions
// that every engine reads: the order of elements, attributes, stray text, and W3C dates that XML
// Schema lacks. Where the schema judges a value otherwise than its rule, the finding has the
// severity of the schema: white space around a date is worth knowing only.
//
// Problems of reading ([sitemap.Problem]) are findings too, with their codes. An error that ends a
// document is no finding in it: it is in the [discover.Summary] that Walk.Done is called with, and
// the rules explain its code as well. A document that could not be fetched is a finding where it is
// listed.
//
// # How a document is audited
//
// A document is decoded twice, side by side: package parse yields its entries and problems, and a
// second reader follows with the elements as they stand, their columns and lines. So an audit costs
// about three times as much as parsing. Problems of an entry come after those of its elements.
//
// # Memory
//
// Memory grows with the sitemaps of a site, not with its URLs. Within a document, a million locations
// are compared by their hashes. What shows only across documents (a URL in several sitemaps,
// alternates without a return) is found by an external merge sort with github.com/lanrat/extsort:
// records are only added and then read in order once, which an embedded database with its index by
// key would make slower and larger. The records of a site take about as much disk as its sitemaps, in
// [Options.TempDir].
//
// # Files
//
// Each file builds on those below it:
//
//	site.go         Site and Sitemaps: the walk
//	sitemaps.go     rules about each sitemap of a site
//	pages.go        pages that are fetched
//	head.go         what a page says to search engines
//	sample.go       the pages that are fetched
//	memory.go       what an audit keeps in a Store
//	hosts.go        hosts and robots.txt
//	cross.go        what shows only across documents
//	document.go     Document: problems, entries and elements in their order
//	values.go       rules about locations and values
//	occurrences.go  the locations of a document
//	extensions.go   rules about news, images, videos and alternates
//	elements.go     rules about elements and attributes
//	schema.go       rules of the schema that reading does not need
//	plain.go        entries whose elements need no look
//	structure.go    the elements of entries
//	view.go         positions, columns and lines
//	options.go      Options
//	finding.go      Finding
//	rule.go         Rule, with the tables in rules_*.go
package audit
