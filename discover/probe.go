package discover

import (
	"bytes"
	"context"
	"errors"
	"io"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/fetch"
	"github.com/seed-322c453a/sitemap/internal/turn"
	"github.com/seed-322c453a/sitemap/parse"
)

// maxProbe bounds what is read of a document to see whether it is a sitemap.
const maxProbe = 1 << 20

var errProbe = errors.New("no sitemap within its first bytes")

// probe gets the document at loc, sm's with credentials, if it is a sitemap, or if it has
// not changed since it was one. What was read to see that is still in its Body. A page
// that is served instead of the status 404 is an error.
func (c *Client) probe(ctx context.Context, sm *Sitemap, loc string, o *Options) (*fetched, error) {
	req := fetch.Request{
		URL: loc, ReadAhead: readAhead, MaxBytes: o.Limits.Bytes,
		Validators: o.State.newRun().validators(&child{loc: sm.Loc, plans: &plans{scope: sm.Scope}}),
	}
	f := &fetched{begun: time.Now()}
	for try := 1; ; try++ {
		req.Waited = f.waited
		doc, err := c.get(ctx, req)
		if err != nil {
			return nil, err
		}
		if f.doc = doc; doc.NotModified {
			f.body = doc.Body
			return f, nil
		}
		tape := newRecorder(doc.Body)
		if err = isSitemap(&undecoded{tape, tape.encodings}, doc); err == nil {
			f.body = tape.rewind()
			return f, nil
		}
		f.before.add(f)
		doc.Body.Close()
		if try >= c.tries() || !errors.Is(err, fetch.ErrBody) {
			return nil, err
		}
		if err := sleep(ctx, backoff(try)); err != nil {
			return nil, err
		}
	}
}

// isSitemap returns nil if r is a sitemap. The format of text shows only when it
// has a URL.
func isSitemap(r io.Reader, doc *fetch.Document) error {
	d, err := parse.NewReader(r, &sitemap.Options{Base: doc.URL, ContentType: doc.Header.Get("Content-Type"), SkipExtensions: true})
	if err != nil || d.Format() != sitemap.Text {
		return err
	}
	for _, err := range d.Entries() {
		return err
	}
	return nil
}

// A recorder keeps what is read from src, a body as it came, with gzip named by
// its Content-Encoding so many times.
type recorder struct {
	src       io.Reader
	encodings int
	tape      []byte
}

// newRecorder returns a recorder of a body. That of a fetch.Client is read as it came, so
// that parse sees its gzip.
func newRecorder(body io.Reader) *recorder {
	if b, ok := body.(turn.Body); ok {
		return &recorder{src: b.Raw(), encodings: b.Encodings()}
	}
	return &recorder{src: body}
}

func (r *recorder) Read(p []byte) (int, error) {
	if len(r.tape) >= maxProbe {
		return 0, errProbe
	}
	n, err := r.src.Read(p)
	r.tape = append(r.tape, p[:n]...)
	return n, err
}

// rewind returns the body from its start.
func (r *recorder) rewind() io.Reader {
	return &undecoded{io.MultiReader(bytes.NewReader(r.tape), r.src), r.encodings}
}

// An undecoded is a reader of a body as it came, which parse reads as it would the body.
type undecoded struct {
	io.Reader
	encodings int
}

func (u *undecoded) Raw() io.Reader { return struct{ io.Reader }{u.Reader} }
func (u *undecoded) Encodings() int { return u.encodings }
