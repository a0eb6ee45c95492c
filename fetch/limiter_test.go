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
