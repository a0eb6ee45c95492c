package fetch_test

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/seed-322c453a/sitemap/fetch"
	"github.com/seed-322c453a/sitemap/internal/testkit/faultserver"
)

var quiet = log.New(io.Discard, "", 0)

// TestMain silences what net/http says of its own accord: a body longer than its
// Content-Length is an "unsolicited response" to it.
func TestMain(m *testing.M) {
	log.SetOutput(io.Discard)
	os.Exit(m.Run())
}

// A countingLimiter grants everything and counts what is not released.
type countingLimiter struct {
	mu       sync.Mutex
	out      int // granted and not released
	most     int // highest value of out
	twice    int // releases beyond the first
	statuses []int
	afters   []time.Duration
}

func (l *countingLimiter) Acquire(ctx context.Context, u *url.URL) (func(int, time.Duration), error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.out++
	l.most = max(l.most, l.out)
	released := false
	return func(status int, after time.Duration) {
		l.mu.Lock()
		defer l.mu.Unlock()
		if released {
			l.twice++
		}
		released = true
		l.out--
		l.statuses = append(l.statuses, status)
		l.afters = append(l.afters, after)
	}, nil
}

func (l *countingLimiter) SetDelay(*url.URL, time.Duration) {}

// A site is a faultserver that counts its connections.
type site struct {
	*httptest.Server
	faults *faultserver.Server

	mu     sync.Mutex
	opened int
	open   map[net.Conn]bool
	closed sync.Cond // a connection
}

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{faults: faultserver.New(), open: map[net.Conn]bool{}}
	s.closed.L = &s.mu
	s.Server = httptest.NewUnstartedServer(s.faults)
	s.Config.ErrorLog = quiet
	s.Config.ConnState = s.state
	s.Start()
	t.Cleanup(func() {
		s.faults.Close()
		s.Close()
	})
	return s
}

func (s *site) state(c net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch state {
	case http.StateNew:
		s.opened++
		s.open[c] = true
	case http.StateClosed, http.StateHijacked:
		delete(s.open, c)
		s.closed.Broadcast()
	}
}

// connections returns how many connections were opened.
func (s *site) connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.opened
}

// waitUntilClosed waits until no connection is open.
func (s *site) waitUntilClosed() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.open) > 0 {
		s.closed.Wait()
	}
}

// fault returns the URL of a fault.
func (s *site) fault(name string) string { return s.URL + "/fault/" + name }

// newClient returns a Client for loopback whose waits are short, and which leaves no connection.
func newClient(t *testing.T) *fetch.Client {
	t.Helper()
	c := &fetch.Client{
		AllowPrivateNetworks: true,
		Proxy:                noProxy,
		Limiter:              &countingLimiter{},
		RetryWait:            time.Millisecond,
	}
	t.Cleanup(c.CloseIdleConnections)
	return c
}

// noProxy keeps the environment of the test out.
func noProxy(*http.Request) (*url.URL, error) { return nil, nil }

// baseline returns a function that waits until there are no more goroutines than there were.
func baseline() func() {
	before := runtime.NumGoroutine()
	return func() {
		for runtime.NumGoroutine() > before {
			runtime.Gosched()
		}
	}
}
