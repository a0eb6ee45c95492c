package conformance

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"

	"github.com/seed-322c453a/sitemap"
)

// A wideForm is an encoding of units of several bytes.
type wideForm struct {
	name     string
	unit     int
	encoding encoding.Encoding
}

func wideForms() []wideForm {
	return []wideForm{
		{"UTF-16LE", 2, unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)},
		{"UTF-16BE", 2, unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)},
		{"UTF-32LE", 4, utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM)},
		{"UTF-32BE", 4, utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM)},
	}
}

// encode returns s with a byte order mark and without the XML declaration, which names UTF-8.
func (w *wideForm) encode(t *testing.T, s []byte) []byte {
	t.Helper()
	if bytes.HasPrefix(s, []byte("<?xml")) {
		s = s[bytes.Index(s, []byte("?>"))+2:]
	}
	out, err := w.encoding.NewEncoder().Bytes(append([]byte("\ufeff"), s...))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// damageUnits deletes, inserts or changes units of b between from and to. None of them becomes a
// bracket.
func damageUnits(rnd *rand.Rand, b []byte, from, to, unit int) []byte {
	i := from + rnd.IntN((to-from)/unit)*unit
	n := unit * (1 + rnd.IntN(3))
	b = slices.Clone(b)
	switch rnd.IntN(3) {
	case 0:
		return slices.Delete(b, i, min(i+n, to))
	case 1:
		return slices.Insert(b, i, bytes.Repeat([]byte{0xd8}, n)...)
	}
	b[i], b[i+unit-1] = 0xd8, 0xd8
	return b
}

// withoutPlaces returns entries without their positions.
func withoutPlaces(entries []sitemap.Entry) []sitemap.Entry {
	entries = slices.Clone(entries)
	for i := range entries {
		entries[i].Pos = sitemap.Position{}
	}
	return entries
}

// Damage to units of one entry in UTF-16 or UTF-32 costs no other entry.
func TestDamage_Wide(t *testing.T) {
	list, forms := samples(), wideForms()
	for i := range *damages / 10 {
		rnd := rand.New(rand.NewPCG(*damageSeed, uint64(i)))
		s, w := list[rnd.IntN(len(list))], forms[rnd.IntN(len(forms))]
		s.options.ContentType = ""
		k := rnd.IntN(len(s.entries)-1) + 1
		doc := s.document(-1, nil)
		whole := w.encode(t, doc)
		sound := readBytes(whole, s.options)
		if len(sound.entries) != len(s.entries) || sound.err != nil {
			t.Fatalf("%s in %s: %d entries, %v", s.name, w.name, len(sound.entries), sound.err)
		}
		at := bytes.Index(doc, []byte(s.entries[k]))
		from := len(w.encode(t, doc[:at]))
		to := len(w.encode(t, doc[:at+len(s.entries[k])]))
		damaged := damageUnits(rnd, whole, from, to, w.unit)
		out := readBytes(damaged, s.options)
		lost := neighboursLost(withoutPlaces(sound.entries), withoutPlaces(out.entries), k, 0)
		if lost > 0 {
			t.Errorf("damage %d of entry %d of %s in %s costs %d neighbours, problems %v, error %v",
				i, k, s.name, w.name, lost, out.codes(), out.err)
		}
	}
}
