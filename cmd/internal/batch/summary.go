package batch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
)

// A summary describes the progress of a run, by the counts of its parts.
type summary struct {
	Run   string    `json:"run"`
	Mode  string    `json:"mode,omitempty"`
	Begun time.Time `json:"begun,omitzero"`
	Sites int64     `json:"sites,omitempty"` // of the list, 0 until it has been read
	Done  int64     `json:"done"`            // of these

	Domains  int64                  `json:"domains"`
	Failed   int64                  `json:"failed"` // domains with something unread
	Causes   map[sitemap.Code]int64 `json:"causes,omitempty"`
	Damaged  int64                  `json:"damaged,omitempty"` // parts
	BadLines int64                  `json:"bad_lines,omitempty"`
	Bad      []badLine              `json:"bad,omitempty"`
	Counts   batch.Counts           `json:"counts"`

	// Waiting and Leased are domains in the queue, if one was named.
	Waiting *int `json:"waiting,omitempty"`
	Leased  *int `json:"leased,omitempty"`

	Rate float64 `json:"rate,omitempty"`         // sites a second since the last start
	Left float64 `json:"seconds_left,omitempty"` // 0 if unknown or finished
}

// summarize counts the parts of a run. It reports those that are damaged.
func summarize(ctx context.Context, a *cli.App, st store, run string) (*summary, error) {
	rec, err := readRecord(ctx, st, run)
	if err != nil {
		return nil, err
	}
	s := &summary{
		Run: run, Begun: rec.Begun, Sites: rec.Targets, BadLines: rec.BadLines, Bad: rec.Bad,
		Causes: map[sitemap.Code]int64{},
	}
	if !rec.Begun.IsZero() {
		s.Mode = rec.mode.String()
	}
	recent, lots := int64(0), map[string]bool{} // domains with lots that failed
	for part, err := range st.Parts(ctx, run) {
		if errors.Is(err, batch.ErrDamaged) {
			s.Damaged++
			a.Log.Printf("%v: it will be made again", err)
			continue
		}
		if err != nil {
			return nil, err
		}
		s.add(part, lots)
		if !part.Time.Before(rec.Started) {
			recent += part.Counts.Targets
		}
	}
	s.Done = s.Counts.Targets
	if s.Sites > 0 {
		s.Done = min(s.Done, s.Sites)
	}
	elapsed := time.Since(rec.Started).Seconds()
	if left := s.Sites - s.Done; left > 0 && recent > 0 && elapsed > 0 {
		s.Rate = float64(recent) / elapsed
		s.Left = math.Ceil(float64(left) / s.Rate)
	}
	return s, nil
}

// add counts a part. A domain with several lots that failed counts once, by the first cause.
func (s *summary) add(part batch.Stored, lots map[string]bool) {
	c := part.Counts
	s.Counts.Add(c)
	s.Counts.Cause = "" // see Causes
	domain := domainOf(part)
	isLot := domain != part.Domain
	if !isLot {
		s.Domains++
	}
	if c.Failed == 0 || isLot && lots[domain] {
		return
	}
	if isLot {
		lots[domain] = true
	}
	s.Failed++
	s.Causes[c.Cause]++
}

// print prints the summary as text.
func (s *summary) print(w io.Writer) {
	fmt.Fprint(w, "run "+s.Run)
	if s.Mode != "" {
		fmt.Fprintf(w, " (%s), begun %s", s.Mode, s.Begun.Format(time.RFC3339))
	}
	sites := cli.Plural(s.Done, "site")
	if s.Sites > 0 {
		sites = cli.Thousands(s.Done) + " of " + cli.Plural(s.Sites, "site")
	}
	fmt.Fprintf(w, ": %s done, %s in %s\n", sites, cli.Plural(s.Counts.URLs, "URL"),
		cli.Plural(s.Counts.Documents, "sitemap"))
	if c := s.Counts; c.Errors+c.Warnings+c.Infos > 0 {
		fmt.Fprintf(w, "found %s, %s, %s\n", cli.Plural(c.Errors, "error"),
			cli.Plural(c.Warnings, "warning"), cli.Plural(c.Infos, "info"))
	}
	if n := s.Counts.Untrusted; n > 0 {
		fmt.Fprintf(w, "%s left out: see 'sitemap help trust'\n", cli.Plural(n, "untrusted URL"))
	}
	s.printFailures(w)
	if s.Waiting != nil {
		fmt.Fprintf(w, "%s in the queue, %s with workers\n",
			cli.Plural(int64(*s.Waiting), "domain"), cli.Thousands(int64(*s.Leased)))
	}
	if s.Left > 0 {
		fmt.Fprintf(w, "%.1f sites/s, %s left\n", s.Rate, s.leftText())
	}
}

// leftText returns how much time is left. For a run without progress, that can exceed a Duration.
func (s *summary) leftText() string {
	const longest = math.MaxInt64 / float64(time.Second)
	return cli.About(time.Duration(min(s.Left, longest-1) * float64(time.Second)))
}

func (s *summary) printFailures(w io.Writer) {
	fmt.Fprintf(w, "%s of %s failed, in whole or in part\n", cli.Thousands(s.Failed),
		cli.Plural(s.Domains, "domain"))
	causes := slices.SortedFunc(maps.Keys(s.Causes), func(a, b sitemap.Code) int {
		return cmp.Or(cmp.Compare(s.Causes[b], s.Causes[a]), cmp.Compare(a, b))
	})
	for _, cause := range causes {
		fmt.Fprintf(w, "%9s  %s\n", cli.Thousands(s.Causes[cause]), cause)
	}
	if s.Damaged > 0 {
		fmt.Fprintf(w, "%s damaged\n", cli.Plural(s.Damaged, "part"))
	}
	if s.BadLines == 0 {
		return
	}
	fmt.Fprintf(w, "%s in the list\n", cli.Plural(s.BadLines, "bad line"))
	for _, b := range s.Bad {
		fmt.Fprintf(w, "%9s  %s\n", cli.Thousands(int64(b.Line)), cli.Harmless(b.Error, ""))
	}
}
