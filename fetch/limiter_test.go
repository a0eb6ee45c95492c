package fetch_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-322c453a/sitemap/fetch"
)

func parseURL(t *testing.T, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// acquire acquires a slot or fails the test.
func acquire(t *testing.T, l *fetch.HostLimiter, u *url.URL) (release func(int, time.Duration)) {
	t.Helper()
	release, err := l.Acquire(t.Context(), u)
	if err != nil {
		t.Fatalf("Acquire(%s): %v", u, err)
	}
	return release
}

func TestHostLimiter_Bounds(t *testing.T) {
	for _, tt := range []struct {
		name string
		l    *fetch.HostLimiter
		urls []string
		want int32
	}{
		{"per host", &fetch.HostLimiter{}, []string{"http://a.test/"}, 4},
		{"per host and port", &fetch.HostLimiter{}, []string{"http://a.test/", "http://a.test:8080/"}, 8},
		{"host in both schemes", &fetch.HostLimiter{}, []string{"http://a.test/", "https://A.test:443/"}, 4},
		{"in all", &fetch.HostLimiter{Total: 6}, []string{"http://a.test/", "http://b.test/", "http://c.test/"}, 6},
		{"no bound", &fetch.HostLimiter{Total: -1, PerHost: -1}, []string{"http://a.test/"}, 40},
		{"per address", &fetch.HostLimiter{PerAddress: 3}, []string{"http://192.0.2.1/", "http://192.0.2.1:81/"}, 3},
		{"per IPv6 network", &fetch.HostLimiter{PerAddress: 3}, []string{"http://[2001:db8::1]/", "http://[2001:db8::2]/"}, 3},
		{"per address at least per host", &fetch.HostLimiter{Total: 40, PerHost: 20}, []string{"http://192.0.2.1/"}, 20},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				var granted atomic.Int32
				for i := range 40 {
					u := parseURL(t, tt.urls[i%len(tt.urls)])
					go func() {
						if release, err := tt.l.Acquire(ctx, u); err == nil {
							granted.Add(1)
							<-ctx.Done()
							release(200, 0)
						}
					}()
				}
				synctest.Wait()
				if got := granted.Load(); got != tt.want {
					t.Errorf("%d of 40 requests granted, want %d", got, tt.want)
				}
				cancel()
				synctest.Wait()
				for _, s := range tt.urls { // every slot is free again
					acquire(t, tt.l, parseURL(t, s))(200, 0)
				}
			})
		})
	}
}

// requestEvery acquires n slots in a row, each released at once, and returns when.
func requestEvery(t *testing.T, l *fetch.HostLimiter, u *url.URL, n int) (at []time.Duration) {
	start := time.Now()
	for range n {
		release := acquire(t, l, u)
		at = append(at, time.Since(start))
		release(200, 0)
	}
	return at
}

func TestHostLimiter_CrawlDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l fetch.HostLimiter
		u, other := parseURL(t, "http://a.test/"), parseURL(t, "http://b.test/")
		for _, tt := range []struct{ delay, want time.Duration }{
			{5 * time.Second, 5 * time.Second}, {time.Hour, 30 * time.Second}, {0, 0},
		} {
			l.SetDelay(u, tt.delay)
			time.Sleep(time.Minute)
			if got := requestEvery(t, &l, u, 3); got[1]-got[0] != tt.want || got[2]-got[1] != tt.want {
				t.Errorf("delay %v: requests at %v, want them %v apart", tt.delay, got, tt.want)
			}
		}
		l.SetDelay(u, time.Second)
		if got := requestEvery(t, &l, other, 3); got[2] != 0 {
			t.Errorf("another host: requests at %v, want no wait", got)
		}
		l.SetDelay(u, time.Second)
		release := acquire(t, &l, u)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := l.Acquire(ctx, u); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("second request beside one under way: %v, want requests one at a time", err)
		}
		release(200, 0)
	})
}

func TestHostLimiter_CrawlDelayAfterWaitForSlots(t *testing.T) {
	for name, l := range map[string]*fetch.HostLimiter{"in all": {Total: 1}, "address": {PerAddress: 1}} {
		synctest.Test(t, func(t *testing.T) {
			u := parseURL(t, "http://192.0.2.1/")
			l.SetDelay(u, 10*time.Second)
			release := acquire(t, l, parseURL(t, "http://192.0.2.1:81/"))
			time.AfterFunc(9*time.Second, func() { release(200, 0) })
			if got := requestEvery(t, l, u, 2); got[1]-got[0] != 10*time.Second {
				t.Errorf("%s: requests at %v, want them 10s apart", name, got)
			}
		})
	}
}

