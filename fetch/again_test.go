package fetch_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"strconv"
	"sync"
	"testing"

	"github.com/seed-322c453a/sitemap/fetch"
)

// uniform answers a request with a body of one byte repeated: the path is /BYTE/SIZE. The answer is
// compressed if the query says so.
func uniform(r *http.Request) (*http.Response, error) {
	var letter, size = r.URL.Path[1], r.URL.Path[3:]
	n, err := strconv.Atoi(size)
	if err != nil {
		return nil, err
	}
	body := bytes.Repeat([]byte{letter}, n)
	if r.URL.RawQuery != "gzip" {
		return answer(r, http.StatusOK, string(body)), nil
	}
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(body)
	w.Close()
	return answer(r, http.StatusOK, b.String(), "Content-Encoding", "gzip"), nil
}

func newUniformClient() *fetch.Client {
	return &fetch.Client{Transport: roundTripper(uniform), Limiter: &countingLimiter{}}
}

func TestDocument_AgainAfterClose(t *testing.T) {
	c := newUniformClient()
	for _, path := range []string{"a/0", "a/1", "a/1000", "a/1000000", "a/9000000", "a/0?gzip", "a/1000?gzip", "a/1000000?gzip"} {
		doc := get(t, c, "http://a.test/"+path)
		before := doc.Again()
		before.Read(make([]byte, 1)) // of gzip, more is decompressed
		closed := doc.Again()
		closed.Close()
		if _, err := closed.Read(make([]byte, 1)); !errors.Is(err, fetch.ErrClosed) {
			t.Errorf("%s: a closed reader returns %v, want %v", path, err, fetch.ErrClosed)
		}
		if _, err := io.Copy(io.Discard, doc.Body); err != nil {
			t.Errorf("%s: Body, after another reader was closed: %v", path, err)
		}
		doc.Body.Close()
		for name, r := range map[string]io.ReadCloser{"before": before, "after": doc.Again(), "Body": doc.Body} {
			if n, err := r.Read(make([]byte, 1)); n != 0 || !errors.Is(err, fetch.ErrClosed) {
				t.Errorf("%s: reader from %s Close: %d, %v, want %v",
					path, name, n, err, fetch.ErrClosed)
			}
			if err := r.Close(); err != nil {
				t.Errorf("%s: Close of the reader from %s Close: %v", path, name, err)
			}
		}
	}
}

func TestDocument_AgainOfNotModified(t *testing.T) {
	c := &fetch.Client{Transport: statuses("", http.StatusNotModified)}
	doc, err := c.Get(t.Context(), fetch.Request{URL: "http://a.test/", Validators: fetch.Validators{ETag: `"1"`}})
	if err != nil {
		t.Fatal(err)
	}
	r := doc.Again()
	if _, err := r.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("Read: %v, want %v", err, io.EOF)
	}
	doc.Body.Close()
	if _, err := r.Read(make([]byte, 1)); !errors.Is(err, fetch.ErrClosed) {
		t.Errorf("Read after Close: %v, want %v", err, fetch.ErrClosed)
	}
}

// The memory of a closed document becomes that of others, whose bytes no reader of the first one
// returns.
func TestDocument_AgainYieldsNoOtherDocument(t *testing.T) {
	c := newUniformClient()
	for range 5 {
		doc := get(t, c, "http://a.test/a/1000000")
		var wg sync.WaitGroup
		half, closed := make(chan struct{}, 4), make(chan struct{})
		for range 4 {
			r := doc.Again()
			wg.Go(func() {
				p, read := make([]byte, 10_000), 0
				for {
					n, err := r.Read(p)
					if bytes.Count(p[:n], []byte("a")) != n {
						t.Error("read bytes of another document")
					}
					if read += n; read >= 500_000 && read-n < 500_000 {
						half <- struct{}{}
					}
					if errors.Is(err, fetch.ErrClosed) {
						return
					}
					if err == io.EOF {
						<-closed
					} else if err != nil {
						t.Errorf("error %v, want %v", err, fetch.ErrClosed)
						return
					}
				}
			})
		}
		for range 4 {
			<-half
		}
		doc.Body.Close()
		close(closed)
		get(t, c, "http://a.test/b/1000000").Body.Close()
		wg.Wait()
	}
}
