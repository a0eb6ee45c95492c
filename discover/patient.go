package discover

import "io"

// An aheadBody is a body of a fetch.Client that is read ahead. Pending returns nil if a Read
// returns at once, else a channel that is told when to ask again.
type aheadBody interface {
	Raw() io.Reader
	Encodings() int
	Pending() <-chan struct{}
}

// A patient reader reads a body as it came, and has other documents fetched ahead while it waits
// for bytes, as a walk does while it waits for a document.
type patient struct {
	w    *walk
	body aheadBody
	raw  io.Reader
}

// patiently returns a reader of body that is patient, if that can be.
func (w *walk) patiently(body io.Reader) io.Reader {
	if b, ok := body.(aheadBody); ok {
		return &patient{w, b, b.Raw()}
	}
	return body
}

func (p *patient) Read(b []byte) (int, error) {
	for pending := p.body.Pending(); pending != nil; pending = p.body.Pending() {
		p.w.fill(true)
		select {
		case <-pending:
		case <-p.w.ahead.progress:
		}
	}
	return p.raw.Read(b)
}

// Raw and Encodings make parse read it as it would the body.
func (p *patient) Raw() io.Reader { return struct{ io.Reader }{p} }
func (p *patient) Encodings() int { return p.body.Encodings() }