func TestHostLimiter_PausesAfter429(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l fetch.HostLimiter
		u := parseURL(t, "http://a.test/")
		acquire(t, &l, u)(429, 7*time.Second)
		start := time.Now()
		release := acquire(t, &l, u)
		if waited := time.Since(start); waited != 7*time.Second {
			t.Errorf("waited %v after Retry-After 7, want 7s", waited)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := l.Acquire(ctx, u); err == nil {
			t.Error("a recovering host got two requests at once")
		}
		release(200, 0)
		for i, at := range requestEvery(t, &l, u, 9) {
			if want := 7 * time.Second * time.Duration(i+1); at != want {
				t.Errorf("recovery: request %d after %v, want %v", i, at, want)
			}
		}
		start = time.Now()
		first, second := acquire(t, &l, u), acquire(t, &l, u) // ten successes in a row
		if waited := time.Since(start); waited != 0 {
			t.Errorf("waited %v after the recovery, want no wait", waited)
		}
		first(503, 0)
		second(200, 0)
		acquire(t, &l, u)(503, 0)
		acquire(t, &l, u)(200, 0)
		acquire(t, &l, u)(503, 0)
		acquire(t, &l, u)(503, 2*time.Second)
		acquire(t, &l, u)(200, 0)
		// backoffs of 1s and 2s, 2s between requests, a new backoff of 1s, and a Retry-After of 2s
		if waited, want := time.Since(start), 8*time.Second; waited != want {
			t.Errorf("waited %v, want %v", waited, want)
		}
	})
}

// timeOut sends a request that is not answered within 30 s.
func timeOut(t *testing.T, l *fetch.HostLimiter, u *url.URL) {
	t.Helper()
	release := acquire(t, l, u)
	time.Sleep(30 * time.Second)
	release(0, 0)
}

func TestHostLimiter_CircuitBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l fetch.HostLimiter
		u := parseURL(t, "http://a.test/")
		for range 14 {
			timeOut(t, &l, u)
		}
		acquire(t, &l, u)(404, 0) // an answer
		acquire(t, &l, u)(0, 0)   // refused at once: the host is there
		for range 15 {
			timeOut(t, &l, u)
		}
		for range 2 { // two probes, a minute apart
			start := time.Now()
			timeOut(t, &l, u)
			if waited := time.Since(start) - 30*time.Second; waited < 30*time.Second || waited > time.Minute {
				t.Errorf("the probe waited %v, want about a minute", waited)
			}
		}
		_, err := l.Acquire(t.Context(), u)
		var e *fetch.Error
		if !errors.Is(err, fetch.ErrHostDown) || !errors.As(err, &e) || e.RetryAfter <= 0 || e.RetryAfter > time.Minute {
			t.Fatalf("error %v, want %v for at most a minute", err, fetch.ErrHostDown)
		}
		time.Sleep(time.Minute)
		acquire(t, &l, u)(200, 0)
		first, second := acquire(t, &l, u), acquire(t, &l, u)
		first(200, 0)
		second(200, 0)
	})
}

func TestHostLimiter_CancelledWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := fetch.HostLimiter{PerHost: 1}
		u := parseURL(t, "http://a.test/")
		release := acquire(t, &l, u)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := l.Acquire(ctx, u); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("waiting for a slot: %v", err)
		}
		release(429, 10*time.Second)
		ctx, cancel = context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := l.Acquire(ctx, u); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("waiting for a pause: %v", err)
		}
		acquire(t, &l, u)(200, 0)
	})
}

// A slowLimiter grants each request after a wait.
type slowLimiter struct {
	countingLimiter
	wait time.Duration
}

func (l *slowLimiter) Acquire(ctx context.Context, u *url.URL) (func(int, time.Duration), error) {
	time.Sleep(l.wait)
	return l.countingLimiter.Acquire(ctx, u)
}

func TestClient_TimeoutLeavesOutTheLimiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answers := 0
		c := &fetch.Client{
			Timeout: time.Minute,
			Limiter: &slowLimiter{wait: time.Hour},
			Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
				select {
				case <-time.After(25 * time.Second):
				case <-r.Context().Done():
					return nil, r.Context().Err()
				}
				if answers++; answers < 3 {
					return answer(r, 500, ""), nil
				}
				return answer(r, 200, "late"), nil
			}),
		}
		_, err := c.Get(t.Context(), fetch.Request{URL: "http://a.test/"})
		if !errors.Is(err, fetch.ErrTimeout) || answers != 2 {
			t.Errorf("three attempts of 25s within a minute: %v after %d answers, want %v in the third", err, answers, fetch.ErrTimeout)
		}
		answers = 0
		c = &fetch.Client{Timeout: 2 * time.Minute, Limiter: c.Limiter, Transport: c.Transport}
		if _, err := c.Get(t.Context(), fetch.Request{URL: "http://a.test/"}); err != nil {
			t.Errorf("within two minutes, without the waits for the Limiter: %v", err)
		}
	})
}

