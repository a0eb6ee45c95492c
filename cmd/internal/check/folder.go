package check

import (
	"context"
	"errors"

	"github.com/seed-322c453a/sitemap/cmd/internal/target"
)

// folder audits the site in a folder. Without a name, the folder says whose it is.
func (x *targetAudit) folder(ctx context.Context, dir, name string) error {
	root, client, site, err := target.OpenFolder(dir, name)
	if err != nil {
		if errors.Is(err, target.ErrFolder) {
			x.targetFailed(err, "")
			return nil
		}
		return err
	}
	defer root.Close()
	t, err := target.Parse(site, x.Flags.As)
	if err != nil {
		return err
	}
	client.Fetch.UserAgent = x.Client.Fetch.UserAgent
	client.Fetch.RobotsAgent = x.Client.Fetch.RobotsAgent
	client.Fetch.MaxBytes = x.Flags.Limit.Bytes
	o := x.c.Options
	o.Files = root.FS()
	x.dir, x.host = dir, target.HostOf(site)
	return x.site(ctx, t, client, o)
}
