package discover

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/datetime"
	"github.com/seed-322c453a/sitemap/internal/location"
	"github.com/seed-322c453a/sitemap/internal/pagetable"
)

// A memory reads and writes the records of a walk in its Store. A nil memory remembers nothing.
//
// Keys are the host of a site, a slash, a letter and a hash:
//
//	d  a document: a JSON record
//	c  a further part of the children of an index: a line each
//	u  pages: their lastmod, and in which run they were last new or modified
//	l  a host of documents: how often its lastmods proved right and wrong
//	r  a walk: its Run and the number of that run
//
// Each value begins with the version of its format.
type memory struct {
	o      *Options
	name   running // of the walk
	number uint32  // of the run
	synced time.Time
	site   string           // of the last document
	pages  *pagetable.Table // of site
	other  bool             // a value of another version was met
	err    error            // the first error of the Store
}

// format is the version of the stored values.
const format = 1

// running names a walk that is under way.
type running struct {
	store   Store
	run, id string
}

// underWay holds the walks with a Run, of all Clients.
var underWay sync.Map

// openMemory returns the memory of one walk. Run, site and id name it: see [Options.Run].
func openMemory(o *Options, site, id string) (*memory, error) {
	if o.Store == nil {
		return nil, nil
	}
	if !reflect.TypeOf(o.Store).Comparable() {
		return nil, fmt.Errorf("discover: a Store of type %T cannot be compared", o.Store)
	}
	m := &memory{o: o, name: running{o.Store, o.Run, id}, synced: time.Now()}
	if o.Run != "" {
		if _, isRunning := underWay.LoadOrStore(m.name, true); isRunning {
			return nil, ErrRunning
		}
	}
	type run struct {
		Run    string `json:"run"`
		Number uint32 `json:"number"`
	}
	var last run
	runKey := keyIn(site, 'r', id)
	m.load(runKey, &last)
	m.number = last.Number
	if o.Run == "" || o.Run != last.Run || m.number == 0 {
		// A random number: walks side by side must not take the same one.
		m.number = 1 + rand.Uint32N(math.MaxInt32)
		m.save(runKey, run{o.Run, m.number})
	}
	return m, nil
}

// keyIn returns the key of name in the table of kind of a site.
func keyIn(site string, kind byte, name string) string {
	k := keyOf(name)
	return site + "/" + string(kind) + string(k[:])
}

// Get returns a value without its version, or nil if the Store has none of this version. After an
// error, the Store is not called again: nothing may be stored that depends on a failed call.
func (m *memory) Get(key string) []byte {
	if m.err != nil {
		return nil
	}
	value, err := m.o.Store.Get(key)
	m.fail(err)
	switch {
	case len(value) == 0:
		return nil
	case value[0] != format:
		m.other = true
		return nil
	}
	return value[1:]
}

// Put stores a value after its version.
func (m *memory) Put(key string, value []byte) {
	if m.err == nil {
		m.err = m.o.Store.Put(key, append([]byte{format}, value...))
	}
}

// Sync makes all values durable.
func (m *memory) Sync() {
	m.synced = time.Now()
	if m.err == nil {
		m.err = m.o.Store.Sync()
	}
}

// Err returns the first error of the Store.
func (m *memory) Err() error {
	if m == nil {
		return nil
	}
	return m.err
}

func (m *memory) fail(err error) {
	if m.err == nil {
		m.err = err
	}
}

// table returns the pages of a site.
func (m *memory) table(site string) *pagetable.Table {
	if m.pages == nil || m.site != site {
		m.pages.Close()
		m.site, m.pages = site, pagetable.Open(m.o.Store, site+"/u")
	}
	return m.pages
}

// load reads a JSON value into to. A value that cannot be read counts as absent.
func (m *memory) load(key string, to any) bool {
	value := m.Get(key)
	return value != nil && json.Unmarshal(value, to) == nil
}

func (m *memory) save(key string, from any) {
	value, err := json.Marshal(from)
	m.fail(err)
	m.Put(key, value)
}

