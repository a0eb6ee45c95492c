package watch

import (
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
)

// A siteRecord is the record of a site as a whole.
type siteRecord struct {
	Seeds    []*discover.Sitemap `json:"seeds,omitempty"`    // for a day, as robots.txt
	Orphans  []string            `json:"orphans,omitempty"`  // documents that nothing names any more
	Find     time.Time           `json:"find"`               // when robots.txt is due
	Next     time.Time           `json:"next"`               // when the site is due
	Asked    time.Time           `json:"asked"`              // when it had its last turn
	Rate     float64             `json:"rate"`               // changes a day of all documents
	Delay    time.Duration       `json:"delay,omitempty"`    // Crawl-delay
	Tokens   float64             `json:"tokens"`             // requests that may be sent now
	Filled   time.Time           `json:"filled"`             // when Tokens was last updated
	Failures int                 `json:"failures,omitempty"` // of robots.txt in a row
	Failing  bool                `json:"failing,omitempty"`
	Notices  int                 `json:"notices,omitempty"` // events about the site so far
}

// A docRecord is the record of a document, without its pages.
type docRecord struct {
	Loc          string         `json:"loc"`
	LastMod      sitemap.Time   `json:"lastmod,omitzero"` // as its index lists it
	Final        string         `json:"final,omitempty"`  // the URL that answered
	ETag         string         `json:"etag,omitempty"`
	LastModified string         `json:"last_modified,omitempty"`
	Format       sitemap.Format `json:"format"`
	URLs         int            `json:"urls"` // that it lists
	Rhythm       rhythm         `json:"rhythm"`
	Usual        float64        `json:"usual,omitempty"`   // changes a day when it changed last
	Asked        time.Time      `json:"asked,omitzero"`    // when it was requested last
	Read         time.Time      `json:"read,omitzero"`     // when that succeeded last
	Checked      time.Time      `json:"checked,omitzero"`  // until when its pages are known
	Changed      time.Time      `json:"changed,omitzero"`  // when a change was seen last
	Next         time.Time      `json:"next,omitzero"`     // when it is due
	Ahead        time.Time      `json:"ahead,omitzero"`    // when a lastmod in it will be past
	Vanished     time.Time      `json:"vanished,omitzero"` // when the first page was missed of those
	// that may have been removed
	FailedAt time.Time `json:"failed_at,omitzero"` // the first of the Failures
	Failures int       `json:"failures,omitempty"` // in a row
	Err      string    `json:"err,omitempty"`      // the last of them
	Failing  bool      `json:"failing,omitempty"`
	Quiet    bool      `json:"quiet,omitempty"`
	Known    bool      `json:"known,omitempty"`   // since the site is watched
	Early    bool      `json:"early,omitempty"`   // it changed, and its index does not say so yet
	Hinted   bool      `json:"hinted,omitempty"`  // its listed lastmod has moved since it was read
	Reads    int       `json:"reads,omitempty"`   // how often it was read
	Proof    int       `json:"proof,omitempty"`   // of an index: how far its lastmods prove right
	Notices  int       `json:"notices,omitempty"` // events about the document so far
}
