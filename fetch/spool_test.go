package fetch_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/fetch"
)

// noise returns n bytes that do not compress.
func noise(n int) []byte {
	b := make([]byte, n)
	r := rand.NewChaCha8([32]byte{})
	r.Read(b)
	return b
}

// serve serves a body, and counts the requests.
func serve(t *testing.T, body []byte) (url string, requests *atomic.Int32) {
	t.Helper()
	requests = new(atomic.Int32)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		w.Write(body)
	}))
	t.Cleanup(s.Close)
	return s.URL, requests
}

// get returns a document, which is closed at the end of the test.
func get(t *testing.T, c *fetch.Client, url string) *fetch.Document {
	t.Helper()
	doc, err := c.Get(t.Context(), fetch.Request{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { doc.Body.Close() })
	return doc
}

// Again reads the whole document, side by side with Body.
func TestDocument_Again(t *testing.T) {
	for _, size := range []int{0, 1, 100 << 10, 9 << 20} {
		want := noise(size)
		url, _ := serve(t, want)
		doc := get(t, newClient(t), url)
		io.CopyN(io.Discard, doc.Body, int64(size/2))
		for range 2 {
			r := doc.Again()
			if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%d bytes: read %d again, %v", size, len(got), err)
			}
			r.Close()
		}
		if rest, err := io.ReadAll(doc.Body); err != nil || !bytes.Equal(rest, want[size/2:]) {
			t.Errorf("%d bytes: read %d after Again, %v", size, len(rest), err)
		}
	}
	site, c := newSite(t), newClient(t)
	for _, path := range []string{"gzip-encoded", "close-midway"} {
		doc := get(t, c, site.fault(path))
		again, againErr := io.ReadAll(doc.Again())
		body, err := io.ReadAll(doc.Body)
		if !bytes.Equal(again, body) || len(body) == 0 || fmt.Sprint(againErr) != fmt.Sprint(err) {
			t.Errorf("%s: %d bytes, %v; again %d, %v", path, len(body), err, len(again), againErr)
		}
	}
}

func TestBody_OutlivesItsServer(t *testing.T) {
	want := noise(300 << 10)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write(want) }))
	doc := get(t, newClient(t), s.URL)
	s.Close()
	if got, err := io.ReadAll(doc.Body); err != nil || !bytes.Equal(got, want) {
		t.Errorf("read %d bytes, %v", len(got), err)
	}
}

func TestGet_Allocations(t *testing.T) {
	body := string(noise(8 << 10))
	c := newClient(t)
	c.Transport = roundTripper(func(r *http.Request) (*http.Response, error) {
		return answer(r, http.StatusOK, body), nil
	})
	allocs := testing.AllocsPerRun(100, func() {
		doc, err := c.Get(t.Context(), fetch.Request{URL: "http://a.test/"})
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, doc.Body)
		doc.Body.Close()
	})
	if allocs > 120 {
		t.Errorf("%v allocations a document, want at most 120", allocs)
	}
}

func TestBody_BrokenOnceIsWholeAtLast(t *testing.T) {
	want := noise(100 << 10)
	var requests atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "102400")
		if requests.Add(1) < 3 {
			w.Write(want[:1000])
			panic(http.ErrAbortHandler)
		}
		w.Write(want)
	}))
	defer s.Close()
	doc := get(t, newClient(t), s.URL)
	got, err := io.ReadAll(doc.Body)
	if err != nil || !bytes.Equal(got, want) || doc.Attempts != 3 {
		t.Errorf("read %d bytes after %d attempts, %v", len(got), doc.Attempts, err)
	}
}

func TestBody_TooLargeIsNotRetried(t *testing.T) {
	for _, size := range []int64{100, 70 << 10, 9 << 20} {
		url, requests := serve(t, noise(int(size)+1))
		c := newClient(t)
		c.MaxBytes = size
		doc := get(t, c, url)
		got, err := io.ReadAll(doc.Body)
		var e *fetch.Error
		if !errors.Is(err, sitemap.ErrTooLarge) || !errors.As(err, &e) || int64(len(got)) != size || requests.Load() != 1 {
			t.Errorf("limit %d: read %d bytes in %d requests, %v",
				size, len(got), requests.Load(), err)
		}
	}
}

func TestBody_ContentEncodingAboveMaxBytes(t *testing.T) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.Copy(w, strings.NewReader(strings.Repeat(" ", 1<<20)))
	w.Close()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Write(b.Bytes())
	}))
	defer s.Close()
	c := newClient(t)
	c.MaxBytes = 64 << 10
	doc := get(t, c, s.URL)
	if got, err := io.ReadAll(doc.Body); len(got) != 64<<10 || !errors.Is(err, sitemap.ErrTooLarge) {
		t.Errorf("read %d bytes, %v", len(got), err)
	}
}

