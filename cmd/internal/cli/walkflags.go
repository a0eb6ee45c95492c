package cli

import (
	"cmp"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/fetch"
)

// WalkFlags are the flags of commands that walk sites. Their defaults are set before Add.
type WalkFlags struct {
	SelectFlags
	FetchFlags
	Parallel int
	SiteTime time.Duration
	Progress string
}

// Add adds the flags to a command that works on several targets at once.
func (w *WalkFlags) Add(cmd *cobra.Command, things string) {
	f := cmd.Flags()
	f.IntVar(&w.Parallel, "parallel", w.Parallel, "walk `N` "+things+" at once")
	f.DurationVar(&w.SiteTime, "site-time", w.SiteTime,
		"longest `TIME` for one target; its results until then are kept")
	Group(cmd, "Target")
	f.StringVar(&w.Progress, "progress", "auto", "`WHEN` to show progress on standard "+
		"error: auto (on a terminal, unless it shows the results), always or never")
	Group(cmd, "Output")
	w.SelectFlags.Add(cmd)
	w.FetchFlags.Add(cmd)
	refuse(cmd, []string{"parallel"}, notParallel, "1 to 9999")
	NotNegative(cmd, "site-time")
	OneOf(cmd, "progress", "auto", "always", "never")
}

// Walk returns the client and the options of the walks. PerAddress bounds the requests to one
// address unless --concurrency does; 0 means the default.
func (w *WalkFlags) Walk(a *App, perAddress int) (*discover.Client, discover.Options, error) {
	client, clientErr := w.Client()
	options, err := w.Options()
	if err := cmp.Or(clientErr, err); err != nil {
		return nil, options, err
	}
	client.MaxBytes, client.Transport = w.Limit.Bytes, a.Transport
	if client.Limiter == nil {
		client.Limiter = &fetch.HostLimiter{Total: max(16, 2*w.Parallel), PerAddress: perAddress}
	}
	return &discover.Client{Fetch: client, Concurrency: w.Concurrency}, options, nil
}

// DocumentFlags are the flags of commands that read files.
type DocumentFlags struct {
	base        string
	contentType string
}

// Add adds the flags to a command.
func (d *DocumentFlags) Add(cmd *cobra.Command) {
	d.AddBase(cmd)
	cmd.Flags().StringVar(&d.contentType, "content-type", "",
		"media `TYPE` of a file; its charset counts")
	Group(cmd, "Target")
}

// AddBase adds --base alone.
func (d *DocumentFlags) AddBase(cmd *cobra.Command) {
	cmd.Flags().StringVar(&d.base, "base", "",
		"`URL` of a file; its relative locations are resolved against it, and dropped without it")
	Group(cmd, "Target")
}

// Options returns the options to read a file with.
func (d *DocumentFlags) Options(l Limit) (sitemap.Options, error) {
	o := sitemap.Options{ContentType: d.contentType, Limits: l.Limits}
	if d.base == "" {
		return o, nil
	}
	u, err := sitemap.ParseLoc(d.base)
	if err != nil {
		return o, fmt.Errorf("--base: %w", err)
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return o, fmt.Errorf("--base: %q: want an http or https URL", sitemap.Redact(d.base))
	}
	o.Base = u
	return o, nil
}
