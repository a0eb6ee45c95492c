// Package discover goes from a site to its sitemaps to its URLs. It reads robots.txt, tries known
// paths, follows indexes, and reports for each URL what entitles the sitemap to list it.
//
//	var c discover.Client
//	for u, err := range c.URLs(ctx, "https://example.com/", nil) {
//		if err != nil {
//			return err // the last element: what could not be read, after everything that could
//		}
//		fmt.Println(u.Loc)
//	}
//
// # Order
//
// A walk is in document order, depth first: sitemaps as robots.txt lists them, the pages of an
// index and then its children as listed. Each document is read once, by the URL requested and by
// the URL that answered. The next [Client.Concurrency] documents are fetched ahead. Neither the
// order nor the verdicts depend on it.
//
// # Errors
//
// A sequence has at most one error, its last element, after everything that could be read: a
// [*WalkError] that lists all failures, a [*NoSitemapError], [ErrUnreachable] or the context's
// error. A document that fails is also reported to [Options.Done] as it happens. Defects of entries
// are problems, reported to [Options.Report].
//
// # Requests
//
// [Client.Fetch] decides how documents are fetched. Identify your crawler there, and open private
// networks if your site is on one:
//
//	c := discover.Client{Fetch: &fetch.Client{
//		UserAgent: "mybot/1.0 (+https://mybot.example/)", RobotsAgent: "mybot",
//		AllowPrivateNetworks: true,
//	}}
//
// A Crawl-delay for our agent, up to 30 s, holds for the hosts that its robots.txt speaks for.
// Disallow bars only known paths and the home page: documents that robots.txt, an index or the
// caller names are fetched.
//
// A user name and password in the URL of a site or a seed go with requests to that scheme, host and
// port, or to https of that host. No Sitemap, error, log or Store holds them.
//
// # Trust
//
// A document may list the URLs that its grants cover: those of the hosts whose robots.txt name it,
// those below the directory it was served from, those of hosts that the caller vouches for, and
// whatever an index above it may list. See package [trust]; [URL.Grant] is the grant that counts.
//
// # Memory between walks
//
// With [Options.Store] a walk remembers documents and pages. Each URL then says whether it is new,
// modified or unchanged; OnlyChanged requests only documents that may have changed, and yields only
// new and modified pages; and a walk that was stopped resumes if it is begun again with the same
// Run:
//
//	db, err := state.Open("sites.db")
//	...
//	o := &discover.Options{Store: db, OnlyChanged: true}
//
// # Files
//
// Each file builds on those below it:
//
//	tree.go         Tree
//	urls.go         URLs and Walk: from the seeds to the last error
//	visit.go        the turn of one document: limits, prefetch, Done, Store
//	document.go     the entries of one document, judged and yielded
//	walk.go         what the documents of a walk share
//	recorder.go     what the Store keeps of one document
//	memory.go       what a walk reads from and writes to its Store
//	verify.go       further hosts that are asked for their robots.txt
//	prefetch.go     requests for the documents that come next
//	queue.go        documents that are still to be read, in document order
//	seed.go         the documents with which a walk begins
//	judge.go        the verdicts of one document's scope
//	key.go          when two locations mean the same document
//	record.go       the record of a document in the Store
//	find.go         Find
//	home.go         the known paths, and sitemaps that a home page names
//	robots.go       the robots.txt of a site
//	client.go       Client
//	robotsfile.go   a robots.txt and how it was reached
//	answer.go       the answer to a request
//	errors.go       errors
//	options.go      Sitemap, URL, Options, Summary
//	store.go        Store
package discover
