package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"sync/atomic"

	"github.com/spf13/cobra"
)

// Exit statuses.
const (
	exitOK          = 0
	exitFailed      = 1 // something could not be read
	exitUsage       = 2
	exitInterrupted = 130
)

// An app is one run of the command.
type app struct {
	ctx    context.Context // ends when the command is interrupted
	in     io.Reader
	out    io.Writer
	stderr io.Writer
	diag   *messages // writes to stderr
	failed atomic.Bool

	// The exit status is the result, so that standard output may be closed or the null device.
	judges bool

	transport http.RoundTripper // of requests; nil: that of package fetch
}

// status returns the exit status of a run that ended with err, and reports err.
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
	if a.failed.Load() {
		return exitFailed
	}
	return exitOK
}

// fail reports what could not be read or written. The exit status will be 1.
func (a *app) fail(format string, args ...any) {
	a.failed.Store(true)
	a.diag.printf(format, args...)
}

// ended returns why ctx has ended. It looks at the context of the command first, which ends a
// moment before the contexts derived from it.
func (a *app) ended(ctx context.Context) error {
	return cmp.Or(a.ctx.Err(), ctx.Err())
}

// errStopped ends a command early without a failure: standard output was closed, or --max-urls was
// reached.
var errStopped = errors.New("stopped")

// A usageError is a wrong command line.
type usageError struct {
	command string // its help explains the usage
	err     error
}

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

// misuse returns a usageError of cmd.
func misuse(cmd *cobra.Command, err error) error { return &usageError{cmd.CommandPath(), err} }

// usageOf returns the first of errs as a usageError of cmd.
func usageOf(cmd *cobra.Command, errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return misuse(cmd, err)
		}
	}
	return nil
}

// exactly requires n arguments.
func exactly(n int, message string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			return misuse(cmd, errors.New(message))
		}
		return nil
	}
}
