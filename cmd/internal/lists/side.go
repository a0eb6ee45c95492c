package lists

import (
	"cmp"
	"context"
	"io"

	"github.com/seed-322c453a/sitemap/batch"
)

// A sideFile is a file beside the output, with lines in the order of the list.
type sideFile struct {
	sink  *batch.InOrder
	close func(err error) error // of the command; returns it, or another one
}

// part returns the part of a task. Without a file it takes nothing.
func (f *sideFile) part(ctx context.Context, task batch.Task) batch.Part {
	if f == nil {
		return noPart{}
	}
	p, _ := f.sink.Part(ctx, task) // Write returns its error too
	return p
}

// end ends the file of a command that ended with err.
func (f *sideFile) end(err error) error {
	if f == nil {
		return err
	}
	closeErr := f.sink.Close()
	return f.close(cmp.Or(err, closeErr))
}

// A noPart takes nothing.
type noPart struct{}

func (noPart) Write(p []byte) (int, error)                { return len(p), nil }
func (noPart) Commit(context.Context, batch.Counts) error { return nil }
func (noPart) Discard()                                   {}

// pipe returns a writer to what read reads, and a function that waits until it has.
func pipe(read func(io.Reader) error) (to io.Writer, end func() error) {
	r, lines := io.Pipe()
	done := make(chan error, 1)
	go func() {
		err := read(r)
		r.CloseWithError(err)
		done <- err
	}()
	return lines, func() error {
		lines.Close()
		return <-done
	}
}

// readLines passes on the lines of r.
func readLines(r io.Reader, read func(batch.Line) error) error {
	for l, err := range batch.Lines(r) {
		if err == nil {
			err = read(l)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
