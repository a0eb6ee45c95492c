package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/discover/robots"
	"github.com/seed-322c453a/sitemap/internal/jsonl"
)

func (a *app) robotsCommand() *cobra.Command {
	var (
		print printFlags
		docs  documentFlags
		net   fetchFlags
	)
	cmd := document(&cobra.Command{
		Use:  "robots [flags] SITE|FILE|-",
		Args: exactly(1, "want one SITE or FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			t, err := parseTarget(args[0], "")
			client, clientErr := net.client()
			o, baseErr := docs.options(limits{})
			if err := usageOf(cmd, err, print.textOrJSONL(), clientErr, baseErr); err != nil {
				return err
			}
			out, err := a.create(print.out)
			if err != nil {
				return err
			}
			r, err := a.readRobots(cmd.Context(), t, &discover.Client{Fetch: client}, o)
			if ended := a.ended(cmd.Context()); ended != nil {
				return a.finish(out, ended)
			}
			if err != nil {
				a.fail("%s: %s%s", t.label(), jsonl.Message(t.label(), err), privateHint(err))
			}
			if r != nil {
				a.printRobots(out, r, client.RobotsToken(), &print)
			}
			return a.finish(out, nil)
		},
	})
	docs.addBase(cmd)
	print.add(cmd, "text or jsonl")
	net.add(cmd)
	return cmd
}

// readRobots reads the robots.txt that t names. What came before an error is returned with it.
func (a *app) readRobots(
	ctx context.Context, t target, c *discover.Client, o sitemap.Options,
) (*robots.File, error) {
	if t.kind != fileTarget {
		return c.Robots(ctx, t.name)
	}
	f, err := a.open(t.name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return robots.Parse(f, o.Base)
}

// printRobots prints the sitemaps of a robots.txt, and then its other records for agent.
func (a *app) printRobots(out *output, f *robots.File, agent string, flags *printFlags) {
	inJSON := flags.format == "jsonl"
	for _, s := range f.Sitemaps {
		if inJSON {
			out.Write(append(jsonl.Marshal(struct {
				Loc  string `json:"loc"`
				Line int    `json:"line"`
			}(s)), '\n'))
		} else {
			out.WriteString(s.Loc + "\n")
		}
	}
	for _, o := range f.Other(agent) {
		if inJSON {
			out.Write(append(jsonl.Marshal(struct {
				Key   string `json:"key"`
				Value string `json:"value"`
				Line  int    `json:"line"`
			}(o)), '\n'))
		} else {
			out.WriteString(printable(o.Key+": "+o.Value) + "\n")
		}
	}
	if flags.quiet {
		return
	}
	for _, p := range f.Problems {
		a.diag.line(problemText("sitemap: robots.txt", p))
	}
	if len(f.Sitemaps) == 0 && !a.failed.Load() {
		a.diag.printf("robots.txt names no sitemap")
	}
}
