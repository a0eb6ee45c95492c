package audit

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/url"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
)

// An audit keeps in the Store of its walk, beside what the walk keeps there, under the site's host,
// a slash, a letter and a hash:
//
//	a  a sitemap: its lastmod and the digest of its bytes
//	p  a page: the number of the audit that has judged it, and the findings
//	n  the number of the audit that is under way

// key returns the key of something of the site in the Store.
func (s *site) key(letter, of string) string {
	host := s.name
	if u, err := url.Parse(s.name); err == nil && u.Host != "" {
		host = u.Host
	}
	sum := sha256.Sum256([]byte(of))
	return host[:min(len(host), 200)] + "/" + letter + hex.EncodeToString(sum[:12])
}

// A sitemapRecord is what is kept of a sitemap.
type sitemapRecord struct {
	LastMod string `json:"lastmod"`
	Digest  []byte `json:"digest"`
}

// lastModMoved reports a lastmod that has moved although the sitemap is the same.
func (s *site) lastModMoved(
	sm *discover.Sitemap, find func(code sitemap.Code, text, message string, args ...any),
) {
	store := s.o.Walk.Store
	if store == nil || sm.LastMod.IsZero() || s.doc == nil || sm != s.current {
		return
	}
	sum := sha256.New()
	body := s.doc.Again()
	_, err := io.Copy(sum, body)
	body.Close()
	key := s.key("a", sm.Loc)
	value, getErr := store.Get(key)
	if err != nil || getErr != nil {
		return // the walk reports errors of both
	}
	now, before := sitemapRecord{sm.LastMod.String(), sum.Sum(nil)}, sitemapRecord{}
	json.Unmarshal(value, &before)
	if before.LastMod != "" && before.LastMod != now.LastMod &&
		string(before.Digest) == string(now.Digest) {
		find(
			"lastmod_without_change",
			now.LastMod,
			"the lastmod of %s moved from %q to %q, but the document is "+
				"the same",
			quoted(sm.Loc),
			before.LastMod,
			now.LastMod,
		)
	}
	if value, err := json.Marshal(now); err == nil {
		store.Put(key, value)
	}
}

// A pageMemory keeps the findings of pages until all are judged, so that an audit that was stopped
// goes on where it was.
type pageMemory struct {
	site   *site
	store  discover.Store // nil without one
	number uint64
}

// A pageRecord is what is kept of a page.
type pageRecord struct {
	Audit uint64    `json:"audit"`
	Found []Finding `json:"found"`
}

func newPageMemory(s *site) pageMemory {
	m := pageMemory{site: s, store: s.o.Walk.Store}
	if m.store != nil {
		value, _ := m.store.Get(s.key("n", ""))
		m.number, _ = binary.Uvarint(value)
	}
	return m
}

// get returns the findings of a page that was judged before the audit was stopped.
func (m *pageMemory) get(loc string) ([]Finding, bool) {
	if m.store == nil {
		return nil, false
	}
	value, err := m.store.Get(m.site.key("p", loc))
	var r pageRecord
	if err != nil || value == nil || json.Unmarshal(value, &r) != nil || r.Audit != m.number {
		return nil, false
	}
	return r.Found, true
}

func (m *pageMemory) put(loc string, found []Finding) {
	if m.store == nil {
		return
	}
	if value, err := json.Marshal(pageRecord{m.number, found}); err == nil {
		m.store.Put(m.site.key("p", loc), value)
	}
}

// finish makes the next audit judge all pages again.
func (m *pageMemory) finish() {
	if m.store != nil {
		m.store.Put(m.site.key("n", ""), binary.AppendUvarint(nil, m.number+1))
		m.store.Sync()
	}
}
