package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

func TestExponential(t *testing.T) {
	for i, want := range []time.Duration{1, 2, 4, 8, 16, 30, 30, 30} {
		if got := exponential(time.Second, 30*time.Second, i); got != want*time.Second {
			t.Errorf("exponential(1s, 30s, %d) = %v, want %v", i, got, want*time.Second)
		}
	}
	if got := exponential(time.Second, 30*time.Second, 1<<20); got != 30*time.Second {
		t.Errorf("exponential(1s, 30s, 2^20) = %v, want 30s", got)
	}
	for range 1000 {
		if d := jitter(time.Second); d < 0 || d > time.Second {
			t.Fatalf("jitter(1s) = %v", d)
		}
	}
}

// failing answers with status, and Retry-After if after is not "".
func failing(status int, after string) roundTripper {
	return func(r *http.Request) (*http.Response, error) {
		if after == "" {
			return answer(r, status, "no"), nil
		}
		return answer(r, status, "no", "Retry-After", after), nil
	}
}

// TestWaits measures, on a clock that jumps, how long Get takes to give up.
func TestWaits(t *testing.T) {
	for _, tt := range []struct {
		name        string
		client      *Client // its Retries, RetryWait and Timeout
		transport   roundTripper
		attempts    int
		least, most time.Duration
		after       time.Duration // Error.RetryAfter
	}{
		{name: "backoff", transport: failing(500, ""), attempts: 3, most: 3 * time.Second},
		{name: "more retries", client: &Client{Retries: 10}, transport: failing(502, ""), attempts: 11, least: 5 * time.Second, most: (1 + 2 + 4 + 8 + 16 + 5*30) * time.Second},
		{name: "short waits", client: &Client{Retries: 20, RetryWait: 2 * time.Second}, transport: failing(500, ""), attempts: 21, least: 2 * time.Second, most: 39 * time.Second},
		{name: "no retries", client: &Client{Retries: -1}, transport: failing(500, ""), attempts: 1},
		{name: "not retried", transport: failing(404, "5"), attempts: 1},
		{name: "Retry-After", transport: failing(503, "20"), attempts: 3, least: 40 * time.Second, most: 40 * time.Second, after: 20 * time.Second},
		{name: "longest Retry-After", transport: failing(429, "60"), attempts: 3, least: 2 * time.Minute, most: 2 * time.Minute, after: time.Minute},
		{name: "longer Retry-After", transport: failing(429, "61"), attempts: 1, after: 61 * time.Second},
		{name: "a day", transport: failing(503, "86400"), attempts: 1, after: 24 * time.Hour},
		{name: "a day, waited for", client: &Client{RetryWait: 48 * time.Hour, Timeout: -1, Retries: 1}, transport: failing(500, "86400"), attempts: 2, least: 24 * time.Hour, most: 24 * time.Hour, after: 24 * time.Hour},
		{name: "none waited for", client: &Client{RetryWait: -1}, transport: failing(503, "1"), attempts: 1, after: time.Second},
		{name: "longer than the time left", client: &Client{Timeout: 30 * time.Second}, transport: failing(503, "20"), attempts: 2, least: 20 * time.Second, most: 20 * time.Second, after: 20 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := tt.client
				if c == nil {
					c = new(Client)
				}
				c.Transport, c.Limiter = tt.transport, &countingLimiter{}
				begun := time.Now()
				_, err := c.Get(t.Context(), Request{URL: "http://example.com/"})
				took := time.Since(begun)
				var e *Error
				if !errors.Is(err, ErrStatus) || !errors.As(err, &e) {
					t.Fatalf("error %v, want %v", err, ErrStatus)
				}
				if e.Attempts != tt.attempts || e.RetryAfter != tt.after {
					t.Errorf("%d attempts, RetryAfter %v; want %d, %v", e.Attempts, e.RetryAfter, tt.attempts, tt.after)
				}
				if took < tt.least || took > tt.most {
					t.Errorf("took %v, want %v to %v", took, tt.least, tt.most)
				}
			})
		})
	}
}