func TestClient_SetDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &fetch.Client{Transport: statuses("", 200)}
		c.SetDelay(parseURL(t, "http://a.test/robots.txt"), 5*time.Second)
		start := time.Now()
		for i := range 3 {
			doc, err := c.Get(t.Context(), fetch.Request{URL: "http://a.test/sitemap.xml"})
			if err != nil {
				t.Fatal(err)
			}
			doc.Body.Close()
			if got, want := time.Since(start), time.Duration(i)*5*time.Second; got != want {
				t.Errorf("request %d after %v, want %v", i, got, want)
			}
		}
	})
}

// A Client's Delay holds for every host, whatever its robots.txt asks for.
func TestClient_Delay(t *testing.T) {
	for _, tt := range []struct {
		crawl []time.Duration // SetDelay before the requests
		delay time.Duration
		want  time.Duration
	}{
		{nil, 45 * time.Second, 45 * time.Second},
		{[]time.Duration{0}, 5 * time.Second, 5 * time.Second},
		{[]time.Duration{10 * time.Second, time.Second}, 5 * time.Second, 5 * time.Second},
		{[]time.Duration{10 * time.Second}, 5 * time.Second, 10 * time.Second},
		{nil, -time.Second, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			c := &fetch.Client{
				Delay: tt.delay, Limiter: &fetch.HostLimiter{Total: 9}, Transport: statuses("", 200),
			}
			for _, d := range tt.crawl {
				c.SetDelay(parseURL(t, "https://a.test/"), d)
			}
			start := time.Now()
			for i, u := range []string{"http://a.test/1", "http://a.test/2", "https://a.test/"} {
				get(t, c, u).Body.Close()
				if got, want := time.Since(start), time.Duration(i)*tt.want; got != want {
					t.Errorf("%+v: request %d after %v, want %v", tt, i, got, want)
				}
			}
			wait := time.Since(start)
			get(t, c, "http://b.test/").Body.Close()
			if got := time.Since(start); got != wait {
				t.Errorf("%+v: another host after %v, want %v", tt, got, wait)
			}
		})
	}
}

// A delayLimiter records the delays that it receives.
type delayLimiter struct {
	countingLimiter
	delays []time.Duration
}

func (l *delayLimiter) SetDelay(_ *url.URL, d time.Duration) { l.delays = append(l.delays, d) }

func TestClient_DelayOfAnyLimiter(t *testing.T) {
	l := &delayLimiter{}
	c := &fetch.Client{Delay: 5 * time.Second, Limiter: l}
	for _, d := range []time.Duration{0, time.Second, 10 * time.Second} {
		c.SetDelay(parseURL(t, "http://a.test/"), d)
	}
	want := []time.Duration{5 * time.Second, 5 * time.Second, 10 * time.Second}
	if !slices.Equal(l.delays, want) {
		t.Errorf("SetDelay received %v, want %v", l.delays, want)
	}
}

// Five documents in a row that time out, with three attempts each, show that a host is down. The
// next one waits for two probes; those after it fail at once, until the host answers again.
func TestClient_HostThatIsDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := true
		requests := 0
		c := &fetch.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
			requests++
			if down {
				<-r.Context().Done()
				return nil, r.Context().Err()
			}
			return answer(r, http.StatusOK, "up"), nil
		})}
		request := fetch.Request{URL: "http://a.test/"}
		var e *fetch.Error
		for i := range 5 {
			_, err := c.Get(t.Context(), request)
			if !errors.Is(err, fetch.ErrTimeout) || !errors.As(err, &e) || !e.Timeout() || e.Attempts != 3 {
				t.Errorf("document %d: %v, want %v in each of 3 attempts", i, err, fetch.ErrTimeout)
			}
		}
		if _, err := c.Get(t.Context(), request); !errors.Is(err, fetch.ErrHostDown) || requests != 17 {
			t.Errorf("%v after %d requests, want %v after 17", err, requests, fetch.ErrHostDown)
		}
		start := time.Now()
		_, err := c.Get(t.Context(), request)
		if !errors.Is(err, fetch.ErrHostDown) || !errors.As(err, &e) || e.Attempts != 0 || time.Since(start) != 0 {
			t.Errorf("%v after %v, want %v at once", err, time.Since(start), fetch.ErrHostDown)
		}
		down = false
		time.Sleep(e.RetryAfter)
		for range 3 {
			doc, err := c.Get(t.Context(), request)
			if err != nil {
				t.Fatalf("once the host answers again: %v", err)
			}
			doc.Body.Close()
		}
	})
}
