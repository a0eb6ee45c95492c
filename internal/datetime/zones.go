package datetime

import "bytes"

// zones holds the offsets of zones, in minutes east of UTC: those of RFC 822, section 5.1, and the
// zones of CLDR without a daylight saving time. Of the military zones it has only Z: the others
// were specified with the wrong sign, and mean nothing since (RFC 5322, section 4.3).
var zones = map[string]int{
	"z": 0, "ut": 0, "utc": 0, "gmt": 0, "est": -5 * 60, "edt": -4 * 60, "cst": -6 * 60,
	"cdt": -5 * 60, "mst": -7 * 60, "mdt": -6 * 60, "pst": -8 * 60, "pdt": -7 * 60,
	"universal time": 0, "greenwich mean time": 0, "coordinated universal time": 0,
	"british summer time": 60, "irish standard time": 60, "central africa time": 2 * 60,
	"east africa time": 3 * 60,
}

// regions holds the offsets of standard time where CLDR names a zone by its region: "Eastern" is
// for Eastern Standard Time and Eastern Daylight Time. Regions that changed their standard time
// within the age of the web, such as Moscow, are not in it.
var regions = map[string]int{
	"newfoundland": -(3*60 + 30), "atlantic": -4 * 60, "eastern": -5 * 60, "central": -6 * 60,
	"mountain": -7 * 60, "pacific": -8 * 60, "alaska": -9 * 60, "colombia": -5 * 60,
	"peru": -5 * 60, "argentina": -3 * 60, "brasilia": -3 * 60,
	"western european": 0, "central european": 60, "eastern european": 2 * 60, "israel": 2 * 60,
	"south africa": 2 * 60, "west africa": 60, "arabian": 3 * 60, "gulf": 4 * 60,
	"pakistan": 5 * 60, "india": 5*60 + 30, "bangladesh": 6 * 60, "china": 8 * 60,
	"hong kong": 8 * 60, "singapore": 8 * 60, "taipei": 8 * 60, "philippine": 8 * 60,
	"australian western": 8 * 60, "japan": 9 * 60, "korean": 9 * 60,
	"australian central": 9*60 + 30, "australian eastern": 10 * 60, "new zealand": 12 * 60,
}

// zoneOf returns the offset of a zone in minutes east of UTC.
func zoneOf(name []byte) (offset int, ok bool) {
	if len(name) == 0 {
		return 0, false
	}
	lower := make([]byte, 0, maxLen)
	for _, c := range name {
		lower = append(lower, c|0x20)
	}
	if offset, ok = zones[string(lower)]; ok {
		return offset, true
	}
	for i, suffix := range [...]string{" standard time", " daylight time", " summer time"} {
		if region, found := bytes.CutSuffix(lower, []byte(suffix)); found {
			offset, ok = regions[string(region)]
			return offset + min(i, 1)*60, ok
		}
	}
	return 0, false
}
