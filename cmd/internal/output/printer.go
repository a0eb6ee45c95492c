package output

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"sync/atomic"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
)

// maxSample is the size of the largest sample. It is in memory twice.
const maxSample = 1_000_000

// NewPrinter returns the printer that the flags describe. Walked URLs have more columns in csv, and
// withChange one more.
func NewPrinter(flags *cli.PrintFlags, walked, withChange bool) (p Printer[batch.URL], err error) {
	switch {
	case flags.Rows == "alternates":
		p, err = NewTable(flags, appendAlternates)
	case flags.Rows == "images":
		p, err = NewTable(flags, appendImages)
	case flags.Rows == "videos":
		p, err = NewTable(flags, appendVideos)
	case flags.Format == "parquet":
		p, err = NewTable(flags, appendURL)
	default:
		p, err = urlLines(flags, walked, withChange)
	}
	switch {
	case err != nil:
		return nil, err
	case flags.Sample > maxSample:
		return nil, fmt.Errorf("--sample: want a number up to %s", cli.Thousands(maxSample))
	case flags.Sample == 0 && flags.Seed != 0:
		return nil, errors.New("--seed needs --sample N")
	case flags.Sample > 0:
		return newSample(p, flags.Sample, flags.Seed), nil
	}
	return p, nil
}

// A Sample prints URLs that are chosen at random: those with the smallest hashes of seed and URL.
// So one seed always chooses the same sample of the same URLs, in any order. A URL that is listed
// several times is not more likely.
type Sample struct {
	Printer[batch.URL]
	size  int
	seed  []byte
	limit atomic.Uint64 // no hash in the sample is larger
	urls  []sampledURL
	turn  int
}

// A sampledURL is a URL that may be in the sample.
type sampledURL struct {
	hash uint64
	turn int
	url  batch.URL
}

// newSample returns an empty sample.
func newSample(to Printer[batch.URL], size int, seed int64) *Sample {
	s := &Sample{Printer: to, size: size, seed: strconv.AppendInt(nil, seed, 10)}
	s.limit.Store(math.MaxUint64)
	return s
}

// hash returns the first eight bytes of the SHA-256 of the seed, a line feed and a location, as a
// big-endian number.
func (s *Sample) hash(loc string) uint64 {
	text := append(append(append(make([]byte, 0, 256), s.seed...), '\n'), loc...)
	sum := sha256.Sum256(text)
	return binary.BigEndian.Uint64(sum[:])
}

// Wants reports whether a URL may be in the sample. It may be called by several goroutines at once.
func (s *Sample) Wants(loc string) bool { return s.hash(loc) <= s.limit.Load() }

// Print keeps a URL, if it may be in the sample. Of several with one location it keeps the first.
func (s *Sample) Print(r *batch.URL) error {
	hash := s.hash(r.Loc)
	if hash > s.limit.Load() {
		return nil
	}
	s.turn++
	s.urls = append(s.urls, sampledURL{hash, s.turn, *r})
	if len(s.urls) >= s.size+max(s.size, 1024) {
		s.trim()
	}
	return nil
}

// trim leaves out what is not in the sample.
func (s *Sample) trim() {
	slices.SortFunc(s.urls, func(a, b sampledURL) int {
		return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.turn, b.turn))
	})
	s.urls = slices.CompactFunc(s.urls, func(a, b sampledURL) bool { return a.hash == b.hash })
	if len(s.urls) >= s.size {
		clear(s.urls[s.size:])
		s.urls = s.urls[:s.size]
		s.limit.Store(s.urls[s.size-1].hash)
	}
}

// End prints the sample, in the order of the list.
func (s *Sample) End() error {
	s.trim()
	slices.SortFunc(s.urls, func(a, b sampledURL) int { return cmp.Compare(a.turn, b.turn) })
	for i := range s.urls {
		if err := s.Printer.Print(&s.urls[i].url); err != nil {
			return err
		}
	}
	return s.Printer.End()
}
