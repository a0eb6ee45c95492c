package findings

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/audit"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
)

// A githubPrinter prints the workflow commands that GitHub shows beside the lines of a file.
type githubPrinter struct{ *writer }

var (
	dataEscaper     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	propertyEscaper = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A",
		":", "%3A", ",", "%2C")
)

func (p *githubPrinter) Finding(f *audit.Finding, _ string) {
	command := f.Severity.String()
	if f.Severity == sitemap.SeverityInfo {
		command = "notice"
	}
	place := "file=" + propertyEscaper.Replace(printable(filepath.ToSlash(f.Sitemap)))
	if f.Pos.Line > 0 {
		place += fmt.Sprintf(",line=%d", f.Pos.Line)
		if f.Column > 0 {
			place += fmt.Sprintf(",col=%d", f.Column)
		}
	}
	message := f.Message
	if f.Loc != "" && !strings.Contains(message, f.Loc) {
		message += "\n" + f.Loc
	}
	if f.Fix != "" {
		message += "\n" + f.Fix
	}
	fmt.Fprintf(p, "::%s %s,title=%s::%s\n", command, place,
		f.Code, dataEscaper.Replace(cli.Harmless(message, "\r\n\t")))
}
