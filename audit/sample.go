package audit

import (
	"cmp"
	"encoding/binary"
	"hash/fnv"
	"math"
	"slices"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
)

// maxSample exceeds any number of pages, and eight times maxSample is still an int.
const maxSample = math.MaxInt / 8

// A sample draws pages, spread evenly over the sitemaps. From each sitemap it keeps the pages with
// the smallest hashes, which include the seed. So the same pages are drawn again as long as they
// are listed.
type sample struct {
	size   int // of the sample
	seed   uint64
	strata [][]sampled
	last   *discover.Sitemap
	limit  uint64 // hashes from here on are not kept in the last stratum
}

// A sampled is a page that may be fetched.
type sampled struct {
	hash    uint64
	lastMod sitemap.Time
	place   // with its URL
}

// add adds a page that a sitemap lists.
func (s *sample) add(sm *discover.Sitemap, e *sitemap.Entry, at func() place) {
	if s.size <= 0 {
		return
	}
	if sm != s.last {
		s.trim()
		s.last, s.strata, s.limit = sm, append(s.strata, nil), 1<<64-1
	}
	h := fnv.New64a()
	if s.seed != 0 {
		binary.Write(h, binary.LittleEndian, s.seed)
	}
	h.Write([]byte(e.Loc))
	hash := h.Sum64()
	if hash >= s.limit {
		return
	}
	stratum := &s.strata[len(s.strata)-1]
	*stratum = append(*stratum, sampled{hash, e.LastMod, at()})
	if len(*stratum) >= 2*s.share() {
		s.trim()
	}
}

// share is how many pages of one sitemap are kept: four times its share of the sample if all
// sitemaps have enough pages.
func (s *sample) share() int { return max(1, 4*s.size/max(1, len(s.strata))) }

// trim reduces the last stratum to its share.
func (s *sample) trim() {
	if len(s.strata) == 0 {
		return
	}
	stratum := &s.strata[len(s.strata)-1]
	slices.SortStableFunc(*stratum, func(a, b sampled) int { return cmp.Compare(a.hash, b.hash) })
	*stratum = slices.CompactFunc(*stratum, func(a, b sampled) bool { return a.loc == b.loc })
	if n := s.share(); len(*stratum) > n {
		s.limit = (*stratum)[n].hash
		*stratum = slices.Delete(*stratum, n, len(*stratum))
	}
}

// drawn returns the pages of the sample, in the order of their sitemaps, each URL once.
func (s *sample) drawn() []sampled {
	s.trim()
	drawn := make([][]sampled, len(s.strata))
	seen := map[string]bool{}
	for rank, more := 0, true; more; rank++ {
		more = false
		for i, stratum := range s.strata {
			if rank >= len(stratum) || len(seen) >= s.size {
				continue
			}
			more = true
			if page := stratum[rank]; !seen[page.loc] {
				seen[page.loc] = true
				drawn[i] = append(drawn[i], page)
			}
		}
	}
	return slices.Concat(drawn...)
}
