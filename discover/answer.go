package discover

import (
	"time"

	"github.com/seed-322c453a/sitemap/fetch"
)

// An answer is the result of the request for a document.
type answer struct {
	doc  *fetch.Document // nil if it could not be fetched
	err  error
	at   time.Time        // when it was requested
	sent fetch.Validators // with the request
}

// hops returns the URLs that redirects led to, the one that answered last.
func (a answer) hops() []string {
	if a.doc == nil || len(a.doc.Hops) == 0 {
		return nil
	}
	var urls []string
	for _, hop := range a.doc.Hops[1:] {
		urls = append(urls, hop.URL)
	}
	return append(urls, a.doc.URL.String())
}

// close closes the body of the document, if there is one.
func (a answer) close() {
	if a.doc != nil {
		a.doc.Body.Close()
	}
}
