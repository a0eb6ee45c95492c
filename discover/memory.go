package discover

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/seed-322c453a/sitemap"
)

// A memory is what a walk reads from and writes to its Store. A nil memory remembers nothing.
//
// Keys are the site's host, a slash, a letter and a hash:
//
//	d  a document: a JSON record
//	u  a page: when its lastmod was, and in which run it was last new or modified
//	l  a host of documents: how often its lastmods proved right and wrong
//	r  a walk: its Run and the number of that run
type memory struct {
	store   Store
	site    string // of the current document, with a slash
	number  uint32 // of the run
	changed bool   // Options.OnlyChanged
	now     func() time.Time
	synced  time.Time
	pages   map[string][8]byte // of the current document, by key
	err     error              // the first error of the Store
}

// A record is what a Store keeps of one document.
type record struct {
	URL          string        `json:"url"`
	Final        string        `json:"final,omitempty"`
	ETag         string        `json:"etag,omitempty"`
	LastModified string        `json:"last_modified,omitempty"`
	Digest       []byte        `json:"digest,omitempty"`  // of its entries
	LastMod      string        `json:"lastmod,omitempty"` // as its referrer listed it
	Children     []childRecord `json:"children,omitempty"`
	Partial      bool          `json:"partial,omitempty"` // something was left out, but not all
	Err          string        `json:"err,omitempty"`     // why it could not be read
	Retry        int64         `json:"retry,omitempty"`   // when a retry is due, in Unix seconds
	Read         int64         `json:"read,omitempty"`    // when it was last read, in Unix seconds
	Run          uint32        `json:"run"`               // that ended it last
}

// A childRecord is a child of an index.
type childRecord struct {
	Loc     string `json:"loc"`
	LastMod string `json:"lastmod,omitempty"`
}

// storedTime returns the text of a lastmod, with its precision and "?" if its zone was assumed.
func storedTime(t sitemap.Time) string {
	s := t.String()
	if t.Precision() == sitemap.Minute {
		s = s[:len("2006-01-02T15:04")] + s[len("2006-01-02T15:04:05"):]
	}
	if t.ZoneAssumed() {
		s += "?"
	}
	return s
}

// parseStoredTime reads what storedTime returns. What it cannot read is the zero Time.
func parseStoredTime(s string) sitemap.Time {
	text, assumed := strings.CutSuffix(s, "?")
	t, err := sitemap.ParseTime(text)
	switch {
	case err != nil:
		return sitemap.Time{}
	case assumed:
		return t.AssumeZone()
	}
	return t
}

// openMemory returns the memory of one walk. Run and id name it: see [Options.Run].
func openMemory(o *Options, site, id string) *memory {
	if o.Store == nil {
		return nil
	}
	m := &memory{
		store: o.Store, site: site + "/", changed: o.OnlyChanged, now: time.Now,
		pages: map[string][8]byte{},
	}
	m.synced = m.now()
	type run struct {
		Run    string `json:"run"`
		Number uint32 `json:"number"`
	}
	var last run
	runKey := m.key('r', id)
	m.load(runKey, &last)
	m.number = last.Number
	if o.Run == "" || o.Run != last.Run || m.number == 0 {
		// A random number: walks side by side must not take the same one.
		m.number = 1 + rand.Uint32N(math.MaxInt32)
		m.save(runKey, run{o.Run, m.number})
	}
	return m
}

// enter makes the keys those of the site of a seed, so that the other seeds of a walk may change.
func (m *memory) enter(seed *Sitemap) {
	if m == nil {
		return
	}
	if st, err := seedSite(seed); err == nil {
		m.site = st.host() + "/"
	}
}

// key returns the key of name in the table of kind.
func (m *memory) key(kind byte, name string) string {
	k := keyOf(name)
	return m.site + string(kind) + string(k[:])
}

func (m *memory) get(key string) []byte {
	value, err := m.store.Get(key)
	m.fail(err)
	return value
}

func (m *memory) put(key string, value []byte) { m.fail(m.store.Put(key, value)) }

func (m *memory) fail(err error) {
	if m.err == nil {
		m.err = err
	}
}

// load reads a JSON value into to. A value that cannot be read counts as absent.
func (m *memory) load(key string, to any) bool {
	value := m.get(key)
	return value != nil && json.Unmarshal(value, to) == nil
}

func (m *memory) save(key string, from any) {
	value, err := json.Marshal(from)
	m.fail(err)
	m.put(key, value)
}

// A plan is what the Store says of a document before it is requested.
type plan struct {
	record      *record // nil if there is none
	skip        string  // SkippedState, SkippedResume or ""
	conditional bool    // send the validators
	trial       bool    // it is requested only to prove its host's lastmods
}