// plan decides what to do with the document of n, from what its referrer lists.
func (m *memory) plan(n *node) *plan {
	p := &plan{}
	if m == nil {
		return p
	}
	r := &record{}
	if !m.load(keyIn(n.seed.site, 'd', n.sm.Loc), r) {
		return p
	}
	p.record, p.brief = r, r.Children != ""
	r.Children = "" // a queue of thousands must not hold them
	switch {
	case r.endedIn(m.number) && !r.failedEmpty():
		p.skip = SkippedResume
	case !m.o.OnlyChanged || r.Partial || r.Err != "":
	default:
		p.conditional = r.ETag != "" || r.LastModified != ""
		if m.isSettled(n.sm, r) {
			switch right, wrong := m.lastMods(n.seed.site, r.URL); {
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

// complete reads the record of a plan again if its children were left out.
func (m *memory) complete(n *node, p *plan) {
	var r record // not the one before: another walk may have replaced it
	if p.brief && m.load(keyIn(n.seed.site, 'd', n.sm.Loc), &r) {
		p.record = &r
	}
}

const (
	// provedRight is how often the lastmods of a host must have been right before they count.
	provedRight = 3
	// maxUnread is how long a document may be skipped by its lastmod.
	maxUnread = 7 * 24 * time.Hour
)

// past returns t, or the zero Time if t is in the future: such a lastmod must not hide later
// changes.
func (m *memory) past(t sitemap.Time) sitemap.Time {
	if datetime.IsAhead(t, time.Now()) {
		return sitemap.Time{}
	}
	return t
}

// stamp returns the start of a lastmod in Unix seconds, or 0 if it is missing or in the future.
func (m *memory) stamp(t sitemap.Time) uint32 {
	if t = m.past(t); t.IsZero() {
		return 0
	}
	return uint32(min(max(t.Start().Unix(), 1), math.MaxUint32))
}

// isSettled reports whether the listed lastmod says that the document has not changed since it was
// read.
func (m *memory) isSettled(sm *Sitemap, r *record) bool {
	lastMod := m.past(sm.LastMod)
	return !m.o.IgnoreIndexLastMod && !lastMod.IsZero() && lastMod.String() == r.LastMod &&
		r.isAfter(lastMod) && time.Since(time.Unix(r.Read, 0)) < maxUnread
}

// isAfter reports whether the document was read after the end of a lastmod. Before it, the lastmod
// says nothing of further changes, such as those on the same day if it is only a date.
func (r *record) isAfter(lastMod sitemap.Time) bool {
	return datetime.IsOver(lastMod, time.Unix(r.Read, 0))
}

// isChecked picks one in ten documents that are requested although their lastmod has not moved,
// different ones in each run.
func (m *memory) isChecked(loc string) bool {
	sum := pagetable.Hash(loc) + uint64(m.number)*0x9e3779b97f4a7c15
	return (sum^sum>>32)%10 == 0
}

// lastModKey returns the key of the record about the lastmods of loc's host.
func lastModKey(site, loc string) string {
	authority, _ := location.Split(loc)
	return keyIn(site, 'l', authority)
}

// lastMods returns how often the lastmods of loc's host proved right and wrong.
func (m *memory) lastMods(site, loc string) (right, wrong byte) {
	if v := m.Get(lastModKey(site, loc)); len(v) == 2 {
		return v[0], v[1]
	}
	return 0, 0
}

// judgeLastMod compares the lastmods of a document that was read twice with its content.
func (m *memory) judgeLastMod(site string, old, r *record) {
	if old == nil || old.Digest == nil || r.Digest == nil || old.LastMod == "" || r.LastMod == "" {
		return
	}
	right, wrong := m.lastMods(site, r.URL)
	lastMod, _ := sitemap.ParseTime(old.LastMod) // as String has written it
	switch moved, changed := old.LastMod != r.LastMod, string(old.Digest) != string(r.Digest); {
	case changed && !moved && old.isAfter(lastMod):
		wrong = 1
	case changed == moved && right < provedRight:
		right++
	default:
		return
	}
	m.Put(lastModKey(site, r.URL), []byte{right, wrong})
}

const (
	maxPart   = 64 << 10 // bytes of a stored part of an index's children
	syncParts = 64       // parts that are stored between two syncs
)

// partKey returns the key of a further part of the children of an index.
func partKey(site, loc string, slot, part int) string {
	return fmt.Sprintf("%s%d.%d", keyIn(site, 'c', loc), slot, part)
}

// keep returns the children of an index for its record, after the one before. It stores those that
// exceed the record in parts, which are unused until the record is stored.
func (m *memory) keep(n *node, before *record, children []*node) (f family) {
	if m == nil {
		return f
	}
	if before != nil {
		f.Slot = 1 - before.Slot
	}
	var part []byte
	for i, child := range children {
		part = append(append(append(part, child.sm.Loc...), ' '), storedTime(child.sm.LastMod)...)
		part = append(part, '\n')
		switch isLast := i == len(children)-1; {
		case len(part) < maxPart && !isLast:
			continue
		case f.Children == "":
			f.Children = string(part)
		default:
			m.Put(partKey(n.seed.site, n.sm.Loc, f.Slot, f.Parts), part)
			if f.Parts++; f.Parts%syncParts == 0 {
				m.Sync()
			}
		}
		part = part[:0]
	}
	return f
}

// children yields the stored children of an index. It reports false if a part is missing.
func (m *memory) children(site string, r *record, yield func(string, sitemap.Time)) bool {
	part := r.Children
	for i := 0; ; i++ {
		for line := range strings.Lines(part) {
			loc, lastMod, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
			yield(loc, parseStoredTime(lastMod))
		}
		if i == r.Parts {
			return true
		}
		if part = string(m.Get(partKey(site, r.URL, r.Slot, i))); part == "" {
			return false
		}
	}
}

// close makes everything durable, ends the Run and returns the first error of the Store.
func (m *memory) close() error {
	if m == nil {
		return nil
	}
	defer underWay.Delete(m.name)
	m.pages.Close()
	m.pages = nil
	m.Sync()
	return m.err
}
