package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/audit"
	"github.com/seed-322c453a/sitemap/internal/jsonl"
)

// printRules prints all rules, or the page of one.
func (a *app) printRules(cmd *cobra.Command, args []string, flags *checkFlags) error {
	switch {
	case len(args) > 0 || flags.rules && flags.explain != "":
		return misuse(cmd, errors.New("--rules and --explain stand alone"))
	case flags.format != "text" && flags.format != "jsonl":
		return misuse(cmd, fmt.Errorf("unknown format %q: want text or jsonl", flags.format))
	}
	rules := audit.Rules()
	if flags.explain != "" {
		r, ok := audit.RuleOf(sitemap.Code(flags.explain))
		if !ok {
			return misuse(cmd, unknownCode(flags.explain))
		}
		rules = []audit.Rule{r}
	}
	out, err := a.create(flags.out)
	if err != nil {
		return err
	}
	for _, r := range rules {
		switch {
		case flags.format == "jsonl":
			line := ruleLine{r.Code, r.Severity, r.Summary, r.Why, r.Fix, r.Source}
			out.Write(append(jsonl.Marshal(line), '\n'))
		case flags.explain != "":
			const page = "%s (%s): %s.\n\n%s\n\nFix: %s\n\nSource: %s.\n"
			fmt.Fprintf(out, page, r.Code, r.Severity, r.Summary, r.Why, r.Fix, r.Source)
		default:
			fmt.Fprintf(out, "%-36s %-8s %s\n", r.Code, r.Severity, r.Summary)
		}
	}
	return a.finish(out, nil)
}

// A ruleLine is a rule as "check --rules --format jsonl" prints it.
type ruleLine struct {
	Code     sitemap.Code     `json:"code"`
	Severity sitemap.Severity `json:"severity"`
	Summary  string           `json:"summary"`
	Why      string           `json:"why"`
	Fix      string           `json:"fix"`
	Source   string           `json:"source"`
}
