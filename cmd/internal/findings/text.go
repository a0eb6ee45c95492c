package findings

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/mattn/go-runewidth"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/audit"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
)

// indent is before the lines of a finding after its first.
const indent = "    "

// shownOf is how many findings of one rule in one document are printed.
const shownOf = 5

// A textPrinter prints findings for people. It groups those in one document, and those about the
// site as a whole, by their rules.
type textPrinter struct {
	w      *writer
	o      Options
	groups map[sitemap.Code]*group
	order  []sitemap.Code
}

// A group holds the first findings of one rule.
type group struct {
	findings []audit.Finding
	count    int64
}

func (p *textPrinter) printf(format string, args ...any) { fmt.Fprintf(p.w, format, args...) }

// Finding prints a finding, or keeps it for its group.
func (p *textPrinter) Finding(f *audit.Finding, _ string) {
	if p.o.All {
		p.print(f, true)
		return
	}
	g := p.groups[f.Code]
	if g == nil {
		g = &group{}
		p.groups[f.Code] = g
		p.order = append(p.order, f.Code)
	}
	if g.count++; len(g.findings) < shownOf {
		g.findings = append(g.findings, *f)
	}
}

// flush prints the groups.
func (p *textPrinter) flush() {
	for _, code := range p.order {
		g := p.groups[code]
		for i := range g.findings {
			isLast := i == len(g.findings)-1 || g.findings[i].Fix != g.findings[i+1].Fix
			p.print(&g.findings[i], isLast)
		}
		if more := g.count - int64(len(g.findings)); more > 0 {
			p.printf("    %s more [%s]: --all\n", cli.Thousands(more), code)
		}
	}
	clear(p.groups)
	p.order = p.order[:0]
}

// Document prints the findings in a document, and with Verbose the document unless it failed.
func (p *textPrinter) Document(d *DocumentEnd) {
	p.flush()
	if p.o.Verbose && d.Code == "" {
		p.printf("%s: %s\n", p.bold(d.Name), printable(d.Text))
	}
}

// End prints the findings that are left, and the totals.
func (p *textPrinter) End(t Totals) error {
	p.flush()
	p.printf("%s, %s: %s, %s, %s\n", cli.Plural(t.Documents, "document"), cli.Plural(t.URLs, "URL"),
		cli.Plural(t.Errors, "error"), cli.Plural(t.Warnings, "warning"),
		cli.Plural(t.Infos, "info"))
	return p.w.err
}

// print prints a finding, and the fix if it is the last finding with this fix.
func (p *textPrinter) print(f *audit.Finding, withFix bool) {
	p.printf("%s: %s: %s [%s]\n", p.bold(f.Sitemap+Location(f)), p.severity(f.Severity),
		printable(f.Message), f.Code)
	shown := f.Message
	if line := f.Excerpt.Text; line != "" {
		text, column := fit(line, f.Excerpt.Caret, max(0, p.o.Width-len(indent)))
		p.printf("%s%s\n%s%s%s\n", indent, text, indent, strings.Repeat(" ", column),
			p.paint("^", green))
		shown += line
	}
	if f.Loc != "" && !strings.Contains(shown, f.Loc) {
		p.printf("    entry: %s\n", printable(f.Loc))
	}
	if withFix && f.Fix != "" {
		p.printf("    fix: %s\n", printable(f.Fix))
	}
}

// Location returns ":line:column", as far as they are known.
func Location(f *audit.Finding) string {
	if f.Pos.Line == 0 {
		return ""
	}
	s := ":" + strconv.Itoa(f.Pos.Line)
	if f.Column > 0 {
		s += ":" + strconv.Itoa(f.Column)
	}
	return s
}

// The colours of severities and carets.
const (
	red    = "31"
	yellow = "33"
	green  = "32"
	cyan   = "36"
	bold   = "1"
)

func (p *textPrinter) paint(s, style string) string {
	if !p.o.Color {
		return s
	}
	return "\x1b[" + style + "m" + s + "\x1b[0m"
}

func (p *textPrinter) bold(s string) string { return p.paint(printable(s), bold) }

func (p *textPrinter) severity(s sitemap.Severity) string {
	return p.paint(s.String(), [...]string{cyan, yellow, red}[s])
}

// fit returns the text of a line around its caret, the index of a byte, and the column of the caret
// in it, from 0. The text is at most width columns wide, unless width is 0.
func fit(line string, caret, width int) (text string, column int) {
	line = strings.ReplaceAll(line, "\t", " ")
	caret = min(caret, len(line))
	before, after := printable(line[:caret]), printable(line[caret:])
	left, right := runewidth.StringWidth(before), runewidth.StringWidth(after)
	if width == 0 || left+right <= width {
		return before + after, left
	}
	right = min(right, max(width-left, width/3))
	if room := width - right; left > room {
		before = runewidth.TruncateLeft(before, left-room+1, ellipsis)
		left = runewidth.StringWidth(before)
	}
	return before + runewidth.Truncate(after, width-left, ellipsis), left
}

const ellipsis = "…"

// printable replaces characters that control a terminal, ends of lines, and the signs of commands
// in the logs of GitHub and Azure.
func printable(s string) string {
	s = strings.ReplaceAll(cli.Printable(s), "\n", "\ufffd")
	if strings.HasPrefix(strings.TrimSpace(s), "::") {
		s = strings.Replace(s, "::", ":\ufffd", 1)
	}
	return s
}
