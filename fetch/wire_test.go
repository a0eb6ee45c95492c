package fetch

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"
)

// A foreignBody is one of a transport that heeds no context. Once Close was called its Read
// returns last.
type foreignBody struct {
	pause  time.Duration // before each Read returns n bytes, 0 means that none does
	n      int
	last   error
	closed chan struct{}
}

func (b *foreignBody) Read(p []byte) (int, error) {
	var next <-chan time.Time
	if b.pause > 0 {
		next = time.After(b.pause)
	}
	select {
	case <-next:
		return min(b.n, len(p)), nil
	case <-b.closed:
		return 0, b.last
	}
}

func (b *foreignBody) Close() error {
	close(b.closed) // once
	return nil
}

// foreign answers with status and the body b.
func foreign(status int, b foreignBody) roundTripper {
	return func(r *http.Request) (*http.Response, error) {
		resp := answer(r, status, "")
		body := b
		body.closed = make(chan struct{})
		resp.Body, resp.ContentLength = &body, -1
		return resp, nil
	}
}

// TestForeignBodies ends documents whose bodies do not end by themselves, nor by their context.
func TestForeignBodies(t *testing.T) {
	for _, tt := range []struct {
		name    string
		body    foreignBody
		cancel  time.Duration // when ctx ends, 0 means never
		timeout time.Duration
		want    error
		cut     bool // the error is ErrBody
		took    time.Duration
	}{
		{"trickles, until ctx ends", foreignBody{pause: 10 * time.Millisecond, n: 1000}, time.Second, 0, context.Canceled, false, time.Second},
		{"trickles, until Timeout", foreignBody{pause: 10 * time.Millisecond, n: 1000}, 0, time.Second, ErrTimeout, false, time.Second},
		{"waits, until ctx ends", foreignBody{last: io.ErrClosedPipe}, time.Second, 0, context.Canceled, false, time.Second},
		{"waits, until Timeout", foreignBody{last: io.ErrClosedPipe}, 0, time.Second, ErrTimeout, false, time.Second},
		{"waits too long", foreignBody{last: io.ErrClosedPipe}, 0, 0, ErrTimeout, true, 30 * time.Second},
		{"EOF when closed", foreignBody{last: io.EOF}, time.Second, 0, context.Canceled, false, time.Second},
		{"reads nothing", foreignBody{pause: 1}, 0, 0, io.ErrNoProgress, true, 0},
		{"reads nothing, until ctx ends", foreignBody{pause: time.Second}, 10 * time.Second, 0, context.Canceled, false, 10 * time.Second},
	} {
		for _, ahead := range []int64{0, 1 << 20} {
			t.Run(tt.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					if tt.cancel > 0 {
						time.AfterFunc(tt.cancel, cancel)
					}
					l := &countingLimiter{}
					c := &Client{Transport: foreign(200, tt.body), Limiter: l, Timeout: tt.timeout}
					begun := time.Now()
					doc, err := c.Get(ctx, Request{URL: "http://example.com/", ReadAhead: ahead})
					if err != nil {
						t.Fatal(err)
					}
					_, err = io.Copy(io.Discard, doc.Body)
					var e *Error
					if !errors.Is(err, tt.want) || errors.Is(err, ErrBody) != tt.cut || !errors.As(err, &e) {
						t.Errorf("error %v, want %v, and %v: %t", err, tt.want, ErrBody, tt.cut)
					}
					if took := time.Since(begun).Round(time.Millisecond); took != tt.took {
						t.Errorf("took %v, want %v", took, tt.took)
					}
					doc.Body.Close()
					if l.out != 0 || l.twice != 0 {
						t.Errorf("limiter: %d not released, %d released twice", l.out, l.twice)
					}
				})
			})
		}
	}
}

// TestForeignBodiesNotWanted are those of other statuses.
func TestForeignBodiesNotWanted(t *testing.T) {
	for name, body := range map[string]foreignBody{
		"waits":         {last: io.ErrClosedPipe},
		"trickles":      {pause: 10 * time.Millisecond, n: 1},
		"reads nothing": {pause: 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			begun := time.Now()
			_, err := (&Client{Transport: foreign(404, body)}).Get(t.Context(), Request{URL: "http://example.com/"})
			if took := time.Since(begun); !errors.Is(err, ErrStatus) || took > time.Second {
				t.Errorf("%s: %v after %v, want %v within a second", name, err, took, ErrStatus)
			}
		})
	}
}

// TestContextEndsBetweenReads of a file, or after its end has come.
func TestContextEndsBetweenReads(t *testing.T) {
	const size = 100_000
	files := http.NewFileTransportFS(fstest.MapFS{"sitemap.txt": {Data: pattern(size)}})
	for _, tt := range []struct {
		name        string
		ahead, read int64 // before ctx ends
		more        int64
		want        error
	}{
		{"in the middle", 0, 10, 0, context.Canceled},
		{"in the middle of what was read ahead", 1 << 20, 10, size - 10, nil},
		{"after the end", 0, size + 1, 0, nil},
	} {
		l := &countingLimiter{}
		c := &Client{Transport: files, Limiter: l}
		ctx, cancel := context.WithCancel(t.Context())
		doc, err := c.Get(ctx, Request{URL: "http://example.com/sitemap.txt", ReadAhead: tt.ahead})
		if err != nil {
			t.Fatal(err)
		}
		raw := doc.Body.(interface{ Raw() io.Reader }).Raw()
		io.CopyN(io.Discard, raw, tt.read)
		if tt.want == nil {
			eventually(t, "its end has come", func() bool {
				l.mu.Lock()
				defer l.mu.Unlock()
				return l.out == 0
			})
		}
		cancel()
		if n, err := io.Copy(io.Discard, raw); n != tt.more || !errors.Is(err, tt.want) {
			t.Errorf("%s: %d bytes more, %v; want %d, %v", tt.name, n, err, tt.more, tt.want)
		}
		doc.Body.Close()
	}
}

// TestContextEndsAtTheAnswer: where the context ends while the answer comes, the Limiter is told
// of it all the same, and the race detector has nothing to tell.
func TestContextEndsAtTheAnswer(t *testing.T) {
	for range 3000 {
		ctx, cancel := context.WithCancel(t.Context())
		released := make(chan int, 1)
		c := &Client{Limiter: releases(released), Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
			cancel()
			resp := answer(r, http.StatusServiceUnavailable, "busy")
			resp.Header.Set("Retry-After", "1")
			return resp, nil
		})}
		if _, err := c.Get(ctx, Request{URL: "http://example.com/"}); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if status := <-released; status != http.StatusServiceUnavailable && status != 0 {
			t.Errorf("released with status %d", status)
		}
	}
}

// TestReleaseThatWaits: a Limiter that takes its time to be told that a body waits for its reader
// does not keep it from being read.
func TestReleaseThatWaits(t *testing.T) {
	released := make(chan int)
	c := &Client{Limiter: releases(released), Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
		return answer(r, http.StatusOK, strings.Repeat("x", 1<<20)), nil
	})}
	doc, err := c.Get(t.Context(), Request{URL: "http://example.com/", ReadAhead: chunkSize})
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(10 * time.Millisecond)
	if n, err := doc.Body.Read(make([]byte, 10)); n != 10 || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
	go func() { <-released }()
	doc.Body.Close()
}

// releases is a Limiter that sends the statuses that it is told.
type releases chan int

func (c releases) Acquire(context.Context, *url.URL) (func(int, time.Duration), error) {
	return func(status int, _ time.Duration) { c <- status }, nil
}
