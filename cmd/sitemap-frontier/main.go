// Command sitemap-frontier walks the sites in a URLFrontier and gives a crawler the pages of their
// sitemaps.
//
//	sitemap-frontier work --frontier host:7071 -o parts/    walk the domains of a frontier
//	sitemap-frontier emit parts/ --frontier host:7071       put what was found into one
//
// The texts of its help are in the folder help.
package main

import (
	"context"
	"embed"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
)

// Exit statuses.
const (
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr, nil))
}

// run runs the command and returns its exit status. The transport is that of the walks, nil for
// the network.
func run(
	ctx context.Context, args []string, out, stderr io.Writer, transport http.RoundTripper,
) int {
	begun := false // the command line was right
	root := document(&cobra.Command{
		Use:              "sitemap-frontier COMMAND",
		SilenceErrors:    true,
		SilenceUsage:     true,
		PersistentPreRun: func(*cobra.Command, []string) { begun = true },
	})
	root.SetHelpTemplate(helpTemplate)
	root.AddCommand(workCommand(transport), emitCommand())
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	switch {
	case err == nil:
		return 0
	case ctx.Err() != nil:
		fmt.Fprintln(stderr, "sitemap-frontier: interrupted")
		return exitInterrupted
	}
	fmt.Fprintln(stderr, "sitemap-frontier:", err)
	if begun {
		return exitFailed
	}
	fmt.Fprintln(stderr, "Run 'sitemap-frontier --help' for usage.")
	return exitUsage
}

// helpTemplate is the help of a command: usage and examples first.
const helpTemplate = `{{.Short}}

Usage:
  {{.UseLine}}

Examples:
{{.Example}}

{{.Long}}
{{- if .HasAvailableSubCommands}}

Commands:{{range .Commands}}{{if or (eq .Name "work") (eq .Name "emit")}}
  {{.Name}}  {{.Short}}{{end}}{{end}}
{{else}}

Flags:
{{plain (.LocalFlags.FlagUsagesWrapped 80)}}{{end}}`

// plain removes what pflag prints after a flag without a value.
var plain = strings.NewReplacer("[=true|false]", "             ")

func init() { cobra.AddTemplateFunc("plain", plain.Replace) }

// helpFiles holds NAME.txt for each command: its first paragraph is the short description, its
// second the examples.
//
//go:embed help
var helpFiles embed.FS

// document sets the help of a command from its file.
func document(cmd *cobra.Command) *cobra.Command {
	text, err := helpFiles.ReadFile("help/" + cmd.Name() + ".txt")
	if err != nil {
		panic(err)
	}
	cmd.Short, cmd.Long, _ = strings.Cut(strings.TrimSpace(string(text)), "\n\n")
	cmd.Example, cmd.Long, _ = strings.Cut(cmd.Long, "\n\n")
	cmd.Flags().BoolP("help", "h", false, "")
	cmd.Flags().MarkHidden("help")
	return cmd
}
