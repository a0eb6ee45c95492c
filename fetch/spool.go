package fetch

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/seed-322c453a/sitemap"
)

const maxDrain = 16 << 10 // bytes read of a body that is not wanted, to reuse its connection

// A spool is a RoundTripper that reads a body to its end before it returns the response. So the
// connection is free at once, a reader may be as slow as it likes, and the retry policy above
// covers the body too.
type spool struct {
	next  http.RoundTripper
	times phases
	used  atomic.Int64 // bytes of memory that all bodies hold
	room  *room
	ahead *room // for documents that are fetched ahead
}

// RoundTrip returns the response with its whole body. If the body broke off, attempt.broken says
// why, and the body yields what came. Without room for the body, the error is ErrNoRoom.
func (s *spool) RoundTrip(req *http.Request) (*http.Response, error) {
	x := exchangeOf(req.Context())
	a := &x.last
	w := &watch{times: s.times}
	w.ctx, w.cancel = context.WithCancelCause(req.Context())
	defer w.cancel(nil)
	w.timer = time.AfterFunc(w.times.forAnswer(), w.expire)
	defer w.timer.Stop()
	resp, err := s.next.RoundTrip(req.WithContext(w.ctx))
	switch {
	case err != nil:
		return nil, explain(w.ctx, err, a.connected.Load())
	case resp == nil || resp.Body == nil:
		return nil, &cause{kind: ErrNoResponse, err: errors.New("the transport returned no response")}
	}
	a.status = resp.StatusCode
	// http.Client would read the Location, and fail on what it cannot parse.
	a.location = resp.Header.Get("Location")
	resp.Header.Del("Location")
	if !isSuccess(resp.StatusCode) {
		w.drain(resp)
		return resp, nil
	}
	b := &body{used: &s.used, share: x.share}
	x.share.held = 0
	b.err = w.fill(b, resp, x.limit)
	if errors.Is(b.err, ErrNoRoom) {
		b.Close()
		x.share = b.share
		return nil, ErrNoRoom
	}
	resp.Body, a.received, a.broken = &bodyReader{body: b}, b.size, b.err
	return resp, nil
}

// isSuccess reports whether a response with this status has a document. A part of one (206), for
// which nobody has asked, is none.
func isSuccess(status int) bool { return status/100 == 2 && status != http.StatusPartialContent }

// explain returns what the error of a RoundTrip under ctx means.
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
}

func (w *watch) expire() {
	if w.answered.Load() {
		w.cancel(timeoutError("the next bytes of the body", w.times.idle))
	} else {
		w.cancel(timeoutError("the connection and the response", w.times.forAnswer()))
	}
}

// fill reads the body of a response into b and returns why it ended too early.
func (w *watch) fill(b *body, resp *http.Response, limit int64) error {
	expected := limit
	if n := resp.ContentLength; n >= 0 {
		expected = min(n, limit)
	}
	w.src = resp.Body
	w.answered.Store(true)
	err := b.fill(w, limit, expected)
	resp.Body.Close()
	if b.file == nil {
		b.share.shrink(0) // it fits into memory now
	}
	switch why := context.Cause(w.ctx); {
	case err == nil, errors.Is(err, sitemap.ErrTooLarge), errors.Is(err, ErrNoRoom):
		return err
	case w.ctx.Err() != nil && !errors.Is(why, ErrTimeout):
		return why
	}
	return &cause{kind: ErrBody, err: err}
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
	resp.Body = &bodyReader{body: new(body)}
}
