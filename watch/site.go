package watch

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"strings"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/discover/trust"
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
	began time.Time   // of the turn
	docs  []*document // each index before its children
	byLoc map[string]*document
	fresh map[string]pagelist.List // by location: pages that are not stored yet
	err   error                    // the first error of the Store
}

// A document is one sitemap of a site.
type document struct {
	docRecord
	seed  *discover.Sitemap // if no index lists it
	index *document         // the first that lists it
	named bool              // by robots.txt or an index, so that it is still requested
}

// siteKey returns the prefix of the keys of a site.
func siteKey(name string) (string, error) {
	st, err := siteurl.Parse(name)
	if err != nil {
		return "", fmt.Errorf("watch: %w: %w", discover.ErrSite, err)
	}
	return st.Host() + "/w" + hashed(strings.TrimSuffix(st.URL.String(), "/")), nil
}

func hashed(text string) string {
	sum := sha256.Sum256([]byte(text))
	return string(sum[:12])
}

func (s *site) docKey(loc string) string   { return s.key + "d" + hashed(loc) }
func (s *site) pagesKey(loc string) string { return s.key + "p" + hashed(loc) }

// load reads a site from the Store, with its documents.
func (w *Watcher) load(name, key string) (*site, error) {
	s := &site{
		w: w, name: sitemap.Redact(name), key: key,
		byLoc: map[string]*document{}, fresh: map[string]pagelist.List{},
	}
	_, s.err = longvalue.GetJSON(w.Store, key, &s.siteRecord)
	for _, seed := range s.Seeds {
		d := &document{seed: seed, named: true}
		d.Loc = seed.Loc
		s.loadDoc(d)
	}
	for _, loc := range s.Orphans {
		s.loadDoc(&document{docRecord: docRecord{Loc: loc}})
	}
	return s, s.err
}

// loadDoc adds a document and, if it is an index, its children.
func (s *site) loadDoc(d *document) {
	if s.byLoc[d.Loc] != nil || s.err != nil {
		return
	}
	found, err := longvalue.GetJSON(s.w.Store, s.docKey(d.Loc), &d.docRecord)
	if err != nil {
		s.err = err
		return
	}
	d.Known = d.Known || !found
	s.add(d)
	if d.Format != sitemap.SitemapIndex || !d.named {
		return
	}
	for _, p := range s.pages(d) {
		if p.Gone == 0 {
			s.loadDoc(&document{docRecord: docRecord{Loc: p.Loc}, index: d, named: true})
		}
	}
}

func (s *site) add(d *document) {
	s.docs = append(s.docs, d)
	s.byLoc[d.Loc] = d
}

// pages returns the pages of a document. If the list is missing or damaged, the document counts as
// not read.
func (s *site) pages(d *document) pagelist.List {
	if pages, ok := s.fresh[d.Loc]; ok {
		return pages
	}
	value, err := longvalue.Get(s.w.Store, s.pagesKey(d.Loc))
	if s.err == nil {
		s.err = err
	}
	if len(value) == 0 && d.URLs == 0 {
		return nil
	}
	pages, err := pagelist.Decode(value)
	if err != nil {
		d.Known, d.Read, d.ETag, d.LastModified = true, time.Time{}, "", ""
	}
	return pages
}

// depth returns how many indexes are above a document.
func (d *document) depth() (n int) {
	for ; d.index != nil; d = d.index {
		n++
	}
	return n
}

// sitemap returns the document as a seed for a walk, with the grants of the index above it.
func (d *document) sitemap() *discover.Sitemap {
	if d.index == nil {
		return cmp.Or(d.seed, &discover.Sitemap{Loc: d.Loc})
	}
	return &discover.Sitemap{
		Loc: d.Loc, LastMod: d.LastMod, Referrer: d.index.sitemap(), Grants: d.index.scope(),
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
	if d.Final != "" && d.Final != d.Loc {
		hops = []string{d.Final}
	}
	return trust.Grants(by, d.Loc, hops, s.Grants).With(s.Grants...)
}

// isVouched reports whether the lastmods of the index above a document say when it changes.
func (d *document) isVouched() bool {
	i := d.index
	return i != nil && i.Proof >= proved && i.Failures == 0 && !d.LastMod.IsZero()
}

// checked returns the time until which the pages of a document are known: when it was read, or
// when the index that stands for it was.
func (d *document) checked() time.Time {
	if d.isVouched() && !d.Hinted && !d.Read.IsZero() && d.index.Checked.After(d.Checked) {
		return d.index.Checked
	}
	return d.Checked
}

// The proof of an index's lastmods: how often they must have been right before they stand for its
// children, and how much a child costs that changed without them.
const (
	proved = 3
	refute = 20
)
