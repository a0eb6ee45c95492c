package discover

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"strconv"
	"time"

	"github.com/seed-322c453a/sitemap"
)

// A recorder collects what the Store keeps of one document while it is read. Nothing is stored
// before the document has ended. A nil recorder collects nothing.
type recorder struct {
	m      *memory
	site   string
	digest hash.Hash // of the entries
	buf    []byte
	pages  map[uint64]pageState // by the hash of their location
}

// A pageState is what the Store keeps of a page.
type pageState struct {
	lastMod uint32 // the latest one that was seen, in Unix seconds
	run     uint32 // in which the page was new, or modified if modifiedRun is set
}

const (
	modifiedRun = 1 << 31
	// maxPages is the number of pages that are stored between two syncs, more than the protocol
	// allows in one document.
	maxPages = 1 << 16
)

func newRecorder(m *memory, site string) *recorder {
	if m == nil {
		return nil
	}
	return &recorder{m: m, site: site, digest: sha256.New(), pages: map[uint64]pageState{}}
}

// add takes an entry. For a page that is yielded it returns what has changed in it; that is the
// same within a run, however often the run is resumed. Extensions are left out of the digest:
// Options.SkipExtensions may change between runs.
func (r *recorder) add(e *sitemap.Entry, isYielded bool) Change {
	if r == nil {
		return ""
	}
	b := append(r.buf[:0], e.Loc...)
	b = append(e.LastMod.AppendTo(append(b, '\n')), '\n', byte(e.ChangeFreq), byte(e.Kind))
	r.buf = append(strconv.AppendFloat(b, e.Priority.Or(-1), 'g', -1, 64), '\n')
	r.digest.Write(r.buf)
	if !isYielded {
		return ""
	}
	page, at := hash64(e.Loc), r.m.stamp(e.LastMod)
	old, known := r.pages[page]
	if !known {
		if v := r.m.get(r.pageKey(page)); len(v) == 8 {
			old = pageState{binary.LittleEndian.Uint32(v), binary.LittleEndian.Uint32(v[4:])}
			known = true
		}
	}
	change, next := New, pageState{max(at, old.lastMod), r.m.number}
	switch {
	case !known, old.run == r.m.number:
	case old.run == r.m.number|modifiedRun, at > old.lastMod:
		change, next.run = Modified, r.m.number|modifiedRun
	default:
		return Unchanged
	}
	r.pages[page] = next
	return change
}

// pageKey returns the key of a page.
func (r *recorder) pageKey(page uint64) string {
	return r.site + "/u" + string(binary.LittleEndian.AppendUint64(nil, page))
}

func (p pageState) append(b []byte) []byte {
	return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(b, p.lastMod), p.run)
}

// end stores the pages and the record of a document that has ended. It syncs the Store now and
// then. Between the pages of a large document it syncs too, so that the Store need not hold all of
// them: after a crash meanwhile, the document has ended, and some pages are new again in the next
// run.
func (r *recorder) end(old, rec *record) {
	m := r.m
	rec.Run = m.number
	isLarge, n := len(r.pages) > maxPages, 0
	if isLarge {
		m.save(keyIn(r.site, 'd', rec.URL), rec)
	}
	for page, state := range r.pages {
		m.put(r.pageKey(page), state.append(nil)...)
		if n++; isLarge && n%maxPages == 0 {
			m.sync()
		}
	}
	m.judgeLastMod(r.site, old, rec)
	if !isLarge {
		m.save(keyIn(r.site, 'd', rec.URL), rec)
	}
	if m.now().Sub(m.synced) >= syncEvery {
		m.sync()
	}
}

const syncEvery = 200 * time.Millisecond
