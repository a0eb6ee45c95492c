package fetch_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
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

// A host that refuses everything is asked for few documents: those of the first burst, and three.
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
		if took := time.Since(start); len(failed) != 200 || took > time.Minute {
			t.Errorf("%d documents failed after %v, want all within a minute", len(failed), took)
		}
		busy := 0
		for _, err := range failed {
			if errors.Is(err, fetch.ErrBusy) {
				busy++
			}
		}
		if busy < 197 || len(sent) > 4+3 {
			t.Errorf("%d documents failed with %v, %d were requested; want 197 and 7", busy, fetch.ErrBusy, len(sent))
		}
	})
}

// refuse has requests for some documents of a host refused, one after the other.
func refuse(t *testing.T, l *fetch.HostLimiter, host string, retryAfter time.Duration, paths ...int) {
	t.Helper()
	for _, i := range paths {
		acquire(t, l, parseURL(t, fmt.Sprintf("http://%s/%d", host, i)))(503, retryAfter)
	}
}

// checkBusy checks that requests to a host fail at once, and for how long yet.
func checkBusy(t *testing.T, l *fetch.HostLimiter, host string, want time.Duration) {
	t.Helper()
	start := time.Now()
	_, err := l.Acquire(t.Context(), parseURL(t, "http://"+host+"/"))
	var e *fetch.Error
	if !errors.Is(err, fetch.ErrBusy) || !errors.As(err, &e) || e.RetryAfter != want || !e.Temporary() {
		t.Errorf("error %v, want %v with RetryAfter %v", err, fetch.ErrBusy, want)
	}
	if took := time.Since(start); took != 0 {
		t.Errorf("it failed after %v, want at once", took)
	}
}

func TestHostLimiter_BusyAfterThreeURLs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const host = "a.test"
		var l fetch.HostLimiter
		u := parseURL(t, "http://a.test/")
		refuse(t, &l, host, time.Second, 1) // not after a pause
		refuse(t, &l, host, time.Second, 1, 2, 1, 2, 1)
		acquire(t, &l, u)(200, 0) // begins the count again
		refuse(t, &l, host, time.Second, 3, 4)
		acquire(t, &l, u)(500, 0) // does not
		refuse(t, &l, host, 90*time.Second, 4, 5)
		checkBusy(t, &l, host, 90*time.Second)
		acquire(t, &l, parseURL(t, "http://b.test/"))(200, 0)
		time.Sleep(90 * time.Second)
		refuse(t, &l, host, 365*24*time.Hour, 5)
		checkBusy(t, &l, host, time.Hour)
		time.Sleep(time.Hour)
		acquire(t, &l, u)(200, 0)
		refuse(t, &l, host, time.Second, 1, 2)
		acquire(t, &l, u)(200, 0)
	})
}

// Requests that wait when their host becomes busy fail too.
func TestHostLimiter_BusyHostFailsWaiters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l fetch.HostLimiter
		refuse(t, &l, "a.test", time.Second, 1, 2, 3)
		last := acquire(t, &l, parseURL(t, "http://a.test/4"))
		failed := make(chan error, 10)
		for range cap(failed) {
			go func() {
				_, err := l.Acquire(t.Context(), parseURL(t, "http://a.test/"))
				failed <- err
			}()
		}
		synctest.Wait()
		last(429, time.Minute)
		synctest.Wait()
		for range cap(failed) {
			select {
			case err := <-failed:
				if !errors.Is(err, fetch.ErrBusy) {
					t.Errorf("error %v, want %v", err, fetch.ErrBusy)
				}
			default:
				t.Fatal("a request still waits for a busy host")
			}
		}
	})
}

// Answers to requests that were sent together count as one.
func TestHostLimiter_AnswersToOneBurst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l fetch.HostLimiter
		u := parseURL(t, "http://a.test/")
		var burst []func(int, time.Duration)
		for range 4 {
			burst = append(burst, acquire(t, &l, u))
		}
		start := time.Now()
		burst[0](503, 0)
		burst[1](200, 0)
		burst[2](503, 0)
		burst[3](503, 3*time.Second)
		acquire(t, &l, u)(200, 0)
		acquire(t, &l, u)(200, 0)
		if waited, want := time.Since(start), 4*time.Second; waited != want {
			t.Errorf("waited %v, want 3s as the last answer asks, then 1s as the first", waited)
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

// A request that is given up does not use up its turn.
func TestHostLimiter_GivesBackCancelledTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := fetch.HostLimiter{PerAddress: 1}
		u, other := parseURL(t, "http://192.0.2.1/"), parseURL(t, "http://192.0.2.1:81/")
		l.SetDelay(u, 10*time.Second)
		release := acquire(t, &l, other)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := l.Acquire(ctx, u); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("waiting for a slot of the address: %v", err)
		}
		release(200, 0)
		start := time.Now()
		acquire(t, &l, u)(200, 0)
		if waited := time.Since(start); waited != 0 {
			t.Errorf("the next request waited %v, want no wait", waited)
		}
	})
}

// A busy host is remembered however many other hosts there are.
func TestHostLimiter_ManyHosts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l fetch.HostLimiter
		refuse(t, &l, "busy.test", 50*time.Minute, 1, 2, 3, 4)
		for range 3 {
			time.Sleep(15 * time.Minute)
			for i := range 10_000 {
				acquire(t, &l, &url.URL{Scheme: "http", Host: strconv.Itoa(i) + ".test"})(200, 0)
			}
		}
		checkBusy(t, &l, "busy.test", 5*time.Minute)
	})
}

// The bound on an address holds however many other addresses there are.
func TestHostLimiter_ManyAddresses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := fetch.HostLimiter{PerAddress: 1}
		release := acquire(t, &l, parseURL(t, "http://192.0.2.1/"))
		for i := range 20_000 {
			host := fmt.Sprintf("10.0.%d.%d", i/256, i%256)
			acquire(t, &l, &url.URL{Scheme: "http", Host: host})(200, 0)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		second := parseURL(t, "http://192.0.2.1:81/")
		if _, err := l.Acquire(ctx, second); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a second request to an address with one slot: %v, want it to wait", err)
		}
		release(200, 0)
		acquire(t, &l, second)(200, 0)
	})
}
