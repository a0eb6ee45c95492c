package watch

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/cmd/internal/output"
	"github.com/seed-322c453a/sitemap/discover/state"
	"github.com/seed-322c453a/sitemap/internal/jsonl"
	"github.com/seed-322c453a/sitemap/watch"
)

// statusCommand returns the command watch status.
func statusCommand(a *cli.App) *cobra.Command {
	var format cli.PrintFlags
	var file, from string
	cmd := cli.Command("status [flags] --state FILE [SITE...]", nil,
		func(cmd *cobra.Command, args []string) error {
			var err error
			if file == "" {
				err = errors.New("want --state FILE, that of sitemap watch")
			}
			sites, sitesErr := newSites(args, from)
			if err := cli.UsageOf(cmd, err, sitesErr); err != nil {
				return err
			}
			if _, err := os.Stat(file); err != nil { // Open would make it
				return fmt.Errorf("--state: %s: %s", file, jsonl.Message("", err))
			}
			db, err := state.Open(file)
			if err != nil {
				return err
			}
			names := sites.all()
			if len(names) == 0 {
				names, err = remembered(db)
			}
			if len(names) == 0 && err == nil {
				a.Log.Printf("%s: no site was watched with it", file)
			}
			out := output.New(a)
			w := &watch.Watcher{Store: db}
			err = cmp.Or(err, printStatus(a, out, w, names, format.Format))
			return errors.Join(out.Finish(err), db.Close())
		})
	cli.SetHelp(cmd, "watch-status")
	f := cmd.Flags()
	f.StringVar(&file, "state", "", "`FILE` of sitemap watch; required")
	f.StringVar(&from, "from", "", "report on the sites in `FILE`, one a line")
	cli.Group(cmd, "Target")
	format.AddFormat(cmd, "text or jsonl")
	return cmd
}

// A status describes a document, as watch status prints it.
type status struct {
	Site     string    `json:"site"`
	Sitemap  string    `json:"sitemap"`
	Format   string    `json:"format,omitempty"`
	URLs     int       `json:"urls"`
	PerDay   float64   `json:"changes_per_day"`
	Interval float64   `json:"interval_seconds,omitzero"`
	Next     time.Time `json:"next,omitzero"`
	Read     time.Time `json:"read,omitzero"`
	Changed  time.Time `json:"changed,omitzero"`
	Failures int       `json:"failures,omitempty"`
	Error    string    `json:"error,omitempty"`
}

func printStatus(
	a *cli.App, out *output.Writer, w *watch.Watcher, sites []string, format string,
) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	if format == "text" {
		fmt.Fprintln(table, "SITEMAP\tURLS\tCHANGES/DAY\tINTERVAL\tNEXT\tCHANGED\tFAILURES")
	}
	for _, site := range sites {
		isFound := false
		for d, err := range w.Documents(site) {
			isFound = true
			if err != nil {
				a.Fail("%s", unread(site, err))
				continue
			}
			if format == "text" {
				fmt.Fprintf(table, "%s\t%d\t%.2f\t%s\t%s\t%s\t%d\n",
					cli.Harmless(d.Sitemap, ""), d.URLs, d.Rate, cli.About(d.Interval),
					shown(d.Next), shown(d.Changed), d.Failures)
				continue
			}
			out.Write(append(jsonl.Marshal(status{
				Site: cli.Redact(site), Sitemap: d.Sitemap, Format: d.Format.String(), URLs: d.URLs,
				PerDay: d.Rate, Interval: d.Interval.Seconds(), Next: d.Next.UTC(),
				Read: d.Read.UTC(), Changed: d.Changed.UTC(), Failures: d.Failures, Error: d.Err,
			}), '\n'))
		}
		if !isFound {
			a.Log.Printf("%s: no sitemap was found yet", cli.Redact(site))
		}
	}
	return table.Flush()
}

// unread returns why no sitemap of a site was found.
func unread(site string, err error) string {
	name := cli.Redact(site)
	message := jsonl.Message(name, err)
	return name + ": " + message + cli.PrivateHintOf(message)
}

// reportUnread reports the sites of which no sitemap was read yet, with the causes.
func reportUnread(a *cli.App, w *watch.Watcher, sites []string) {
nextSite:
	for _, site := range sites {
		var causes []string
		for d, err := range w.Documents(site) {
			switch {
			case err != nil:
				causes = append(causes, unread(site, err))
			case !d.Read.IsZero():
				continue nextSite
			case d.Err != "":
				causes = append(causes, d.Sitemap+": "+jsonl.Message(d.Sitemap, errors.New(d.Err)))
			}
		}
		for _, cause := range causes {
			a.Fail("%s", cause)
		}
	}
}

// shown returns a time as it is printed, "-" for none.
func shown(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format("2006-01-02 15:04")
}
