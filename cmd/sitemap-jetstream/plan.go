package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/seed-322c453a/sitemap/batch"
)

func planCommand() *cobra.Command {
	b := &brokerFlags{}
	cmd := &cobra.Command{
		Use:   "plan [flags] FILE",
		Short: "Put the domains of a list that have no part on the broker.",
		Long: `Put the domains of a list that have no part on the broker.

FILE, or - for standard input, has targets, one a line, as for 'sitemap batch'.
plan waits while 100,000 domains are on the broker, until workers have taken
some. Given again, it puts what is neither done nor on the broker.`,
		Example: `  sitemap-jetstream plan sites.txt -o parts/
  sitemap-jetstream plan sites.txt -o parts/ --run 2`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return plan(cmd, args[0], b) },
	}
	b.add(cmd)
	return cmd
}

func plan(cmd *cobra.Command, name string, b *brokerFlags) error {
	ctx := cmd.Context()
	list := io.NopCloser(cmd.InOrStdin())
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		list = f
	}
	defer list.Close()
	c, err := b.open(ctx)
	if err != nil {
		return err
	}
	defer c.close()
	if err := c.queue.Begin(ctx); err != nil {
		return err
	}
	put, done, known, bad := 0, 0, 0, 0
	for task, err := range batch.Plan(list, b.run) {
		if e := (*batch.LineError)(nil); errors.As(err, &e) {
			bad++
			fmt.Fprintf(cmd.ErrOrStderr(), "sitemap-jetstream: %s, %v\n", name, e)
			continue
		}
		if err != nil {
			return err
		}
		has, err := batch.IsDone(ctx, c.folder, task)
		if err != nil {
			return err
		}
		if has {
			done++
			continue
		}
		added, err := c.queue.Put(ctx, task)
		switch {
		case err != nil:
			return err
		case added:
			put++
		default:
			known++
		}
	}
	if err := c.queue.End(ctx); err != nil {
		return err
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%d domains put, %d already on the broker, %d already done\n",
		put, known, done)
	if bad > 0 {
		return fmt.Errorf("%d lines are no targets", bad)
	}
	return nil
}

func statusCommand() *cobra.Command {
	b := &brokerFlags{}
	cmd := &cobra.Command{
		Use:   "status [flags]",
		Short: "Say how far the run is.",
		Long: `Say how far the run is: the domains that wait and those that are with workers,
by the broker, and those that are done and failed, by the parts.`,
		Example: `  sitemap-jetstream status -o parts/
  sitemap-jetstream status -o parts/ --run 2 --servers nats://broker:4222`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return status(cmd, b) },
	}
	b.add(cmd)
	return cmd
}

func status(cmd *cobra.Command, b *brokerFlags) error {
	c, err := b.open(cmd.Context())
	if err != nil {
		return err
	}
	defer c.close()
	waiting, leased, err := c.queue.Left(cmd.Context())
	if err != nil {
		return err
	}
	domains, failed, urls, causes := 0, 0, int64(0), map[string]int{}
	for p, err := range c.folder.Parts(cmd.Context(), b.run) {
		if err != nil {
			return err
		}
		domains++
		urls += p.Counts.URLs
		if p.Counts.Failed > 0 {
			failed++
			causes[p.Counts.Cause]++
		}
	}
	out := cmd.OutOrStdout()
	fmt.Fprintf(out, "%d domains wait, %d are with workers, %d are done: %d URLs\n",
		waiting, leased, domains, urls)
	fmt.Fprintf(out, "%d failed, in whole or in part\n", failed)
	for _, cause := range slices.Sorted(maps.Keys(causes)) {
		fmt.Fprintf(out, "%9d  %s\n", causes[cause], cause)
	}
	return nil
}
