package fetch

import (
	"io"
	"sync"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/input"
	"github.com/seed-322c453a/sitemap/internal/turn"
)

// A body is the Body of a Document: the wire, perhaps read ahead, and, unless Raw
// is used, without gzip and bounded.
type body struct {
	wire      *wire
	ahead     *ahead // nil without read-ahead
	encodings int    // how often Content-Encoding names gzip

	mu     sync.Mutex // held while a Read goes on, and guards what follows
	raw    io.Reader
	gunzip *input.Gunzip // over raw, made by the first Read
	plain  io.Reader     // gunzip, bounded
	closed bool
}

var _ turn.Body = (*body)(nil) // which says what its methods do

func newBody(w *wire, encodings int) *body {
	b := &body{wire: w, encodings: encodings, raw: w}
	if w.req.ReadAhead > 0 {
		b.ahead = newAhead(w, w.req.ReadAhead, &w.c.ahead, w.slot.park)
		b.raw = b.ahead
		if !turn.ReadsAhead(w.getter.ctx) {
			go b.ReadAhead()
		}
	}
	return b
}

// Read reads decompressed bytes.
func (b *body) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return 0, b.wire.fail(ErrClosed)
	}
	if b.plain == nil {
		b.gunzip = input.NewEncodedGunzip(b.raw, b.encodings)
		b.plain = &bounded{src: b.gunzip, left: b.wire.limit, fail: b.wire.fail}
	}
	return b.plain.Read(p)
}

func (b *body) Raw() io.Reader { return rawBody{b} }

func (b *body) Unframed() bool { return b.wire.unframed }

func (b *body) Encodings() int { return b.encodings }

func (b *body) ReadAhead() {
	if b.ahead != nil {
		b.ahead.once.Do(b.ahead.run)
	}
}

func (b *body) Pending() <-chan struct{} {
	if b.ahead == nil {
		return nil
	}
	return b.ahead.pending()
}

func (b *body) OnEnd(f func(broken bool)) {
	if b.ahead != nil {
		b.ahead.onEnd(f)
	}
}

func (b *body) Peek(most int) []byte {
	if b.ahead == nil {
		return nil
	}
	return b.ahead.peek(most)
}

func (b *body) Last(most int) []byte {
	if b.ahead == nil {
		return nil
	}
	return b.ahead.last(most)
}

type rawBody struct{ b *body }

func (r rawBody) Read(p []byte) (int, error) {
	r.b.mu.Lock()
	defer r.b.mu.Unlock()
	if r.b.closed {
		return 0, r.b.wire.fail(ErrClosed)
	}
	return r.b.raw.Read(p)
}

// Close ends the body and waits for its goroutine, and for a Read that goes on,
// which fails.
func (b *body) Close() error {
	b.wire.Close()
	if b.ahead != nil {
		b.ahead.close()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.closed && b.wire.err == nil {
		b.wire.heard() // nobody wanted the rest
	}
	b.closed = true
	if b.gunzip != nil {
		b.gunzip.Close()
	}
	return nil
}

// A bounded ends src with sitemap.ErrTooLarge after left bytes. It returns an
// error only without bytes.
type bounded struct {
	src  io.Reader
	left int64
	fail func(error) *Error
	err  error
}

func (r *bounded) Read(p []byte) (int, error) {
	if r.err != nil || len(p) == 0 {
		return 0, r.err
	}
	// One byte more than the limit tells a source that ends there.
	if int64(len(p)) > r.left {
		p = p[:r.left+1]
	}
	n, err := r.src.Read(p)
	if int64(n) > r.left {
		n, err = int(r.left), r.fail(sitemap.ErrTooLarge)
	}
	r.left -= int64(n)
	r.err = err
	if n > 0 {
		return n, nil
	}
	return 0, err
}
