package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/seed-322c453a/sitemap"
)

// DocumentFlags are the flags of commands that read files.
type DocumentFlags struct {
	base        string
	contentType string
}

// Add adds the flags to a command.
func (d *DocumentFlags) Add(cmd *cobra.Command) {
	d.AddBase(cmd)
	f := cmd.Flags()
	f.StringVar(&d.contentType, "content-type", "", "media `TYPE` of a file; its charset counts")
	Group(cmd, "Target")
}

// AddBase adds --base alone.
func (d *DocumentFlags) AddBase(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&d.base, "base", "",
		"`URL` that a file comes from; relative locations in it are resolved against that, else "+
			"dropped")
	Group(cmd, "Target")
}

// Options returns the options to read a file with.
func (d *DocumentFlags) Options(l Limit) (sitemap.Options, error) {
	o := sitemap.Options{ContentType: d.contentType, Limits: l.Document()}
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