// TestFirstByteOfAllConnections: net/http tries another connection of its own accord, and
// HTTP/2 another stream; the time for the first byte is not begun anew.
func TestFirstByteOfAllConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		trying := roundTripper(func(r *http.Request) (*http.Response, error) {
			trace := httptrace.ContextClientTrace(r.Context())
			for r.Context().Err() == nil {
				trace.GotConn(httptrace.GotConnInfo{})
				time.Sleep(10 * time.Second)
			}
			return nil, r.Context().Err()
		})
		begun := time.Now()
		_, err := (&Client{Transport: trying, Limiter: &countingLimiter{}, Retries: -1}).Get(t.Context(), Request{URL: "http://example.com/"})
		if took := time.Since(begun); !errors.Is(err, ErrTimeout) || took > 40*time.Second {
			t.Errorf("%v after %v", err, took)
		}
	})
}

// hang waits until the request is given up.
func hang(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// stalling answers with a body that sends n bytes, one every pause, and then
// nothing more.
func stalling(n int, pause time.Duration) roundTripper {
	return func(r *http.Request) (*http.Response, error) {
		resp := answer(r, 200, "")
		resp.Body, resp.ContentLength = &stallingBody{r.Context(), n, pause}, -1
		return resp, nil
	}
}

type stallingBody struct {
	ctx   context.Context
	n     int
	pause time.Duration
}

func (b *stallingBody) Read(p []byte) (int, error) {
	var next <-chan time.Time
	if b.n > 0 {
		next = time.After(b.pause)
	}
	select {
	case <-next:
		b.n--
		p[0] = 'x'
		return 1, nil
	case <-b.ctx.Done():
		return 0, b.ctx.Err()
	}
}

func (b *stallingBody) Close() error { return nil }

// TestTimeouts runs every clock out.
func TestTimeouts(t *testing.T) {
	for _, tt := range []struct {
		name      string
		timeout   time.Duration
		transport roundTripper
		took      time.Duration // without the waits between attempts
		attempts  int
		bytes     int
		cut       bool // the error is ErrBody
	}{
		{name: "no answer", transport: hang, took: 150 * time.Second, attempts: 3},
		{name: "document, before an answer", timeout: 20 * time.Second, transport: hang, took: 20 * time.Second, attempts: 1},
		{name: "idle", transport: stalling(7, time.Second), took: 37 * time.Second, attempts: 1, bytes: 7, cut: true},
		{name: "idle from the start", transport: stalling(0, 0), took: 30 * time.Second, attempts: 1, cut: true},
		{name: "document, in the body", transport: stalling(1e6, 7*time.Second), took: 5 * time.Minute, attempts: 1, bytes: 42},
		{name: "no document limit", timeout: -1, transport: stalling(1000, 29*time.Second), took: 29030 * time.Second, attempts: 1, bytes: 1000, cut: true},
	} {
		for _, ahead := range []int64{0, 1 << 20} {
			t.Run(tt.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					l := &countingLimiter{}
					c := &Client{Transport: tt.transport, Timeout: tt.timeout, Limiter: l, times: phases{backoff: 1}}
					begun := time.Now()
					doc, err := c.Get(t.Context(), Request{URL: "http://example.com/", ReadAhead: ahead})
					var body []byte
					if err == nil {
						body, err = io.ReadAll(doc.Body)
						doc.Body.Close()
					}
					took := time.Since(begun)
					var e *Error
					if !errors.Is(err, ErrTimeout) || !errors.As(err, &e) || errors.Is(err, context.DeadlineExceeded) || !e.Timeout() || !e.Temporary() {
						t.Fatalf("error %v, want %v", err, ErrTimeout)
					}
					if errors.Is(err, ErrBody) != tt.cut {
						t.Errorf("error %v, want %v: %v", err, ErrBody, tt.cut)
					}
					if e.Attempts != tt.attempts || len(body) != tt.bytes {
						t.Errorf("%d attempts, %d bytes; want %d, %d", e.Attempts, len(body), tt.attempts, tt.bytes)
					}
					if took < tt.took || took > tt.took+time.Second {
						t.Errorf("took %v, want %v", took, tt.took)
					}
					if l.out != 0 {
						t.Errorf("%d slots not released", l.out)
					}
				})
			})
		}
	}
}

// TestPausesDoNotCount reads a document with pauses longer than any clock.
func TestPausesDoNotCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &Client{Transport: stalling(5, 20*time.Second), Timeout: 3 * time.Minute}
		doc, err := c.Get(t.Context(), Request{URL: "http://example.com/"})
		if err != nil {
			t.Fatal(err)
		}
		defer doc.Body.Close()
		raw := doc.Body.(interface{ Raw() io.Reader }).Raw()
		for i := range 5 {
			time.Sleep(time.Hour)
			if _, err := io.ReadFull(raw, make([]byte, 1)); err != nil {
				t.Fatalf("byte %d: %v", i, err)
			}
		}
	})
}

