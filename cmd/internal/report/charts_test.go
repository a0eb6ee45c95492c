package report

import (
	"strings"
	"testing"
	"time"
)

// TestTimelineLabels: a label has room before the next one and the end, on a phone as well.
func TestTimelineLabels(t *testing.T) {
	now := time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)
	for _, first := range []string{"2026-11", "2024-03", "2021-12", "2010-01", "0001-01"} {
		var all, narrow []string
		free, narrowFree := 0.0, 0.0
		for _, c := range newTimeline(map[string]int64{first: 7, "2027-01": 1}, now).Columns {
			if !c.Labelled {
				continue
			}
			all = append(all, c.Name)
			if c.X < free || c.X+labelWidth > 100 {
				t.Errorf("%s: the label at %g", first, c.X)
			}
			free = c.X + labelWidth
			if c.Minor {
				continue
			}
			narrow = append(narrow, c.Name)
			if c.X < narrowFree || c.X+narrowLabelWidth > 100 {
				t.Errorf("%s: the narrow label at %g", first, c.X)
			}
			narrowFree = c.X + narrowLabelWidth
		}
		if len(all) < 9 || len(narrow) < 3 || all[0] != narrow[0] {
			t.Errorf("%s: labels %s, on a phone %s",
				first, strings.Join(all, " "), strings.Join(narrow, " "))
		}
	}
}

// TestTimelineMargin: the numbers of the axis have room.
func TestTimelineMargin(t *testing.T) {
	for count, want := range map[int64]int{5: 2, 4_800: 6, 3_000_000_000: 14} {
		if got := newTimeline(map[string]int64{"2026-01": count}, time.Now()).Margin; got != want {
			t.Errorf("%d pages: a margin of %d characters, want %d", count, got, want)
		}
	}
}
