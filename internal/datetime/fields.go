package datetime

import (
	"bytes"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/chars"
)

// fields are the parts of a date in any form. They are read by writing them in the standard form
// and reading that, so only one place knows the calendar.
type fields struct {
	year, month, day     int
	hour, minute, second int
	fraction             []byte // digits of a second, as listed
	precision            sitemap.Precision
	offset               int  // of the zone, minutes east of UTC
	zoned                bool // offset was listed
	odd                  bool // not the form that the format asks for
}

// result returns the results of ParseW3C and ParseRFC822.
func (f *fields) result(ok bool) (sitemap.Time, []sitemap.Code) {
	if ok {
		if t, ok := f.time(); ok {
			return t, codesOf(t, f.odd, max(f.offset, -f.offset) > maxOffset)
		}
	}
	return sitemap.Time{}, bad
}

// time returns the time of the fields, if the calendar has it.
func (f *fields) time() (t sitemap.Time, ok bool) {
	endOfDay := f.hour == 24
	if endOfDay && (f.minute != 0 || f.second != 0 || len(bytes.Trim(f.fraction, "0")) > 0) {
		return t, false
	}
	// A leap second ends a UTC day. The instant after it is the first one of the next day.
	leap := f.second == 60
	if leap && (f.hour*60+f.minute-f.offset+2*minutesPerDay)%minutesPerDay != minutesPerDay-1 {
		return t, false
	}
	hour, second := f.hour, f.second
	if endOfDay {
		hour = 0
	}
	if leap {
		second = 59
	}
	if t, ok = Strict(f.appendStandard(make([]byte, 0, 40), hour, second)); !ok {
		return t, false
	}
	assumed := !f.zoned && f.precision >= sitemap.Minute
	if !assumed && !endOfDay && !leap {
		return t, true
	}
	start := t.Start()
	if endOfDay {
		start = start.AddDate(0, 0, 1)
	} else if leap {
		start = start.Add(time.Second)
	}
	if start.Year() > 9999 { // no form of a date has such a year
		return sitemap.Time{}, false
	}
	t = sitemap.NewTime(start, t.Precision())
	if assumed {
		t = t.AssumeZone()
	}
	return t, true
}

const minutesPerDay = 24 * 60

// appendStandard appends the fields as a W3C datetime.
func (f *fields) appendStandard(b []byte, hour, second int) []byte {
	b = chars.AppendInt(b, f.year, 4)
	if f.precision >= sitemap.Month {
		b = chars.AppendInt(append(b, '-'), f.month, 2)
	}
	if f.precision >= sitemap.Day {
		b = chars.AppendInt(append(b, '-'), f.day, 2)
	}
	if f.precision < sitemap.Minute {
		return b
	}
	b = chars.AppendInt(append(b, 'T'), hour, 2)
	b = chars.AppendInt(append(b, ':'), f.minute, 2)
	if f.precision >= sitemap.Second {
		b = chars.AppendInt(append(b, ':'), second, 2)
	}
	if len(f.fraction) > 0 {
		b = append(append(b, '.'), f.fraction[:min(len(f.fraction), 9)]...)
	}
	offset, sign := f.offset, byte('+')
	if offset < 0 {
		offset, sign = -offset, '-'
	}
	b = chars.AppendInt(append(b, sign), offset/60, 2)
	return chars.AppendInt(append(b, ':'), offset%60, 2)
}
