package main

import (
	"context"
	"errors"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/fetch"
)

const robotsHelp = `Print the Sitemap records of a robots.txt: that of a SITE, or a FILE, or standard
input (-). A record is read where others would lose it: with a missing colon, a
spelling such as Site-map, a relative location (see --base), quotes, a byte order
mark, between lines that are damaged. What was repaired or dropped is said on
standard error.

As jsonl, each line is an object: loc, line (from 1).`

const robotsExample = `  sitemap robots example.com
  sitemap robots --base https://example.com/robots.txt --format jsonl robots.txt`

func (a *app) robotsCommand() *cobra.Command {
	flags := &walkFlags{}
	var base string
	cmd := &cobra.Command{
		Use:     "robots [flags] SITE|FILE|-",
		Short:   "Print the Sitemap records of a robots.txt",
		Long:    robotsHelp,
		Example: robotsExample,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return misuse(cmd, errors.New("want one SITE or FILE"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			t, err := parseTarget(args[0], "")
			fetcher, fetchErr := flags.fetcher()
			docs := documentFlags{base: base}
			o, baseErr := docs.options(limits{})
			if err := usageOf(cmd, err, flags.textOrJSONL(), fetchErr, baseErr, flags.check()); err != nil {
				return err
			}
			out, err := a.create(flags.out)
			if err != nil {
				return err
			}
			robots, err := a.readRobots(cmd.Context(), t, &discover.Client{Fetcher: fetcher}, flags, &o)
			if robots != nil {
				a.printRobots(out, robots, flags)
			}
			return a.finishOutput(out, err)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&base, "base", "", "`URL` a file comes from; relative records are resolved against it")
	flags.addPrint(f, "text or jsonl")
	flags.addFetch(f)
	flags.progress = "never"
	return cmd
}

// readRobots returns the robots.txt that t names, if anything of it could be
// read.
func (a *app) readRobots(ctx context.Context, t target, c *discover.Client, flags *walkFlags, o *sitemap.Options) (*discover.Robots, error) {
	var robots *discover.Robots
	var err error
	if t.kind == fileTarget {
		robots, err = a.readRobotsFile(ctx, t.name, o)
	} else {
		robots, err = c.Robots(ctx, t.name)
	}
	if ended := a.ended(ctx); ended != nil {
		return nil, ended
	}
	if err != nil {
		name := t.label()
		if robots != nil && t.kind != fileTarget {
			name = robots.URL
		}
		a.fail("%s: %s%s", name, failureTextOf(name, err), flags.targetHint(t, err))
	}
	return robots, nil
}

func (a *app) readRobotsFile(ctx context.Context, name string, o *sitemap.Options) (*discover.Robots, error) {
	f, err := a.open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return discover.ParseRobots(&interruptible{ctx, f}, o.Base)
}

func (a *app) printRobots(out *output, robots *discover.Robots, flags *walkFlags) {
	var b []byte
	for _, s := range robots.Sitemaps {
		if flags.format == "jsonl" {
			b = appendString(append(b, `{"loc":`...), s.Loc)
			b = strconv.AppendInt(append(b, `,"line":`...), int64(s.Line), 10)
			b = append(b, "}\n"...)
		} else {
			b = append(append(b, s.Loc...), '\n')
		}
	}
	out.Write(b)
	if flags.quiet {
		return
	}
	for _, p := range robots.Problems {
		a.diag.line(problemText("sitemap: robots.txt", p))
	}
	if none := robots.WhyNone(); none != nil && !a.failed {
		a.diag.printf("robots.txt %s", whyNone(robots, none))
	}
}

// whyNone says why a robots.txt names no sitemap; where there is none, by the error
// that said so.
func whyNone(robots *discover.Robots, err error) string {
	if e := (*fetch.Error)(nil); errors.As(err, &e) {
		return "names no sitemap: " + failureTextOf(robots.URL, err)
	}
	return failureText(err)
}
