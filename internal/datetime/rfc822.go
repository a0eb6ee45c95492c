package datetime

import (
	"encoding/binary"

	"github.com/seed-322c453a/sitemap"
)

// quickRFC822 reads the form that almost every pubDate has, by writing it anew as a
// W3C datetime: "Mon, 06 May 2024 07:08:09 +0200", or with GMT, and a year from 1900
// to 2999. Of others it is not ok.
func quickRFC822(b []byte) (t sitemap.Time, ok bool) {
	if len(b) < len("Mon, 06 May 2024 07:08:09 GMT") || b[3] != ',' || b[4] != ' ' || b[7] != ' ' || b[11] != ' ' || b[16] != ' ' || b[25] != ' ' {
		return t, false
	}
	month := shortMonth(b[8:11])
	if !isShortWeekday(b[:3]) || month == 0 || b[12] != '2' && (b[12] != '1' || b[13] != '9') {
		return t, false
	}
	var w3c [len("2024-05-06T07:08:09+02:00")]byte
	year := uint64(binary.LittleEndian.Uint32(b[12:]))
	// Eight bytes at once, as they are read: smaller stores would be waited for.
	binary.LittleEndian.PutUint64(w3c[:], year|'-'<<32|uint64('0'+month/10)<<40|uint64('0'+month%10)<<48|'-'<<56)
	w3c[8], w3c[9], w3c[10] = b[5], b[6], 'T'
	binary.LittleEndian.PutUint64(w3c[11:], binary.LittleEndian.Uint64(b[17:]))
	n := 20
	switch zone := b[26:]; {
	case string(zone) == "GMT", string(zone) == "+0000":
		w3c[19] = 'Z'
	case len(zone) == 5 && string(zone) != "-0000":
		w3c[19], w3c[20], w3c[21], w3c[22], w3c[23], w3c[24] = zone[0], zone[1], zone[2], ':', zone[3], zone[4]
		n = 25
	default:
		return t, false
	}
	return sitemap.ParseW3C(w3c[:n])
}

// isShortWeekday reports whether name is a weekday as RFC 822 writes it.
func isShortWeekday(name []byte) bool {
	switch string(name) {
	case "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun":
		return true
	}
	return false
}

// shortMonth returns the number of a month by its name in RFC 822, or 0.
func shortMonth(name []byte) int {
	switch string(name) {
	case "Jan":
		return 1
	case "Feb":
		return 2
	case "Mar":
		return 3
	case "Apr":
		return 4
	case "May":
		return 5
	case "Jun":
		return 6
	case "Jul":
		return 7
	case "Aug":
		return 8
	case "Sep":
		return 9
	case "Oct":
		return 10
	case "Nov":
		return 11
	case "Dec":
		return 12
	}
	return 0
}
