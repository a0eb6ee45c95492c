package fetch

import (
	"net"
	"net/url"
	"strings"
	"sync"
	"time"
)

// A tunnel is a connection to a proxy that is to be asked for another one through it.
// net/http waits for the proxy's answer, and at SOCKS without end, whether or not a
// request still waits for it: so the connection itself knows how long it may take.
type tunnel struct {
	net.Conn
	mu      sync.Mutex
	opening bool
	rest    time.Duration // for what follows the first answer; 0 once that has come
}

// opening returns how long a connection to proxy may take to become one to a host of the
// scheme: until the proxy answers, and from then on.
func (p phases) opening(proxy *url.URL, scheme string) (first, rest time.Duration) {
	socks := strings.HasPrefix(proxy.Scheme, "socks")
	if scheme != "https" && !socks {
		return 0, 0 // nothing is asked before the request itself
	}
	first, rest = p.connect, p.connect
	if scheme == "https" {
		rest += p.handshake
	}
	if proxy.Scheme == "https" {
		rest += p.handshake
	}
	return first, rest
}

// open returns c, the connection to the proxy of the attempt, as what it is to become.
func (r *route) open(c net.Conn, err error) (net.Conn, error) {
	first, rest := time.Duration(r.first.Load()), time.Duration(r.rest.Load())
	if err != nil || first == 0 {
		return c, err
	}
	c.SetDeadline(time.Now().Add(first))
	return &tunnel{Conn: c, opening: true, rest: rest}, nil
}

// Read reads what the proxy answers, and what comes through it.
func (t *tunnel) Read(p []byte) (int, error) {
	n, err := t.Conn.Read(p)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.opening && n > 0 && t.rest > 0 {
		t.Conn.SetDeadline(time.Now().Add(t.rest))
		t.rest = 0
	}
	return n, err
}

// opened is told that a request gets the connection.
func (t *tunnel) opened() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.opening {
		t.opening = false
		t.Conn.SetDeadline(time.Time{})
	}
}
