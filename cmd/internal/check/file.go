package check

import (
	"context"
	"io"
	"path/filepath"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/audit"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/discover"
)

// file audits a file.
func (x *targetAudit) file(ctx context.Context) error {
	name := x.Target.Name
	x.Progress.Loc.Store(name)
	var sum discover.Summary
	src := audit.Source{
		Name: cli.Redact(name), Base: x.Walker.File.Base, ContentType: x.Walker.File.ContentType,
		Open: func() (io.ReadCloser, error) { return x.App.Open(name) },
		Done: func(s sitemap.Summary) { sum.Summary = s },
	}
	o := x.c.Options
	o.Judged = x.page
	found := audit.Pages(ctx, x.Client, src, &o)
	if filepath.Base(name) == "robots.txt" {
		found = audit.Robots(src, &o)
	}
	for f, err := range found {
		if sum.Err = err; err == nil {
			x.finding(&f)
		}
	}
	if ended := x.App.Ended(ctx); ended != nil {
		return ended
	}
	x.Progress.Note(&sum)
	x.document(cli.Redact(name), &sum, cli.LimitHint(sum.Err), true)
	return nil
}
