package hostlimit

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

func TestLimiter_PausesAfter429(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(Bounds{})
		r := request("http://a.test/")
		acquire(t, l, r)(429, 7*time.Second)
		start := time.Now()
		release := acquire(t, l, r)
		if waited := time.Since(start); waited != 7*time.Second {
			t.Errorf("waited %v after Retry-After 7, want 7s", waited)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := l.Acquire(ctx, r); err == nil {
			t.Error("a recovering host got two requests at once")
		}
		release(200, 0)
		for i, at := range requestEvery(t, l, r, 9) {
			if want := 7 * time.Second * time.Duration(i+1); at != want {
				t.Errorf("recovery: request %d after %v, want %v", i, at, want)
			}
		}
		start = time.Now()
		first, second := acquire(t, l, r), acquire(t, l, r) // ten successes in a row
		if waited := time.Since(start); waited != 0 {
			t.Errorf("waited %v after the recovery, want no wait", waited)
		}
		first(503, 0)
		second(200, 0)
		acquire(t, l, r)(503, 0)
		acquire(t, l, r)(200, 0)
		acquire(t, l, r)(503, 0)
		acquire(t, l, r)(503, 2*time.Second)
		acquire(t, l, r)(200, 0)
		// backoffs of 1s and 2s, 2s between requests, a new backoff of 1s, and a Retry-After of 2s
		if waited, want := time.Since(start), 8*time.Second; waited != want {
			t.Errorf("waited %v, want %v", waited, want)
		}
	})
}

// TestLimiter_RetryAfterInRecovery: a host that allows a request every three seconds gets them so,
// although its Retry-After says only what is left of that time.
func TestLimiter_RetryAfterInRecovery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(Bounds{})
		r := request("http://a.test/")
		acquire(t, l, r)(429, 2*time.Second)
		acquire(t, l, r)(200, 0)
		acquire(t, l, r)(429, time.Second)
		acquire(t, l, r)(200, 0)
		for i, at := range requestEvery(t, l, r, 9) {
			if want := 3 * time.Second * time.Duration(i+1); at != want {
				t.Errorf("request %d after %v, want %v", i, at, want)
			}
		}
	})
}

// timeOut sends a request that is not answered within 30 s.
func timeOut(t *testing.T, l *Limiter, r Request) {
	t.Helper()
	release := acquire(t, l, r)
	time.Sleep(30 * time.Second)
	release(0, 0)
}

func TestLimiter_CircuitBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(Bounds{})
		r := request("http://a.test/")
		for range 14 {
			timeOut(t, l, r)
		}
		acquire(t, l, r)(404, 0) // an answer
		acquire(t, l, r)(0, 0)   // refused at once: the host is there
		for range 15 {
			timeOut(t, l, r)
		}
		for range 2 { // two probes, a minute apart
			start := time.Now()
			timeOut(t, l, r)
			if waited := time.Since(start) - 30*time.Second; waited < 30*time.Second || waited > time.Minute {
				t.Errorf("the probe waited %v, want about a minute", waited)
			}
		}
		_, err := l.Acquire(t.Context(), r)
		var e *Error
		if !errors.Is(err, ErrHostDown) || !errors.As(err, &e) || e.RetryAfter <= 0 || e.RetryAfter > time.Minute {
			t.Fatalf("error %v, want %v for at most a minute", err, ErrHostDown)
		}
		time.Sleep(time.Minute)
		acquire(t, l, r)(200, 0)
		first, second := acquire(t, l, r), acquire(t, l, r)
		first(200, 0)
		second(200, 0)
	})
}

// refuse has requests for some documents of a host refused, one after the other.
func refuse(t *testing.T, l *Limiter, host string, retryAfter time.Duration, paths ...int) {
	t.Helper()
	for _, i := range paths {
		acquire(t, l, request(fmt.Sprintf("http://%s/%d", host, i)))(503, retryAfter)
	}
}

// checkBusy checks that requests to a host fail at once, and for how long yet.
func checkBusy(t *testing.T, l *Limiter, host string, want time.Duration) {
	t.Helper()
	start := time.Now()
	_, err := l.Acquire(t.Context(), request("http://"+host+"/"))
	var e *Error
	if !errors.Is(err, ErrBusy) || !errors.As(err, &e) || e.RetryAfter != want {
		t.Errorf("error %v, want %v with RetryAfter %v", err, ErrBusy, want)
	}
	if took := time.Since(start); took != 0 {
		t.Errorf("it failed after %v, want at once", took)
	}
}

