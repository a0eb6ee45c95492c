package watch

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/discover/trust"
	"github.com/seed-322c453a/sitemap/fetch"
	"github.com/seed-322c453a/sitemap/internal/longvalue"
	"github.com/seed-322c453a/sitemap/internal/pagelist"
	"github.com/seed-322c453a/sitemap/internal/siteurl"
)

// A site is one site while it has its turn. It may be stored at any time, since a change enters it
// only once its event was taken.
type site struct {
	w    *Watcher
	take func(Event) bool // yields an event, and reports whether it was taken
	once bool             // the turn is one of Once
	name string
	key  string // the prefix of its keys in the Store
	siteRecord
	byLoc    map[string]*document     // Docs
	gone     map[string]pagelist.Page // that left a document, by location
	unsaved  map[string]pageMap       // lists that are not stored yet, by key
	isLinked bool                     // Docs are those that are named
	began    time.Time                // of the turn
	saved    time.Time
	isTold   bool  // an event was taken since then
	err      error // that ends the turn
}

// A pageMap holds pages by location.
type pageMap = map[string]pagelist.Page

// A siteRecord is the record of a site.
type siteRecord struct {
	prospect
	Docs     []*document   `json:"docs,omitempty"`     // each index before what it lists
	Find     time.Time     `json:"find"`               // when robots.txt is due
	Delay    time.Duration `json:"delay,omitempty"`    // Crawl-delay
	Failures int           `json:"failures,omitempty"` // of robots.txt, in a row
	Failing  bool          `json:"failing,omitempty"`  // failing was reported
	Err      string        `json:"err,omitempty"`      // of the last of the Failures
	Paid     time.Time     `json:"paid,omitzero"`      // until when PerDay has paid for the requests
	Begun    time.Time     `json:"begun,omitzero"`     // of a sweep: when its last page was gone
	Swept    time.Time     `json:"swept,omitzero"`     // its last check of a document
}

// A prospect says when a site is due, and how many changes are expected.
type prospect struct {
	Next  time.Time `json:"next"`
	Asked time.Time `json:"asked"` // when its last turn ended that was not broken off
	Rate  float64   `json:"rate"`  // changes a day of all documents
}

// A document is one sitemap of a site, as it is stored without its entries.
type document struct {
	Loc string `json:"loc"`
	link
	Heeded   sitemap.Time     `json:"heeded,omitzero"` // Listed, when it was last read
	Version  fetch.Validators `json:"version"`         // of the last reading
	Scope    trust.Scope      `json:"scope,omitempty"` // of an index
	Format   sitemap.Format   `json:"format"`
	URLs     int              `json:"urls"`            // how many it lists
	IsIndex  bool             `json:"index,omitempty"` // some of these are sitemaps
	Rhythm   rhythm           `json:"rhythm"`
	Usual    float64          `json:"usual,omitempty"` // changes a day, at the last one; 0 if quiet
	Found    time.Time        `json:"found,omitzero"`  // when it was first named
	Asked    time.Time        `json:"asked"`           // when it was requested last, or found
	Read     time.Time        `json:"read,omitzero"`
	Changed  time.Time        `json:"changed,omitzero"`
	Next     time.Time        `json:"next"`               // when it is due
	Held     time.Time        `json:"held,omitzero"`      // until then, only a removal makes it due
	Failures int              `json:"failures,omitempty"` // in a row
	FailedAt time.Time        `json:"failed_at,omitzero"` // the first of them
	Err      string           `json:"err,omitempty"`      // the last of them
	Failing  bool             `json:"failing,omitempty"`  // failing was reported
	Baseline bool             `json:"baseline,omitempty"` // the first reading of the site had it
	Early    time.Time        `json:"unhinted,omitzero"`  // before a change that the index hid
	Proof    int              `json:"proof,omitempty"`    // of the lastmods of an index: see proved
	Ahead    bool             `json:"ahead,omitempty"`    // it lists a lastmod in the future
	Own      int              `json:"own,omitempty"`      // as Proof, of lastmods later than all pages
	Sweeps   int              `json:"sweeps,omitempty"`   // how often the sweep has passed it

	err    error // the last failure
	wanted bool  // a removal waits for it
}

// A link says how a document is named.
type link struct {
	Seed   *discover.Sitemap `json:"seed,omitempty"`   // if no index lists it
	Index  string            `json:"parent,omitempty"` // the first index that lists it
	Listed sitemap.Time      `json:"listed,omitzero"`  // its lastmod there

	Unnamed time.Time `json:"unnamed,omitzero"` // when it was first found that nothing names it

	index *document // that of Index
	depth int       // how many indexes lie above it
}

// isFeed reports whether entries leave a document by design.
func isFeed(f sitemap.Format) bool { return f == sitemap.RSS || f == sitemap.Atom }

// sitemap returns the document as a seed for a walk, with the grants of the index above it.
func (d *document) sitemap() *discover.Sitemap {
	if d.index == nil {
		return d.Seed
	}
	return &discover.Sitemap{
		Loc: d.Loc, LastMod: d.Listed, Referrer: d.index.sitemap(), Grants: d.index.Scope,
	}
}

