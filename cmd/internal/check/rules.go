package check

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/audit"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/cmd/internal/output"
	"github.com/seed-322c453a/sitemap/internal/jsonl"
)

// printRules prints all rules, or the page of one.
func printRules(a *cli.App, cmd *cobra.Command, args []string, flags *Flags) error {
	switch {
	case len(args) > 0 || flags.rules && flags.explain != "":
		return cli.Misuse(cmd, errors.New("--rules and --explain take no TARGET"))
	case flags.Format != "text" && flags.Format != "jsonl":
		return cli.Misuse(cmd, fmt.Errorf("--format: --rules and --explain print text or jsonl, not %s", flags.Format))
	}
	rules := audit.Rules()
	if flags.explain != "" {
		r, ok := audit.RuleOf(sitemap.Code(flags.explain))
		if !ok {
			return cli.Misuse(cmd, unknownCode(flags.explain))
		}
		rules = []audit.Rule{r}
	}
	out, err := output.Create(a, flags.Out)
	if err != nil {
		return err
	}
	for _, r := range rules {
		switch {
		case flags.Format == "jsonl":
			line := ruleLine{r.Code, r.Severity, r.Summary, r.Why, r.Fix, r.Source}
			out.Write(append(jsonl.Marshal(line), '\n'))
		case flags.explain != "":
			const page = "%s (%s): %s.\n\n%s\n\nFix: %s\n\nSource: %s.\n"
			fmt.Fprintf(out, page, r.Code, r.Severity, r.Summary, r.Why, r.Fix, r.Source)
		default:
			fmt.Fprintf(out, "%-36s %-8s %s\n", r.Code, r.Severity, r.Summary)
		}
	}
	return out.Finish(nil)
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
