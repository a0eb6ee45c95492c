package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func mustURL(t *testing.T, raw string) *url.URL {
	t.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// A client of a limiter: it asks for url, and holds what it gets for hold.
type visit struct {
	url    string
	hold   time.Duration
	status int
	after  time.Duration
}

// run makes all visits at once, which ask in their order, and returns when each
// was granted, in seconds, or -1 if it failed.
func run(t *testing.T, l *HostLimiter, visits ...visit) []float64 {
	t.Helper()
	begun := time.Now()
	granted := make([]float64, len(visits))
	done := make(chan bool)
	for i, v := range visits {
		go func() {
			defer func() { done <- true }()
			release, err := l.Acquire(t.Context(), mustURL(t, v.url))
			if err != nil {
				granted[i] = -1
				return
			}
			granted[i] = time.Since(begun).Seconds()
			time.Sleep(v.hold)
			if v.status == 0 {
				v.status = 200
			}
			release(v.status, v.after)
			release(v.status, v.after)
		}()
		synctest.Wait()
	}
	for range visits {
		<-done
	}
	if l.active != 0 {
		t.Errorf("%d requests still count as under way", l.active)
	}
	return granted
}

// each returns one visit of a second for each URL.
func each(urls ...string) []visit {
	var vs []visit
	for _, u := range urls {
		vs = append(vs, visit{url: u, hold: time.Second})
	}
	return vs
}

func repeat(u string, n int) []string { return slices.Repeat([]string{u}, n) }

func TestHostLimiter(t *testing.T) {
	lookup := func(_ context.Context, host string) ([]netip.Addr, error) {
		addrs := map[string][]string{
			"shop1.example": {"192.0.2.2", "192.0.2.1"},
			"shop2.example": {"192.0.2.1", "2001:db8::1"},
			"shop3.example": {"192.0.2.1", "192.0.2.2"},
			"six1.example":  {"2001:db8::1"},
			"six2.example":  {"2001:db8::2"},
			"six3.example":  {"2001:db8:0:1::1"},
		}[host]
		if addrs == nil {
			return nil, errors.New("no such host")
		}
		var out []netip.Addr
		for _, a := range addrs {
			out = append(out, netip.MustParseAddr(a))
		}
		return out, nil
	}
	for _, tt := range []struct {
		name   string
		l      *HostLimiter
		visits []visit
		want   []float64
	}{
		{"four to a host", &HostLimiter{}, each(repeat("http://a.example/", 9)...), []float64{0, 0, 0, 0, 1, 1, 1, 1, 2}},
		{"two to a host", &HostLimiter{PerHost: 2}, each("http://a.example/", "https://a.example/", "http://A.example.:80/", "http://a.example:8080/"), []float64{0, 0, 1, 0}},
		{"no bound to a host", &HostLimiter{PerHost: -1}, each(repeat("http://a.example/", 17)...), append(make([]float64, 16), 1)},
		{"no bound at all", &HostLimiter{PerHost: -1, Total: -1}, each(repeat("http://a.example/", 40)...), make([]float64, 40)},
		{"in all", &HostLimiter{Total: 2}, each("http://a.example/", "http://b.example/", "http://c.example/"), []float64{0, 0, 1}},
		{"hosts take turns", &HostLimiter{Total: 1}, each("http://a.example/", "http://a.example/", "http://a.example/", "http://b.example/", "http://b.example/"), []float64{0, 1, 3, 2, 4}},
		{"a blocked host blocks no other", &HostLimiter{PerHost: 1}, each("http://a.example/", "http://a.example/", "http://b.example/"), []float64{0, 1, 0}},
		{"to an address", &HostLimiter{PerAddress: 2, Lookup: lookup}, each("http://shop1.example/", "http://shop2.example/", "http://shop3.example/", "http://unknown.example/"), []float64{0, 0, 1, 0}},
		{"address in the URL", &HostLimiter{PerAddress: 1}, each("http://192.0.2.1/", "http://192.0.2.1:81/", "http://[::ffff:192.0.2.1]:82/", "http://192.0.2.2/"), []float64{0, 1, 2, 0}},
		{"network of IPv6", &HostLimiter{PerAddress: 1, Lookup: lookup}, each("http://six1.example/", "http://six2.example/", "http://six3.example/"), []float64{0, 1, 0}},
		{"no bound to an address", &HostLimiter{PerAddress: -1, Lookup: lookup}, each("http://shop1.example/", "http://shop2.example/"), []float64{0, 0}},
		{"PerHost raises PerAddress", &HostLimiter{PerHost: 12, Lookup: lookup}, each(repeat("http://shop1.example/", 13)...), append(make([]float64, 12), 1)},
		{"interval of a host", &HostLimiter{HostInterval: 3 * time.Second}, each("http://a.example/", "http://a.example/", "http://b.example/", "http://a.example/"), []float64{0, 3, 0, 6}},
		{"interval of an address", &HostLimiter{AddressInterval: 2 * time.Second, Lookup: lookup}, each("http://shop1.example/", "http://shop2.example/", "http://shop3.example/"), []float64{0, 2, 4}},
		{"429 pauses the host", &HostLimiter{PerHost: 1}, []visit{
			{"http://a.example/", time.Second, 429, 20 * time.Second}, {"http://a.example/", time.Second, 200, 0}, {"http://b.example/", 0, 200, 0},
		}, []float64{0, 21, 0}},
		{"503 of many at once counts once", &HostLimiter{}, []visit{
			{"http://a.example/", time.Second, 503, 10 * time.Second}, {"http://a.example/", time.Second, 503, 10 * time.Second},
			{"http://a.example/", 2 * time.Second, 503, 5 * time.Second}, {"http://a.example/", 3 * time.Second, 200, 0},
			{"http://a.example/", 0, 200, 0},
		}, []float64{0, 0, 0, 0, 11}},
		{"recovery one by one", &HostLimiter{PerHost: 3}, append([]visit{{"http://a.example/", 0, 429, 5 * time.Second}}, each(repeat("http://a.example/", 7)...)...), []float64{0, 5, 6, 6, 7, 7, 7, 8}},
		{"a pause has an end", &HostLimiter{PerHost: 1}, []visit{{"http://a.example/", 0, 503, time.Hour}, {"http://a.example/", 0, 200, 0}}, []float64{0, 60}},
		{"MaxPause", &HostLimiter{PerHost: 1, MaxPause: 90 * time.Second}, []visit{{"http://a.example/", 0, 503, time.Hour}, {"http://a.example/", 0, 200, 0}}, []float64{0, 90}},
		{"no MaxPause", &HostLimiter{PerHost: 1, MaxPause: -1}, []visit{{"http://a.example/", 0, 503, time.Hour}, {"http://a.example/", 0, 429, time.Hour}, {"http://a.example/", 0, 503, time.Hour}, {"http://a.example/", 0, 200, 0}}, []float64{0, 0, 0, 0}},
		{"404 and 500 pause nothing", &HostLimiter{PerHost: 1}, []visit{{"http://a.example/", 0, 404, time.Hour}, {"http://a.example/", 0, 500, time.Hour}, {"http://a.example/", 0, 200, 0}}, []float64{0, 0, 0}},
		{"three long ones", &HostLimiter{PerHost: 1}, []visit{
			{"http://a.example/", 0, 503, time.Hour}, {"http://a.example/", 0, 503, time.Hour}, {"http://a.example/", 0, 503, time.Hour},
			{"http://a.example/", 0, 200, 0}, {"http://b.example/", 0, 200, 0},
		}, []float64{0, 60, 120, -1, 0}},
		{"a success between", &HostLimiter{PerHost: 1}, []visit{
			{"http://a.example/", 0, 503, time.Hour}, {"http://a.example/", 0, 503, time.Hour}, {"http://a.example/", 0, 200, 0},
			{"http://a.example/", 0, 503, time.Hour}, {"http://a.example/", 0, 200, 0},
		}, []float64{0, 60, 120, 120, 180}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if got := run(t, tt.l, tt.visits...); !slices.Equal(got, tt.want) {
					t.Errorf("granted at %v, want %v", got, tt.want)
				}
			})
		})
	}
}

