package batch

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"google.golang.org/grpc"
	"google.golang.org/grpc/connectivity"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/engines/frontier"
)

// emitFlags are the flags of batch emit.
type emitFlags struct {
	serverFlags
	metrics string
	quiet   bool
}

func emitCommand(a *cli.App) *cobra.Command {
	flags := &emitFlags{}
	cmd := cli.WithHelp(&cobra.Command{
		Use:  "emit [flags] OUT/RUN",
		Args: cli.Exactly(1, "want one OUT/RUN"),
		RunE: func(cmd *cobra.Command, args []string) error { return emit(a, cmd, args[0], flags) },
	})
	cli.FlagGroup(cmd, "Target", func(f *pflag.FlagSet) {
		f.StringVar(&flags.queue, "queue", "",
			"put the pages into the frontier at `URL`: urlfrontier://HOST:PORT/CRAWL")
	})
	flags.serverFlags.add(cmd)
	cli.FlagGroup(cmd, "Output", func(f *pflag.FlagSet) {
		f.StringVar(&flags.metrics, "metrics", "",
			"serve /metrics, /healthz and /readyz at `ADDRESS`, such as :9090")
		f.BoolVarP(&flags.quiet, "quiet", "q", false, "on standard error, report only what is wrong")
	})
	return cmd
}

// emit puts the pages of a run into a frontier.
func emit(a *cli.App, cmd *cobra.Command, location string, flags *emitFlags) error {
	_, err := parseFrontier(flags.queue)
	if err := cli.UsageOf(cmd, err, flags.check()); err != nil {
		return err
	}
	s, run, err := findRun(a, cmd, location)
	if err != nil {
		return err
	}
	conn, crawl, err := dialFrontier(cmd.Context(), &flags.serverFlags)
	if err != nil {
		return err
	}
	defer conn.Close()
	e := &emitter{conn: conn, crawl: crawl, metrics: newCounters(), answers: map[frontier.Answer]int64{}}
	q := &queue{ready: func() bool { return conn.GetState() != connectivity.TransientFailure }}
	stop, err := e.metrics.serve(flags.metrics, q)
	if err != nil {
		return err
	}
	defer stop()
	for part, err := range s.Parts(cmd.Context(), run) {
		if err == nil {
			err = e.part(cmd.Context(), s, part)
		}
		if errors.Is(err, batch.ErrDamaged) {
			a.Fail("%v", err)
		} else if err != nil {
			return err
		}
	}
	if !flags.quiet {
		a.Log.Printf("%s: %s added, %s skipped, %s failed", cli.Plural(e.parts, "part"),
			cli.Plural(e.answers[frontier.Added], "page"),
			cli.Thousands(e.answers[frontier.Skipped]), cli.Thousands(e.answers[frontier.Failed]))
	}
	if n := e.answers[frontier.Failed]; n > 0 {
		return fmt.Errorf("the frontier did not take %s: run emit again", cli.Plural(n, "page"))
	}
	return nil
}

// An emitter puts the pages of parts into a frontier.
type emitter struct {
	conn    grpc.ClientConnInterface
	crawl   string
	metrics *counters
	parts   int64
	answers map[frontier.Answer]int64
}

func (e *emitter) part(ctx context.Context, s store, part batch.Stored) error {
	in, err := s.Open(ctx, part)
	if err != nil {
		return err
	}
	defer in.Close()
	e.parts++
	if err := frontier.Emit(ctx, e.conn, e.crawl, in, e.answered); err != nil {
		return fmt.Errorf("%s: %w", part.Path, err)
	}
	return nil
}

// answered counts the answer to a page.
func (e *emitter) answered(answer frontier.Answer) {
	e.answers[answer]++
	e.metrics.emitted.WithLabelValues(string(answer)).Inc()
}
