package batch

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

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
	cmd := cli.Command("emit [flags] OUT/RUN", cli.Exactly(1, "want one OUT/RUN"),
		func(cmd *cobra.Command, args []string) error { return emit(a, cmd, args[0], flags) })
	f := cmd.Flags()
	f.StringVar(&flags.queue, "queue", "",
		"put the pages into the frontier at `URL`: urlfrontier://HOST:PORT/CRAWL")
	cli.Group(cmd, "Target")
	flags.addAuthorities(cmd)
	f.StringVar(&flags.metrics, "metrics", "",
		"serve /metrics, /healthz and /readyz at `ADDRESS`, such as :9090")
	f.BoolVarP(&flags.quiet, "quiet", "q", false, "on standard error, report only what is wrong")
	cli.Group(cmd, "Output")
	return cmd
}

// emit puts the pages of a run into a frontier.
func emit(a *cli.App, cmd *cobra.Command, location string, flags *emitFlags) error {
	_, err := parseFrontier(flags.queue)
	if err := cli.UsageOf(cmd, err, flags.check()); err != nil {
		return err
	}
	s, run, rec, err := findRun(a.Context, cmd, location)
	if err != nil {
		return err
	}
	if rec.Findings {
		return cli.Misuse(cmd, fmt.Errorf("%s: it has findings, not pages", location))
	}
	q, err := openFrontier(cmd.Context(), &flags.serverFlags)
	if err != nil {
		return err
	}
	defer q.close()
	m := newCounters()
	stop, err := m.serve(flags.metrics, q)
	if err != nil {
		return err
	}
	defer stop()
	parts, answers := int64(0), map[frontier.Answer]int64{}
	for part, err := range s.Parts(cmd.Context(), run) {
		if err == nil {
			parts++
			err = emitPart(cmd.Context(), q.frontier, s, part, func(answer frontier.Answer) {
				answers[answer]++
				m.emitted.WithLabelValues(string(answer)).Inc()
			})
		}
		if errors.Is(err, batch.ErrDamaged) {
			a.Fail("%v", err)
		} else if err != nil {
			return err
		}
	}
	failed := answers[frontier.Failed]
	if !flags.quiet {
		a.Log.Printf("%s: %s added, %s skipped, %s failed", cli.Plural(parts, "part"),
			cli.Plural(answers[frontier.Added], "page"), cli.Thousands(answers[frontier.Skipped]),
			cli.Thousands(failed))
	}
	if failed > 0 {
		return fmt.Errorf("the frontier did not take %s: run emit again",
			cli.Plural(failed, "page"))
	}
	return nil
}

// emitPart puts the pages of a part into a frontier.
func emitPart(
	ctx context.Context, q *frontier.Queue, s *store, part batch.Stored,
	answered func(frontier.Answer),
) error {
	in, err := s.Open(ctx, part)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := frontier.Emit(ctx, q.Conn, q.Crawl, in, answered); err != nil {
		return fmt.Errorf("%s: %w", part.Path, err)
	}
	return nil
}