// TestBusyHost answers 429 for ever: the waits double up to 30 s, and after ten
// of them requests fail at once, until the last pause is over.
func TestBusyHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &HostLimiter{}
		u := mustURL(t, "http://a.example/")
		last := time.Now()
		for i := range 10 { // as HostLimiter says
			release, err := l.Acquire(t.Context(), u)
			if err != nil {
				t.Fatalf("request %d: %v", i, err)
			}
			if i > 0 {
				most := exponential(time.Second, 30*time.Second, i-1)
				if wait := time.Since(last); wait < most/2 || wait > most {
					t.Errorf("request %d waited %v, want %v to %v", i, wait, most/2, most)
				}
			}
			last = time.Now()
			release(429, 0)
		}
		_, err := l.Acquire(t.Context(), u)
		var e *Error
		if !errors.Is(err, ErrBusy) || !errors.As(err, &e) || e.RetryAfter <= 0 || e.RetryAfter > 30*time.Second || !e.Temporary() {
			t.Fatalf("error %v, want %v and RetryAfter up to 30s", err, ErrBusy)
		}
		time.Sleep(e.RetryAfter)
		release, err := l.Acquire(t.Context(), u)
		if err != nil {
			t.Fatalf("after the pause: %v", err)
		}
		release(200, 0)
		if release, err = l.Acquire(t.Context(), u); err != nil {
			t.Fatalf("after a success: %v", err)
		}
		release(200, 0)
	})
}

