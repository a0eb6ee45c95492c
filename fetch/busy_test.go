package fetch_test

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-322c453a/sitemap/fetch"
)

// getAll gets n documents of a host from 16 goroutines and returns the errors of those that failed.
func getAll(t *testing.T, rt http.RoundTripper, n int) map[string]error {
	t.Helper()
	c := &fetch.Client{Transport: rt}
	failed := map[string]error{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	var next atomic.Int32
	for range 16 {
		wg.Go(func() {
			for i := int(next.Add(1)); i <= n; i = int(next.Add(1)) {
				path := "/" + strconv.Itoa(i)
				doc, err := c.Get(t.Context(), fetch.Request{URL: "http://a.test" + path})
				if err == nil {
					doc.Body.Close()
					continue
				}
				mu.Lock()
				failed[path] = err
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return failed
}

// refusal answers a request with a status and, unless it is empty, a Retry-After.
func refusal(r *http.Request, status int, retryAfter string) (*http.Response, error) {
	return statuses(retryAfter, status)(r)
}

// A server that allows one request a second is read whole.
func TestClient_RateLimitedHost(t *testing.T) {
	for _, retryAfter := range []string{"", "1"} {
		t.Run("Retry-After "+retryAfter, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var mu sync.Mutex
				var last time.Time
				failed := getAll(t, roundTripper(func(r *http.Request) (*http.Response, error) {
					mu.Lock()
					defer mu.Unlock()
					if time.Since(last) < time.Second {
						return refusal(r, http.StatusTooManyRequests, retryAfter)
					}
					last = time.Now()
					return answer(r, http.StatusOK, "body"), nil
				}), 200)
				if len(failed) > 0 {
					t.Errorf("%d of 200 documents failed: %v", len(failed), failed)
				}
			})
		})
	}
}

// A server that allows a number of requests a minute, and does not say when, is read almost whole:
// a document fails only if it is refused in several minutes.
func TestClient_RequestsAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var minute time.Time
		sent := 0
		failed := getAll(t, roundTripper(func(r *http.Request) (*http.Response, error) {
			mu.Lock()
			defer mu.Unlock()
			if time.Since(minute) >= time.Minute {
				minute, sent = time.Now(), 0
			}
			if sent++; sent > 60 {
				return refusal(r, http.StatusTooManyRequests, "")
			}
			return answer(r, http.StatusOK, "body"), nil
		}), 200)
		if len(failed) > 20 {
			t.Errorf("%d of 200 documents failed: %v", len(failed), failed)
		}
	})
}

// A document that is refused each time fails alone.
func TestClient_BusyDocumentFailsAlone(t *testing.T) {
	for _, tt := range []struct {
		retryAfter string
		attempts   int
		wait       time.Duration // fetch.Error.RetryAfter
	}{{"", 3, 0}, {"2", 3, 2 * time.Second}, {"120", 1, 2 * time.Minute}} {
		t.Run("Retry-After "+tt.retryAfter, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const busy = "/100"
				failed := getAll(t, roundTripper(func(r *http.Request) (*http.Response, error) {
					if r.URL.Path == busy {
						return refusal(r, http.StatusServiceUnavailable, tt.retryAfter)
					}
					return answer(r, http.StatusOK, "body"), nil
				}), 200)
				var e *fetch.Error
				if !errors.As(failed[busy], &e) || e.Status != 503 || e.Attempts != tt.attempts || e.RetryAfter != tt.wait {
					t.Errorf("the busy document: %v, want status 503 after %d attempts, RetryAfter %v", failed[busy], tt.attempts, tt.wait)
				}
				if len(failed) != 1 {
					t.Errorf("%d documents failed, want 1: %v", len(failed), failed)
				}
			})
		})
	}
}

