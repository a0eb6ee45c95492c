package check

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/audit"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/cmd/internal/findings"
	"github.com/seed-322c453a/sitemap/cmd/internal/lists"
	"github.com/seed-322c453a/sitemap/cmd/internal/output"
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
	baseline  findings.Baseline
	failOn    sitemap.Severity // least one that makes the exit status 1
	totals    findings.Totals
	hidden    atomic.Int64   // findings that only --all shows
	table     *output.Writer // nil if none is wanted
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
		c.row(r.Page)
	default:
		c.Printer.Document(r.Document)
	}
}

// openTable starts the table of the pages to judge, if it is wanted.
func (c *Checker) openTable() (err error) {
	if c.flags.table == "" {
		return nil
	}
	if c.table, err = output.Create(c.App, c.flags.table); err == nil {
		c.table.Begin("url,status,final_url,findings,not_judged\n")
	}
	return err
}

// row writes the row of a page.
func (c *Checker) row(p *audit.PageResult) {
	if c.table == nil {
		return
	}
	status := ""
	if p.Status != 0 {
		status = strconv.Itoa(p.Status)
	}
	codes := make([]string, len(p.Codes))
	for i, code := range p.Codes {
		codes[i] = string(code)
	}
	c.table.Write(output.AppendRow(
		nil, c.flags.Raw, p.Loc, status, p.FinalURL, strings.Join(codes, " "), p.Reason))
}

// fail makes the exit status 1 if a finding of this severity does.
func (c *Checker) fail(s sitemap.Severity) {
	if s >= c.failOn {
		c.App.Failed.Store(true)
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
) (c *Checker, err error) {
	c = &Checker{flags: flags}
	errs := [5]error{formatErr}
	c.Options, errs[1] = flags.options()
	c.failOn, errs[2] = flags.failOn()
	errs[3] = ReadEarlier("--baseline", flags.baseline, func(r io.Reader) (err error) {
		c.baseline, err = findings.ReadBaseline(r)
		return err
	})
	c.Targets, errs[4] = target.ParseAll(args, flags.From, flags.As)
	err = cli.UsageOf(cmd, cmp.Or(errs[:]...), flags.checkRoot(c.Targets), flags.checkPages())
	if err != nil {
		return nil, err
	}
	c.Walker, err = lists.NewWalker(a, cmd, &flags.Flags, &flags.DocumentFlags)
	if err != nil {
		return nil, err
	}
	c.Options.Walk = c.Walker.Options
	return c, nil
}

// isKnown reports whether a finding has reported that a document could not be read, or was
// disabled. --only does not hide such errors: a document that was not read was not judged.
func (c *Checker) isKnown(err error) bool {
	o, code := &c.Options, audit.CodeOf(err)
	var fe *fetch.Error
	switch {
	case slices.Contains(o.Disable, code):
		return true
	case errors.Is(err, discover.ErrNoSitemap), errors.Is(err, discover.ErrUnreachable):
	case !errors.As(err, &fe):
		return false
	case errors.Is(err, fetch.ErrTimeout), errors.Is(err, fetch.ErrHostDown):
		code = "sitemap_timeout"
	case errors.Is(err, fetch.ErrStatus):
		code = "sitemap_status"
	default:
		code = "sitemap_unreachable"
	}
	return len(o.Only) == 0 || slices.Contains(o.Only, code) || slices.Contains(o.Disable, code)
}