// TestBusyDocument is what a Client makes of it.
func TestBusyDocument(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &Client{Transport: failing(503, "90"), RetryWait: time.Hour}
		_, err := c.Get(t.Context(), Request{URL: "http://example.com/a"})
		if !errors.Is(err, ErrStatus) {
			t.Fatalf("first: %v, want %v", err, ErrStatus)
		}
		_, err = c.Get(t.Context(), Request{URL: "http://example.com/b"})
		var e *Error
		if !errors.Is(err, ErrBusy) || !errors.As(err, &e) || e.RetryAfter != 90*time.Second || e.URL != "http://example.com/b" || e.Attempts != 0 || !e.Temporary() {
			t.Errorf("second: %+v, want %v for 90s without an attempt", err, ErrBusy)
		}
		// One that is answered 503 itself until then tells so.
		c = &Client{Transport: failing(503, ""), Retries: 100, Timeout: -1}
		_, err = c.Get(t.Context(), Request{URL: "http://example.com/c"})
		if !errors.Is(err, ErrBusy) || errors.Is(err, ErrStatus) || !errors.As(err, &e) || e.Status != 503 || !strings.Contains(err.Error(), "(status 503, after 1") {
			t.Errorf("third: %v, want %v with its own status", err, ErrBusy)
		}
	})
}

func TestSetDelay(t *testing.T) {
	for _, tt := range []struct {
		delay time.Duration
		want  []float64
	}{
		{10 * time.Second, []float64{0, 10, 20}},
		{500 * time.Millisecond, []float64{0, 1, 2}}, // serial all the same
		{time.Hour, []float64{0, 30, 60}},
		{0, []float64{0, 0, 0}},
		{-time.Second, []float64{0, 0, 0}},
	} {
		synctest.Test(t, func(t *testing.T) {
			l := &HostLimiter{}
			c := &Client{Limiter: l, Transport: new(web)}
			c.SetDelay(mustURL(t, "http://a.example/robots.txt"), tt.delay)
			if got := run(t, l, each(repeat("http://a.example/", 3)...)...); !slices.Equal(got, tt.want) {
				t.Errorf("SetDelay(%v): granted at %v, want %v", tt.delay, got, tt.want)
			}
		})
	}
	(&Client{Limiter: &countingLimiter{}, Transport: new(web)}).SetDelay(mustURL(t, "http://a.example/"), time.Second)
}

// TestSetDelayLate changes the delay while requests wait, and after one was sent.
func TestSetDelayLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &HostLimiter{}
		u := mustURL(t, "http://a.example/")
		l.SetDelay(u, 30*time.Second)
		time.AfterFunc(5*time.Second, func() { l.SetDelay(u, 0) })
		if got, want := run(t, l, each(repeat(u.String(), 3)...)...), []float64{0, 5, 5}; !slices.Equal(got, want) {
			t.Errorf("delay ended: granted at %v, want %v", got, want)
		}
		time.Sleep(time.Second)
		l.SetDelay(u, 10*time.Second)
		if got, want := run(t, l, each(u.String())...), []float64{8}; !slices.Equal(got, want) {
			t.Errorf("delay set after a request: granted at %v, want %v", got, want)
		}
	})
}

