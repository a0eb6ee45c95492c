package check

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
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

	flags    *Flags
	baseline findings.Baseline
	failOn   sitemap.Severity // least one that makes the exit status 1
	totals   findings.Totals
	hidden   atomic.Int64   // findings that only --all shows
	table    *output.Writer // nil if none is wanted
}

// A result is a finding in a target, the outcome for a page, or a document that has ended.
type result struct {
	Target   string                `json:",omitempty"`
	Finding  *audit.Finding        `json:",omitempty"`
	Page     *audit.PageResult     `json:",omitempty"`
	Document *findings.DocumentEnd `json:",omitempty"`
}

// print prints a result, counts it, and makes the exit status 1 if it reaches --fail-on.
func (c *Checker) print(r *result) {
	f := r.Finding
	switch {
	case f != nil:
		c.totals.Count(f.Severity)
		c.Printer.Finding(f, r.Target)
	case r.Page != nil:
		c.page(r.Page)
	default:
		c.totals.CountDocument(r.Document)
		c.Printer.Document(r.Document)
		f = r.Document.Finding()
	}
	if f != nil && f.Severity >= c.failOn {
		c.App.Failed.Store(true)
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

// page counts a page that was judged, and writes its row.
func (c *Checker) page(p *audit.PageResult) {
	if p.Reason == "" {
		*c.totals.Judged++
	}
	if c.table == nil {
		return
	}
	status := ""
	if p.Status != 0 {
		status = strconv.Itoa(p.Status)
	}
	codes := strings.Trim(fmt.Sprint(p.Codes), "[]") // with a space between them
	c.table.Write(output.AppendRow(
		nil, c.flags.Raw, p.Loc, status, p.FinalURL, codes, p.Reason))
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
	c = &Checker{flags: flags, failOn: findings.NoFailure}
	if flags.FailOn != "never" {
		c.failOn.UnmarshalText([]byte(flags.FailOn)) // it is one of the severities
	}
	errs := [4]error{formatErr}
	c.Options, errs[1] = flags.options()
	errs[2] = ReadEarlier("--baseline", flags.baseline, func(r io.Reader) (err error) {
		c.baseline, err = findings.ReadBaseline(r)
		return err
	})
	c.Targets, errs[3] = target.ParseAll(args, flags.From, flags.As)
	err = cli.UsageOf(cmd, cmp.Or(errs[:]...), flags.check(c.Targets))
	if err != nil {
		return nil, err
	}
	c.Walker, err = lists.NewWalker(a, cmd, &flags.Flags, &flags.DocumentFlags)
	if err != nil {
		return nil, err
	}
	if c.Options.Walk = c.Walker.Options; c.Options.Pages != 0 {
		c.totals.Judged = new(int64)
	}
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
