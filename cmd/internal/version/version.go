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
	return cli.Command("version", cli.Exactly(0, "version takes no arguments"),
		func(*cobra.Command, []string) error {
			out := output.New(a)
			fmt.Fprintln(out, "sitemap", String())
			return out.Finish(nil)
		})
}

// String returns the version of the running command.
func String() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(devel)"
	}
	return Of(info)
}

// Number returns the version alone.
func Number() string {
	number, _, _ := strings.Cut(String(), ",")
	return number
}

// Of returns the version of the module, which names the commit if the command was built from a
// clone without a tag, then the day of the commit if it is known, and the version of Go: "v0.9.0,
// 2026-11-23, go1.26.8".
func Of(info *debug.BuildInfo) string {
	version := cmp.Or(info.Main.Version, "(devel)")
	for _, s := range info.Settings {
		if day, _, ok := strings.Cut(s.Value, "T"); ok && s.Key == "vcs.time" {
			version += ", " + day
		}
	}
	return version + ", " + info.GoVersion
}
