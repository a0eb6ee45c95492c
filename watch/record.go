package watch

import (
	"encoding/binary"
	"encoding/json"
	"strconv"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
)

// A siteRecord is what the Store keeps of a site as a whole.
type siteRecord struct {
	Seeds    []*discover.Sitemap `json:"seeds,omitempty"`    // for a day, as robots.txt
	Orphans  []string            `json:"orphans,omitempty"`  // documents that nothing names any more
	Find     time.Time           `json:"find"`               // when robots.txt is to be asked again
	Next     time.Time           `json:"next"`               // when the site is due
	Asked    time.Time           `json:"asked"`              // when it had its last turn
	Rate     float64             `json:"rate"`               // changes a day of all documents
	Delay    time.Duration       `json:"delay,omitempty"`    // Crawl-delay
	Tokens   float64             `json:"tokens"`             // requests that may be sent now
	Filled   time.Time           `json:"filled"`             // until when they are counted
	Failures int                 `json:"failures,omitempty"` // of robots.txt in a row
	Failing  bool                `json:"failing,omitempty"`
	Notices  int                 `json:"notices,omitempty"` // events about the site so far
}

// A docRecord is what the Store keeps of a document, apart from its pages.
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

// format is the version of what is stored. Values of another version count as absent.
const format = 1

// maxPart is the size of a stored value. Longer ones are stored in parts.
const maxPart = 60 << 10

// A batch holds values that are to be stored once the events before them are delivered.
type batch struct {
	keys   []string
	values [][]byte
}

// put adds a value in as many parts as it needs.
func (b *batch) put(key string, value []byte) {
	parts := len(value) / maxPart
	head := binary.AppendUvarint([]byte{format}, uint64(parts))
	for i := range parts + 1 {
		part := value[i*maxPart : min((i+1)*maxPart, len(value))]
		b.keys = append(b.keys, partKey(key, i))
		b.values = append(b.values, append(head[:len(head):len(head)], part...))
		head = []byte{format}
	}
}

func (b *batch) putJSON(key string, from any) {
	value, _ := json.Marshal(from) // plain values
	b.put(key, value)
}

// store puts all values.
func (b *batch) store(s discover.Store) error {
	for i, key := range b.keys {
		if err := s.Put(key, b.values[i]); err != nil {
			return err
		}
	}
	return nil
}

func partKey(key string, i int) string {
	if i == 0 {
		return key
	}
	return key + "." + strconv.Itoa(i)
}

// get returns a value that a batch has stored, nil if it is absent or incomplete.
func get(s discover.Store, key string) (value []byte, err error) {
	parts := uint64(0)
	for i := 0; i <= int(parts); i++ {
		part, err := s.Get(partKey(key, i))
		if err != nil || len(part) == 0 || part[0] != format {
			return nil, err
		}
		part = part[1:]
		if i == 0 {
			n, size := binary.Uvarint(part)
			if size <= 0 {
				return nil, nil
			}
			parts, part = n, part[size:]
		}
		value = append(value, part...)
	}
	return value, nil
}

// getJSON reads a value. It reports false if there is none that can be read.
func getJSON(s discover.Store, key string, to any) (bool, error) {
	value, err := get(s, key)
	if err != nil || value == nil {
		return false, err
	}
	return json.Unmarshal(value, to) == nil, nil
}
