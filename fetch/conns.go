package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http/httptrace"
	"sync"
	"sync/atomic"
)

// maxTries is how often net/http may send the request of one attempt over HTTP/2.
// What a server refuses (RFC 9113, section 8.7) it repeats of its own accord,
// behind the back of the Limiter: at once the first time, which helps where a
// connection is just being shut down, and without end on ever new connections.
const maxTries = 2

const (
	// maxDials is how often net/http may connect in a row for one attempt without
	// that the attempt gets a connection. Others may take it first, but a server
	// of HTTP/2 that ends each before its first request, or allows none at once on
	// it (SETTINGS_MAX_CONCURRENT_STREAMS), makes it connect without end.
	maxDials = 8
	// maxIdleConns is how many idle connections a transport keeps. A Client has no
	// more open to one address, and two for each attempt and body under way: one
	// may be in use, and one on its way for an attempt that took another.
	maxIdleConns = 128
)

// An inner watches what net/http does for one attempt.
type inner struct {
	*exchange
	route  *route
	cancel func(error) // ends the attempt
	tries  atomic.Int32
}

// gotConn is the httptrace.ClientTrace.GotConn of the attempt.
func (a *inner) gotConn(info httptrace.GotConnInfo) {
	a.route.dials.Store(0)
	if a.route.proxy.Load() != nil {
		if t := tunnelOf(info.Conn); t != nil {
			t.opened()
		}
	}
	switch n := a.tries.Add(1); {
	case n == 1: // the time for the first byte is not begun anew
		a.clock.start(a.c.times.firstByte, "the response")
	// HTTP/1 repeats only what met an idle connection that the server had closed,
	// so that each repeat costs one that had served a request.
	case n > maxTries && isHTTP2(info.Conn):
		a.cancel(&cause{kind: ErrNoResponse, err: errors.New("the server refuses the request over HTTP/2")})
	}
}

func isHTTP2(c net.Conn) bool {
	s, ok := c.(interface{ ConnectionState() tls.ConnectionState })
	return ok && s.ConnectionState().NegotiatedProtocol == "h2"
}

// conns counts the open connections of a transport by their addresses. Those of HTTP/2
// net/http counts only as long as it may send requests on them, but leaves them open.
type conns struct {
	users func() int64 // attempts and bodies under way

	mu   sync.Mutex
	open map[string]int
}

// add counts a connection to addr that is to be opened, or returns an error if there are
// too many.
func (cs *conns) add(addr string) error {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if n := cs.open[addr]; int64(n) >= maxIdleConns+2*cs.users() {
		return fmt.Errorf("%d connections are open to %s", n, addr)
	}
	if cs.open == nil {
		cs.open = map[string]int{}
	}
	cs.open[addr]++
	return nil
}

func (cs *conns) remove(addr string) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if cs.open[addr]--; cs.open[addr] == 0 {
		delete(cs.open, addr)
	}
}

type dialFunc = func(ctx context.Context, network, addr string) (net.Conn, error)

// dial connects with dial. Connections that no attempt of a Client asks for, but an
// http.Client of others, are not counted.
func (cs *conns) dial(ctx context.Context, dial dialFunc, network, addr string) (net.Conn, error) {
	r := routeOf(ctx)
	if r == nil || cs.users == nil {
		return dial(ctx, network, addr)
	}
	if r.dials.Add(1) > maxDials {
		return nil, &cause{kind: ErrNoResponse, err: errors.New("the server takes no request on its connections")}
	}
	if err := cs.add(addr); err != nil {
		return nil, err
	}
	c, err := dial(ctx, network, addr)
	if err != nil {
		cs.remove(addr)
		return nil, err
	}
	return &conn{Conn: c, closed: sync.OnceFunc(func() { cs.remove(addr) })}, nil
}

// A conn is counted until it is closed.
type conn struct {
	net.Conn
	closed func()
}

// Close closes the connection.
func (c *conn) Close() error {
	defer c.closed()
	return c.Conn.Close()
}
