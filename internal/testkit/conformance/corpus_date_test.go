package conformance

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/datetime"
)

// A dateRow is one string of a date case.
type dateRow struct {
	In     string
	Out    *string
	AlsoOK []*string `json:"also_ok"`
}

// dateFaults reads strings as the formats with this syntax do.
func (c *corpusCase) dateFaults(*testing.T) (why []string) {
	readers := map[string]func([]byte) (sitemap.Time, []sitemap.Code){
		"w3cdtf": datetime.ParseW3C, "rfc3339": datetime.ParseW3C, "rfc822": datetime.ParseRFC822,
		"any": datetime.ParseRFC822,
	}
	reader, ok := readers[c.Syntax]
	if !ok {
		return []string{"unknown syntax " + c.Syntax}
	}
	for _, row := range c.Dates {
		got, _ := reader([]byte(row.In))
		ok := slices.ContainsFunc(append(row.AlsoOK, row.Out), func(want *string) bool {
			if want == nil {
				return got.IsZero() || got.ZoneAssumed()
			}
			return !got.IsZero() && sameInstant(got, *want)
		})
		if !ok {
			want, _ := json.Marshal(append(row.AlsoOK, row.Out))
			why = append(why, fmt.Sprintf("date %q: %q, want one of %s", row.In, got, want))
		}
	}
	return why
}
