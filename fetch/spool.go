package fetch

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptrace"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-322c453a/sitemap"
)

const (
	chunkSize  = 64 << 10
	bodyMemory = 8 << 20  // bytes of one body in memory; the rest goes to a temporary file
	poolMemory = 32 << 20 // bytes of all bodies of a Client in memory
	smallBody  = 32 << 10 // a body up to this size is copied out of its chunk
	maxDrain   = 16 << 10 // bytes read of a body that is not wanted, to reuse its connection
)

// A spool is a RoundTripper that reads a body to its end before it returns the response. So the
// connection is free at once, a reader may be as slow as it likes, and the retry policy above
// covers the body too.
type spool struct {
	next  http.RoundTripper
	times phases
	used  atomic.Int64 // bytes of memory that all bodies hold
}

// RoundTrip returns the response with its whole body. If the body broke off, attempt.broken says
// why, and the body yields what came.
func (s *spool) RoundTrip(req *http.Request) (*http.Response, error) {
	x := exchangeOf(req.Context())
	a := &x.last
	ctx, cancel := context.WithCancelCause(req.Context())
	defer cancel(nil)
	answer := 2*s.times.connect + s.times.answer
	timer := time.AfterFunc(answer, func() {
		cancel(timeoutError("the connection and the response", answer))
	})
	defer timer.Stop()
	trace := &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { a.connected.Store(true) }}
	resp, err := s.next.RoundTrip(req.WithContext(httptrace.WithClientTrace(ctx, trace)))
	switch {
	case err != nil:
		return nil, explain(ctx, err, a.connected.Load())
	case resp == nil || resp.Body == nil:
		return nil, &cause{kind: ErrNoResponse, err: errors.New("the transport returned no response")}
	}
	a.status = resp.StatusCode
	// http.Client would read the Location, and fail on what it cannot parse.
	a.location = resp.Header.Get("Location")
	resp.Header.Del("Location")
	if !isSuccess(resp) {
		s.drain(resp, timer)
		return resp, nil
	}
	timer.Stop()
	b := &body{used: &s.used}
	if b.err = s.fill(ctx, cancel, b, resp.Body, x.limit); b.err == nil && !isWhole(resp, b.size) {
		b.err = &cause{kind: ErrBody, detail: "body cut short: only a part was sent"}
	}
	resp.Body, a.received, a.broken = b, b.size, b.err
	return resp, nil
}

// isSuccess reports whether the response has a document. A part of one (206), for which nobody has
// asked, counts if it starts with the first byte.
func isSuccess(resp *http.Response) bool {
	if resp.StatusCode == http.StatusPartialContent {
		return strings.HasPrefix(resp.Header.Get("Content-Range"), "bytes 0-")
	}
	return resp.StatusCode/100 == 2
}

// isWhole reports whether a response with success holds the whole document.
func isWhole(resp *http.Response, size int64) bool {
	if resp.StatusCode != http.StatusPartialContent {
		return true
	}
	return strings.HasSuffix(resp.Header.Get("Content-Range"), fmt.Sprintf("/%d", size))
}

// fill reads the body of a response into b and returns why it ended too early.
func (s *spool) fill(
	ctx context.Context, cancel context.CancelCauseFunc, b *body, src io.ReadCloser, limit int64,
) error {
	idle := time.AfterFunc(s.times.idle, func() {
		cancel(timeoutError("the next bytes of the body", s.times.idle))
	})
	defer idle.Stop()
	stop := context.AfterFunc(ctx, func() { src.Close() }) // a Read that goes on returns
	err := b.fill(&watched{src, ctx, idle, s.times.idle}, limit)
	stop()
	src.Close()
	switch why := context.Cause(ctx); {
	case err == nil || errors.Is(err, sitemap.ErrTooLarge):
		return err
	case ctx.Err() != nil && !errors.Is(why, ErrTimeout):
		return why
	}
	return &cause{kind: ErrBody, err: err}
}

// drain reads a little of a body that is not wanted, so that its connection can be used again.
func (s *spool) drain(resp *http.Response, timer *time.Timer) {
	// The body of a 101 is the connection itself, which no context ends.
	if resp.StatusCode != http.StatusSwitchingProtocols {
		timer.Reset(time.Second)
		io.Copy(io.Discard, io.LimitReader(resp.Body, maxDrain))
	}
	resp.Body.Close()
	resp.Body = http.NoBody
}

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

