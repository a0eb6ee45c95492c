package watch

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/zlib"

	"github.com/seed-322c453a/sitemap"
)

// A page is what is known of one entry of a document.
type page struct {
	loc     string
	lastMod sitemap.Time // the latest that was seen
	gone    int64        // Unix time in ms when it was first missing, 0 while it is listed
	removed uint64       // how often a removal was reported
	state   pageState
}

// A pageState is a set of bits.
type pageState uint64

const (
	inWindow  pageState = 1 << iota // it leaves the document by design: feeds and news
	untrusted                       // the document may not list it
	reported                        // it is gone, and that was dealt with
)

// isRemoved reports whether a removal of the page was reported, so that it is new if it returns.
func (p *page) isRemoved() bool { return p.gone > 0 && p.state&(reported|inWindow) == reported }

// isVanished reports whether the page is missing and may have been removed.
func (p *page) isVanished() bool { return p.gone > 0 && p.state&(reported|inWindow) == 0 }

// A pageList holds the pages of a document, sorted by location, each once.
type pageList []page

// find returns the index of the page of a location, and whether there is one.
func (l pageList) find(loc string) (int, bool) {
	return slices.BinarySearchFunc(l, loc, func(p page, loc string) int {
		return cmp.Compare(p.loc, loc)
	})
}

// sort puts the pages in order. Of two with one location, the later lastmod counts.
func (l pageList) sort() pageList {
	slices.SortStableFunc(l, func(a, b page) int {
		return cmp.Or(cmp.Compare(a.loc, b.loc), b.lastMod.Start().Compare(a.lastMod.Start()))
	})
	return slices.CompactFunc(l, func(a, b page) bool { return a.loc == b.loc })
}

// keepGone is how long pages are remembered that are no longer listed: one that returns is not new.
const keepGone = 30 * 24 * time.Hour

// encode returns the list in the form that is stored: each location without what it shares with the
// one before, and all compressed. It leaves out what was gone for too long.
func (l pageList) encode(now time.Time) []byte {
	var out bytes.Buffer
	z, _ := zlib.NewWriterLevel(&out, zlib.DefaultCompression) // the level is valid
	var b []byte
	last, forget := "", now.Add(-keepGone).UnixMilli()
	for _, p := range l {
		if p.gone > 0 && p.gone < forget && p.state&(reported|inWindow) != 0 {
			continue
		}
		shared := 0
		for shared < min(len(p.loc), len(last)) && p.loc[shared] == last[shared] {
			shared++
		}
		b = binary.AppendUvarint(b[:0], uint64(shared))
		b = append(binary.AppendUvarint(b, uint64(len(p.loc)-shared)), p.loc[shared:]...)
		lastMod := p.lastMod.String()
		b = append(append(b, byte(len(lastMod))), lastMod...)
		b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(p.state)), uint64(p.gone))
		z.Write(binary.AppendUvarint(b, p.removed))
		last = p.loc
	}
	z.Close()
	return out.Bytes()
}

var errDamaged = errors.New("watch: a damaged list of pages")

// decodePages reads what encode returns. A checksum protects it.
func decodePages(b []byte) (l pageList, err error) {
	z, err := zlib.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(z)
	if err != nil {
		return nil, err
	}
	for last := ""; len(text) > 0; {
		number := func() int {
			n, size := binary.Uvarint(text)
			if size <= 0 || n > 1<<62 {
				err, text = errDamaged, nil
				return 0
			}
			text = text[size:]
			return int(n)
		}
		cut := func(n int) []byte {
			if n > len(text) {
				err, text = errDamaged, nil
				return nil
			}
			part := text[:n]
			text = text[n:]
			return part
		}
		shared := min(number(), len(last))
		var p page
		rest := cut(number())
		var loc strings.Builder
		loc.Grow(shared + len(rest))
		loc.WriteString(last[:shared])
		loc.Write(rest)
		p.loc = loc.String()
		p.lastMod.UnmarshalText(cut(number()))
		p.state, p.gone, p.removed = pageState(number()), int64(number()), uint64(number())
		if err != nil {
			return nil, err
		}
		l, last = append(l, p), p.loc
	}
	return l, nil
}

// listed returns how many pages are listed.
func (l pageList) listed() (n int) {
	for _, p := range l {
		if p.gone == 0 {
			n++
		}
	}
	return n
}

// vanished returns when the first page was missed of those that may have been removed.
func (l pageList) vanished() (at time.Time) {
	for i := range l {
		if gone := time.UnixMilli(l[i].gone); l[i].isVanished() && (at.IsZero() || gone.Before(at)) {
			at = gone
		}
	}
	return at
}
