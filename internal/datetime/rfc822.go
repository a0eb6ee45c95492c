package datetime

import (
	"encoding/binary"
	"strings"

	"github.com/seed-322c453a/sitemap"
)

// quickRFC822 reads the form of almost every pubDate by rewriting it as a W3C datetime: "Mon, 06
// May 2024 07:08:09 +0200", or with GMT, and a year from 1900 to 2999. It returns false for other
// forms. The dates that it reads have no problems.
func quickRFC822(b []byte) (t sitemap.Time, ok bool) {
	if len(b) < len("Mon, 06 May 2024 07:08:09 GMT") || b[3] != ',' || b[4] != ' ' || b[7] != ' ' ||
		b[11] != ' ' || b[16] != ' ' || b[25] != ' ' {
		return t, false
	}
	month := shortMonths.find(b[8:12])
	if month == 0 || shortWeekdays.find(b[:4]) == 0 ||
		b[12] != '2' && (b[12] != '1' || b[13] != '9') {
		return t, false
	}
	var w3c [len("2024-05-06T07:08:09+02:00")]byte
	year := uint64(binary.LittleEndian.Uint32(b[12:]))
	// Store the eight bytes at once, as they are loaded: a load waits for smaller stores.
	binary.LittleEndian.PutUint64(w3c[:], year|'-'<<32|month<<40|'-'<<56)
	w3c[8], w3c[9], w3c[10] = b[5], b[6], 'T'
	binary.LittleEndian.PutUint64(w3c[11:], binary.LittleEndian.Uint64(b[17:]))
	n := 20
	switch zone := b[26:]; {
	case string(zone) == "GMT", string(zone) == "+0000":
		w3c[19] = 'Z'
	case len(zone) == 5 && string(zone) != "-0000":
		w3c[19], w3c[20], w3c[21], w3c[22], w3c[23], w3c[24] =
			zone[0], zone[1], zone[2], ':', zone[3], zone[4]
		n = 25
	default:
		return t, false
	}
	t, ok = Strict(w3c[:n])
	return t, ok && !InFarZone(w3c[:n])
}

// A wordTable finds words of three letters by their bytes, without comparisons one after another.
// Dates come in no order, so the processor would predict half of these wrongly.
type wordTable [16]struct {
	word  uint32
	value uint64
}

var (
	months = [...]string{"January", "February", "March", "April", "May", "June", "July", "August",
		"September", "October", "November", "December"}
	weekdays = [...]string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
		"Sunday"}
	shortMonths   = newWordTable(months[:])
	shortWeekdays = newWordTable(weekdays[:])
)

// newWordTable returns a table of the first three letters of names, which wordSlot distinguishes.
// The value of each is its number, from 1, as two digits.
func newWordTable(names []string) *wordTable {
	t := new(wordTable)
	for i, name := range names {
		word := word3([]byte(name[:3] + " "))
		slot := &t[wordSlot(word)]
		slot.word, slot.value = word, uint64('0'+(i+1)/10)|uint64('0'+(i+1)%10)<<8
	}
	return t
}

// find returns the value of the word in the first three of the four bytes of b, or 0.
func (t *wordTable) find(b []byte) uint64 {
	word := word3(b)
	if slot := &t[wordSlot(word)]; slot.word == word {
		return slot.value
	}
	return 0
}

func word3(b []byte) uint32 { return binary.LittleEndian.Uint32(b) & 0xffffff }

// wordSlot is a hash found by search: no two months and no two weekdays share a slot.
func wordSlot(word uint32) uint32 { return word * 0xa671 >> 28 }

// find returns the number, from 1, of the name that word is or abbreviates with at least three
// letters, in any letter case. It returns 0 if there is no such name.
func find(names []string, word []byte) int {
	for i, name := range names {
		if 3 <= len(word) && len(word) <= len(name) && word[0]|0x20 == name[0]|0x20 &&
			strings.EqualFold(string(word), name[:len(word)]) {
			return i + 1
		}
	}
	return 0
}
