// Command sitemap finds, fetches and reads the sitemaps of web sites.
//
//	sitemap demo                a tour that needs no network
//	sitemap urls example.com    the URLs of a site
//
// Run "sitemap help" for its commands and help topics. Each command is a package below
// cmd/internal, which returns it by its function Command.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-322c453a/sitemap/cmd/internal/batch"
	"github.com/seed-322c453a/sitemap/cmd/internal/check"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/cmd/internal/demo"
	"github.com/seed-322c453a/sitemap/cmd/internal/diff"
	"github.com/seed-322c453a/sitemap/cmd/internal/parse"
	"github.com/seed-322c453a/sitemap/cmd/internal/report"
	"github.com/seed-322c453a/sitemap/cmd/internal/robots"
	"github.com/seed-322c453a/sitemap/cmd/internal/stats"
	"github.com/seed-322c453a/sitemap/cmd/internal/submit"
	"github.com/seed-322c453a/sitemap/cmd/internal/tree"
	"github.com/seed-322c453a/sitemap/cmd/internal/urls"
	"github.com/seed-322c453a/sitemap/cmd/internal/version"
	"github.com/seed-322c453a/sitemap/cmd/internal/watch"
)

// grace is how long an interrupted command may take to end. A read of standard input can block for
// longer. It is a variable for tests.
var grace = time.Second

func main() {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // nohup ignores it
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	a := cli.NewApp(ctx, os.Stdin, os.Stdout, os.Stderr)
	context.AfterFunc(ctx, func() {
		time.Sleep(100 * time.Millisecond) // a terminal and a shell may both send one
		again := make(chan os.Signal, 1)
		signal.Notify(again, signals...)
		stop()
		select {
		case <-again: // a second signal ends the process at once
		case <-time.After(grace + a.Grace()):
		}
		a.RemoveTemps()
		time.AfterFunc(grace, func() { os.Exit(cli.ExitInterrupted) }) // standard error may block
		fmt.Fprintln(os.Stderr, "sitemap: interrupted")
		os.Exit(cli.ExitInterrupted)
	})
	signal.Ignore(syscall.SIGPIPE) // a write to a closed pipe returns an error
	log.SetOutput(io.Discard)      // net/http logs unexpected bytes of servers
	os.Exit(execute(a, os.Args[1:]))
}

// execute runs the command that args name and returns its exit status.
func execute(a *cli.App, args []string) int {
	root := rootCommand(a)
	root.SetArgs(args)
	root.PersistentPreRun = func(cmd *cobra.Command, _ []string) { a.SetCommandLine(cmd, args) }
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	return a.Status(root.ExecuteContext(a.Context))
}

// rootCommand returns the command with all its commands.
func rootCommand(a *cli.App) *cobra.Command {
	return cli.Root(a, version.String(),
		urls.Command(a), tree.Command(a), parse.Command(a), check.Command(a), report.Command(a),
		diff.Command(a), stats.Command(a), submit.Command(a), batch.Command(a), watch.Command(a),
		robots.Command(a), demo.Command(a), version.Command(a))
}
