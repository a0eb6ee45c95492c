package hostlimit

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"
)

// request returns a request that is made now and waits for a minute at most. Its URL must be sound.
func request(s string) Request {
	u, err := url.Parse(s)
	if err != nil {
		panic(err)
	}
	return Request{URL: u, Host: u.Host, Began: time.Now(), Pause: time.Minute}
}

// acquire acquires a slot or fails the test.
func acquire(t *testing.T, l *Limiter, r Request) (release func(int, time.Duration)) {
	t.Helper()
	release, err := l.Acquire(t.Context(), r)
	if err != nil {
		t.Fatalf("Acquire(%s): %v", r.URL, err)
	}
	return release
}

// requestEvery acquires n slots in a row, each released at once, and returns when.
func requestEvery(t *testing.T, l *Limiter, r Request, n int) (at []time.Duration) {
	start := time.Now()
	for range n {
		release := acquire(t, l, r)
		at = append(at, time.Since(start))
		release(200, 0)
	}
	return at
}

func TestLimiter_CrawlDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(Bounds{})
		r, other := request("http://a.test/"), request("http://b.test/")
		for _, tt := range []struct{ delay, want time.Duration }{
			{5 * time.Second, 5 * time.Second}, {time.Hour, 30 * time.Second}, {0, 0},
		} {
			l.SetDelay(r.Host, tt.delay)
			time.Sleep(time.Minute)
			if got := requestEvery(t, l, r, 3); got[1]-got[0] != tt.want || got[2]-got[1] != tt.want {
				t.Errorf("delay %v: requests at %v, want them %v apart", tt.delay, got, tt.want)
			}
		}
		l.SetDelay(r.Host, time.Second)
		if got := requestEvery(t, l, other, 3); got[2] != 0 {
			t.Errorf("another host: requests at %v, want no wait", got)
		}
		l.SetDelay(r.Host, time.Second)
		release := acquire(t, l, r)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := l.Acquire(ctx, r); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("second request beside one under way: %v, want requests one at a time", err)
		}
		release(200, 0)
	})
}

func TestLimiter_CrawlDelayAfterWaitForSlots(t *testing.T) {
	for name, bounds := range map[string]Bounds{"in all": {Total: 1}, "address": {PerAddress: 1}} {
		synctest.Test(t, func(t *testing.T) {
			l := New(bounds)
			r := request("http://192.0.2.1/")
			l.SetDelay(r.Host, 10*time.Second)
			release := acquire(t, l, request("http://192.0.2.1:81/"))
			time.AfterFunc(9*time.Second, func() { release(200, 0) })
			if got := requestEvery(t, l, r, 2); got[1]-got[0] != 10*time.Second {
				t.Errorf("%s: requests at %v, want them 10s apart", name, got)
			}
		})
	}
}

func TestLimiter_CancelledWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(Bounds{PerHost: 1})
		r := request("http://a.test/")
		release := acquire(t, l, r)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := l.Acquire(ctx, r); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("waiting for a slot: %v", err)
		}
		release(429, 10*time.Second)
		ctx, cancel = context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := l.Acquire(ctx, r); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("waiting for a pause: %v", err)
		}
		acquire(t, l, r)(200, 0)
	})
}

// A request that is given up does not use up its turn.
func TestLimiter_GivesBackCancelledTurns(t *testing.T) {
	for name, tt := range map[string]struct {
		bounds Bounds
		other  string // that holds the slot
	}{
		"of the address":  {Bounds{PerAddress: 1}, "http://192.0.2.1:81/"},
		"of all requests": {Bounds{Total: 1}, "http://192.0.2.2/"},
	} {
		synctest.Test(t, func(t *testing.T) {
			l := New(tt.bounds)
			r := request("http://192.0.2.1/")
			l.SetDelay(r.Host, 10*time.Second)
			release := acquire(t, l, request(tt.other))
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			if _, err := l.Acquire(ctx, r); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("waiting for a slot %s: %v", name, err)
			}
			release(200, 0)
			start := time.Now()
			acquire(t, l, r)(200, 0)
			if waited := time.Since(start); waited != 0 {
				t.Errorf("slot %s: the next request waited %v, want no wait", name, waited)
			}
		})
	}
}

