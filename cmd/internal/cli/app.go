// Package cli holds the code that the commands share: flags, help, messages and exit statuses.
//
// Each file builds on those below it:
//
//	printflags.go       flags of the commands that print results
//	walkflags.go        flags of the commands that walk sites or read files
//	selectflags.go      flags that choose documents and URLs
//	fetchflags.go       flags for requests
//	values.go           values of flags, and checks of them
//	root.go             the command sitemap, wrong command lines, and help
//	input.go            standard input, files and terminals
//	console_windows.go  makes a console read escape sequences
//	console_other.go    where terminals read them anyway
//	failure.go          errors, problems and the command line as text
//	app.go              a run of the command: lines on standard error, and the exit status
//	text.go             numbers and names as text
package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spf13/cobra"
)

// Exit statuses.
const (
	ExitOK          = 0
	ExitFailed      = 1 // something could not be read
	ExitUsage       = 2
	ExitInterrupted = 130
)

// An App is one run of the command.
type App struct {
	Context context.Context // ends when the command is interrupted
	in      io.Reader
	Out     io.Writer
	Err     io.Writer
	Log     *Log        // writes to Err
	Failed  atomic.Bool // something could not be read or written

	Transport http.RoundTripper // of requests; nil: that of package fetch

	Version     string
	CommandLine string // without credentials

	linger atomic.Int64 // see Linger
	temps  sync.Map     // see NoteTemp
}

// NewApp returns the run of a command that reads in, and writes to out and err.
func NewApp(ctx context.Context, in io.Reader, out, err io.Writer) *App {
	return &App{Context: ctx, in: in, Out: out, Err: err, Log: &Log{w: err}}
}

// Linger sets how long the command may go on after an interrupt.
func (a *App) Linger(d time.Duration) { a.linger.Store(int64(d)) }

// Grace returns the time that Linger has set.
func (a *App) Grace() time.Duration { return time.Duration(a.linger.Load()) }

// NoteTemp notes that a temporary file was created.
func (a *App) NoteTemp(name string) { a.temps.Store(name, true) }

// NoteGone notes that a temporary file was removed.
func (a *App) NoteGone(name string) { a.temps.Delete(name) }

// RemoveTemps removes the temporary files of a command that is ended by force.
func (a *App) RemoveTemps() {
	for name := range a.temps.Range {
		os.Remove(name.(string))
	}
}

// Status returns the exit status of a run that ended with err, and reports err.
func (a *App) Status(err error) int {
	var usage *UsageError
	switch {
	case errors.Is(err, context.Canceled):
		a.Log.Printf("interrupted")
		return ExitInterrupted
	case errors.Is(err, ErrStopped):
		err = nil
	case errors.As(err, &usage):
		a.Log.Printf("%v", usage.Err)
		if usage.command != "" {
			a.Log.Line("Run '" + usage.command + " --help' for usage.")
		}
		return ExitUsage
	}
	if err != nil {
		a.Fail("%v", err)
	}
	if a.Failed.Load() {
		return ExitFailed
	}
	return ExitOK
}

// Fail reports a failure to read or write. The exit status will be 1.
func (a *App) Fail(format string, args ...any) {
	a.Failed.Store(true)
	a.Log.line(slog.LevelError, "sitemap: "+fmt.Sprintf(format, args...))
}

// Ended returns why ctx has ended. It checks the context of the command first, since that ends a
// moment before the contexts derived from it.
func (a *App) Ended(ctx context.Context) error {
	if cause := context.Cause(ctx); a.Context.Err() == nil && errors.Is(cause, ErrMaxTime) {
		return cause
	}
	return cmp.Or(a.Context.Err(), ctx.Err())
}

// ErrStopped ends a command early without a failure: standard output was closed, or --max-urls was
// reached.
var ErrStopped = errors.New("stopped")

// IsClosedPipe reports whether err means that nobody reads what is written.
func IsClosedPipe(err error) bool {
	const brokenPipe, noData = syscall.Errno(109), syscall.Errno(232) // on Windows
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) ||
		errors.Is(err, brokenPipe) || errors.Is(err, noData)
}

// ErrMaxTime ends a run whose time is over. Its output so far is valid.
var ErrMaxTime = errors.New("stopped after --max-time; the results so far are printed")

// A UsageError is a wrong command line.
type UsageError struct {
	command string // its help explains the usage
	Err     error
}

func (e *UsageError) Error() string { return e.Err.Error() }

func (e *UsageError) Unwrap() error { return e.Err }

// Misuse returns a [UsageError] of cmd.
func Misuse(cmd *cobra.Command, err error) error { return &UsageError{cmd.CommandPath(), err} }

// UsageOf returns the first of errs as a [UsageError] of cmd.
func UsageOf(cmd *cobra.Command, errs ...error) error {
	if err := cmp.Or(errs...); err != nil {
		return Misuse(cmd, err)
	}
	return nil
}

// A Log writes whole lines to standard error, from any goroutine.
type Log struct {
	mu  sync.Mutex
	w   io.Writer
	bar io.Writer // receives lines while progress is shown, else nil
	to  *slog.Logger
}

// Records makes each line a record of log/slog on standard error, as JSON or text, and returns the
// logger for records of your own.
func (m *Log) Records(asJSON bool) *slog.Logger {
	var h slog.Handler = slog.NewTextHandler(m.w, nil)
	if asJSON {
		h = slog.NewJSONHandler(m.w, nil)
	}
	m.to = slog.New(h)
	return m.to
}

// Printf writes a line that starts with the command's name.
func (m *Log) Printf(format string, args ...any) {
	m.Line("sitemap: " + fmt.Sprintf(format, args...))
}

// Line writes a line. It makes control characters visible, since they may be from the web.
func (m *Log) Line(s string) { m.line(slog.LevelInfo, s) }

// line writes a line, whose level is in records only.
func (m *Log) line(level slog.Level, s string) {
	if m.to != nil {
		m.to.Log(context.Background(), level, Printable(strings.TrimPrefix(s, "sitemap: ")))
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	w := m.w
	if m.bar != nil {
		w = m.bar
	}
	io.WriteString(w, Printable(s)+"\n")
}

// SetBar sends lines through bar, or back to standard error if bar is nil.
func (m *Log) SetBar(bar io.Writer) {
	m.mu.Lock()
	m.bar = bar
	m.mu.Unlock()
}

// A resultWriter writes whole lines to w, or above the progress display while that is shown.
type resultWriter struct {
	log  *Log
	w    io.Writer
	rest []byte // begins a line
}

func (r *resultWriter) Write(p []byte) (int, error) {
	r.log.mu.Lock()
	defer r.log.mu.Unlock()
	lines, w := append(r.rest, p...), r.w
	r.rest = nil
	if r.log.bar != nil {
		end := bytes.LastIndexByte(lines, '\n') + 1
		lines, r.rest, w = lines[:end], lines[end:], r.log.bar
	}
	if _, err := w.Write(lines); err != nil {
		return 0, err
	}
	return len(p), nil
}
