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

// Width returns the number of columns of the terminal that is standard output, or 0.
func (a *App) Width() int {
	if !IsTerminal(a.Out) {
		return 0
	}
	width, _, _ := cwriter.GetSize(int(a.Out.(*os.File).Fd()))
	return max(0, width) // an error returns -1 or 0
}

// SharesTerminal reports whether standard output and standard error are one terminal.
func (a *App) SharesTerminal() bool {
	if !IsTerminal(a.Out) || !IsTerminal(a.Err) {
		return false
	}
	out, outErr := a.Out.(*os.File).Stat()
	err, errErr := a.Err.(*os.File).Stat()
	return outErr == nil && errErr == nil && os.SameFile(out, err)
}

// Results returns the writer of results to standard output. On a terminal, it writes them above the
// progress display.
func (a *App) Results() io.Writer {
	if !a.SharesTerminal() {
		return a.Out
	}
	return &resultWriter{log: a.Log, w: a.Out}
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
