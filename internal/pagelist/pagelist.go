// Package pagelist keeps the entries of a document: sorted, each with its history, and stored in
// few bytes.
package pagelist

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/zlib"

	"github.com/seed-322c453a/sitemap"
)

// A Page is one entry of a document.
type Page struct {
	Loc     string
	LastMod sitemap.Time // the latest that was seen
	State   State

	// The others are of pages that are not listed any more.

	Gone    time.Time // when that was seen, to the millisecond
	Removed int       // a number that grows with each removal: at least the day, 0 for none
	From    string    // the document that listed it
}

// A State is a set of bits.
type State int

// The bits of a State.
const (
	InWindow  State = 1 << iota // it leaves by design: only feeds and news list it, or have since
	Untrusted                   // the document may not list it
	Sitemap                     // it is no page: an index lists it
	Settled                     // it is not listed, and it is known whether it was removed
)

// A List holds pages, sorted by location, each once.
type List []Page

// Of returns the pages in order.
func Of(pages map[string]Page) List {
	l := make(List, 0, len(pages))
	for _, p := range pages {
		l = append(l, p)
	}
	slices.SortFunc(l, func(a, b Page) int { return cmp.Compare(a.Loc, b.Loc) })
	return l
}

// ByLoc returns the pages by their locations.
func (l List) ByLoc() map[string]Page {
	pages := make(map[string]Page, len(l))
	for _, p := range l {
		pages[p.Loc] = p
	}
	return pages
}

// Find returns the page of a location, nil if there is none.
func (l List) Find(loc string) *Page {
	i, ok := slices.BinarySearchFunc(l, loc, func(p Page, loc string) int {
		return cmp.Compare(p.Loc, loc)
	})
	if !ok {
		return nil
	}
	return &l[i]
}

// writers and readers keep compressors and decompressors, each of which takes more memory than most
// lists.
var (
	writers = sync.Pool{New: func() any { return zlib.NewWriter(nil) }}
	readers sync.Pool
)

// Encode returns the list in the form that is stored: a line for each page, and all compressed.
func (l List) Encode() []byte {
	var out bytes.Buffer
	z := writers.Get().(*zlib.Writer)
	defer writers.Put(z)
	z.Reset(&out)
	var line []byte
	for _, p := range l {
		line = append(append(line[:0], p.Loc...), '\t')
		line = append(p.LastMod.AppendTo(line), '\t')
		line = strconv.AppendInt(line, int64(p.State), 10)
		if !p.Gone.IsZero() {
			line = fmt.Appendf(line, "\t%d\t%d\t%s", p.Gone.UnixMilli(), p.Removed, p.From)
		}
		z.Write(append(line, '\n'))
	}
	z.Close()
	return out.Bytes()
}

var errDamaged = errors.New("a damaged list of pages")

// Decode reads what Encode returns. A checksum protects it.
func Decode(b []byte) (l List, err error) {
	text, err := decompress(b)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(text) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(fields) != 3 && len(fields) != 6 {
			return nil, errDamaged
		}
		number := func(i int) (n int64) {
			n, _ = strconv.ParseInt(fields[i], 10, 64) // written by Encode
			return n
		}
		p := Page{Loc: fields[0], State: State(number(2))}
		p.LastMod.UnmarshalText([]byte(fields[1]))
		if len(fields) == 6 {
			p.Gone = time.UnixMilli(number(3))
			p.Removed, p.From = int(number(4)), fields[5]
		}
		l = append(l, p)
	}
	return l, nil
}

func decompress(b []byte) (string, error) {
	z, ok := readers.Get().(io.Reader)
	var err error
	if ok {
		err = z.(zlib.Resetter).Reset(bytes.NewReader(b), nil)
	} else {
		z, err = zlib.NewReader(bytes.NewReader(b))
	}
	if err != nil {
		return "", err
	}
	defer readers.Put(z)
	text, err := io.ReadAll(z)
	return string(text), err
}
