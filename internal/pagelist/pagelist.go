// Package pagelist keeps the pages of a document: sorted, each with its history, and stored in few
// bytes.
package pagelist

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"time"

	"github.com/klauspost/compress/zlib"

	"github.com/seed-322c453a/sitemap"
)

// A Page is what is known of one entry of a document.
type Page struct {
	Loc     string
	LastMod sitemap.Time // the latest that was seen
	Gone    int64        // Unix time in ms when it was first missing, 0 while it is listed
	Removed uint64       // how often a removal was reported
	State   State
}

// A State is a set of bits.
type State uint64

// The bits of a State.
const (
	InWindow  State = 1 << iota // it leaves the document by design: feeds and news
	Untrusted                   // the document may not list it
	Reported                    // it is gone, and that was dealt with
)

// IsRemoved reports whether a removal of the page was reported, so that it is new if it returns.
func (p *Page) IsRemoved() bool { return p.Gone > 0 && p.State&(Reported|InWindow) == Reported }

// IsVanished reports whether the page is missing and may have been removed.
func (p *Page) IsVanished() bool { return p.Gone > 0 && p.State&(Reported|InWindow) == 0 }

// A List holds the pages of a document, sorted by location, each once.
type List []Page

// Find returns the index of the page of a location, and whether there is one.
func (l List) Find(loc string) (int, bool) {
	return slices.BinarySearchFunc(l, loc, func(p Page, loc string) int {
		return cmp.Compare(p.Loc, loc)
	})
}

// Sort puts the pages in order. Of two with one location, the later lastmod counts.
func (l List) Sort() List {
	slices.SortStableFunc(l, func(a, b Page) int {
		return cmp.Or(cmp.Compare(a.Loc, b.Loc), b.LastMod.Start().Compare(a.LastMod.Start()))
	})
	return slices.CompactFunc(l, func(a, b Page) bool { return a.Loc == b.Loc })
}

// keepGone is how long pages are remembered that are no longer listed: one that returns is not new.
const keepGone = 30 * 24 * time.Hour

// Encode returns the list in the form that is stored: each location without what it shares with the
// one before, and all compressed. It leaves out what was gone for too long.
func (l List) Encode(now time.Time) []byte {
	var out bytes.Buffer
	z, _ := zlib.NewWriterLevel(&out, zlib.DefaultCompression) // the level is valid
	var b []byte
	last, forget := "", now.Add(-keepGone).UnixMilli()
	for _, p := range l {
		if p.Gone > 0 && p.Gone < forget && p.State&(Reported|InWindow) != 0 {
			continue
		}
		shared := 0
		for shared < min(len(p.Loc), len(last)) && p.Loc[shared] == last[shared] {
			shared++
		}
		b = binary.AppendUvarint(b[:0], uint64(shared))
		b = append(binary.AppendUvarint(b, uint64(len(p.Loc)-shared)), p.Loc[shared:]...)
		lastMod := p.LastMod.String()
		b = append(append(b, byte(len(lastMod))), lastMod...)
		b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(p.State)), uint64(p.Gone))
		z.Write(binary.AppendUvarint(b, p.Removed))
		last = p.Loc
	}
	z.Close()
	return out.Bytes()
}

var errDamaged = errors.New("a damaged list of pages")

// Decode reads what Encode returns. A checksum protects it.
func Decode(b []byte) (l List, err error) {
	z, err := zlib.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(z)
	if err != nil {
		return nil, err
	}
	for last := ""; len(text) > 0; {
		number := func() uint64 {
			n, size := binary.Uvarint(text)
			if size <= 0 {
				err, text = errDamaged, nil
				return 0
			}
			text = text[size:]
			return n
		}
		cut := func(n uint64) []byte {
			if n > uint64(len(text)) {
				err, text = errDamaged, nil
				return nil
			}
			part := text[:n]
			text = text[n:]
			return part
		}
		shared := int(min(number(), uint64(len(last))))
		p := Page{Loc: last[:shared] + string(cut(number()))}
		p.LastMod.UnmarshalText(cut(number()))
		p.State, p.Gone, p.Removed = State(number()), int64(number()), number()
		if err != nil {
			return nil, err
		}
		l, last = append(l, p), p.Loc
	}
	return l, nil
}

// Listed returns how many pages are listed.
func (l List) Listed() (n int) {
	for _, p := range l {
		if p.Gone == 0 {
			n++
		}
	}
	return n
}

// Vanished returns when the first page was missed of those that may have been removed.
func (l List) Vanished() (at time.Time) {
	for i := range l {
		if gone := time.UnixMilli(l[i].Gone); l[i].IsVanished() && (at.IsZero() || gone.Before(at)) {
			at = gone
		}
	}
	return at
}
