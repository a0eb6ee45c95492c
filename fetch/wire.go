package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-322c453a/sitemap"
)

// A wire is the body of a response as it comes: bounded, timed, with typed
// errors. When it ends, by its own end, an error or end, the connection and the
// Limiter's slot are given back at once.
type wire struct {
	*getter
	src      source
	cancel   context.CancelCauseFunc
	unwatch  func() bool // ends watch, nil without it
	slot     *slot
	left     int64  // bytes until it is too large
	unframed bool   // only the end of the connection tells its end
	partial  string // what of the document it is, "" for all
	received atomic.Int64
	err      error // ends every Read once set
	once     sync.Once
}

// maxEmptyReads is how often in a row a Read may return nothing, as in package bufio.
const maxEmptyReads = 100

// A source is the body that a transport gave. That of a caller's may heed no context.
type source struct {
	io.ReadCloser
	ctx context.Context // of the attempt
}

// Read fails once ctx has ended.
func (s *source) Read(p []byte) (int, error) {
	for range maxEmptyReads {
		if s.ctx.Err() != nil {
			return 0, context.Cause(s.ctx)
		}
		n, err := s.ReadCloser.Read(p)
		if err == io.EOF && s.ctx.Err() != nil {
			err = context.Cause(s.ctx) // it may end so because it was closed
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
	return 0, io.ErrNoProgress
}

// Read returns all bytes before it returns an error.
func (w *wire) Read(p []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	if len(p) == 0 {
		return 0, nil
	}
	// One byte more than the limit tells a body that ends there from one that
	// is too large.
	if int64(len(p)) > w.left {
		p = p[:w.left+1]
	}
	w.slot.busy()
	w.clock.start(w.c.times.idle, "the next bytes of the body")
	begun := time.Now()
	n, err := w.src.Read(p)
	w.clock.stop()
	w.slot.idle()
	if int64(n) > w.left {
		n, err = int(w.left), sitemap.ErrTooLarge
	}
	w.left -= int64(n)
	w.received.Add(int64(n))
	if n > 0 || err == io.EOF {
		w.heard()
	}
	if err != nil {
		if err != io.EOF && err != sitemap.ErrTooLarge {
			w.slot.watch.failed(w.src.ctx, err)
		}
		w.err = w.explain(err)
		if err != io.EOF && w.received.Load() == 0 {
			w.slot.watch.heardNothing(w.err, begun)
		}
		w.Close()
		if n > 0 {
			return n, nil
		}
	}
	return n, w.err
}

// explain returns the error that a reader of the body gets for err.
func (w *wire) explain(err error) error {
	why := context.Cause(w.src.ctx)
	switch {
	case err == io.EOF && w.partial == "":
		return io.EOF
	case err == io.EOF:
		err = &cause{kind: ErrBody, detail: "body cut short: only " + w.partial + " was sent"}
	case err == sitemap.ErrTooLarge:
	case errors.Is(why, ErrClosed):
		err = ErrClosed
	case w.getter.ctx.Err() != nil:
		err = w.ended(err)
	case errors.Is(why, ErrTimeout):
		err = &cause{kind: ErrBody, err: why}
	default:
		err = &cause{kind: ErrBody, err: err}
	}
	return w.fail(err)
}

// watch closes the body when the attempt ends, so that a Read that goes on returns: net/http
// does so for its own.
func (w *wire) watch() {
	if _, ok := w.c.rt.(*http.Transport); !ok {
		w.unwatch = context.AfterFunc(w.src.ctx, func() { w.giveBack(nil) })
	}
}

// end ends the attempt and gives back what the wire holds. It may be called at
// any time and again.
func (w *wire) end(why error) {
	if w.unwatch != nil {
		w.unwatch()
	}
	w.giveBack(why)
}

func (w *wire) giveBack(why error) {
	w.once.Do(func() {
		w.cancel(why)
		w.src.Close()
		w.slot.end()
	})
}

// Close ends the wire and its getter. A Read that goes on fails.
func (w *wire) Close() error {
	w.end(ErrClosed)
	w.clock.stop()
	w.getter.cancel(nil)
	return nil
}

// expectPart notes which part of the document a response with status 206 is (RFC
// 9110, section 14.4). None was asked for, but the first is better than nothing.
func (w *wire) expectPart(h http.Header) error {
	var first, last, size int64
	v := h.Get("Content-Range")
	// Names of units are case-insensitive.
	n, _ := fmt.Sscanf(strings.ToLower(v), "bytes %d-%d/%d", &first, &last, &size)
	switch {
	case n < 2 || first != 0:
		return statusError(w.getter.status)
	case n == 3 && last == size-1:
	default:
		w.partial = clip(v, 64)
	}
	return nil
}
