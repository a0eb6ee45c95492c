package audit

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/fetch"
)

// LastmodWithoutChange is the code of a lastmod that moved without a change.
const LastmodWithoutChange sitemap.Code = "lastmod_without_change"

var _ = register(
	rule(LastmodWithoutChange, warning, googleBuild,
		"a lastmod in an index that moved although the sitemap did not change",
		"Search engines fetch the sitemap in vain. Google ignores lastmods that prove wrong.",
		"Write when the sitemap last changed, not when it was last written."),
	rule(sitemap.StoreFormat, info, "package discover",
		"what a Store remembers was written by another version of this program",
		"It counts as absent, so pages that were seen before are new.",
		"Nothing is to be done: it is written again."),
)

// The keys of an audit in Options.Store have the site's host, a slash, a letter and a hash:
//
//	a  a sitemap: its lastmod and the digest of its bytes
//	p  a page: the number and the rules of the audit that has judged it, and the findings
//	n  the number of the audit that is under way
//
// A walk has other letters, so both may share a Store.

// key returns a key of the site in the Store.
func (s *siteJudge) key(letter, of string) string {
	host := cmp.Or(s.origin.Host, s.name)
	sum := sha256.Sum256([]byte(of))
	return host[:min(len(host), 200)] + "/" + letter + hex.EncodeToString(sum[:12])
}

// A sitemapRecord is the record of a sitemap.
type sitemapRecord struct {
	LastMod string `json:"lastmod"`
	Digest  []byte `json:"digest"`
}

// lastModMoved reports a lastmod that has moved although the sitemap has not changed.
func (s *siteJudge) lastModMoved(sm *discover.Sitemap, doc *fetch.Document, here place) {
	store := s.o.Store
	if store == nil || sm.LastMod.IsZero() || doc == nil {
		return
	}
	sum := sha256.New()
	body := doc.Again()
	_, err := io.Copy(sum, body)
	body.Close()
	key := s.key("a", sm.Loc)
	value, getErr := store.Get(key)
	if s.storeFailed(getErr) || err != nil { // the walk reports that of the body
		return
	}
	now, before := sitemapRecord{sm.LastMod.String(), sum.Sum(nil)}, sitemapRecord{}
	json.Unmarshal(value, &before)
	isMoved := before.LastMod != "" && before.LastMod != now.LastMod
	if isMoved && string(before.Digest) == string(now.Digest) {
		s.report(of(LastmodWithoutChange), here, now.LastMod,
			"the lastmod of %s moved from %q to %q, but the document is the same",
			quoted(sm.Loc), before.LastMod, now.LastMod)
	}
	value, err = json.Marshal(now)
	s.storeFailed(cmp.Or(err, store.Put(key, value)))
}

// A judgedPage is a page with its findings.
type judgedPage struct {
	PageResult
	Audit string // that which judged it: its number and its rules
	Found []Finding
	known bool // it was judged before the audit was stopped
}

// A pageMemory keeps the findings of pages until all are judged, so that an audit that was stopped
// can resume.
type pageMemory struct {
	site   *siteJudge
	store  discover.Store // nil without one
	number uint64
	audit  string // the number and the rules
	synced time.Time
}

func newPageMemory(s *siteJudge) pageMemory {
	m := pageMemory{site: s, store: s.o.Store, synced: time.Now()}
	if m.store != nil {
		value, err := m.store.Get(s.key("n", ""))
		s.storeFailed(err)
		m.number, _ = binary.Uvarint(value)
		m.audit = fmt.Sprint(m.number, s.o.agent(), s.o.Only, s.o.Disable)
	}
	return m
}

// get adds the findings of a page that was judged before the audit was stopped.
func (m *pageMemory) get(p *judgedPage) bool {
	if m.store == nil {
		return false
	}
	value, err := m.store.Get(m.site.key("p", p.Loc))
	var kept judgedPage
	if err != nil || value == nil || json.Unmarshal(value, &kept) != nil || kept.Audit != m.audit {
		return false
	}
	*p, p.known = kept, true
	return true
}

// syncEvery is how much work a killed process may lose.
const syncEvery = 200 * time.Millisecond

// put keeps the findings of a page.
func (m *pageMemory) put(p *judgedPage) {
	if m.store == nil || m.site.lastErr != nil {
		return
	}
	p.Audit = m.audit
	value, err := json.Marshal(p)
	err = cmp.Or(err, m.store.Put(m.site.key("p", p.Loc), value))
	if time.Since(m.synced) > syncEvery {
		err = cmp.Or(err, m.store.Sync())
		m.synced = time.Now()
	}
	m.site.storeFailed(err)
}

// finish makes the next audit judge all pages again.
func (m *pageMemory) finish() {
	if m.store == nil || m.site.lastErr != nil {
		return
	}
	err := m.store.Put(m.site.key("n", ""), binary.AppendUvarint(nil, m.number+1))
	m.site.storeFailed(cmp.Or(err, m.store.Sync()))
}
