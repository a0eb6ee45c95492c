// Package watch is the command sitemap watch, which prints the changes of sites.
//
// Each file builds on those below it:
//
//	command.go  sitemap watch
//	status.go   watch status
//	metrics.go  metrics and health
//	sites.go    the sites of the command line and of a file that may change
//	journal.go  keeps the last events, for the webhook and the feed
//	webhook.go  sends events to a webhook
//	feed.go     writes events as an Atom feed
//	print.go    events as lines
package watch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/cmd/internal/metrics"
	"github.com/seed-322c453a/sitemap/cmd/internal/output"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/discover/state"
	"github.com/seed-322c453a/sitemap/watch"
)

// watchFlags are the flags of sitemap watch.
type watchFlags struct {
	cli.PrintFlags
	cli.WalkFlags
	watcher                watch.Watcher
	once                   bool
	from, state            string
	webhook, feed, metrics string
}

// Command returns the command sitemap watch.
func Command(a *cli.App) *cobra.Command {
	flags := &watchFlags{}
	cmd := cli.Command("watch [flags] --state FILE SITE...", cli.AnyArgs,
		func(cmd *cobra.Command, args []string) error { return run(a, cmd, args, flags) })
	f := cmd.Flags()
	f.StringVar(&flags.from, "from", "",
		"watch the sites in `FILE` too, one a line; it is read again when it changes")
	f.StringVar(&flags.state, "state", "", "remember sitemaps and pages in `FILE`; required")
	f.BoolVar(&flags.once, "once", false, "request the sitemaps that are due, and end; for cron")
	f.BoolVar(&flags.watcher.Initial, "initial", false, "print the pages of the first reading as added")
	f.IntVar(&flags.Parallel, "parallel", 16, "walk `N` sites at once")
	cli.Group(cmd, "Target")
	flags.PrintFlags.AddFormat(cmd, "text or jsonl")
	f.StringVarP(&flags.Out, "output", "o", "", "append to `FILE`")
	f.StringVar(&flags.webhook, "webhook", "",
		"send events to this `URL`, signed with the secret in SITEMAP_WEBHOOK_SECRET if that is "+
			"set")
	f.StringVar(&flags.feed, "feed", "", "keep the last events as an Atom feed in `FILE`")
	f.StringVar(&flags.metrics, "metrics", "",
		"serve /metrics and /healthz at `ADDRESS`, such as :9090")
	cli.Group(cmd, "Output")
	flags.SelectFlags.Add(cmd)
	for _, name := range withoutMeaning {
		cmd.Flags().MarkHidden(name)
	}
	flags.FetchFlags.Add(cmd)
	f.IntVar(&flags.watcher.PerDay, "per-day", 96,
		"send at most `N` requests for the sitemaps of a site a day")
	f.DurationVar(&flags.watcher.Min, "min", 5*time.Minute,
		"shortest `TIME` between two requests for a sitemap")
	f.DurationVar(&flags.watcher.Max, "max", 14*24*time.Hour,
		"longest `TIME` between two requests for a sitemap")
	cli.Group(cmd, "Politeness")
	cli.Positive(cmd, "parallel", "per-day", "min")
	cmd.AddCommand(statusCommand(a))
	return cmd
}

// withoutMeaning are flags of walks that a watch does not have: it takes the sitemaps of a site as
// they are found, each in its own order.
var withoutMeaning = []string{"newest", "known-paths"}

// check reports values that have no meaning.
func (f *watchFlags) check(cmd *cobra.Command, args []string) error {
	for _, name := range withoutMeaning {
		if cmd.Flags().Changed(name) {
			return fmt.Errorf("--%s does not apply to watch", name)
		}
	}
	switch {
	case f.state == "":
		return errors.New("want --state FILE, which remembers sitemaps and pages")
	case len(args) == 0 && f.from == "":
		return errors.New("no SITE given")
	case f.watcher.Max < f.watcher.Min:
		return fmt.Errorf("--min %v is above --max %v", f.watcher.Min, f.watcher.Max)
	}
	return cli.DifferentFiles("--output", f.Out, "--state", f.state, "--feed", f.feed,
		"--from", f.from)
}

func run(a *cli.App, cmd *cobra.Command, args []string, flags *watchFlags) (err error) {
	ctx, w := cmd.Context(), &flags.watcher
	w.Client, w.Options, err = flags.Walk(a, 0)
	w.Parallel = flags.Parallel
	sites, sitesErr := newSites(args, flags.from)
	var hook *webhook
	if flags.webhook != "" && err == nil {
		hook, err = newWebhook(flags.webhook, os.Getenv("SITEMAP_WEBHOOK_SECRET"), a.Transport)
	}
	err = cli.UsageOf(cmd, flags.Resolve(cmd), flags.check(cmd, args), sitesErr, err)
	if err != nil {
		return err
	}
	db, err := state.Open(flags.state)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	out, err := output.Append(a, flags.Out, false, 0)
	if err != nil {
		return err
	}
	w.Store = store{db, out}
	j, err := openJournal(w.Store, hook, flags.feed, a.Log)
	if err == nil {
		err = j.write(ctx) // now, since the next event may be far
	}
	if err != nil {
		return out.Finish(err)
	}
	m := newCounters(w, sites)
	stop, err := metrics.Serve(flags.metrics, m.registry, nil)
	if err != nil {
		return out.Finish(err)
	}
	defer stop()
	end := j.start(ctx)
	err = each(ctx, a.Log, flags.once, w, sites, func(e watch.Event) error {
		m.count(e)
		r := record(e)
		if err := j.put(ctx, r); err != nil {
			return err
		}
		out.Write(line(r, flags.Format))
		return cmp.Or(out.Reopen(), out.Flush())
	})
	if flags.once && err == nil {
		reportUnread(a, w, sites.all())
	}
	return out.Finish(cmp.Or(err, end()))
}

// A store makes the output durable before the records of it.
type store struct {
	discover.Store
	out *output.Writer
}

func (s store) Sync() error { return s.out.SyncBefore(s.Store) }

// each calls use with each event. When the file of sites has changed, it begins with the new ones.
func each(
	ctx context.Context, log *cli.Log, once bool, w *watch.Watcher, sites *sites,
	use func(watch.Event) error,
) error {
	for {
		if err := remember(w.Store, sites.all()); err != nil {
			return err
		}
		turn, cancel := context.WithCancel(ctx)
		events := w.Once
		if !once {
			events = w.Events
			go func() {
				sites.await(turn, log)
				cancel()
			}()
		}
		var err error
		for e, failed := range events(turn, slices.Values(sites.all())) {
			if err = failed; err == nil {
				err = use(e)
			}
			if err != nil {
				break
			}
		}
		isChanged := turn.Err() != nil && ctx.Err() == nil
		cancel()
		if !isChanged || err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
	}
}
