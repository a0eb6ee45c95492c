package lists

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/cmd/internal/output"
)

// Flags are the flags of the commands that walk.
type Flags struct {
	cli.PrintFlags
	cli.WalkFlags
	From, As  string
	Documents string // of urls
	failed    string
	save      string
	maxTime   time.Duration
	State     string // of urls and check
	All       bool   // of urls: with state, print pages that have not changed too
}

// Add adds the flags to a command.
func (w *Flags) Add(cmd *cobra.Command, formats string) {
	w.PrintFlags.Add(cmd, formats)
	f := cmd.Flags()
	f.StringVar(&w.From, "from", "",
		"read further targets from `FILE` (or -), one a line; # starts a comment")
	f.StringVar(&w.failed, "failed", "",
		"write targets with read errors to `FILE`, for --from, with the causes as comments")
	f.DurationVar(&w.maxTime, "max-time", 0,
		"longest `TIME` for all targets; the results so far are printed")
	w.Parallel = 8
	w.AddAs(cmd)
	w.WalkFlags.Add(cmd, "targets")
	cli.NotNegative(cmd, "max-time")
	f.StringVar(&w.save, "save", "",
		"keep each document as it was served in the folder `DIR`, with its header fields: see "+
			"'sitemap help output'")
	cli.Group(cmd, "Output")
}

// AddAs adds the flag that says what targets are.
func (w *Flags) AddAs(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&w.As, "as", "", "treat targets as a `KIND`: site or sitemap")
	cli.Group(cmd, "Target")
	cli.OneOf(cmd, "as", "site", "sitemap")
}

// check reports flags that contradict each other.
func (w *Flags) check() error {
	return cli.DifferentFiles("--output", w.Out, "--state", w.State, "--documents", w.Documents,
		"--failed", w.failed, "--from", w.From)
}

// AddDocuments adds --documents.
func (w *Flags) AddDocuments(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&w.Documents, "documents", "",
		"write a table of the sitemaps to `FILE`, whose suffix is .csv, .jsonl or .parquet: see "+
			"'sitemap help fields'")
	cli.Group(cmd, "Output")
}

// documentTable returns the table of --documents, nil without it.
func (w *Flags) documentTable() (output.Printer[batch.Document], error) {
	if w.Documents == "" {
		return nil, nil
	}
	format, _ := cli.FormatOf(w.Documents)
	table, err := output.NewDocuments(&cli.PrintFlags{Format: format, Raw: w.Raw})
	if err != nil {
		return nil, fmt.Errorf("--documents %s: want a name that ends in .csv, .jsonl or .parquet",
			w.Documents)
	}
	return table, nil
}
