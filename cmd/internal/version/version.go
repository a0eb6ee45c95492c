// Package version is the command sitemap version, which prints the version of the command.
package version

import (
	"cmp"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/cmd/internal/output"
)

// Command returns the command sitemap version.
func Command(a *cli.App) *cobra.Command {
	return cli.WithHelp(&cobra.Command{
		Use:                   "version",
		DisableFlagsInUseLine: true,
		Args:                  cli.Exactly(0, "version takes no arguments"),
		RunE: func(*cobra.Command, []string) error {
			out := output.New(a)
			fmt.Fprintln(out, "sitemap", String())
			return out.Finish(nil)
		},
	})
}

// String returns the version of the running command: see versionOf.
func String() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(devel)"
	}
	return format(info)
}

// Number returns the version alone.
func Number() string {
	number, _, _ := strings.Cut(String(), ",")
	return number
}

// format returns the version of the module, or the commit if the command was built from a clone
// without a tag, then the day of the commit as far as it is known, and the version of Go: "v0.9.0,
// 2026-11-23, go1.26.8".
func format(info *debug.BuildInfo) string {
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	name := cmp.Or(info.Main.Version, "(devel)")
	commit := settings["vcs.revision"]
	if commit != "" && (name == "(devel)" || strings.HasPrefix(name, "v0.0.0-")) {
		name = commit[:min(len(commit), 12)]
		if settings["vcs.modified"] == "true" {
			name += " with changes"
		}
	}
	parts := []string{name, info.GoVersion}
	if day, _, ok := strings.Cut(settings["vcs.time"], "T"); ok {
		parts = []string{name, day, info.GoVersion}
	}
	return strings.Join(parts, ", ")
}
