package discover

import (
	"encoding/binary"
	"hash/fnv"
	"time"

	"github.com/seed-322c453a/sitemap"
)

const (
	// distrustAge is how long a host's lastmods are not heeded after one was wrong.
	distrustAge = 30 * 24 * time.Hour
	// agreements is how often lastmods must have been right.
	agreements = 3
	// checks is that one in so many documents is asked for in spite of them.
	checks = 10
)

// honesty is what is known of a host's lastmods.
type honesty struct {
	Right int   `json:"right,omitempty"` // since the last wrong one
	Wrong int64 `json:"wrong,omitempty"` // when one was, seconds since 1970
}

func (h *honesty) proved(now time.Time) bool {
	return h != nil && h.Right >= agreements && (h.Wrong == 0 || isOlder(h.Wrong, distrustAge, now))
}

// relisted notes that a document that was begun before is listed with this lastmod, too. If that is
// not the one that it was read with, it is not left out for that alone.
func (r *run) relisted(before *record, lastMod sitemap.Time) {
	if r == nil || before.sm == nil || lastMod.IsZero() {
		return
	}
	s := r.s
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.of(before.sm.Loc)
	if e == nil || e.LastMod == "" || e.LastMod == timeText(lastMod) {
		return
	}
	undated := *e
	undated.LastMod = ""
	s.journal.append(&line{Kind: lineDoc, Doc: s.put(&undated)})
}

// judgeHost compares what the lastmod of a document said with what became of it.
func (s *State) judgeHost(host string, old, e *entry) {
	if old.Err != "" || e.Err != "" || old.LastMod == "" || e.LastMod == "" || !sameKind(old.Digest, e.Digest) {
		return
	}
	moved, changed := old.LastMod != e.LastMod, old.Digest != e.Digest
	before := honesty{}
	if h := s.hosts[host]; h != nil {
		before = *h
	}
	h := before
	switch {
	case changed && !moved:
		h = honesty{Wrong: s.now().Unix()}
	case changed == moved && h.Right < agreements:
		h.Right++
	}
	if h != before {
		s.hosts[host] = &h
		s.journal.append(&line{Kind: lineHost, Host: host, Mods: &h})
	}
}

// checked picks the documents that are asked for in spite of an unmoved lastmod:
// others in each run.
func (r *run) checked(loc string) bool {
	h := fnv.New64a()
	h.Write([]byte(loc))
	h.Write(binary.LittleEndian.AppendUint64(nil, uint64(r.number)))
	sum := h.Sum64()
	return (sum^sum>>32)%checks == 0
}
