package datetime

import (
	"time"

	"github.com/seed-322c453a/sitemap"
)

// fields are the parts of a date in any form. A part that is not listed is 0.
type fields struct {
	year, month, day     int
	hour, minute, second int
	nanosecond           int
	precision            sitemap.Precision
	offset               int  // of the zone, minutes east of UTC
	zoned                bool // offset is known
}

// time returns the time of the fields. It returns false if it does not exist.
func (f *fields) time() (t sitemap.Time, ok bool) {
	const minutesPerDay = 24 * 60
	minute := f.hour*60 + f.minute
	switch {
	case f.year < 1, f.month < 1, f.month > 12, f.day < 1, f.minute > 59, f.second > 60,
		f.day > 28 && f.day > daysIn(f.year, f.month),
		minute*60+f.second > minutesPerDay*60, minute == minutesPerDay && f.nanosecond > 0,
		// A leap second ends a UTC day.
		f.second == 60 && (minute-f.offset+2*minutesPerDay)%minutesPerDay != minutesPerDay-1:
		return t, false
	}
	zone := time.UTC
	if f.offset != 0 {
		zone = time.FixedZone("", f.offset*60)
	}
	// Date counts on from 24:00 and from a leap second to the first instant of the next day.
	start := time.Date(f.year, time.Month(f.month), f.day, f.hour, f.minute, f.second,
		f.nanosecond, zone)
	if f.year == 9999 && start.Year() > f.year { // no form of a date has such a year
		return t, false
	}
	t = sitemap.NewTime(start, f.precision)
	if !f.zoned && f.precision >= sitemap.Minute {
		t = t.AssumeZone()
	}
	return t, true
}

func daysIn(year, month int) int {
	return time.Date(year, time.Month(month+1), 0, 0, 0, 0, 0, time.UTC).Day()
}

// far reports whether the zone is further from UTC than any real one.
func (f *fields) far() bool { return max(f.offset, -f.offset) > maxOffset }
