package parse

import (
	"iter"
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/feed"
	"github.com/seed-322c453a/sitemap/text"
)

// Ranging again over entries is not reported as an error of their document.
func TestEntriesAgain(t *testing.T) {
	const doc, rss = "https://example.com/1\nhttps://example.com/2\n",
		`<rss><channel><item><link>https://example.com/1</link></item></channel></rss>`
	for name, entries := range map[string]iter.Seq2[sitemap.Entry, error]{
		"parse": Entries(strings.NewReader(doc), nil), "text": text.Entries(strings.NewReader(doc),
			nil), "feed": feed.Entries(strings.NewReader(rss), nil),
	} {
		for e, err := range entries {
			if err != nil || e.Loc != "https://example.com/1" {
				t.Errorf("%s: %+v, %v", name, e, err)
			}
			break
		}
		n := 0
		for _, err := range entries {
			if n++; err == nil || !strings.Contains(err.Error(), "again") {
				t.Errorf("%s again: error %v", name, err)
			}
		}
		if n != 1 {
			t.Errorf("%s again: %d elements", name, n)
		}
	}
}
