package watch

import (
	"testing"
	"time"
)

// The rhythm is tested from inside: these are functions of values that nothing else shows.

// TestFirstRhythm: the dates of a document say how often it changes. They weigh as much as the
// prior of half a change in a week, so the estimate is half way between.
func TestFirstRhythm(t *testing.T) {
	now := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	every := func(n int, step time.Duration) (dates []time.Time) {
		for i := range n {
			dates = append(dates, now.Add(-time.Duration(i+1)*step))
		}
		return dates
	}
	const day = 24 * time.Hour
	for _, test := range []struct {
		name        string
		dates       []time.Time
		window      bool
		least, most float64 // changes a day
	}{
		{"no dates", nil, false, 0.01, 0.1},
		{"years ago", every(100, 400*day), false, 0.01, 0.1},
		{"one date for all", []time.Time{now, now, now}, false, 0.01, 0.1},
		{"every day", every(100, day), false, 0.5, 0.6},
		{"every week", every(100, 7*day), false, 0.09, 0.12},
		{"every hour", every(1000, time.Hour), false, 10, 24},
		{"a feed of an hour", every(12, 5*time.Minute), true, 100, 300},
		{"a feed of a month", every(12, 60*time.Hour), true, 0.2, 0.3},
		{"the future", []time.Time{now.Add(day)}, true, 0.01, 0.1},
	} {
		if got := firstRhythm(test.dates, test.window, now).rate(); got < test.least || got > test.most {
			t.Errorf("%s: %.3f changes a day, want %.2f to %.2f",
				test.name, got, test.least, test.most)
		}
	}
}

// TestRhythm_After: one change does not make a habit, and a habit shows within hours.
func TestRhythm_After(t *testing.T) {
	var r rhythm
	for range 50 {
		r = r.after(12*time.Hour, false)
	}
	quiet := r.rate()
	once := r.after(12*time.Hour, true).rate()
	if quiet > 0.05 || once < quiet || once > 0.2 {
		t.Errorf("quiet %.3f changes a day, after one change %.3f", quiet, once)
	}
	for range 8 {
		r = r.after(15*time.Minute, true)
	}
	if awake := r.rate(); awake < 1 {
		t.Errorf("after two hours of changes: %.3f a day", awake)
	}
	for range 20 * 24 {
		r = r.after(time.Hour, false)
	}
	if r.rate() > 0.5 {
		t.Errorf("after 20 days of silence: %.3f a day", r.rate())
	}
}

// TestInterval: requests go with the square root of the rate, within the bounds.
func TestInterval(t *testing.T) {
	of := func(rate float64) *document {
		return &document{Rhythm: rhythm{Long: counts{rate*evidence - 0.5, 0}}}
	}
	for _, test := range []struct {
		rate, other float64
		perDay      int
		want        time.Duration
	}{
		{1.0 / 96, 0, 96, 24 * time.Hour},
		{96, 0, 96, 15 * time.Minute},
		{96 * 9, 0, 96, 15 * time.Minute}, // PerDay bounds it
		{96, 96, 96, 30 * time.Minute},    // two documents share it
		{1e-9, 0, 96, 14 * 24 * time.Hour},
		{1e6, 0, 1e6, 5 * time.Minute},
	} {
		s := &site{w: &Watcher{PerDay: test.perDay}}
		s.Docs = []*document{of(test.rate), of(test.other)}
		if got := s.interval(s.Docs[0]); (got - test.want).Abs() > time.Second {
			t.Errorf("%g changes a day beside %g: every %v, want %v",
				test.rate, test.other, got, test.want)
		}
	}
}
