package cli

import (
	"io"
	"os"

	"github.com/vbauerster/mpb/v8/cwriter"
)

// HasColor reports whether standard output is a terminal that shows colours.
func (a *App) HasColor() bool {
	return IsTerminal(a.Out) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" &&
		readsEscapes(a.Out.(*os.File))
}

// IsTerminal reports whether w is a terminal.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && cwriter.IsTerminal(int(f.Fd()))
}

// IsPiped reports whether something other than a terminal is on standard input.
func (a *App) IsPiped() bool {
	f, ok := a.in.(*os.File)
	if !ok {
		return a.in != nil
	}
	info, err := f.Stat()
	const piped = os.ModeNamedPipe | os.ModeSocket
	return err == nil && (info.Mode()&piped != 0 || info.Mode().IsRegular())
}

// Open opens a file or standard input. Reading fails when the command is interrupted.
func (a *App) Open(name string) (io.ReadCloser, error) {
	if name == Stdin {
		return &input{a, io.NopCloser(a.in)}, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	return &input{a, f}, nil
}

// An input is a file that is read until the command is interrupted.
type input struct {
	app *App
	io.ReadCloser
}

func (i *input) Read(p []byte) (int, error) {
	if err := i.app.Context.Err(); err != nil {
		return 0, err
	}
	return i.ReadCloser.Read(p)
}