func TestBody_AfterClose(t *testing.T) {
	site, c := newSite(t), newClient(t)
	for _, path := range []string{"ok", "gzip-encoded", "empty", "close-midway"} {
		doc := get(t, c, site.fault(path))
		for range 2 {
			if err := doc.Body.Close(); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		}
		if n, err := doc.Body.Read(make([]byte, 1)); n != 0 || !errors.Is(err, fetch.ErrClosed) {
			t.Errorf("%s: Read after Close: %d, %v, want %v", path, n, err, fetch.ErrClosed)
		}
	}
}

// A longBody has some bytes, calls then, and goes on without more until ctx ends.
type longBody struct {
	left int
	then func()
	ctx  context.Context
}

func (b *longBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		b.then()
		<-b.ctx.Done()
		return 0, b.ctx.Err()
	}
	b.left -= len(p)
	return len(p), nil
}

func (b *longBody) Close() error { return nil }

func TestBody_CancelledWhileItComes(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Setenv("TMP", dir)
	for _, size := range []int{1, 1 << 20, 12 << 20} {
		ctx, cancel := context.WithCancel(t.Context())
		c := newClient(t)
		c.Transport = roundTripper(func(r *http.Request) (*http.Response, error) {
			resp := answer(r, http.StatusOK, "")
			resp.Body = &longBody{size, cancel, r.Context()}
			return resp, nil
		})
		_, err := c.Get(ctx, fetch.Request{URL: "http://a.test/"})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("after %d bytes: %v, want %v", size, err, context.Canceled)
		}
		if l := c.Limiter.(*countingLimiter); l.out != 0 {
			t.Errorf("after %d bytes: %d slots are still held", size, l.out)
		}
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 0 {
		t.Errorf("left %v, %v", files, err)
	}
}

// BenchmarkGet gets documents over loopback, beside net/http alone, which reads each body whole.
func BenchmarkGet(b *testing.B) {
	for _, size := range []int{20 << 10, 2 << 20} {
		body := noise(size)
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Write(body)
		}))
		defer s.Close()
		name := strconv.Itoa(size>>10) + "KiB"
		b.Run("fetch/"+name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(size))
			c := &fetch.Client{AllowPrivateNetworks: true, Proxy: noProxy}
			defer c.CloseIdleConnections()
			for b.Loop() {
				doc, err := c.Get(b.Context(), fetch.Request{URL: s.URL})
				if err != nil {
					b.Fatal(err)
				}
				if _, err := io.Copy(io.Discard, doc.Body); err != nil {
					b.Fatal(err)
				}
				doc.Body.Close()
			}
		})
		b.Run("http/"+name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(size))
			for b.Loop() {
				resp, err := s.Client().Get(s.URL)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := io.ReadAll(resp.Body); err != nil {
					b.Fatal(err)
				}
				resp.Body.Close()
			}
		})
	}
}

// BenchmarkGet_Small gets a small document of a RoundTripper that allocates little.
func BenchmarkGet_Small(b *testing.B) {
	b.ReportAllocs()
	body := bytes.Repeat([]byte("x"), 1000)
	header := http.Header{"Content-Type": {"application/xml"}, "Etag": {`"1"`}}
	c := &fetch.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
		return &http.Response{
			StatusCode: http.StatusOK, Header: header, Request: r,
			Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)),
		}, nil
	})}
	p := make([]byte, 4096)
	for b.Loop() {
		doc, err := c.Get(b.Context(), fetch.Request{URL: "http://a.test/sitemap.xml"})
		if err != nil {
			b.Fatal(err)
		}
		for err == nil {
			_, err = doc.Body.Read(p)
		}
		doc.Body.Close()
	}
}

// A RoundTripper may leave out an empty body, as http.Client allows.
func TestGet_NilBody(t *testing.T) {
	for status, want := range map[int]string{200: "<nil>", 404: "status 404 Not Found"} {
		c := &fetch.Client{Transport: roundTripper(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: status}, nil
		})}
		doc, err := c.Get(t.Context(), fetch.Request{URL: "https://example.com/"})
		if !strings.HasSuffix(fmt.Sprint(err), want) {
			t.Errorf("%d: error %v, want %s", status, err, want)
		}
		if doc == nil {
			continue
		}
		if b, err := io.ReadAll(doc.Body); len(b) > 0 || err != nil {
			t.Errorf("%d: read %q, %v", status, b, err)
		}
		doc.Body.Close()
	}
}
