// Package robots is the command sitemap robots, which prints the sitemaps that a robots.txt names,
// and its other records.
package robots

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/cmd/internal/output"
	"github.com/seed-322c453a/sitemap/cmd/internal/target"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/discover/robots"
	"github.com/seed-322c453a/sitemap/internal/jsonl"
)

// Command returns the command sitemap robots.
func Command(a *cli.App) *cobra.Command {
	var (
		print cli.PrintFlags
		docs  cli.DocumentFlags
		net   cli.FetchFlags
	)
	cmd := cli.Command("robots [flags] SITE|FILE|-", cli.Exactly(1, "want one SITE or FILE"),
		func(cmd *cobra.Command, args []string) error {
			t, err := target.Parse(args[0], "")
			client, clientErr := net.Client()
			o, baseErr := docs.Options(cli.Limit{})
			err = cli.UsageOf(cmd, print.Resolve(cmd), err, clientErr, baseErr)
			if err != nil {
				return err
			}
			out, err := output.Create(a, print.Out)
			if err != nil {
				return err
			}
			r, err := readRobots(cmd.Context(), a, t, &discover.Client{Fetch: client}, o)
			if ended := a.Ended(cmd.Context()); ended != nil {
				return out.Finish(ended)
			}
			if err != nil {
				a.Fail("%s: %s%s", t.Label(), jsonl.Message(t.Label(), err), cli.PrivateHint(err))
			}
			if r != nil {
				name := "robots.txt"
				if t.Kind == target.File {
					name = t.Label()
				}
				printRobots(a, out, r, name, client.RobotsToken(), &print)
			}
			return out.Finish(nil)
		})
	docs.AddBase(cmd)
	print.Add(cmd, "text or jsonl")
	net.Add(cmd)
	return cmd
}

// readRobots reads the robots.txt that t names. The records before an error are returned with it.
func readRobots(
	ctx context.Context, a *cli.App, t target.Target, c *discover.Client, o sitemap.Options,
) (*robots.File, error) {
	if t.Kind != target.File {
		return c.Robots(ctx, t.Name)
	}
	f, err := a.Open(t.Name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return robots.Parse(f, o.Base)
}

// printRobots prints the sitemaps of the robots.txt called name, and then its other records for
// agent.
func printRobots(
	a *cli.App, out *output.Writer, f *robots.File, name, agent string, flags *cli.PrintFlags,
) {
	print := func(record any, text string) {
		if flags.Format == "jsonl" {
			text = string(jsonl.Marshal(record))
		}
		out.WriteString(text + "\n")
	}
	for _, s := range f.Sitemaps {
		print(s, s.Loc)
	}
	for _, o := range f.Other(agent) {
		print(o, cli.Printable(o.Key+": "+o.Value))
	}
	if flags.Quiet {
		return
	}
	for _, p := range f.Problems {
		a.Log.Line(cli.ProblemText("sitemap: "+name, p))
	}
	switch {
	case f.Missing != nil:
		a.Log.Printf("%s names no sitemap: %s", name, jsonl.Message("", f.Missing))
	case len(f.Sitemaps) == 0 && !a.Failed.Load():
		a.Log.Printf("%s names no sitemap", name)
	}
}
