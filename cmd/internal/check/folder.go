package check

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/seed-322c453a/sitemap/audit"
	"github.com/seed-322c453a/sitemap/cmd/internal/target"
)

const rootHint = " (name the site: --root DIR URL)"

// folder audits the site in a folder. Without a URL, files in the folder name the site.
func (x *targetAudit) folder(ctx context.Context, dir, at string) error {
	f, err := target.OpenFolder(dir, at)
	if relative := (*target.RelativeError)(nil); errors.As(err, &relative) {
		x.App.Log.Printf("%s: %v%s", dir, err, rootHint)
		x.Target.Name = filepath.Join(dir, relative.Sitemap)
		return x.file(ctx)
	}
	if errors.Is(err, target.ErrFolder) {
		x.targetFailed(err, rootHint)
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	o := x.c.Options
	f.Prepare(x.Client, &o.Walk)
	o.Files, o.FilesPath = f.Files(), f.Path
	if f.Path != "/" { // the robots.txt of the site is elsewhere
		o.Disable = append(o.Disable[:len(o.Disable):len(o.Disable)], audit.NotInRobots)
	}
	x.dir, x.root = dir, f
	return x.site(ctx, f.Target, f.Client, o)
}
