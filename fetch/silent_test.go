package fetch

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
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
				_, errs[i] = io.Copy(io.Discard, doc.Body)
				doc.Body.Close()
			}
		})
		synctest.Wait()
	}
	all.Wait()
	return errs
}

// TestSilentHost: a host of which nothing comes is given up, and asked again later.
func TestSilentHost(t *testing.T) {
	for name, transport := range map[string]roundTripper{"no answer": hang, "no body": stalling(0, 0)} {
		synctest.Test(t, func(t *testing.T) {
			c := &Client{Transport: transport}
			begun := time.Now()
			silent := 0
			for i, err := range errorsOf(t, c, 1000) {
				var e *Error
				switch {
				case !errors.As(err, &e) || !e.Temporary():
					t.Errorf("%s: %d: %v", name, i, err)
				case errors.Is(err, ErrSilent) && e.RetryAfter > 0 && e.RetryAfter <= silentPause:
					silent++
				case !e.Timeout():
					t.Errorf("%s: %d: %v", name, i, err)
				}
			}
			// A request takes up to 50 s.
			if took := time.Since(begun); took < silentTime || took > silentTime+90*time.Second || silent < 900 {
				t.Errorf("%s: %d given up, in %v", name, silent, took)
			}
			time.Sleep(silentPause)
			begun = time.Now()
			if errs := errorsOf(t, c, 1); errs[0] == nil || time.Since(begun) < silentPause {
				t.Errorf("%s: after the pause: %v in %v", name, errs[0], time.Since(begun))
			}
		})
	}
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

// TestBodyIsNoSilence: a host that has time for one document only is not given up while that comes.
func TestBodyIsNoSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		long, begun := stalling(24, 10*time.Second), time.Now()
		c := &Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
			switch {
			case r.URL.Path == "/0":
				return long(r)
			case time.Since(begun) < 4*time.Minute:
				return hang(r)
			}
			return answer(r, 200, "x"), nil
		})}
		lost := 0
		for i, err := range errorsOf(t, c, 100) {
			if err != nil {
				lost++
			}
			if errors.Is(err, ErrSilent) {
				t.Errorf("%d: %v", i, err)
			}
		}
		// All but the first, which stalls at last, and those that were tried three times.
		if lost > 4 {
			t.Errorf("%d lost", lost)
		}
	})
}

// TestAnswersAreNoSilence: whatever is answered, and refused, tells that a host is there.
func TestAnswersAreNoSilence(t *testing.T) {
	for name, test := range map[string]struct {
		answer roundTripper
		unread bool
	}{
		"nobody reads": {answer: failing(200, ""), unread: true},
		"204":          {answer: failing(204, "")},
		"404":          {answer: failing(404, "")},
		"206":          {answer: failing(206, "")},
		"unknown encoding": {answer: func(r *http.Request) (*http.Response, error) {
			return answer(r, 200, "x", "Content-Encoding", "br"), nil
		}},
		"refused": {answer: answering("")},
	} {
		synctest.Test(t, func(t *testing.T) {
			c := &Client{Limiter: &HostLimiter{PerHost: 1}, Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
				if strings.HasSuffix(r.URL.Path, "0") {
					return hang(r)
				}
				return test.answer(r)
			})}
			for i := range 400 {
				doc, err := c.Get(t.Context(), Request{URL: fmt.Sprint("https://example.com/", i)})
				if errors.Is(err, ErrSilent) {
					t.Fatalf("%s: %d: %v", name, i, err)
				}
				if err == nil && !test.unread {
					io.Copy(io.Discard, doc.Body)
				}
				if err == nil {
					doc.Body.Close()
				}
			}
		})
	}
}

// TestParkedIsNoSilence: how long a body waited for its reader does not count.
func TestParkedIsNoSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &Client{Limiter: &HostLimiter{PerHost: 50}, Transport: stalling(0, 0)}
		var docs []*Document
		for i := range 25 {
			doc, err := c.Get(t.Context(), Request{URL: fmt.Sprint("https://example.com/", i)})
			if err != nil {
				t.Fatal(err)
			}
			docs = append(docs, doc)
		}
		time.Sleep(silentTime)
		for _, doc := range docs {
			go io.Copy(io.Discard, doc.Body)
		}
		time.Sleep(time.Minute)
		doc, err := c.Get(t.Context(), Request{URL: "https://example.com/last"})
		if err != nil {
			t.Fatal(err)
		}
		doc.Body.Close()
	})
}