// A watched is a body that ends its attempt if the next bytes take longer than idle.
type watched struct {
	src   io.Reader
	ctx   context.Context
	timer *time.Timer
	idle  time.Duration
}

// Read fails once the attempt has ended.
func (w *watched) Read(p []byte) (int, error) {
	w.timer.Reset(w.idle)
	n, err := w.src.Read(p)
	if w.ctx.Err() != nil { // the body may end because it was closed
		err = context.Cause(w.ctx)
	}
	return n, err
}

var chunks = sync.Pool{New: func() any { return new([chunkSize]byte) }}

// A body is local: chunks of memory, then a file. After them comes err, or io.EOF.
type body struct {
	used   *atomic.Int64
	memory [][]byte // those of chunkSize are pooled
	file   *os.File
	remove string // name of the file, if it could not be removed while open
	size   int64
	err    error
	own    io.Reader // what Read reads
}

// fill reads src to its end, at most limit bytes, and returns why it ended, nil at io.EOF.
func (b *body) fill(src io.Reader, limit int64) error {
	for b.size < bodyMemory && b.used.Add(chunkSize) <= poolMemory {
		chunk := chunks.Get().(*[chunkSize]byte)
		p := chunk[:]
		if left := limit - b.size; left < chunkSize {
			p = p[:left+1] // one byte more shows that the body is too large
		}
		n, err := readFull(src, p)
		over := b.size+int64(n) > limit
		if over {
			n, err = int(limit-b.size), sitemap.ErrTooLarge
		}
		b.size += int64(n)
		if b.size == int64(n) && n <= smallBody && err != nil {
			b.memory = append(b.memory, append([]byte(nil), chunk[:n]...))
			chunks.Put(chunk)
			b.used.Add(int64(n) - chunkSize)
		} else {
			b.memory = append(b.memory, chunk[:n])
		}
		if err != nil {
			return ended(err)
		}
	}
	if b.size < bodyMemory {
		b.used.Add(-chunkSize) // the pool had no room
	}
	return b.spill(src, limit)
}

// readFull reads until p is full or src ends, with the error of src.
func readFull(src io.Reader, p []byte) (n int, err error) {
	for n < len(p) && err == nil {
		var m int
		m, err = src.Read(p[n:])
		n += m
	}
	return n, err
}

func ended(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

// spill reads the rest of src into a temporary file.
func (b *body) spill(src io.Reader, limit int64) error {
	f, err := os.CreateTemp("", "sitemap-*")
	if err != nil {
		return err
	}
	b.file = f
	if os.Remove(f.Name()) != nil { // some systems keep the name of an open file
		b.remove = f.Name()
	}
	n, err := io.Copy(f, io.LimitReader(src, limit-b.size))
	b.size += n
	if err == nil && b.size == limit {
		if m, _ := readFull(src, make([]byte, 1)); m > 0 {
			err = sitemap.ErrTooLarge
		}
	}
	return err
}

// Read returns all bytes before an error.
func (b *body) Read(p []byte) (int, error) {
	if b.own == nil {
		b.own = b.reader()
	}
	return b.own.Read(p)
}

// reader returns a reader of the whole body, which is valid until Close.
func (b *body) reader() io.Reader {
	parts := make([]io.Reader, 0, len(b.memory)+2)
	for _, chunk := range b.memory {
		parts = append(parts, bytes.NewReader(chunk))
	}
	if b.file != nil {
		parts = append(parts, io.NewSectionReader(b.file, 0, math.MaxInt64))
	}
	return io.MultiReader(append(parts, ending{b.err})...)
}

// An ending is a reader without bytes.
type ending struct{ err error }

func (e ending) Read([]byte) (int, error) { return 0, cmp.Or(e.err, io.EOF) }

// Close gives back the memory and removes the file. It may be called again.
func (b *body) Close() error {
	b.own = ending{}
	for _, chunk := range b.memory {
		if cap(chunk) >= chunkSize {
			chunks.Put((*[chunkSize]byte)(chunk[:chunkSize]))
			b.used.Add(-chunkSize)
		} else {
			b.used.Add(-int64(len(chunk)))
		}
	}
	b.memory = nil
	if b.file == nil {
		return nil
	}
	err := b.file.Close()
	if b.remove != "" {
		os.Remove(b.remove)
	}
	b.file = nil
	return err
}
