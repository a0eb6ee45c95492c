package watch

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/cmd/internal/output"
)

// atomFeed is an Atom feed (RFC 4287).
type atomFeed struct {
	XMLName xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
	ID      string      `xml:"id"`
	Title   string      `xml:"title"`
	Updated string      `xml:"updated"`
	Author  string      `xml:"author>name"`
	Entries []atomEntry `xml:"entry"`
}

type atomEntry struct {
	ID       string    `xml:"id"`
	Title    string    `xml:"title"`
	Link     *atomAttr `xml:"link,omitempty"`
	Updated  string    `xml:"updated"`
	Category atomAttr  `xml:"category"`
	Content  string    `xml:"content"`
}

type atomAttr struct {
	Href string `xml:"href,attr,omitempty"`
	Term string `xml:"term,attr,omitempty"`
}

// uuid returns a URN for a text.
func uuid(text string) string {
	sum := sha256.Sum256([]byte(text))
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80 // version 8, RFC 9562
	h := hex.EncodeToString(sum[:16])
	return "urn:uuid:" + h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// writeFeed replaces the file with the feed of events, the last one first. The id of the feed is
// made from the text id.
func writeFeed(name, id string, events []event) error {
	feed := atomFeed{
		ID: uuid("feed " + id), Title: "Changes of sitemaps",
		Updated: time.Now().UTC().Format(time.RFC3339), Author: "sitemap watch",
	}
	seen := map[string]bool{}
	for i, e := range slices.Backward(events) {
		if seen[e.ID] {
			continue // it was yielded again after a kill
		}
		seen[e.ID] = true
		if i == len(events)-1 {
			feed.Updated = e.Time.Format(time.RFC3339)
		}
		text := cli.Harmless(e.text(), "")
		entry := atomEntry{
			ID: uuid(e.ID), Title: text, Updated: e.Time.Format(time.RFC3339),
			Category: atomAttr{Term: string(e.Event)}, Content: text,
		}
		if loc := cmp.Or(e.Loc, e.Sitemap); loc != "" {
			entry.Link = &atomAttr{Href: loc}
		}
		feed.Entries = append(feed.Entries, entry)
	}
	text, err := xml.MarshalIndent(feed, "", "  ")
	if err != nil {
		return err
	}
	return output.Replace(name, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s%s\n", xml.Header, text)
		return err
	})
}
