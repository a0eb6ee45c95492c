package check

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/audit"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/cmd/internal/findings"
	"github.com/seed-322c453a/sitemap/cmd/internal/lists"
	"github.com/seed-322c453a/sitemap/cmd/internal/target"
	"github.com/seed-322c453a/sitemap/internal/jsonl"
)

// Flags are the flags of sitemap check.
type Flags struct {
	lists.Flags
	cli.DocumentFlags
	filterFlags
	verbose bool
	rules   bool
	explain string
	root    string
	agent   string
	pages   pageCount
	seed    uint64
	table   string
}

// filterFlags choose the findings that count.
type filterFlags struct{ FailOn, only, disable, baseline string }

// Add adds the flags to a command.
func (c *Flags) Add(cmd *cobra.Command) {
	c.Flags.Add(cmd, strings.Join(findings.Formats, ", "))
	c.AddRaw(cmd)
	c.AddSave(cmd)
	c.DocumentFlags.Add(cmd)
	cli.FlagGroup(cmd, "Target", func(f *pflag.FlagSet) {
		f.StringVar(&c.root, "root", "",
			"answer the requests to the target's host from the folder `DIR`; no network")
	})
	cli.FlagGroup(cmd, "Output", func(f *pflag.FlagSet) {
		f.BoolVar(&c.All, "all", false,
			"in text, print all findings, not only the first five of a rule and document")
		f.BoolVarP(&c.verbose, "verbose", "v", false,
			"in text, print documents without findings too")
		f.BoolVar(&c.rules, "rules", false, "print all rules and end; as text or jsonl")
		f.StringVar(&c.explain, "explain", "",
			"explain the rule `CODE`, and end")
		f.StringVar(&c.State, "state", "",
			"remember in `FILE` the lastmods of sitemaps, and after a stop the judged pages")
	})
	cli.FlagGroup(cmd, "Rule", func(f *pflag.FlagSet) {
		f.StringVar(&c.FailOn, "fail-on", "error",
			"least `SEVERITY` of the findings that make the exit status 1: error, warning, info or never")
		f.StringVar(&c.only, "only", "", "judge by the rules `CODE,...` only")
		f.StringVar(&c.disable, "disable", "", "do not judge by the rules `CODE,...`")
		f.StringVar(&c.baseline, "baseline", "",
			"leave out the findings of an earlier run, as jsonl in `FILE`")
		f.StringVar(&c.agent, "agent", "Googlebot",
			"judge by the rules of robots.txt and pages for the crawler `NAME`")
		f.Var(&c.pages, "pages", "fetch and judge `N` pages of all sitemaps, or all")
		f.Uint64Var(&c.seed, "sample-seed", 0, "draw another sample of pages: one for each `NUMBER`")
		f.StringVar(&c.table, "page-table", "", "write a row for each of these pages to `FILE`, in CSV")
	})
	var codes []string
	for _, r := range audit.Rules() {
		codes = append(codes, string(r.Code))
	}
	for _, flag := range []string{"explain", "only", "disable"} {
		cli.Complete(cmd, flag, codes...)
	}
	cli.OneOf(cmd, "fail-on", "error", "warning", "info", "never")
}

// checkPages returns an error for flags that need --pages.
func (c *Flags) checkPages() error {
	if c.pages.n == 0 && c.table != "" {
		return errors.New("--page-table: needs --pages")
	}
	return cli.DifferentFiles("--output", c.Out, "--state", c.State, "--baseline", c.baseline,
		"--page-table", c.table, "--from", c.From)
}

// checkRoot returns an error for targets that --root does not apply to.
func (c *Flags) checkRoot(targets []target.Target) error {
	if c.root == "" {
		return nil
	}
	if !target.IsDir(c.root) {
		return fmt.Errorf("--root: %s is not a folder", c.root)
	}
	for _, t := range targets {
		if t.Kind == target.File {
			return fmt.Errorf("--root: %s: want a site or the URL of a sitemap", t.Label())
		}
	}
	return nil
}

// A filter chooses the findings that are printed, and those that make the exit status 1.
type filter struct {
	only, disabled map[sitemap.Code]bool
	baseline       findings.Baseline
	failOn         sitemap.Severity
	never          bool
}

func (f *filterFlags) filter() (filter, error) {
	var out filter
	var errs [2]error
	out.only, errs[0] = parseCodes("only", f.only)
	out.disabled, errs[1] = parseCodes("disable", f.disable)
	if err := cmp.Or(errs[:]...); err != nil {
		return out, err
	}
	if out.never = f.FailOn == "never"; !out.never {
		if err := out.failOn.UnmarshalText([]byte(f.FailOn)); err != nil {
			return out, err
		}
	}
	if f.baseline == "" {
		return out, nil
	}
	file, err := os.Open(f.baseline)
	if err == nil {
		defer file.Close()
		out.baseline, err = findings.ReadBaseline(file)
	}
	if err != nil {
		return out, fmt.Errorf("--baseline: %s: %s", f.baseline, jsonl.Message("", err))
	}
	return out, nil
}

// wants reports whether findings of a code are printed.
func (f *filter) wants(code sitemap.Code) bool {
	return (f.only == nil || f.only[code]) && !f.disabled[code]
}

// fails reports whether findings of a severity make the exit status 1.
func (f *filter) fails(s sitemap.Severity) bool { return !f.never && s >= f.failOn }

// parseCodes reads codes separated by commas. It returns nil if there are none.
func parseCodes(flag, list string) (map[sitemap.Code]bool, error) {
	if list == "" {
		return nil, nil
	}
	codes := map[sitemap.Code]bool{}
	for code := range strings.SplitSeq(list, ",") {
		code = strings.TrimSpace(code)
		if _, ok := audit.RuleOf(sitemap.Code(code)); !ok {
			return nil, fmt.Errorf("--%s: %w", flag, unknownCode(code))
		}
		codes[sitemap.Code(code)] = true
	}
	return codes, nil
}

// codesOf returns the codes of a set.
func codesOf(set map[sitemap.Code]bool) []sitemap.Code { return slices.Sorted(maps.Keys(set)) }

func unknownCode(code string) error {
	var codes []string
	for _, r := range audit.Rules() {
		codes = append(codes, string(r.Code))
	}
	if near := cli.Nearest(code, codes); near != "" {
		return fmt.Errorf("unknown code %q; did you mean %s", code, near)
	}
	return fmt.Errorf("unknown code %q: 'sitemap check --rules' lists them", code)
}

// A pageCount is the value of --pages: a number, or a negative one for all.
type pageCount struct{ n int }

func (p *pageCount) Set(s string) error {
	if s == "all" {
		p.n = -1
		return nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return errors.New("want a number or all")
	}
	p.n = n
	return nil
}

func (p *pageCount) String() string { return "" }

func (p *pageCount) Type() string { return "N" }