// TestAcquireEnds ends contexts of requests that wait, in each place of a queue.
func TestAcquireEnds(t *testing.T) {
	for cancelled := range 3 {
		synctest.Test(t, func(t *testing.T) {
			l := &HostLimiter{PerHost: 1}
			u := mustURL(t, "http://a.example/")
			release, err := l.Acquire(t.Context(), u)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			results := make(chan int, 3)
			for i := range 3 {
				go func() {
					c := t.Context()
					if i == cancelled {
						c = ctx
					}
					release, err := l.Acquire(c, u)
					if i == cancelled {
						if !errors.Is(err, context.Canceled) {
							t.Errorf("cancelled: %v, want %v", err, context.Canceled)
						}
						return
					}
					results <- i
					release(200, 0)
				}()
				synctest.Wait()
			}
			cancel()
			synctest.Wait()
			if _, err := l.Acquire(ctx, u); !errors.Is(err, context.Canceled) {
				t.Errorf("ended before: %v, want %v", err, context.Canceled)
			}
			release(200, 0)
			first, second := <-results, <-results
			if first > second {
				t.Errorf("served %d before %d", first, second)
			}
			synctest.Wait()
			if l.active != 0 || l.waiting.Len() != 0 {
				t.Errorf("%d under way, %d hosts waited for; want none", l.active, l.waiting.Len())
			}
		})
	}
}

// TestLookupThatIsGivenUp: an address is not taken for unknown because a caller whose lookup it
// was had no time for it.
func TestLookupThatIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lookups := 0
		l := &HostLimiter{PerAddress: 1, Lookup: func(ctx context.Context, _ string) ([]netip.Addr, error) {
			if lookups++; lookups == 1 {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return []netip.Addr{netip.MustParseAddr("192.0.2.1")}, nil
		}}
		a, b := mustURL(t, "http://a.example/"), mustURL(t, "http://b.example/")
		inTime, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if release, err := l.Acquire(inTime, a); err == nil {
			release(0, 0)
		}
		if _, err := l.Acquire(t.Context(), b); err != nil {
			t.Fatal(err)
		}
		inTime, cancel = context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := l.Acquire(inTime, a); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a second request to the address at once: %v", err)
		}
	})
}

// TestSendsToAddress: the interval of an address that a URL names begins when the request goes out.
func TestSendsToAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &HostLimiter{AddressInterval: 10 * time.Second}
		a, b := mustURL(t, "http://192.0.2.1/"), mustURL(t, "http://192.0.2.1:8080/")
		release, err := l.Acquire(t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(9 * time.Second) // for its Client
		l.sends(a)
		sent := time.Now()
		release(200, 0)
		if release, err = l.Acquire(t.Context(), b); err != nil {
			t.Fatal(err)
		}
		release(200, 0)
		if d := time.Since(sent); d != 10*time.Second {
			t.Errorf("the next one goes out after %v", d)
		}
	})
}

// TestMemoryOfHosts visits more hosts than are remembered.
func TestMemoryOfHosts(t *testing.T) {
	l := &HostLimiter{Lookup: func(_ context.Context, host string) ([]netip.Addr, error) {
		var n uint32
		fmt.Sscanf(host, "h%d.example", &n)
		return []netip.Addr{netip.AddrFrom4([4]byte{10, byte(n >> 16), byte(n >> 8), byte(n)})}, nil
	}}
	slow := mustURL(t, "http://slow.example/")
	l.SetDelay(slow, time.Second)
	for i := range 3 * maxIdle {
		release, err := l.Acquire(t.Context(), mustURL(t, fmt.Sprintf("http://h%d.example/", i)))
		if err != nil {
			t.Fatal(err)
		}
		release(200, 0)
		if i%1000 == 0 {
			l.SetDelay(slow, time.Second) // used, so kept
		}
	}
	for name, ps := range map[string]*places{"hosts": &l.hosts, "addresses": &l.addrs} {
		if len(ps.known) != maxIdle || ps.idle.Len() != maxIdle {
			t.Errorf("%d %s remembered, %d idle; want %d", len(ps.known), name, ps.idle.Len(), maxIdle)
		}
	}
	if h := l.hosts.known["slow.example"]; h == nil || h.delay != time.Second {
		t.Error("a host that was used lately was forgotten")
	}
}

// TestMemoryOfURLs visits hosts by long URLs, of which only the hosts are remembered.
func TestMemoryOfURLs(t *testing.T) {
	const n = 4000
	l := &HostLimiter{}
	query := strings.Repeat("x", 8<<10)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range n {
		release, err := l.Acquire(t.Context(), mustURL(t, fmt.Sprintf("http://h%d.example/?%s", i, query)))
		if err != nil {
			t.Fatal(err)
		}
		release(200, 0)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 10<<20 {
		t.Errorf("%d hosts take %d MiB", n, grown>>20)
	}
	runtime.KeepAlive(l)
}
