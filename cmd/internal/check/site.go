package check

import (
	"context"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/audit"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/cmd/internal/target"
	"github.com/seed-322c453a/sitemap/discover"
)

// site audits a site or a sitemap.
func (x *targetAudit) site(
	ctx context.Context, t target.Target, client *discover.Client, o audit.Options,
) error {
	o.Walk.Done, o.Walk.Fetched, o.Walk.Report, o.Judged = x.done, x.Fetched, nil, x.page
	if untrusted := x.c.Untrusted; untrusted != nil {
		o.Walk.Report = func(_ *discover.Sitemap, p sitemap.Problem) {
			if p.Code == sitemap.UntrustedLoc {
				untrusted(p.Text)
			}
		}
	}
	found := audit.Site(ctx, client, t.Name, &o)
	if t.Kind == target.Sitemap {
		found = audit.Sitemaps(ctx, client, []*discover.Sitemap{{Loc: t.Name}}, &o)
	}
	for f, err := range found {
		if err != nil {
			return x.WalkFailed(ctx, err, x.targetFailed)
		}
		x.finding(&f)
	}
	return x.App.Ended(ctx)
}

// done handles the end of a document in a walk.
func (x *targetAudit) done(s *discover.Sitemap, sum discover.Summary) {
	x.Progress.Note(&sum)
	x.Progress.Loc.Store(s.Loc)
	x.document(cli.Redact(s.Loc), &sum, x.Hint(s, sum.Err), true)
}
