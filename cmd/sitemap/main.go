// Command sitemap finds, fetches and reads the sitemaps of web sites.
//
// Run "sitemap help" for its commands, and "sitemap demo" for a tour.
package main

import (
	"context"
	"errors"
	"io"
	"log"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/seed-322c453a/sitemap"
)

// Exit statuses.
const (
	exitOK          = 0
	exitFailed      = 1 // something could not be read
	exitUsage       = 2
	exitInterrupted = 130
)

// Where memory grows, the garbage is to be a quarter of it only. But most walks hold a few
// megabytes, and to collect a quarter of that each time would take a sixth of their CPU: so
// the ballast counts too, which is never touched and takes address space only.
const (
	gcPercent = 25
	ballast   = 16 << 20
)

func main() {
	var held []byte
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
		held = make([]byte, ballast)
	}
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as nohup wants it
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	// A second Ctrl-C ends the process at once.
	context.AfterFunc(ctx, stop)
	// A closed pipe is an error of a write, so that files can be closed first.
	signal.Ignore(syscall.SIGPIPE)
	// net/http logs what a server sends too much; nothing of ours is logged.
	log.SetOutput(io.Discard)
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	runtime.KeepAlive(held)
	os.Exit(code)
}

// run runs the command and returns its exit status.
func run(ctx context.Context, args []string, in io.Reader, out, err io.Writer) int {
	stdout := &contextWriter{ctx: ctx, w: out}
	defer stdout.close()
	a := &app{ctx: ctx, in: &contextReader{ctx: ctx, r: in}, out: stdout, terminal: isTerminal(out), stderr: err, diag: &messages{w: err}}
	root := a.command()
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(err)
	return a.status(root.ExecuteContext(ctx))
}

// An app is one run of the command.
type app struct {
	ctx      context.Context // ends when the command is interrupted
	in       io.Reader
	out      io.Writer
	terminal bool      // whether out is one
	stderr   io.Writer // as given; see diag
	diag     *messages
	failed   bool
}

// status tells how the run ended.
func (a *app) status(err error) int {
	var usage *usageError
	switch {
	case errors.Is(err, context.Canceled):
		a.diag.printf("interrupted")
		return exitInterrupted
	case errors.Is(err, errStopped):
		err = nil
	case errors.As(err, &usage):
		a.diag.printf("%v", usage.err)
		if usage.command != "" {
			a.diag.line("Run '" + usage.command + " --help' for usage.")
		}
		return exitUsage
	}
	if err != nil {
		a.fail("%v", err)
	}
	if a.failed {
		return exitFailed
	}
	return exitOK
}

// fail says what could not be read or written; the exit status will be 1.
func (a *app) fail(format string, args ...any) {
	a.failed = true
	a.diag.printf(format, args...)
}

// errStopped ends a command that is done before all is read: nobody reads what
// it prints any more, or it has printed as much as was asked for.
var errStopped = errors.New("stopped")

// A usageError is a wrong command line.
type usageError struct {
	command string // whose help explains it
	err     error
}

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

// misuse returns a usageError of cmd.
func misuse(cmd *cobra.Command, err error) error {
	return &usageError{cmd.CommandPath(), err}
}

// atLeastOne wants an argument, unless --from names some.
func atLeastOne(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if from := cmd.Flags().Lookup("from"); len(args) == 0 && (from == nil || from.Value.String() == "") {
			return misuse(cmd, errors.New("no "+what+" given"))
		}
		if slices.Contains(args, "") {
			return misuse(cmd, errors.New("empty "+what))
		}
		return nil
	}
}

const rootHelp = `Sitemap finds, fetches and reads the sitemaps of web sites.

Given a site, it reads the Sitemap lines of robots.txt (or tries the usual
places where there are none), gets each document, decompresses it, tells its
format by its content (urlset, sitemapindex, RSS, Atom, plain text), follows
indexes, and prints the URLs. What is damaged is read as far as it goes, and
what could not be read is said on standard error.

Start with "sitemap demo", a tour that needs no network, then:

  sitemap urls example.com        the URLs of a site
  sitemap tree example.com        the sitemaps they come from
  sitemap parse sitemap.xml.gz    the entries of a file
  sitemap check example.com       what is wrong with the sitemaps
  sitemap robots example.com      the Sitemap lines of robots.txt

Exit status: 0 everything was read; 1 something could not be read (the rest is
printed), or check found an error; 2 wrong usage; 130 interrupted.`

func (a *app) command() *cobra.Command {
	root := &cobra.Command{
		Use:           "sitemap",
		Short:         "Find, fetch and read the sitemaps of web sites",
		Long:          rootHelp,
		Version:       version(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return misuse(cmd, errors.New("unknown command "+quote(sitemap.Redact(args[0]))))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			cmd.SetOut(a.stderr)
			cmd.Help()
			return &usageError{err: errors.New("no command given")}
		},
	}
	root.SetFlagErrorFunc(misuse)
	root.SetVersionTemplate("sitemap {{.Version}}\n")
	root.AddCommand(a.urlsCommand(), a.treeCommand(), a.parseCommand(), a.checkCommand(), a.robotsCommand(), a.demoCommand())
	root.InitDefaultHelpCmd()
	help, _, _ := root.Find([]string{"help"})
	help.Args = func(_ *cobra.Command, args []string) error {
		if topic, _, err := root.Find(args); len(args) > 0 && (err != nil || topic == root) {
			return misuse(root, errors.New("unknown command "+quote(sitemap.Redact(args[0]))))
		}
		return nil
	}
	return root
}

// version returns the version of the module that the command was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}
