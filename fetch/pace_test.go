package fetch

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// A quota answers so many requests at once, and then rate in a second; others with status and
// Retry-After.
type quota struct {
	burst  float64
	rate   float64
	status int
	after  string

	mu       sync.Mutex
	left     float64
	last     time.Time
	requests int
}

func (q *quota) RoundTrip(r *http.Request) (*http.Response, error) {
	time.Sleep(20 * time.Millisecond)
	q.mu.Lock()
	defer q.mu.Unlock()
	q.requests++
	q.left = min(q.burst, q.left+q.rate*time.Since(q.last).Seconds())
	q.last = time.Now()
	rec := httptest.NewRecorder()
	if q.left >= 1 {
		q.left--
		rec.WriteString("ok")
	} else {
		if q.after != "" {
			rec.Header().Set("Retry-After", q.after)
		}
		rec.WriteHeader(q.status)
	}
	return rec.Result(), nil
}

// TestPace: a host that allows only so many requests in a while gets them at about that pace, and
// no document is lost for it.
func TestPace(t *testing.T) {
	const documents = 60
	for name, tt := range map[string]struct {
		*quota
		most float64 // times the ideal
	}{
		"one a second":       {&quota{burst: 3, rate: 1, status: 429, after: "1"}, 1.2},
		"without a time":     {&quota{burst: 3, rate: 2, status: 429}, 1.2},
		"no time":            {&quota{burst: 3, rate: 2, status: 503, after: "0"}, 1.2},
		"two seconds":        {&quota{burst: 3, rate: 2, status: 503, after: "2"}, 1.5},
		"no burst":           {&quota{burst: 1, rate: 5, status: 429, after: "1"}, 3},
		"large burst":        {&quota{burst: 20, rate: 1, status: 429, after: "5"}, 1.2},
		"ten a second":       {&quota{burst: 10, rate: 10, status: 429, after: "1"}, 1.6},
		"a minute's at once": {&quota{burst: 10, rate: 0.5, status: 429, after: "20"}, 1.3},
	} {
		synctest.Test(t, func(t *testing.T) {
			q := tt.quota
			q.left, q.last = q.burst, time.Now()
			c := &Client{Transport: q}
			var all sync.WaitGroup
			begun := time.Now()
			for i := range documents {
				all.Go(func() {
					doc, err := c.Get(t.Context(), Request{URL: fmt.Sprint("http://example.com/", i)})
					if err != nil {
						t.Errorf("%s: %v", name, err)
						return
					}
					doc.Body.Close()
				})
				synctest.Wait()
			}
			all.Wait()
			ideal := (documents - q.burst) / q.rate
			if took := time.Since(begun).Seconds(); took > tt.most*ideal || q.requests > documents*9/4 {
				t.Errorf("%s: took %.1f s, ideal %.1f s, with %d requests", name, took, ideal, q.requests)
			}
		})
	}
}

// TestBusyDocuments: documents that are answered 503 for ever, less than ten in a row, take none of
// the others with them.
func TestBusyDocuments(t *testing.T) {
	for _, busy := range []int{1, 5, 9} {
		synctest.Test(t, func(t *testing.T) {
			c := &Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
				time.Sleep(50 * time.Millisecond)
				if n, _ := strconv.Atoi(r.URL.Path[1:]); n >= 100 && n < 100+busy {
					return answer(r, http.StatusServiceUnavailable, ""), nil
				}
				return answer(r, http.StatusOK, "ok"), nil
			})}
			var all sync.WaitGroup
			ahead := make(chan struct{}, 16)
			var lost atomic.Int32
			for i := range 300 {
				ahead <- struct{}{}
				all.Go(func() {
					defer func() { <-ahead }()
					doc, err := c.Get(t.Context(), Request{URL: fmt.Sprint("http://example.com/", i)})
					if err == nil {
						doc.Body.Close()
					} else if i < 100 || i >= 100+busy {
						lost.Add(1)
					}
				})
				synctest.Wait()
			}
			all.Wait()
			if n := lost.Load(); n > 0 {
				t.Errorf("%d: %d others lost", busy, n)
			}
		})
	}
}

// TestOutage: a host that answers 503 for a while costs no document, also where none may take as
// long as that: who waits for the host does not wait for the document.
func TestOutage(t *testing.T) {
	for _, timeout := range []time.Duration{5 * time.Second, 10 * time.Second, 20 * time.Second, time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			begun := time.Now()
			c := &Client{Timeout: timeout, Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
				time.Sleep(100 * time.Millisecond)
				if time.Since(begun) < 12*time.Second {
					return answer(r, http.StatusServiceUnavailable, ""), nil
				}
				return answer(r, http.StatusOK, "ok"), nil
			})}
			getAtOnce(t, c, "http://example.com/", 8)
		})
	}
}
