package check

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/audit"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/cmd/internal/export"
	"github.com/seed-322c453a/sitemap/cmd/internal/findings"
	"github.com/seed-322c453a/sitemap/cmd/internal/lists"
	"github.com/seed-322c453a/sitemap/cmd/internal/target"
	"github.com/seed-322c453a/sitemap/internal/jsonl"
)

// Flags are the flags of sitemap check.
type Flags struct {
	lists.Flags
	cli.DocumentFlags
	FailOn   string
	only     string
	disable  string
	baseline string
	verbose  bool
	rules    bool
	explain  string
	root     string
	table    string
	audit    audit.Options // Agent, Pages and Seed
}

// Add adds the flags to a command.
func (c *Flags) Add(cmd *cobra.Command) {
	c.Flags.Add(cmd, strings.Join(findings.Formats, ", "))
	c.AddRaw(cmd)
	c.DocumentFlags.Add(cmd)
	f := cmd.Flags()
	f.StringVar(&c.root, "root", "",
		"answer the requests to the target's host from the folder `DIR`; no network")
	cli.Group(cmd, "Target")
	f.BoolVar(&c.All, "all", false,
		"in text, print all findings, not only the first five of a rule and document")
	f.BoolVarP(&c.verbose, "verbose", "v", false, "in text, print documents without findings too")
	f.BoolVar(&c.rules, "rules", false, "print all rules and end; as text or jsonl")
	f.StringVar(&c.explain, "explain", "", "explain the rule `CODE`, and end")
	f.StringVar(&c.State, "state", "",
		"remember in `FILE` the lastmods of sitemaps, and after a stop the judged pages")
	cli.Group(cmd, "Output")
	f.StringVar(&c.FailOn, "fail-on", "error",
		"least `SEVERITY` of the findings that make the exit status 1: error, warning, info or "+
			"never")
	f.StringVar(&c.only, "only", "", "judge by the rules `CODE,...` only")
	f.StringVar(&c.disable, "disable", "", "do not judge by the rules `CODE,...`")
	f.StringVar(&c.baseline, "baseline", "",
		"leave out the findings of an earlier run, as jsonl in `FILE`")
	f.StringVar(&c.audit.Agent, "agent", "Googlebot",
		"judge by the rules of robots.txt and pages for the crawler `NAME`")
	f.Func("pages", "fetch and judge `N` pages of all sitemaps, or all", c.setPages)
	f.Uint64Var(&c.audit.Seed, "sample-seed", 0,
		"draw another sample of pages: one for each `NUMBER`")
	f.StringVar(&c.table, "page-table", "", "write a row for each of these pages to `FILE`, in CSV")
	cli.Group(cmd, "Rule")
	for _, flag := range []string{"explain", "only", "disable"} {
		cli.Complete(cmd, flag, ruleCodes)
	}
	cli.OneOf(cmd, "fail-on", "error", "warning", "info", "never")
}

// check returns an error for flags that do not fit together, or do not apply to the targets.
func (c *Flags) check(targets []target.Target) error {
	if c.root != "" && !target.IsDir(c.root) {
		return fmt.Errorf("--root: %s is not a folder", c.root)
	}
	for _, t := range targets {
		if c.root != "" && t.Kind == target.File {
			return fmt.Errorf("--root: %s: want a site or the URL of a sitemap", t.Label())
		}
	}
	if c.audit.Pages == 0 && c.table != "" {
		return errors.New("--page-table: needs --pages")
	}
	if format, ok := cli.FormatOf(c.table); ok && format != "csv" {
		return fmt.Errorf("--page-table %s: want a name that ends in .csv", c.table)
	}
	return cli.DifferentFiles("--output", c.Out, "--state", c.State, "--baseline", c.baseline,
		"--page-table", c.table, "--from", c.From)
}

// options returns the options of the audit, without those of its walk.
func (c *Flags) options() (o audit.Options, err error) {
	o = c.audit
	o.Limits = c.Limit.Limits
	if o.Only, err = parseCodes("only", c.only); err == nil {
		o.Disable, err = parseCodes("disable", c.disable)
	}
	return o, err
}

// parseCodes reads codes separated by commas, nil if there are none.
func parseCodes(flag, list string) (codes []sitemap.Code, err error) {
	if list == "" {
		return nil, nil
	}
	for code := range strings.SplitSeq(list, ",") {
		code = strings.TrimSpace(code)
		if _, ok := audit.RuleOf(sitemap.Code(code)); !ok {
			return nil, fmt.Errorf("--%s: %w", flag, unknownCode(code))
		}
		codes = append(codes, sitemap.Code(code))
	}
	return codes, nil
}

// ReadEarlier reads the earlier run in the file that a flag names, if it names one.
func ReadEarlier(flag, name string, read func(io.Reader) error) error {
	if name == "" {
		return nil
	}
	file, err := os.Open(name)
	if err == nil {
		defer file.Close()
		err = read(export.Text(file))
	}
	if err != nil {
		err = fmt.Errorf("%s: %s: %s", flag, name, jsonl.Message("", err))
	}
	return err
}

// ruleCodes returns the codes of all rules.
func ruleCodes() (codes []string) {
	for _, r := range audit.Rules() {
		codes = append(codes, string(r.Code))
	}
	return codes
}

func unknownCode(code string) error {
	if near := cli.Nearest(code, ruleCodes()); near != "" {
		return fmt.Errorf("unknown code %q; did you mean %s?", code, near)
	}
	return fmt.Errorf("unknown code %q: 'sitemap check --rules' lists them", code)
}

// setPages sets the value of --pages.
func (c *Flags) setPages(s string) error {
	n, err := strconv.Atoi(s)
	switch {
	case s == "all":
		n = -1
	case err != nil || n < 0:
		return errors.New("want a number or all")
	}
	c.audit.Pages = n
	return nil
}