// TestLimiterDoesNotCount waits for a slot longer than any clock.
func TestLimiterDoesNotCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &Client{Transport: new(web), Limiter: slowLimiter(time.Hour), Timeout: time.Minute}
		doc, err := c.Get(t.Context(), Request{URL: "http://example.com/"})
		if err != nil {
			t.Fatal(err)
		}
		if doc.FirstByte < time.Hour {
			t.Errorf("FirstByte %v, want what was waited", doc.FirstByte)
		}
		doc.Body.Close()
	})
}

type slowLimiter time.Duration

func (l slowLimiter) Acquire(ctx context.Context, _ *url.URL) (func(int, time.Duration), error) {
	time.Sleep(time.Duration(l))
	return nil, nil
}

// TestContextEnds ends the caller's context at different moments.
func TestContextEnds(t *testing.T) {
	why := errors.New("why")
	for _, tt := range []struct {
		name      string
		transport roundTripper
		limiter   Limiter
	}{
		{"before an answer", hang, nil},
		{"between attempts", failing(503, "60"), &countingLimiter{}},
		{"waiting for the limiter", failing(503, "60"), &HostLimiter{}},
		{"in the body", stalling(1000, time.Second), nil},
	} {
		for _, cancelled := range []bool{true, false} {
			t.Run(tt.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					ctx, cancel := context.WithCancelCause(t.Context())
					want := context.Canceled
					if cancelled {
						time.AfterFunc(20*time.Second, func() { cancel(why) })
					} else {
						var stop func()
						ctx, stop = context.WithTimeout(ctx, 20*time.Second)
						defer stop()
						want = context.DeadlineExceeded
					}
					defer cancel(nil)
					c := &Client{Transport: tt.transport, Limiter: tt.limiter}
					begun := time.Now()
					doc, err := c.Get(ctx, Request{URL: "http://example.com/", ReadAhead: 1 << 20})
					if err == nil {
						_, err = io.ReadAll(doc.Body)
						doc.Body.Close()
					}
					var e *Error
					if !errors.Is(err, want) || !errors.As(err, &e) || e.Temporary() || errors.Is(err, ErrTimeout) {
						t.Errorf("error %v, want %v", err, want)
					}
					if cancelled && !errors.Is(err, why) {
						t.Errorf("error %v, want its cause too", err)
					}
					if took := time.Since(begun); took != 20*time.Second {
						t.Errorf("took %v, want 20s", took)
					}
				})
			})
		}
	}
}

// TestSwitchingProtocols gets an answer whose body is a connection that stays open.
func TestSwitchingProtocols(t *testing.T) {
	closed := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n")
		io.Copy(io.Discard, conn)
		close(closed)
	}))
	defer s.Close()
	var e *Error
	if _, err := newClient(t).Get(t.Context(), Request{URL: s.URL}); !errors.Is(err, ErrStatus) || !errors.As(err, &e) || e.Status != 101 {
		t.Errorf("error %v, want status 101", err)
	}
	<-closed
}

// TestContentRange gets parts that were not asked for.
func TestContentRange(t *testing.T) {
	for _, tt := range []struct {
		value string
		get   error
		read  error
	}{
		{"bytes 0-3/4", nil, nil},
		{"Bytes 0-3/4", nil, nil}, // names of units are case-insensitive (RFC 9110, section 14.1)
		{"bytes 0-3/5", nil, ErrBody},
		{"bytes 0-3/*", nil, ErrBody},
		{"bytes 1-4/5", ErrStatus, nil},
		{"lines 0-3/4", ErrStatus, nil},
		{"", ErrStatus, nil},
	} {
		c := &Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
			return answer(r, 206, "text", "Content-Range", tt.value), nil
		})}
		doc, err := c.Get(t.Context(), Request{URL: "http://example.com/"})
		if !errors.Is(err, tt.get) {
			t.Errorf("%q: Get: %v, want %v", tt.value, err, tt.get)
		}
		if err != nil {
			continue
		}
		if body, err := io.ReadAll(doc.Body); string(body) != "text" || !errors.Is(err, tt.read) {
			t.Errorf("%q: read %q, %v; want %v", tt.value, body, err, tt.read)
		}
		doc.Body.Close()
	}
}

