package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
)

const parseHelp = `Print the entries of documents, without the network: a urlset, a sitemapindex, RSS,
Atom or plain text, as a FILE or on standard input (-), compressed by gzip or not,
in any character encoding.

As jsonl, each line is an object: loc, kind (page or sitemap), lastmod, published,
changefreq, priority, images, videos, news, alternates, mobile, pagemap, other.
What is absent is left out. As csv, the columns are loc, kind, lastmod, changefreq,
priority; the rest is in jsonl only.

Reading stops at 524,288,000 bytes and 500,000 entries, unless --limit says
otherwise. What could be read is printed in any case; the exit status is 1 where
something could not.`

const parseExample = `  sitemap parse sitemap.xml.gz
  curl -s https://example.com/feed | sitemap parse --base https://example.com/feed --format jsonl -`

func (a *app) parseCommand() *cobra.Command {
	var (
		print printFlags
		docs  documentFlags
		limit limits
	)
	cmd := &cobra.Command{
		Use:     "parse [flags] FILE|-...",
		Short:   "Print the entries of files",
		Long:    parseHelp,
		Example: parseExample,
		Args:    atLeastOne("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			f, formatErr := newFormat(print.format, false)
			o, err := docs.options(limit)
			if limit.depth != 0 || limit.sitemaps != 0 {
				err = errors.New("--limit: there are bytes and entries; nothing is walked")
			}
			if err := usageOf(cmd, formatErr, err, readsOnce(args)); err != nil {
				return err
			}
			o.SkipExtensions = print.format != "jsonl"
			out, err := a.create(print.out)
			if err != nil {
				return err
			}
			p := &parser{app: a, options: o, out: out, format: f}
			out.begin(f.header(nil))
			err = p.files(cmd.Context(), args)
			if flushed := out.Flush(); err == nil {
				err = flushed
			}
			if err == nil && !print.quiet {
				p.problems.tell(a.diag)
			}
			return a.finishOutput(out, err)
		},
	}
	cmd.Flags().SortFlags = false
	docs.add(cmd.Flags())
	cmd.Flags().Var(&limit, "limit", "bound each document: bytes, entries; units as 10MiB; 0 lifts a limit")
	print.addPrint(cmd.Flags(), "text, jsonl or csv")
	return cmd
}

// A parser prints the entries of files.
type parser struct {
	app      *app
	options  sitemap.Options
	out      *output
	format   format
	problems tally
	record   record
	line     []byte
}

func (p *parser) files(ctx context.Context, names []string) error {
	for _, name := range names {
		s := &discover.Sitemap{Loc: fileName(name)}
		p.options.Report = func(problem sitemap.Problem) { p.problems.add(s, problem) }
		sum, err := p.app.readFile(ctx, name, &p.options, p.print)
		if err != nil {
			return err
		}
		if sum.Err != nil {
			p.app.fail("%s: %s%s%s", s.Loc, failureText(sum.Err), limitHint(sum.Err), urlHint(name))
		}
	}
	return nil
}

func (p *parser) print(e *sitemap.Entry) error {
	p.record.Entry = *e
	p.line = p.format.record(p.line[:0], &p.record)
	_, err := p.out.Write(p.line)
	return err
}