// A host that refuses everything is asked for few documents: those of the first burst, and one after
// each of the six pauses that fit into RetryWait: 1, 2, 4, 8 and 16 s, and the rest.
func TestClient_BusyHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		sent := map[string]bool{}
		var mu sync.Mutex
		failed := getAll(t, roundTripper(func(r *http.Request) (*http.Response, error) {
			mu.Lock()
			defer mu.Unlock()
			sent[r.URL.Path] = true
			return refusal(r, http.StatusServiceUnavailable, "")
		}), 200)
		if took := time.Since(start); len(failed) != 200 || took > time.Minute+2*time.Second {
			t.Errorf("%d documents failed after %v, want all within RetryWait and the first backoff",
				len(failed), took)
		}
		busy := 0
		for _, err := range failed {
			if errors.Is(err, fetch.ErrBusy) {
				busy++
			}
		}
		if busy < 197 || len(sent) > 4+6 {
			t.Errorf("%d documents failed with %v, %d were requested; want 197 and at most 10",
				busy, fetch.ErrBusy, len(sent))
		}
	})
}

// A host that refuses everything for a while, as during a restart, is waited for.
func TestClient_HostThatRestarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		failed := getAll(t, roundTripper(func(r *http.Request) (*http.Response, error) {
			if time.Since(start) < 20*time.Second {
				return refusal(r, http.StatusServiceUnavailable, "")
			}
			return answer(r, http.StatusOK, "body"), nil
		}), 200)
		if len(failed) > 0 {
			t.Errorf("%d of 200 documents failed: %v", len(failed), failed)
		}
	})
}

// A document that is retried is requested before newer ones.
func TestClient_RetryBeforeNewerDocuments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var order []string
		c := &fetch.Client{
			Limiter: &fetch.HostLimiter{PerHost: 1},
			Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
				order = append(order, r.URL.Path)
				time.Sleep(100 * time.Millisecond)
				if len(order) == 1 {
					return refusal(r, http.StatusServiceUnavailable, "")
				}
				return answer(r, http.StatusOK, "body"), nil
			}),
		}
		var wg sync.WaitGroup
		for _, path := range []string{"/1", "/2", "/3", "/4"} {
			wg.Go(func() {
				doc, err := c.Get(t.Context(), fetch.Request{URL: "http://a.test" + path})
				if err != nil {
					t.Error(err)
					return
				}
				doc.Body.Close()
			})
			time.Sleep(time.Millisecond)
		}
		wg.Wait()
		if want := []string{"/1", "/1", "/2", "/3", "/4"}; !slices.Equal(order, want) {
			t.Errorf("requests in the order %v, want %v", order, want)
		}
	})
}

// The error of a HostLimiter is an Error of this package, for those who call Acquire themselves.
func TestHostLimiter_Error(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l fetch.HostLimiter
		for _, path := range []string{"1", "2", "3", "4"} {
			acquire(t, &l, parseURL(t, "http://a.test/"+path))(503, 90*time.Second)
		}
		_, err := l.Acquire(t.Context(), parseURL(t, "https://A.test:443/")) // the same host
		var e *fetch.Error
		if !errors.Is(err, fetch.ErrBusy) || !errors.As(err, &e) || e.RetryAfter != 90*time.Second || !e.Temporary() {
			t.Errorf("error %v, want %v with RetryAfter 90s", err, fetch.ErrBusy)
		}
	})
}

// Client.RetryWait bounds the pauses of a host, also with a HostLimiter of the caller's.
func TestClient_RetryWaitBoundsPauses(t *testing.T) {
	for _, l := range []fetch.Limiter{nil, &fetch.HostLimiter{}} {
		synctest.Test(t, func(t *testing.T) {
			c := &fetch.Client{
				Transport: statuses("3600", 503, 200), RetryWait: 2 * time.Second, Retries: -1, Limiter: l,
			}
			start := time.Now()
			c.Get(t.Context(), fetch.Request{URL: "http://a.test/1"})
			doc, err := c.Get(t.Context(), fetch.Request{URL: "http://a.test/2"})
			if err != nil {
				t.Fatal(err)
			}
			doc.Body.Close()
			if got := time.Since(start); got != 2*time.Second {
				t.Errorf("with Limiter %v the host paused for %v, want 2s", l, got)
			}
		})
	}
}
