package fetch

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/spool"
)

const roomSize = 1 << 30 // bytes of temporary files, ahead and otherwise

const maxDrain = 16 << 10 // bytes read of an unwanted body, to reuse its connection

// A spooler is a RoundTripper that reads a body to its end before it returns the response. So the
// connection is free at once, a reader may be as slow as it likes, and the retry policy above
// covers the body too.
type spooler struct {
	next   http.RoundTripper
	times  phases
	memory spool.Memory
}

// RoundTrip returns the response with its whole body. If the body broke off, attempt.broken says
// why, and the body yields the bytes so far. Without room for the body, the error is ErrNoRoom.
func (s *spooler) RoundTrip(req *http.Request) (*http.Response, error) {
	x := exchangeOf(req.Context())
	a := &x.last
	w := &watch{times: s.times}
	w.ctx, w.cancel = context.WithCancelCause(req.Context())
	defer w.cancel(nil)
	w.timer = time.AfterFunc(w.times.forAnswer(), w.expire)
	defer w.timer.Stop()
	trace := &httptrace.ClientTrace{GotConn: w.connected}
	resp, err := s.next.RoundTrip(req.WithContext(httptrace.WithClientTrace(w.ctx, trace)))
	switch {
	case err != nil:
		return nil, explain(w.ctx, err, w.isConnected.Load())
	case resp == nil:
		return nil, &cause{kind: ErrNoResponse,
			err: errors.New("the transport returned no response")}
	case resp.Body == nil: // http.Client accepts that too
		resp.Body = http.NoBody
	}
	a.status = resp.StatusCode
	// http.Client would read the Location, and fail on what it cannot parse.
	a.location = resp.Header.Get("Location")
	resp.Header.Del("Location")
	if !isSuccess(resp.StatusCode) {
		w.drain(resp)
		return resp, nil
	}
	body, err := w.read(&s.memory, resp, x)
	if errors.Is(err, ErrNoRoom) || x.req.Ahead && errors.Is(err, syscall.ENOSPC) {
		body.Close()
		return nil, ErrNoRoom
	}
	body.Err = err
	resp.Body, a.received, a.broken = body.Reader(), body.Size(), err
	return resp, nil
}

// isSuccess reports whether a response with this status has a document. A part of a document
// (206) is no success: no Range was requested.
func isSuccess(status int) bool { return status/100 == 2 && status != http.StatusPartialContent }

// explain returns the error of a RoundTrip under ctx with its cause.
func explain(ctx context.Context, err error, connected bool) error {
	var ours *cause
	if errors.As(err, &ours) && ours.kind == ErrRefused {
		return ours
	}
	switch why := context.Cause(ctx); {
	case errors.Is(why, ErrTimeout):
		err = why
	case ctx.Err() != nil:
		return why
	default:
		if n := net.Error(nil); errors.As(err, &n) && n.Timeout() {
			err = &cause{kind: ErrTimeout, err: err}
		}
	}
	if connected {
		return &cause{kind: ErrNoResponse, err: err}
	}
	return &cause{kind: ErrConnect, err: err}
}

// A watch ends an attempt that takes too long: until the response, and then from one read of its
// body to the next.
type watch struct {
	times    phases
	ctx      context.Context
	cancel   context.CancelCauseFunc
	timer    *time.Timer
	src      io.Reader // the body
	answered atomic.Bool

	isConnected atomic.Bool
	opened      atomic.Int32 // connections that carried no request before
}

// maxOpened bounds the connections that an attempt opens. Without it, net/http opens hundreds a
// second to a server that closes each HTTP/2 connection without an answer, as nginx does with
// "return 444" (golang.org/issue/52459).
const maxOpened = 5

// connected counts a connection that the request is sent on.
func (w *watch) connected(c httptrace.GotConnInfo) {
	w.isConnected.Store(true)
	if !c.Reused && w.opened.Add(1) > maxOpened {
		w.cancel(&cause{kind: ErrNoResponse, err: errors.New("the server closes connections")})
	}
}

func (w *watch) expire() {
	if w.answered.Load() {
		w.cancel(timeoutError("the next bytes of the body", w.times.idle))
	} else {
		w.cancel(timeoutError("the connection and the response", w.times.forAnswer()))
	}
}

// read reads the body of a response, and returns why it ended too early.
func (w *watch) read(m *spool.Memory, resp *http.Response, x *exchange) (*spool.Body, error) {
	expected := x.limit
	if n := resp.ContentLength; n >= 0 {
		expected = min(n, x.limit)
	}
	w.src = resp.Body
	w.answered.Store(true)
	body, err := m.Read(w, &x.share, x.limit, expected)
	resp.Body.Close()
	switch why := context.Cause(w.ctx); {
	case err == nil, errors.Is(err, sitemap.ErrTooLarge), errors.Is(err, ErrNoRoom):
		return body, err
	case w.ctx.Err() != nil && !errors.Is(why, ErrTimeout):
		return body, why
	}
	return body, &cause{kind: ErrBody, err: err}
}

// Read reads the body. It fails once the attempt has ended.
func (w *watch) Read(p []byte) (int, error) {
	w.timer.Reset(w.times.idle)
	n, err := w.src.Read(p)
	if w.ctx.Err() != nil { // the body may end because it was closed
		err = context.Cause(w.ctx)
	}
	return n, err
}

// drain reads a little of a body that is not wanted, so that its connection can be used again.
func (w *watch) drain(resp *http.Response) {
	// The body of a 101 is the connection itself, which no context ends.
	if resp.StatusCode != http.StatusSwitchingProtocols {
		w.timer.Reset(time.Second)
		io.Copy(io.Discard, io.LimitReader(resp.Body, maxDrain))
	}
	resp.Body.Close()
	resp.Body = new(spool.Body).Reader()
}
