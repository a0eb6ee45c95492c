package check

import (
	"cmp"
	"context"
	"fmt"

	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/cmd/internal/lists"
	"github.com/seed-322c453a/sitemap/cmd/internal/target"
)

// Audit audits the targets and ends the printer.
func (c *Checker) Audit(ctx context.Context) error {
	c.Handle = func(v *lists.Visit) lists.Handler {
		x := &targetAudit{Visit: v, c: c}
		return lists.Handler{Walk: x.walk}
	}
	c.Read = c.read
	if err := c.openTable(); err != nil {
		return err
	}
	runErr, endErr := c.Run(ctx, c.Targets), c.Printer.End(c.totals)
	err := cmp.Or(runErr, endErr)
	if c.table != nil {
		err = c.table.Finish(err)
	}
	c.sayJudged()
	if n := c.hidden.Load(); n > 0 && c.flags.Format == "text" {
		fmt.Fprintf(c.Out, "%s not shown: --all shows them\n", cli.Plural(n, "habit"))
	}
	return err
}

// walk audits the target.
func (x *targetAudit) walk(ctx context.Context) error {
	t := x.Target
	switch {
	case t.Kind == target.File && target.IsDir(t.Name):
		return x.folder(ctx, t.Name, "")
	case t.Kind == target.File:
		return x.file(ctx)
	case x.c.flags.root != "":
		return x.folder(ctx, x.c.flags.root, t.Name)
	}
	return x.site(ctx, t, x.Client, x.c.Options)
}

// sayJudged prints how many pages were judged: in text after the totals, else in the log.
func (c *Checker) sayJudged() {
	if c.flags.pages == 0 {
		return
	}
	line := fmt.Sprintf("%d of %s judged", c.totals.Judged, cli.Plural(c.totals.URLs, "page"))
	if c.flags.Format == "text" {
		fmt.Fprintln(c.Out, line)
	} else {
		c.App.Log.Printf("%s", line)
	}
}