func TestLimiter_BusyAfterThreeURLs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const host = "a.test"
		l := New(Bounds{})
		r := request("http://a.test/")
		refuse(t, l, host, time.Second, 1) // not after a pause
		refuse(t, l, host, time.Second, 1, 2, 1, 2, 1)
		acquire(t, l, r)(200, 0) // begins the count again
		refuse(t, l, host, time.Second, 3, 4)
		acquire(t, l, r)(500, 0) // does not
		refuse(t, l, host, 90*time.Second, 4, 5)
		checkBusy(t, l, host, 90*time.Second)
		acquire(t, l, request("http://b.test/"))(200, 0)
		time.Sleep(90 * time.Second)
		refuse(t, l, host, 365*24*time.Hour, 5)
		checkBusy(t, l, host, time.Hour)
		time.Sleep(time.Hour)
		acquire(t, l, r)(200, 0)
		refuse(t, l, host, time.Second, 1, 2)
		acquire(t, l, r)(200, 0)
	})
}

// A host that refuses everything is asked until the longest pause, a minute, is over.
func TestLimiter_LastTry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(Bounds{})
		start := time.Now()
		refuse(t, l, "a.test", 0, 1, 2, 3, 4, 5, 6, 7)
		if waited, want := time.Since(start), time.Minute; waited != want {
			t.Errorf("the last request was sent after %v, want %v", waited, want)
		}
		checkBusy(t, l, "a.test", 30*time.Second)
	})
}

// A host that allows every second request gets the retry of the one that it refused. If it refuses
// that too, another document shows whether the host is busy.
func TestLimiter_RetryAfterSuccess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(Bounds{})
		refuse(t, l, "a.test", 0, 1)
		acquire(t, l, request("http://a.test/1"))(200, 0)
		for _, want := range []string{"/retried", "/new"} {
			retried := request("http://a.test/retried")
			acquire(t, l, retried)(429, 0)
			later := request("http://a.test/new")
			later.Began = later.Began.Add(time.Second)
			ctx, cancel := context.WithCancel(t.Context())
			granted := make(chan string)
			for _, r := range []Request{later, retried} {
				go func() {
					if release, err := l.Acquire(ctx, r); err == nil {
						granted <- r.URL.Path
						release(429, 0)
					}
				}()
			}
			if got := <-granted; got != want {
				t.Errorf("%s is requested, want %s", got, want)
			}
			cancel()
			synctest.Wait()
		}
	})
}

// Requests that wait when their host becomes busy fail too.
func TestLimiter_BusyHostFailsWaiters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(Bounds{})
		refuse(t, l, "a.test", time.Second, 1, 2, 3)
		last := acquire(t, l, request("http://a.test/4"))
		failed := make(chan error, 10)
		for range cap(failed) {
			go func() {
				_, err := l.Acquire(t.Context(), request("http://a.test/"))
				failed <- err
			}()
		}
		synctest.Wait()
		last(429, time.Minute)
		synctest.Wait()
		for range cap(failed) {
			select {
			case err := <-failed:
				if !errors.Is(err, ErrBusy) {
					t.Errorf("error %v, want %v", err, ErrBusy)
				}
			default:
				t.Fatal("a request still waits for a busy host")
			}
		}
	})
}

// Answers to requests that were sent together count as one.
func TestLimiter_AnswersToOneBurst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(Bounds{})
		r := request("http://a.test/")
		var burst []func(int, time.Duration)
		for range 4 {
			burst = append(burst, acquire(t, l, r))
		}
		start := time.Now()
		burst[0](503, 0)
		burst[1](200, 0)
		burst[2](503, 0)
		burst[3](503, 3*time.Second)
		acquire(t, l, r)(200, 0)
		acquire(t, l, r)(200, 0)
		if waited, want := time.Since(start), 4*time.Second; waited != want {
			t.Errorf("waited %v, want 3s as the last answer asks, then 1s as the first", waited)
		}
	})
}
