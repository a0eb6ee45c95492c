// Command sitemap finds, fetches and reads the sitemaps of web sites.
//
//	sitemap demo                a tour that needs no network
//	sitemap urls example.com    the URLs of a site
//
// Run "sitemap help" for its commands and help topics. The texts are in the folder help.
//
// Each file builds on those below it:
//
//	main.go        main and the root command
//	demo.go        sitemap demo
//	demosite.go    the sites of the demo
//	urls.go        sitemap urls
//	journal.go     what a run with --state keeps
//	tree.go        sitemap tree
//	report.go      sitemap report
//	check.go       sitemap check
//	checkrules.go  check --rules and --explain
//	checkflags.go  the flags of check, and the findings that count
//	batch.go       sitemap batch
//	batchread.go   batch status and batch cat
//	batchrun.go    what run.json says
//	stats.go       sitemap stats
//	submit.go      sitemap submit
//	diff.go        sitemap diff
//	listing.go     the URLs of an export, sorted
//	folder.go      sites in a folder
//	parse.go       sitemap parse
//	robots.go      sitemap robots
//	version.go     sitemap version
//	walk.go        the targets of a command, several at once
//	visit.go       one target to URLs, problems and documents
//	save.go        documents as they were served
//	queue.go       lines that wait for their turn
//	selector.go    which URLs are printed
//	target.go      what the arguments name
//	flags.go       flags of several commands
//	values.go      values of flags
//	help.go        help texts and help topics
//	progress.go    progress on a terminal
//	parquet.go     records as Parquet
//	columns.go     records as text, jsonl and CSV
//	encode.go      cells of CSV
//	suffix.go      what the suffix of -o says
//	output.go      standard output and files
//	tally.go       problems as text, and their numbers
//	failure.go     errors as text
//	closed_*.go    standard files closed before the start
//	console_*.go   whether a console reads escape sequences
//	app.go         exit statuses and usage errors
//	messages.go    lines on standard error
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed-322c453a/sitemap"
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
	context.AfterFunc(ctx, func() {
		stop() // a second signal ends the process at once
		time.Sleep(grace)
		fmt.Fprintln(os.Stderr, "sitemap: interrupted")
		os.Exit(exitInterrupted)
	})
	signal.Ignore(syscall.SIGPIPE) // a write to a closed pipe returns an error
	log.SetOutput(io.Discard)      // net/http logs unexpected bytes of servers
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run runs the command and returns its exit status.
func run(ctx context.Context, args []string, in io.Reader, out, err io.Writer) int {
	a := &app{ctx: ctx, in: in, out: out, stderr: err, diag: &messages{w: err}}
	return a.run(args)
}

func (a *app) run(args []string) int {
	root := a.command()
	root.SetArgs(args)
	root.SetOut(a.out)
	root.SetErr(a.stderr)
	return a.status(root.ExecuteContext(a.ctx))
}

func (a *app) command() *cobra.Command {
	root := document(&cobra.Command{
		Use:           "sitemap",
		Version:       version(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return misuse(cmd, unknownCommand(cmd, args[0]))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			cmd.SetOut(a.stderr)
			cmd.Help()
			return &usageError{err: errors.New("no command given")}
		},
	})
	root.SetFlagErrorFunc(badFlag)
	root.SetHelpFunc(printHelp)
	root.SetVersionTemplate("sitemap {{.Version}}\n")
	root.AddCommand(a.urlsCommand(), a.treeCommand(), a.parseCommand(), a.checkCommand(),
		a.reportCommand(), a.diffCommand(), a.statsCommand(), a.submitCommand(), a.batchCommand(), a.robotsCommand(), a.demoCommand(), a.versionCommand())
	addTopics(root)
	root.InitDefaultHelpCmd()
	help, _, _ := root.Find([]string{"help"})
	help.Args = func(_ *cobra.Command, args []string) error {
		if topic, _, err := root.Find(args); len(args) > 0 && (err != nil || topic == root) {
			return misuse(root, unknownCommand(root, args[0]))
		}
		return nil
	}
	return root
}

// unknownCommand returns the error about an unknown command, with the one that may be meant.
func unknownCommand(root *cobra.Command, name string) error {
	shown := sitemap.Redact(name)
	err := fmt.Errorf("unknown command %q", shown)
	if near := root.SuggestionsFor(name); len(near) > 0 {
		return fmt.Errorf("%w; did you mean: sitemap %s", err, near[0])
	}
	if strings.ContainsAny(name, "./:") {
		return fmt.Errorf("%w; did you mean: sitemap urls %s", err, shown)
	}
	return err
}

var unknownFlag = regexp.MustCompile(`^unknown flag: --(\S+)`)

// badFlag returns the error about a flag, with the flag that may be meant.
func badFlag(cmd *cobra.Command, err error) error {
	if m := unknownFlag.FindStringSubmatch(err.Error()); m != nil {
		names := &cobra.Command{SuggestionsMinimumDistance: 2}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			names.AddCommand(&cobra.Command{Use: f.Name, Run: func(*cobra.Command, []string) {}})
		})
		if near := names.SuggestionsFor(m[1]); len(near) > 0 {
			err = fmt.Errorf("%w; did you mean --%s", err, near[0])
		}
	}
	return misuse(cmd, err)
}
