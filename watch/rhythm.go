package watch

import (
	"math"
	"slices"
	"time"
)

// A rhythm estimates how often a document changes, from two pairs of counts that fade. The long
// pair remembers weeks. The short pair remembers hours, with the long one as its prior: it follows
// the time of day, and notices a site that wakes up.
type rhythm struct {
	Long, Short counts
}

// counts are the number of changes that were seen, and the days in which they were seen.
type counts struct{ Changes, Days float64 }

const (
	longHalf  = 7.0      // days after which the long counts have faded to one half
	shortHalf = 2.0 / 24 // the same for the short counts
	evidence  = 7.0      // days of watching for which a document's own dates count
	maxDates  = 30       // the most dates that are used, and the days that they may span
)

// after returns the rhythm after a request that showed whether the document has changed since the
// one before.
func (r rhythm) after(elapsed time.Duration, changed bool) rhythm {
	days := elapsed.Hours() / 24
	return rhythm{r.Long.add(days, longHalf, changed), r.Short.add(days, shortHalf, changed)}
}

func (c counts) add(days, half float64, changed bool) counts {
	rest := math.Exp2(-days / half)
	c = counts{c.Changes * rest, c.Days*rest + days}
	if changed {
		c.Changes++
	}
	return c
}

// rate returns the estimate of the changes a day. Its priors are half a change in a week, and two
// changes at the rate of the long counts.
func (r rhythm) rate() float64 {
	return (r.Short.Changes + 2) / (r.Short.Days + 2/r.usual())
}

// usual returns the changes a day by the long counts alone.
func (r rhythm) usual() float64 { return (r.Long.Changes + 0.5) / (r.Long.Days + evidence) }

// firstRhythm returns the rhythm of a document that was read for the first time, by the dates in
// it. A window is a document that lists only recent pages, so that it begins at its oldest date.
func firstRhythm(dates []time.Time, window bool, now time.Time) rhythm {
	begin := now.AddDate(0, 0, -maxDates)
	slices.SortFunc(dates, func(a, b time.Time) int { return b.Compare(a) })
	dates = slices.CompactFunc(dates, time.Time.Equal)
	dates = slices.DeleteFunc(dates, now.Before)
	n := 0
	for n < min(len(dates), maxDates) && !dates[n].Before(begin) {
		n++
	}
	if n < len(dates) {
		window = n == maxDates
	}
	days := float64(maxDates)
	if window && n > 0 {
		days = max(now.Sub(dates[n-1]).Hours()/24, 1.0/24)
	}
	return rhythm{Long: counts{float64(n) / days * evidence, evidence}}
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func earliest(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
