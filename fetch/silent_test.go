package fetch

import (
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// errorsOf gets so many documents of a host at once, which ask in their order, and returns their errors.
func errorsOf(t *testing.T, c *Client, n int) []error {
	t.Helper()
	errs := make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			doc, err := c.Get(t.Context(), Request{URL: fmt.Sprintf("https://example.com/%d", i)})
			if errs[i] = err; err == nil {
				doc.Body.Close()
			}
		})
		synctest.Wait()
	}
	all.Wait()
	return errs
}

// TestSilentHost: a host that answers nothing is given up, and asked again later.
func TestSilentHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &Client{Transport: roundTripper(hang)}
		begun := time.Now()
		for i, err := range errorsOf(t, c, 1000) {
			var e *Error
			// Others are tried before one is tried again: it may be that which is not answered.
			if !errors.Is(err, ErrSilent) || !errors.As(err, &e) || e.RetryAfter <= 0 || e.RetryAfter > silentPause || !e.Temporary() || e.Attempts > 1 {
				t.Errorf("%d: %v", i, err)
			}
		}
		// A request takes up to 50 s.
		if took := time.Since(begun); took < silentTime || took > silentTime+90*time.Second {
			t.Errorf("took %v", took)
		}
		time.Sleep(silentPause)
		_, err := c.Get(t.Context(), Request{URL: "https://example.com/once/more"})
		if !errors.Is(err, ErrSilent) {
			t.Errorf("after the pause: %v", err)
		}
		if e := (*Error)(nil); !errors.As(err, &e) || e.Attempts != 1 {
			t.Errorf("after the pause: %+v, want one attempt", e)
		}
	})
}

// TestNotSilent: a host is not given up that answers other documents, or again before two minutes
// have passed, or that was asked too seldom.
func TestNotSilent(t *testing.T) {
	for _, tt := range []struct {
		name  string
		n     int
		hangs func(path string, since time.Duration) bool
		lost  int
	}{
		{"the first documents", 40, func(path string, _ time.Duration) bool { return len(path) == len("/0") && path < "/8" }, 8},
		{"the last ones", 40, func(path string, _ time.Duration) bool { return len(path) > len("/0") && path > "/31" && path < "/40" }, 8},
		{"an outage", 40, func(_ string, since time.Duration) bool { return since < 100*time.Second }, 0},
		{"three documents", 3, func(string, time.Duration) bool { return true }, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				c := &Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
					if tt.hangs(r.URL.Path, time.Since(begun)) {
						return hang(r)
					}
					return answer(r, 200, "x"), nil
				})}
				lost := 0
				for i, err := range errorsOf(t, c, tt.n) {
					if err == nil {
						continue
					}
					if lost++; !tt.hangs(fmt.Sprint("/", i), time.Since(begun)) {
						t.Errorf("%d: %v", i, err)
					}
				}
				if lost != tt.lost {
					t.Errorf("%d lost, want %d", lost, tt.lost)
				}
			})
		})
	}
}

// TestSilenceIsForgotten: what timed out long ago is no part of a silence.
func TestSilenceIsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &Client{Transport: roundTripper(hang)}
		for range 2 {
			for i, err := range errorsOf(t, c, 3) {
				if !errors.Is(err, ErrTimeout) {
					t.Errorf("%d: %v", i, err)
				}
			}
			time.Sleep(time.Hour)
		}
	})
}
