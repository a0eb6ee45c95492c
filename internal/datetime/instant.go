package datetime

import (
	"time"

	"github.com/seed-322c453a/sitemap"
)

// zoneSpan returns how far a date may be from the instant that it means because its zone is not
// known.
func zoneSpan(t sitemap.Time) time.Duration {
	if t.ZoneAssumed() || t.Precision() <= sitemap.Day {
		return 14 * time.Hour
	}
	return 0
}

// IsAhead reports whether t is after now, in whatever zone.
func IsAhead(t sitemap.Time, now time.Time) bool { return t.After(now.Add(zoneSpan(t))) }

// IsOver reports whether t has ended at a time, in whatever zone. A lastmod that is not over then
// does not say whether there was a further change: it may be a date, and the change on that day.
func IsOver(t sitemap.Time, at time.Time) bool { return !EndOf(t).After(at) }

// EndOf returns the end of t in whatever zone, or the zero time of a zero t.
func EndOf(t sitemap.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return t.End().Add(zoneSpan(t))
}
