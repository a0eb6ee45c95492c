package batch

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-322c453a/sitemap/audit"
	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/discover"
	natsqueue "github.com/seed-322c453a/sitemap/engines/jetstream"
)

// placeFlags name the place of a run.
type placeFlags struct {
	serverFlags
	out, run string
}

func (p *placeFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&p.run, "run", "1", "`NAME` of the run; another name begins another run")
	f.StringVar(&p.queue, "queue", "",
		"workers share the queue at `URL`: nats://HOST:PORT, several separated by commas, or "+
			"urlfrontier://HOST:PORT/CRAWL")
	cli.Group(cmd, "Target")
	f.StringVarP(&p.out, "output", "o", "",
		"the parts are in `OUT`/RUN, the states beside them: a folder, or s3://BUCKET/PREFIX")
	cli.Group(cmd, "Output")
	p.serverFlags.add(cmd)
}

func (p *placeFlags) check() error {
	if p.out == "" {
		return errors.New("want -o OUT, the folder or bucket of the parts")
	}
	if err := batch.CheckRun(p.run); err != nil {
		return fmt.Errorf("--run: %w", err)
	}
	return p.serverFlags.check()
}

// runFlags are the flags of the commands that plan a run or work on it.
type runFlags struct {
	plans, works bool
	placeFlags
	mode
	nats    natsqueue.Options
	retry   bool
	metrics string
	log     string
	quiet   bool
	shard   shard // of plans

	// Of work.
	cli.WalkFlags
	wait    bool
	workers int
	grace   time.Duration
}

func (r *runFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	if r.plans && r.works {
		f.Func("shard", "walk only the domains of shard `I/N`, I from 0 to N-1", r.shard.set)
	}
	r.placeFlags.add(cmd)
	f.BoolVar(&r.retry, "retry", false,
		"walk targets that failed in the run again; with --queue, plan and work both need it")
	f.DurationVar(&r.nats.Lease, "lease", time.Minute,
		"with --queue, `TIME` after which the domains of a silent worker go to others")
	f.DurationVar(&r.nats.Patience, "patience", 10*time.Minute,
		"with NATS, `TIME` to wait for a broker that does not answer")
	if r.plans {
		f.IntVar(&r.nats.Replicas, "replicas", 0,
			"with NATS, keep tasks and states on `N` servers of the cluster (default 1, or as "+
				"before)")
		cli.NotNegative(cmd, "replicas")
	} else {
		f.BoolVar(&r.wait, "wait", false, "when the crawl of a frontier is done, wait for more")
		f.DurationVar(&r.refetch, "refetch", 0,
			"make a frontier hand out a domain again after `TIME`, for the next --run")
		cli.NotNegative(cmd, "refetch")
	}
	cli.Group(cmd, "Target")
	f.BoolVar(&r.Changed, "changed", false,
		"the run has only URLs that are new or modified since the run before")
	f.BoolVar(&r.Findings, "check", false, "write the findings of 'sitemap check' in place of URLs")
	f.StringVar(&r.metrics, "metrics", "",
		"serve /metrics, /healthz and /readyz at `ADDRESS`, such as :9090")
	f.StringVar(&r.log, "log", "",
		"log on standard error as `FORMAT` text or json, with a record for each domain")
	f.BoolVarP(&r.quiet, "quiet", "q", false,
		"on standard error, report only what is wrong with LIST, parts and states")
	cli.Group(cmd, "Output")
	cli.OneOf(cmd, "log", "text", "json")
	cli.Positive(cmd, "patience")
	if r.works {
		r.addWalk(cmd)
	}
}

// addWalk adds the flags of walks.
func (r *runFlags) addWalk(cmd *cobra.Command) {
	r.Parallel, r.SiteTime = 16, time.Hour
	r.WalkFlags.Add(cmd, "domains")
	r.AddMatch(cmd)
	f := cmd.Flags()
	f.DurationVar(&r.grace, "grace", 0,
		"`TIME` for domains under way to end after SIGTERM; the others are handed back")
	cli.Group(cmd, "Target")
	f.IntVar(&r.workers, "workers", 0,
		"`N` processes share the run: each sends only 8/N requests at once to one address, at "+
			"least 1 (default 1, or the number of shards)")
	cli.Group(cmd, "Politeness")
	cli.NotNegative(cmd, "grace", "workers")
}

func (r *runFlags) check() error {
	switch {
	case r.shard.n > 0 && r.queue != "":
		return errors.New("want --shard or --queue, not both: with a queue, workers share the " +
			"list anyway")
	case r.Changed && r.Findings:
		return errors.New("want --check or --changed, not both: --check judges all pages")
	case r.Findings && (r.Match != "" || r.Exclude != ""):
		return errors.New("--match, --exclude: want them without --check, which judges all pages")
	case r.nats.Lease < natsqueue.MinLease:
		return fmt.Errorf("--lease: want at least %v, not %v", natsqueue.MinLease, r.nats.Lease)
	}
	err := r.placeFlags.check()
	switch {
	case err != nil:
	case r.queue == "" && !(r.plans && r.works):
		err = errors.New("name the queue that workers share: --queue nats://HOST:PORT")
	case r.wait && isNATS(r.queue):
		err = errors.New("--wait needs a URLFrontier: a run over NATS ends when its plan is done")
	}
	return err
}

// worker returns the worker for the flags.
func (r *runFlags) worker(a *cli.App) (*batch.Worker, error) {
	workers := max(1, cmp.Or(r.workers, r.shard.n))
	client, options, err := r.Walk(a, max(1, 8/workers))
	matches, matchErr := r.Matcher()
	if err := cmp.Or(err, matchErr); err != nil {
		return nil, err
	}
	a.Linger(r.grace)
	options.OnlyChanged = r.Changed
	worker := &batch.Worker{
		Client: client, Job: batch.URLs, Options: options,
		Select:   func(u *discover.URL) bool { return matches(u.Loc) },
		Parallel: r.Parallel, SiteTime: r.SiteTime, Grace: r.grace, Retry: r.retry,
	}
	if r.Findings {
		worker.Job = batch.Findings(audit.Options{Agent: "Googlebot", Limits: r.Limit.Limits})
	}
	return worker, nil
}

// A shard is the ith of n shards of a list. The zero shard is the whole list.
type shard struct{ i, n int }

// set sets the shard that a text names.
func (s *shard) set(text string) error {
	i, n, _ := strings.Cut(text, "/")
	var iErr, nErr error
	s.i, iErr = strconv.Atoi(i)
	s.n, nErr = strconv.Atoi(n)
	if iErr != nil || nErr != nil || s.i < 0 || s.i >= s.n {
		return errors.New("want I/N, with I from 0 to N-1")
	}
	return nil
}

// has reports whether a domain is in the shard.
func (s *shard) has(domain string) bool { return s.n == 0 || batch.Shard(domain, s.n) == s.i }