// plan decides what to do with a document, from what its referrer lists.
func (m *memory) plan(sm *Sitemap) *plan {
	p := &plan{}
	if m == nil {
		return p
	}
	r := &record{}
	if !m.load(m.key('d', sm.Loc), r) {
		return p
	}
	p.record = r
	now := m.now()
	switch {
	case r.Run == m.number:
		p.skip = SkippedResume
	case r.Retry > now.Unix():
		p.skip = SkippedState
	case !m.changed || r.Partial || r.Err != "":
	default:
		p.conditional = r.ETag != "" || r.LastModified != ""
		if m.isSettled(sm, r, now) {
			switch right, wrong := m.lastMods(r.URL); {
			case wrong > 0:
			case right < provedRight:
				p.trial = true
			case !m.isChecked(r.URL):
				p.skip = SkippedState
			}
		}
	}
	return p
}

const (
	// provedRight is how often the lastmods of a host must have been right before they count.
	provedRight = 3
	// maxUnread is how long a document may be skipped by its lastmod.
	maxUnread = 7 * 24 * time.Hour
)

// isSettled reports whether the listed lastmod has not moved since the document was read.
func (m *memory) isSettled(sm *Sitemap, r *record, now time.Time) bool {
	return !sm.LastMod.IsZero() && sm.LastMod.String() == r.LastMod &&
		now.Sub(time.Unix(r.Read, 0)) < maxUnread
}

// isChecked picks one in ten documents that are requested although their lastmod has not moved,
// others in each run.
func (m *memory) isChecked(loc string) bool {
	sum := hash64(loc) + uint64(m.number)*0x9e3779b97f4a7c15
	return (sum^sum>>32)%10 == 0
}

// lastMods returns how often the lastmods of loc's host proved right and wrong.
func (m *memory) lastMods(loc string) (right, wrong byte) {
	if v := m.get(m.key('l', authority(loc))); len(v) == 2 {
		return v[0], v[1]
	}
	return 0, 0
}

// judgeLastMod compares the lastmods of a document that was read twice with its content.
func (m *memory) judgeLastMod(old, r *record) {
	if old == nil || old.Digest == nil || r.Digest == nil || old.LastMod == "" || r.LastMod == "" {
		return
	}
	right, wrong := m.lastMods(r.URL)
	switch moved, changed := old.LastMod != r.LastMod, string(old.Digest) != string(r.Digest); {
	case changed && !moved:
		wrong = 1
	case changed == moved && right < provedRight:
		right++
	default:
		return
	}
	m.put(m.key('l', authority(r.URL)), []byte{right, wrong})
}

// modifiedRun marks the run of a page that was modified rather than new.
const modifiedRun = 1 << 31

// change compares a page with what walks before have seen. What it returns for a page is the same
// within a run, however often that run is resumed.
func (m *memory) change(loc string, lastMod sitemap.Time) Change {
	key := m.site + "u" + string(binary.LittleEndian.AppendUint64(nil, hash64(loc)))
	at := uint32(0)
	if !lastMod.IsZero() {
		at = uint32(min(max(lastMod.Start().Unix(), 1), math.MaxUint32))
	}
	value, known := m.pages[key]
	if !known {
		if old := m.get(key); len(old) == len(value) {
			value, known = [8]byte(old), true
		}
	}
	change, run, seen := New, m.number, uint32(0)
	if known {
		seen, run = binary.LittleEndian.Uint32(value[:]), binary.LittleEndian.Uint32(value[4:])
		ours := run&^modifiedRun == m.number
		switch {
		case ours && run == m.number:
		case ours, at > seen:
			change, run = Modified, m.number|modifiedRun
		default:
			return Unchanged
		}
	}
	binary.LittleEndian.PutUint32(value[:], max(at, seen))
	binary.LittleEndian.PutUint32(value[4:], run)
	m.pages[key] = value
	return change
}

// hash64 returns the 64-bit FNV-1a hash of s.
func hash64(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}

// end stores a document that has ended, with its pages, and syncs the Store now and then.
func (m *memory) end(old, r *record) {
	for key, value := range m.pages {
		m.put(key, value[:])
	}
	clear(m.pages)
	m.judgeLastMod(old, r)
	r.Run = m.number
	m.save(m.key('d', r.URL), r)
	if now := m.now(); now.Sub(m.synced) >= syncEvery {
		m.synced = now
		m.fail(m.store.Sync())
	}
}

const syncEvery = 200 * time.Millisecond

// close makes everything durable and returns the first error of the Store.
func (m *memory) close() error {
	if m == nil {
		return nil
	}
	m.fail(m.store.Sync())
	return m.err
}
