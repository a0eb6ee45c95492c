package watch

import (
	"cmp"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/internal/jsonl"
	"github.com/seed-322c453a/sitemap/watch"
)

// An event is a watch.Event as it is printed and sent.
type event struct {
	ID      string       `json:"id"`
	Event   watch.Kind   `json:"event"`
	Time    time.Time    `json:"time"`
	Site    string       `json:"site"`
	Loc     string       `json:"loc,omitempty"`
	LastMod sitemap.Time `json:"lastmod,omitzero"`
	Sitemap string       `json:"sitemap,omitempty"`
	Error   string       `json:"error,omitempty"`
}

func record(e watch.Event) event {
	r := event{
		ID: e.ID, Event: e.Kind, Time: e.Time.UTC().Truncate(time.Second), Site: e.Site,
		Loc: e.URL.Loc, LastMod: e.URL.LastMod, Sitemap: e.Sitemap,
	}
	if e.Err != nil {
		r.Error = jsonl.Message(e.Sitemap, e.Err)
	}
	return r
}

// signs are the signs of pages in text, as sitemap diff prints them.
var signs = map[watch.Kind]string{watch.Added: "+ ", watch.Modified: "~ ", watch.Removed: "- "}

// line returns an event as a line.
func line(e event, format string) []byte {
	if format == "jsonl" {
		return append(jsonl.Marshal(e), '\n')
	}
	if sign := signs[e.Event]; sign != "" {
		return []byte(sign + cli.Harmless(e.Loc, "") + "\n")
	}
	return []byte("! " + cli.Harmless(e.text(), "") + "\n")
}

// text returns an event in words.
func (e event) text() string {
	text := string(e.Event) + " " + cmp.Or(e.Loc, e.Sitemap, e.Site)
	if e.Error != "" {
		text += ": " + e.Error
	}
	return text
}
