package check

import (
	"encoding/json"
	"errors"
	"io"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/audit"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/cmd/internal/findings"
	"github.com/seed-322c453a/sitemap/cmd/internal/lists"
	"github.com/seed-322c453a/sitemap/cmd/internal/target"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/fetch"
)

// A Checker audits the targets of a command.
type Checker struct {
	*lists.Walker
	Targets []target.Target
	Options audit.Options
	Printer findings.Printer
	// Untrusted, if set, receives the pages that sitemaps may not list.
	Untrusted func(loc string)
	flags     *Flags
	filter    filter
	totals    findings.Totals
	hidden    atomic.Int64 // findings that only --all shows
	table     pageTable
}

// A result is a finding in a target, or a document that has ended, with its share of the totals.
type result struct {
	Target   string                `json:",omitempty"`
	Finding  *audit.Finding        `json:",omitempty"`
	Document *findings.DocumentEnd `json:",omitempty"`
	Page     *audit.PageResult     `json:",omitempty"`
	Totals   findings.Totals
}

// print prints a result.
func (c *Checker) print(r *result) {
	c.totals.Add(r.Totals)
	switch {
	case r.Finding != nil:
		c.Printer.Finding(r.Finding, r.Target)
	case r.Page != nil:
		c.table.row(r.Page)
	default:
		c.Printer.Document(r.Document)
	}
}

// read prints the results that audits side by side have written.
func (c *Checker) read(in io.Reader) error {
	for lines := json.NewDecoder(in); ; {
		var r result
		if err := lines.Decode(&r); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		c.print(&r)
	}
}

// New returns the Checker of a command line. FormatErr is the error about its format, if any.
func New(
	a *cli.App, cmd *cobra.Command, args []string, flags *Flags, formatErr error,
) (*Checker, error) {
	targets, err := target.ParseAll(args, flags.From, flags.As)
	filter, filterErr := flags.filter()
	err = cli.UsageOf(cmd, formatErr, filterErr, err, flags.checkRoot(targets), flags.checkPages())
	if err != nil {
		return nil, err
	}
	w, err := lists.NewWalker(a, cmd, &flags.Flags, &flags.DocumentFlags)
	if err != nil {
		return nil, err
	}
	return &Checker{
		Walker: w, Targets: targets, flags: flags, filter: filter,
		Options: audit.Options{
			Agent: flags.agent, Pages: flags.pages.n, Seed: flags.seed, Limits: flags.Limit.Document(), Walk: w.Options,
			Only: codesOf(filter.only), Disable: codesOf(filter.disabled),
		},
	}, nil
}

// isKnown reports whether a finding has reported that a document could not be read, or was
// disabled. --only does not hide such errors: a document that was not read was not judged.
func (c *Checker) isKnown(err error) bool {
	if c.filter.disabled[audit.CodeOf(err)] {
		return true
	}
	if errors.Is(err, discover.ErrNoSitemap) {
		code := audit.CodeOf(err)
		return c.filter.wants(code) || c.filter.disabled[code]
	}
	var fe *fetch.Error
	if !errors.As(err, &fe) || errors.Is(err, discover.ErrUnreachable) {
		return false
	}
	code := sitemap.Code("sitemap_unreachable")
	switch {
	case errors.Is(err, fetch.ErrTimeout), errors.Is(err, fetch.ErrHostDown):
		code = "sitemap_timeout"
	case errors.Is(err, fetch.ErrStatus):
		code = "sitemap_status"
	}
	return c.filter.wants(code) || c.filter.disabled[code]
}
