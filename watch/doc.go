// Package watch follows sites. It requests each sitemap at an interval that depends on how often
// the sitemap changes, and reports each change once.
//
//	db, err := state.Open("watch.db")
//	if err != nil {
//		return err
//	}
//	defer db.Close()
//	w := watch.Watcher{Client: &discover.Client{}, Store: db}
//	for e, err := range w.Events(ctx, slices.Values([]string{"example.com", "example.org"})) {
//		if err != nil {
//			return err // ctx's, or the Store's
//		}
//		fmt.Println(e.Kind, e.Site, e.URL.Loc)
//	}
//
// The first reading of a site yields none of its pages, unless [Watcher.Initial] is set.
// [Watcher.Events] never ends by itself. [Watcher.Once] requests what is due and ends, for programs
// that run now and then. Both resume where the last range with the same Store ended.
//
// # Rhythm
//
// Each document has its own interval, which depends on its rate: how often it changes. The first
// estimate of the rate is made from the dates in the document, and later ones from the changes
// between requests. A document that changes λ times a day is requested √(λ·PerDay) times a day: for
// a given number of requests, the sum of the delays is least if requests are in proportion to the
// square roots of the rates. [Watcher.Min] and [Watcher.Max] bound each interval, except of
// requests for a removal. [Watcher.PerDay] bounds the requests for the documents of a site: any 24
// hours have at most a tenth more, with retries and redirects. So the first reading of a site with
// more documents than that takes several days. Below 20, two requests are held back for retries.
//
// An index whose lastmods have proved right stands for its children: they are requested when it
// lists a new lastmod, and otherwise once a week. A lastmod that is only a date counts from the
// next day on. Robots.txt is requested once a day. Its Crawl-delay holds, and so does the
// Retry-After of a response. After its first reading, a document is not requested again as long as
// its Cache-Control or Expires calls it fresh, or as a feed asks readers to wait
// ([sitemap.Summary.Refresh]), whichever is longer, up to a day.
//
// After a pause, the overdue documents with the most expected changes are requested first.
//
// # Delivery
//
// An event counts as delivered when the loop asks for the next one. It is stored at most 200 ms
// after that, unless the loop is busy with the next one then. After a kill, the events that were
// not stored are yielded again, with the same [Event.ID]; none is lost. If the loop breaks off, its
// last event does not count as delivered: another range yields it again. Neither is yielded again
// if the site has undone the change meanwhile; so a document that was failing before a kill, and
// can be read after it, may never be said to have recovered.
//
// # Removal
//
// A page is removed when no document of its site lists it any more. Before the event is yielded,
// every document of the site has to be read after the page has vanished, one after another, since
// it may have moved. If that takes more than 10 minutes, they are read once more in the reverse
// order, since it may have moved on to one that was read before. Robots.txt has to be read too if
// it names several sitemaps, or a single one that has lost half of its pages. A document that
// fails, breaks off or has entries that were dropped removes nothing. One that has failed for 30
// days no longer holds up the others. A 304 of an index says nothing about its children, unless its
// lastmods have proved right and the last three were later than those of all pages of their
// documents: an index that lists the latest of them says nothing of a page that has moved. A page
// that was only in feeds and news sitemaps is never removed: they drop entries by design. While a
// site is failing, because its robots.txt or all its documents fail, nothing is removed.
//
// A sitemap is removed when every index that can be read was read without it.
//
// A page that returns after its removal is added again, with another ID. One that left a feed in
// the last 30 days, or moves from one document to another, is still known.
//
// # Documents
//
// A document is failing when it could not be read three times in a row, and so is a site whose
// robots.txt, or every document, cannot be read. Each is reported once, and so is the recovery. A
// document that is no index is quiet if it was seen to change, but not for ten times the usual
// interval between its changes, and at least a week: its generator may have stopped. It has shrunk
// if it has lost more than half of at least 100 URLs from one reading to the next.
//
// # Files
//
// Each file builds on those below it:
//
//	watch.go    Events, Once and Documents
//	run.go      gives sites their turns and yields their events
//	turn.go     requests the documents of a site that are due
//	find.go     the sitemaps that a site names
//	failing.go  documents and sites that cannot be read
//	link.go     documents that are named or dropped, and the lastmods that indexes list for them
//	removal.go  pages that several documents list, and pages that none lists any more
//	plan.go     how often to ask, and when documents and sites are due
//	read.go     one request for a document, and the changes in it
//	site.go     the documents of a site and their records
//	rhythm.go   rates of change
//	watcher.go  Watcher
//	event.go    Event
package watch