// TestTransportErrors fails every attempt in ways that are tried again or not.
func TestTransportErrors(t *testing.T) {
	for _, tt := range []struct {
		err      error
		attempts int
		want     error
	}{
		{syscall.ECONNREFUSED, 3, ErrConnect},
		{syscall.ECONNRESET, 3, ErrConnect},
		{io.ErrUnexpectedEOF, 3, ErrConnect},
		{http.ErrSchemeMismatch, 1, ErrConnect},
		{refused("address 10.0.0.1 is not public"), 1, ErrRefused},
		{nil, 3, ErrConnect}, // no response either
	} {
		synctest.Test(t, func(t *testing.T) {
			var asked atomic.Int32
			c := &Client{Transport: roundTripper(func(*http.Request) (*http.Response, error) {
				asked.Add(1)
				return nil, tt.err
			})}
			_, err := c.Get(t.Context(), Request{URL: "http://example.com/"})
			var e *Error
			if !errors.Is(err, tt.want) || tt.err != nil && !errors.Is(err, tt.err) || !errors.As(err, &e) {
				t.Fatalf("%v: error %v, want %v", tt.err, err, tt.want)
			}
			if e.Attempts != tt.attempts || int(asked.Load()) != tt.attempts {
				t.Errorf("%v: %d attempts, %d requests, want %d", tt.err, e.Attempts, asked.Load(), tt.attempts)
			}
		})
	}
}

// TestRetriesAreShared by all hops of a document.
func TestRetriesAreShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seen := map[string]int{}
		c := &Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
			seen[r.URL.Path]++
			switch {
			case seen[r.URL.Path] == 1:
				return nil, syscall.ECONNRESET
			case r.URL.Path == "/c":
				return answer(r, 200, "ok"), nil
			}
			next := map[string]string{"/a": "/b", "/b": "/c"}[r.URL.Path]
			return answer(r, 302, "", "Location", next), nil
		})}
		_, err := c.Get(t.Context(), Request{URL: "http://example.com/a"})
		var e *Error
		if !errors.Is(err, ErrConnect) || !errors.As(err, &e) || e.Attempts != 3 || !strings.HasSuffix(e.URL, "/c") {
			t.Errorf("error %v, want %v at /c after 3 attempts", err, ErrConnect)
		}
	})
}

// TestLimiterRefuses is an error of the caller's Limiter: the document ends with
// it, and nothing is sent.
func TestLimiterRefuses(t *testing.T) {
	l := refusingLimiter{errors.New("enough for today")}
	w := new(web)
	c := &Client{Transport: w, Limiter: l}
	_, err := c.Get(t.Context(), Request{URL: "http://example.com/"})
	var e *Error
	if !errors.Is(err, l.err) || !errors.As(err, &e) || e.Attempts != 0 || e.Temporary() || len(w.requests) != 0 {
		t.Errorf("error %+v after %d requests, want %v before any", err, len(w.requests), l.err)
	}
}

type refusingLimiter struct{ err error }

func (l refusingLimiter) Acquire(context.Context, *url.URL) (func(int, time.Duration), error) {
	return nil, l.err
}

// TestErrorTextIsShort however much a server sends.
func TestErrorTextIsShort(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	for _, transport := range []roundTripper{
		func(*http.Request) (*http.Response, error) { return nil, errors.New(long) },
		func(r *http.Request) (*http.Response, error) {
			return answer(r, 200, "", "Content-Encoding", long), nil
		},
		func(r *http.Request) (*http.Response, error) { return answer(r, 302, "", "Location", "/"+long), nil },
		func(r *http.Request) (*http.Response, error) { return answer(r, 302, "", "Location", long+":"), nil },
		func(r *http.Request) (*http.Response, error) { return answer(r, 206, "", "Content-Range", long), nil },
	} {
		c := &Client{Transport: transport, Retries: -1}
		_, err := c.Get(t.Context(), Request{URL: "http://example.com/"})
		if err == nil || len(err.Error()) > 1000 {
			t.Errorf("an error of %d bytes, want one that can be read", len(fmt.Sprint(err)))
		}
	}
}
