package lists

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
)

// Flags are the flags of the commands that walk.
type Flags struct {
	cli.PrintFlags
	cli.SelectFlags
	cli.FetchFlags
	From, As string
	failed   string
	save     string
	Parallel int
	maxTime  time.Duration
	siteTime time.Duration
	Progress string
	State    string // of urls and check
	All      bool   // of urls: with state, print pages that have not changed too
}

// Add adds the flags to a command.
func (w *Flags) Add(cmd *cobra.Command, formats string) {
	cli.FlagGroup(cmd, "Target", func(f *pflag.FlagSet) {
		f.StringVar(&w.From, "from", "",
			"read further targets from `FILE` (or -), one a line; # starts a comment")
		f.StringVar(&w.As, "as", "", "treat targets as a `KIND`: site or sitemap")
		f.IntVar(&w.Parallel, "parallel", 8, "walk `N` targets at once")
		f.StringVar(&w.failed, "failed", "",
			"write the targets of which something could not be read to `FILE`, for --from")
		f.DurationVar(&w.siteTime, "site-time", 0, "longest `TIME` for one target; what came is printed")
		f.DurationVar(&w.maxTime, "max-time", 0, "longest `TIME` for all targets; what came is printed")
	})
	w.PrintFlags.Add(cmd, formats)
	cli.FlagGroup(cmd, "Output", func(f *pflag.FlagSet) {
		f.StringVar(&w.Progress, "progress", "auto", "`WHEN` to show progress on standard "+
			"error: auto (on a terminal that does not fill with URLs), always or never")
	})
	w.SelectFlags.Add(cmd)
	w.FetchFlags.Add(cmd)
	cli.Complete(cmd, "as", "site", "sitemap")
	cli.Complete(cmd, "progress", "auto", "always", "never")
	cli.Complete(cmd, "min-trust", "untrusted", "variant", "verified", "location", "robots", "caller")
}

// AddSave adds the flag of the commands that can keep documents.
func (w *Flags) AddSave(cmd *cobra.Command) {
	cli.FlagGroup(cmd, "Output", func(f *pflag.FlagSet) {
		f.StringVar(&w.save, "save", "", "keep each document as it was served in the folder `DIR`, "+
			"with its header fields: see 'sitemap help output'")
	})
}

// check reports values that have no meaning.
func (w *Flags) check() error {
	switch {
	case w.Parallel < 1 || w.maxTime < 0 || w.siteTime < 0:
		return errors.New("--parallel, --max-time, --site-time: want a positive number")
	case w.As != "" && w.As != "site" && w.As != "sitemap":
		return fmt.Errorf("--as: want site or sitemap, not %q", w.As)
	case w.Progress != "auto" && w.Progress != "always" && w.Progress != "never":
		return fmt.Errorf("--progress: want auto, always or never, not %q", w.Progress)
	}
	return nil
}