// A busy host is remembered however many other hosts there are.
func TestLimiter_ManyHosts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(Bounds{})
		refuse(t, l, "busy.test", 50*time.Minute, 1, 2, 3, 4)
		for i := range maxIdleHosts {
			acquire(t, l, request("http://"+strconv.Itoa(i)+".test/"))(200, 0)
		}
		for range 3 {
			time.Sleep(15 * time.Minute)
			l.mu.Lock()
			l.forget()
			l.mu.Unlock()
		}
		checkBusy(t, l, "busy.test", 5*time.Minute)
	})
}

// The bound on an address holds however many other addresses there are.
func TestLimiter_ManyAddresses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(Bounds{PerAddress: 1})
		release := acquire(t, l, request("http://192.0.2.1/"))
		for i := range maxIdleHosts + 100 {
			host := fmt.Sprintf("10.0.%d.%d", i/256, i%256)
			acquire(t, l, request("http://"+host+"/"))(200, 0)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		second := request("http://192.0.2.1:81/")
		if _, err := l.Acquire(ctx, second); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a second request to an address with one slot: %v, want it to wait", err)
		}
		release(200, 0)
		acquire(t, l, second)(200, 0)
	})
}

// The lowest address that a host has stands for it. A host without a known address stands for
// itself.
func TestLimiter_AddressesOfNames(t *testing.T) {
	addrs := map[string][]netip.Addr{
		"a.test": {netip.MustParseAddr("192.0.2.2"), netip.MustParseAddr("192.0.2.1")},
		"b.test": {netip.MustParseAddr("::ffff:192.0.2.1")},
		"c.test": {netip.MustParseAddr("192.0.2.2")},
	}
	lookup := func(_ context.Context, host string) ([]netip.Addr, error) { return addrs[host], nil }
	for _, tt := range []struct {
		second string
		waits  bool
	}{
		{"http://b.test/", true},
		{"http://192.0.2.1/", true},
		{"http://c.test/", false},
		{"http://unknown.test/", false},
	} {
		synctest.Test(t, func(t *testing.T) {
			l := New(Bounds{PerAddress: 1})
			first, second := request("http://a.test/"), request(tt.second)
			first.Lookup, second.Lookup = lookup, lookup
			acquire(t, l, first)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			_, err := l.Acquire(ctx, second)
			if waits := errors.Is(err, context.DeadlineExceeded); waits != tt.waits {
				t.Errorf("%s beside a.test: %v, want it to wait: %t", tt.second, err, tt.waits)
			}
		})
	}
}

// Hosts are forgotten once they are idle, but not while a request is under way, waits or is paused.
func TestLimiter_Forget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(Bounds{})
		patient := func(host string) Request {
			r := request("http://" + host)
			r.Pause = time.Hour
			return r
		}
		acquire(t, l, request("http://idle.test"))(200, 0)
		running := acquire(t, l, request("http://running.test"))
		acquire(t, l, patient("paused.test"))(503, 5*time.Minute)
		acquire(t, l, patient("queued.test"))(503, 5*time.Minute)
		go func() { acquire(t, l, patient("queued.test"))(200, 0) }()
		for _, step := range []struct {
			wait time.Duration
			want string
		}{
			{time.Minute, "[idle.test paused.test queued.test running.test]"},
			{time.Nanosecond, "[paused.test queued.test running.test]"},
			{270 * time.Second, "[queued.test running.test]"}, // whose request was 30 s ago
			{time.Minute, "[running.test]"},
		} {
			time.Sleep(step.wait)
			synctest.Wait()
			l.mu.Lock()
			l.forget()
			got := fmt.Sprint(slices.Sorted(maps.Keys(l.hosts)))
			l.mu.Unlock()
			if got != step.want {
				t.Errorf("after %v: %s, want %s", step.wait, got, step.want)
			}
		}
		running(200, 0)
	})
}
