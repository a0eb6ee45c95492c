package watch

import (
	"cmp"
	"crypto/sha256"
	"fmt"
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

// A site holds one site while it has its turn.
type site struct {
	w    *Watcher
	name string
	key  string // the prefix of its keys in the Store
	siteRecord
	budget
	began       time.Time   // of the turn
	docs        []*document // that are named, each index before what it lists
	byLoc       map[string]*document
	gone        map[string]pagelist.Page // by location, nil until it is needed: see departed
	goneChanged bool
	parts       int   // in which marks are stored of a turn that broke off
	err         error // the first error of the Store
}

// A siteRecord is the record of a site as a whole.
type siteRecord struct {
	prospect
	Seeds    []*discover.Sitemap `json:"seeds,omitempty"` // for a day, as robots.txt
	Find     time.Time           `json:"find"`            // when robots.txt is due
	Delay    time.Duration       `json:"delay,omitempty"` // Crawl-delay
	Vanished time.Time           `json:"vanished,omitzero"`
	// when the first page did of those that may have been removed
	Failures int      `json:"failures,omitempty"` // of robots.txt in a row
	Failing  bool     `json:"failing,omitempty"`
	Said     []string `json:"said,omitempty"` // notices of a turn that broke off, by ID
}

// A prospect is when a site is due, and how many changes to expect.
type prospect struct {
	Next  time.Time `json:"next"`
	Asked time.Time `json:"asked"` // when it had its last turn
	Rate  float64   `json:"rate"`  // changes a day of all documents
}

// A budget is how many requests may be sent.
type budget struct {
	Tokens float64   `json:"tokens"`         // now
	Loan   float64   `json:"loan,omitempty"` // how many of these are to be paid back
	Filled time.Time `json:"filled"`         // when Tokens was last updated
}

// A document is one sitemap of a site.
type document struct {
	docRecord
	loc       string
	seed      *discover.Sitemap // if no index lists it
	index     *document         // the first that lists it
	listed    sitemap.Time      // its lastmod there
	isForeign bool              // the index has no grant for it
	stored    docRecord         // as it is in the Store
	fresh     pagelist.List     // its entries, if they are not stored yet
	err       error             // the last failure
}

// A docRecord is the record of a document, without its entries.
type docRecord struct {
	Version  fetch.Validators `json:"version"` // of the last reading
	Format   sitemap.Format   `json:"format"`
	URLs     int              `json:"urls"`            // how many it lists
	IsIndex  bool             `json:"index,omitempty"` // some of these are sitemaps
	Rhythm   rhythm           `json:"rhythm"`
	Usual    float64          `json:"usual,omitempty"` // changes a day, at the last one; 0 if quiet
	Asked    time.Time        `json:"asked"`           // when it was requested last, or found
	Read     time.Time        `json:"read,omitzero"`
	Changed  time.Time        `json:"changed,omitzero"`
	Next     time.Time        `json:"next"`               // when it is due
	Ahead    time.Time        `json:"ahead,omitzero"`     // when a lastmod in it will be past
	Failures int              `json:"failures,omitempty"` // in a row
	FailedAt time.Time        `json:"failed_at,omitzero"` // the first of them
	Err      string           `json:"err,omitempty"`      // the last of them
	Failing  bool             `json:"failing,omitempty"`  // failing was reported
	Baseline bool             `json:"baseline,omitempty"` // the first reading of the site had it
	Early    bool             `json:"early,omitempty"`    // its index may still say that it changed
	Hinted   bool             `json:"hinted,omitempty"`   // its index said so, and it is unread
	Proof    int              `json:"proof,omitempty"`    // how far an index is right about that
}

// siteKey returns the prefix of the keys of a site, also for a name that is not a site.
func siteKey(name string) (string, error) {
	st, err := siteurl.Parse(name)
	if err != nil {
		return "invalid/w" + hashed(name), fmt.Errorf("watch: %w: %w", discover.ErrSite, err)
	}
	return st.Host() + "/w" + hashed(strings.TrimSuffix(st.URL.String(), "/")), nil
}

func hashed(text string) string {
	sum := sha256.Sum256([]byte(text))
	return string(sum[:12])
}

func (s *site) budgetKey() string          { return s.key + "b" }
func (s *site) goneKey() string            { return s.key + "g" }
func (s *site) partKey(part int) string    { return s.key + "t" + strconv.Itoa(part) }
func (s *site) docKey(loc string) string   { return s.key + "d" + hashed(loc) }
func (s *site) pagesKey(loc string) string { return s.key + "p" + hashed(loc) }

// get reads a value from the Store. It returns false if the Store has none.
func (s *site) get(key string, to any) bool {
	ok, err := longvalue.GetJSON(s.w.Store, key, to)
	s.err = cmp.Or(s.err, err)
	return ok
}

// list reads a list of pages from the Store. A missing list is empty.
func (s *site) list(key string) (pagelist.List, error) {
	value, err := longvalue.Get(s.w.Store, key)
	s.err = cmp.Or(s.err, err)
	if len(value) == 0 {
		return nil, nil
	}
	return pagelist.Decode(value)
}

// pages returns the entries of a document. If the list is missing or damaged, the document counts
// as not read.
func (s *site) pages(d *document) pagelist.List {
	if d.fresh != nil {
		return d.fresh
	}
	pages, err := s.list(s.pagesKey(d.loc))
	if err != nil || len(pages) == 0 && d.URLs > 0 {
		d.Baseline, d.Read, d.Version = true, time.Time{}, fetch.Validators{}
	}
	return pages
}

// link finds the documents that the seeds and the indexes name, each index before its children. It
// returns those that are new. Where a limit excludes some, the others stay.
func (s *site) link() (found []*document) {
	known, unknown, foreign := s.byLoc, []*document(nil), 0
	s.docs, s.byLoc = nil, map[string]*document{}
	take := func(d *document) bool {
		if s.byLoc[d.loc] != nil || s.isFull(d.index) ||
			d.isForeign && foreign == discover.MaxForeign {
			return false
		}
		if d.isForeign {
			foreign++
		}
		s.docs = append(s.docs, d)
		s.byLoc[d.loc] = d
		return true
	}
	var add func(d *document)
	add = func(d *document) {
		if s.byLoc[d.loc] != nil || s.isFull(d.index) {
			return
		}
		if old := known[d.loc]; old != nil {
			old.seed, old.index, old.listed, old.isForeign = d.seed, d.index, d.listed, d.isForeign
			d = old
		} else if s.get(s.docKey(d.loc), &d.docRecord) {
			d.stored = d.docRecord
		} else {
			unknown = append(unknown, d)
			return
		}
		if !take(d) || !d.IsIndex {
			return
		}
		scope := d.scope()
		for _, p := range s.pages(d) {
			if p.State&pagelist.Sitemap != 0 {
				level, _ := scope.Judge(p.Loc)
				add(&document{
					loc: p.Loc, index: d, listed: p.LastMod, isForeign: level == trust.Untrusted,
				})
			}
		}
	}
	for _, seed := range s.Seeds {
		add(&document{loc: seed.Loc, seed: seed})
	}
	for _, d := range unknown {
		if take(d) {
			d.Asked, d.Next = s.began, s.began
			found = append(found, d)
		}
	}
	return found
}

// isFull reports whether the limits of a walk exclude further children of an index.
func (s *site) isFull(index *document) bool {
	depth := 0
	for ; index != nil; index = index.index {
		depth++
	}
	maxDepth := cmp.Or(s.w.Options.MaxDepth, 10)
	maxDocs := cmp.Or(s.w.Options.MaxSitemaps, 50_001)
	return maxDepth > 0 && depth > maxDepth || maxDocs > 0 && len(s.docs) >= maxDocs
}

// sitemap returns the document as a seed for a walk, with the grants of the index above it.
func (d *document) sitemap() *discover.Sitemap {
	if d.index == nil {
		return d.seed
	}
	return &discover.Sitemap{
		Loc: d.loc, LastMod: d.listed, Referrer: d.index.sitemap(), Grants: d.index.scope(),
	}
}

// scope computes the grants of a document.
func (d *document) scope() trust.Scope {
	s, by := d.sitemap(), trust.FromCaller
	switch {
	case s.RobotsURL != "":
		by = trust.FromRobots
	case s.Referrer != nil:
		by = trust.FromIndex
	case s.HomeURL != "":
		by = trust.FromHome
	case len(s.Grants) > 0:
		by = trust.FromKnownPath
	}
	var hops []string
	if final := d.Version.URL; final != "" && final != d.loc {
		hops = []string{final}
	}
	return trust.Grants(by, d.loc, hops, s.Grants).With(s.Grants...)
}