// siteKey returns the prefix of the keys of a site, also for a name that is not a site.
func siteKey(name string) (string, error) {
	st, err := siteurl.Parse(name)
	if err != nil {
		return "invalid/w" + hashed(name), fmt.Errorf("watch: %w: %w", discover.ErrSite, err)
	}
	return st.Host() + "/w" + hashed(st.Spelling()), nil
}

func hashed(text string) string {
	sum := sha256.Sum256([]byte(text))
	return string(sum[:16])
}

func (s *site) listKey(d *document) string { return s.key + "p" + hashed(d.Loc) }
func (s *site) goneKey() string            { return s.key + "g" }

// load reads a site from the Store.
func (w *Watcher) load(name, key string) *site {
	s := &site{
		w: w, name: sitemap.Redact(name), key: key,
		byLoc: map[string]*document{}, unsaved: map[string]pageMap{},
	}
	s.err = w.read(name, key, &s.siteRecord, &s.prospect)
	most := w.most() // may be less than when the site was saved
	for _, d := range s.Docs {
		s.byLoc[d.Loc] = d
		d.index = s.byLoc[d.Index]
		d.Next = earliest(d.Next, latest(d.Held, d.Asked.Add(most)))
	}
	return s
}

// read reads the record of a site that a prospect is part of, or the prospect alone, which is less
// work: the record of a large site has thousands of documents.
func (w *Watcher) read(name, key string, record any, p *prospect) error {
	_, err := longvalue.GetJSON(w.Store, key, record)
	p.Next = earliest(p.Next, p.Asked.Add(w.most()))
	if p.Asked.After(time.Now().Add(24 * time.Hour)) {
		err = fmt.Errorf("watch: the clock is before the last reading of %s, %s: set it, or, "+
			"if it was ahead then, begin with empty state", sitemap.Redact(name),
			p.Asked.Format(time.RFC3339))
	}
	return err
}

// seeds returns the sitemaps that robots.txt or a known path named.
func (s *site) seeds() (seeds []*discover.Sitemap) {
	for _, d := range s.Docs {
		if d.Seed != nil && d.Unnamed.IsZero() {
			seeds = append(seeds, d.Seed)
		}
	}
	return seeds
}

// list returns a list of pages. A missing list is empty.
func (s *site) list(key string) (pagelist.List, error) {
	if pages, ok := s.unsaved[key]; ok {
		return pagelist.Of(pages), nil
	}
	value, err := longvalue.Get(s.w.Store, key)
	s.err = cmp.Or(s.err, err)
	if len(value) == 0 {
		return nil, nil
	}
	return pagelist.Decode(value)
}

// entries returns the entries of a document. If their list is missing or damaged, the document
// counts as not read.
func (s *site) entries(d *document) pagelist.List {
	list, err := s.list(s.listKey(d))
	if s.err == nil && (err != nil || len(list) == 0 && d.URLs > 0) {
		d.Baseline, d.Read, d.Version, d.Sweeps = true, time.Time{}, fetch.Validators{}, 0
	}
	return list
}

// save makes changes durable, in this order: pages that are gone, the documents that have lost
// them, and the record with the times of reading. So a Store that fails in between loses nothing.
func (s *site) save() {
	var b longvalue.Batch
	for _, key := range slices.Sorted(maps.Keys(s.unsaved)) { // goneKey first
		b.Put(key, pagelist.Of(s.unsaved[key]).Encode())
	}
	b.PutJSON(s.key, s.siteRecord)
	err := b.Store(s.w.Store)
	if err == nil {
		err = s.w.Store.Sync()
	}
	if err != nil {
		s.err = err
		return
	}
	clear(s.unsaved)
	s.isTold, s.saved = false, time.Now()
}

// saveEvery is the least time between two saves of a turn whose events are taken one after another.
const saveEvery = 200 * time.Millisecond

// say yields an event, and calls note if it was taken. The ID of the event depends on the parts
// too.
func (s *site) say(e Event, note func(), parts ...string) {
	if s.err != nil {
		return
	}
	parts = append(parts, string(e.Kind), s.key)
	e.ID = hex.EncodeToString([]byte(hashed(strings.Join(parts, "\n"))))
	e.Time, e.Site, e.Sitemap = time.Now(), s.name, sitemap.Redact(e.Sitemap)
	if !s.take(e) {
		s.err = context.Canceled
		return
	}
	note()
	s.isTold = true
	if time.Since(s.saved) >= saveEvery {
		s.save()
	}
}

// sayOf yields an event about a document, or about the site if loc is "". The ID contains a time
// that is the same after a kill: that of the turn before, or of the last event of the document,
// since the event may then be yielded some turns later.
func (s *site) sayOf(kind Kind, loc string, before time.Time, err error, note func()) {
	e := Event{Kind: kind, Sitemap: loc, Err: err}
	s.say(e, note, loc, strconv.FormatInt(before.UnixNano(), 10))
}
