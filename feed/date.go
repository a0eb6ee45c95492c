package feed

import (
	"bytes"

	"github.com/seed-322c453a/sitemap"
)

// The names of RFC 822.
const (
	months   = "JanFebMarAprMayJunJulAugSepOctNovDec"
	weekdays = "MonTueWedThuFriSatSun"
)

// quickRFC822 reads the form that almost every pubDate has, by writing it anew as a
// W3C datetime: "Mon, 06 May 2024 07:08:09 +0200", or with GMT, and a year from 1900
// to 2999. Of others it is not ok.
func quickRFC822(b []byte) (t sitemap.Time, ok bool) {
	if len(b) < len("Mon, 06 May 2024 07:08:09 GMT") || b[3] != ',' || b[4] != ' ' || b[7] != ' ' || b[11] != ' ' || b[16] != ' ' || b[25] != ' ' {
		return t, false
	}
	if day := bytes.Index([]byte(weekdays), b[:3]); day < 0 || day%3 != 0 {
		return t, false
	}
	month := bytes.Index([]byte(months), b[8:11])
	if month < 0 || month%3 != 0 || b[12] != '2' && (b[12] != '1' || b[13] != '9') {
		return t, false
	}
	month = month/3 + 1
	w3c := [len("2024-05-06T07:08:09+02:00")]byte{
		b[12], b[13], b[14], b[15], '-', '0' + byte(month/10), '0' + byte(month%10), '-', b[5], b[6], 'T',
		b[17], b[18], b[19], b[20], b[21], b[22], b[23], b[24], 'Z',
	}
	n := 20
	switch zone := b[26:]; {
	case string(zone) == "GMT", string(zone) == "+0000":
	case len(zone) == 5 && string(zone) != "-0000":
		n = copy(w3c[19:], []byte{zone[0], zone[1], zone[2], ':', zone[3], zone[4]}) + 19
	default:
		return t, false
	}
	return sitemap.ParseW3C(w3c[:n])
}
