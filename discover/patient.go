package discover

import (
	"io"
	"time"

	"github.com/seed-322c453a/sitemap/internal/turn"
)

// A patient reader reads a body as it came, and has other documents fetched ahead while it waits
// for bytes, as a walk does while it waits for a document.
type patient struct {
	io.Reader // raw
	body      turn.Body
	w         *walk
}

// patiently returns a reader of body that is patient, if that can be.
func (w *walk) patiently(body io.Reader) io.Reader {
	if b, ok := body.(turn.Body); ok {
		return &undecoded{&patient{b.Raw(), b, w}, b.Encodings()}
	}
	return body
}

func (p *patient) Read(b []byte) (int, error) {
	for pending := p.body.Pending(); pending != nil; pending = p.body.Pending() {
		p.w.fillUntil(pending, nil)
	}
	return p.Reader.Read(b)
}

// await returns the document k, which is being fetched, when it has come, or when the walk's
// context ends.
func (w *walk) await(k key) *prefetch {
	f := w.ahead.started[k]
	f.turn = true
	w.fillUntil(f.ready, nil)
	return f
}

// fillDuring calls f on another goroutine, and has documents fetched ahead until it returns.
func (w *walk) fillDuring(f func()) {
	done := make(chan struct{})
	w.ahead.do(func() {
		defer close(done)
		f()
	})
	w.fillUntil(done, nil)
}

// fillUntil has documents fetched ahead, whenever there is news of one, until it is told or done is
// closed; or late is told, if it is not nil, when it reports false.
func (w *walk) fillUntil(done <-chan struct{}, late <-chan time.Time) bool {
	for {
		select {
		case <-done:
			return true
		default:
		}
		w.fill(true)
		select {
		case <-done:
			return true
		case <-late:
			return false
		case <-w.ahead.progress:
		}
	}
}
