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
	"time"
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
	// more open by it to one address, and two for each attempt and body under way: one
	// may be in use, and one on its way for an attempt that took another.
	maxIdleConns = 128
)

// An inner watches what net/http does for one attempt.
type inner struct {
	*exchange
	route  *route
	cancel func(error) // ends the attempt
	tries  atomic.Int32
	conn   atomic.Pointer[conn] // that the request is sent on, nil if it is not known
	turn   int                  // of conn.use
	http2  bool                 // that is of HTTP/2, which others may use too
	// The connection is its own: for the last try, see goesAlone, or as all are, see isApart.
	alone, apart bool
}

// use is told which connection the attempt uses from now on.
func (a *inner) use(c *conn) {
	if c != nil {
		a.turn = c.use()
	}
	if before := a.conn.Swap(c); before != nil {
		before.release()
	}
}

// gotConn is the httptrace.ClientTrace.GotConn of the attempt.
func (a *inner) gotConn(info httptrace.GotConnInfo) {
	a.route.dials.Store(0)
	a.use(innermost(info.Conn))
	a.http2 = isHTTP2(info.Conn)
	// HTTP/1 repeats what met a kept connection that the server closed: once, on a new one, since it
	// may have closed it because of the request.
	repeats := info.Reused && a.tries.Load() > 0
	if c := a.conn.Load(); c != nil && !a.http2 && (repeats || c.isRetired()) {
		c.Close() // before the request is sent, so that net/http does so on another
	}
	switch n := a.tries.Add(1); {
	case n == 1: // the time for the first byte is not begun anew
		a.clock.start(a.c.times.firstByte, "the response")
	case n > maxTries && a.http2:
		a.c.cutOff.note(a.target.url.String()) // that connection may be at fault
		a.cancel(&cause{kind: ErrNoResponse, err: errors.New("the server refuses the request over HTTP/2")})
	}
}

// errProtocol marks what a server did wrong in answering one request alone.
var errProtocol = errors.New("not HTTP/2")

// explain returns err, or an errProtocol: a header far above the bound ends a connection of
// HTTP/2, with nothing to tell it from other breaches of the protocol, nor whose it was if
// others used the connection.
func (a *inner) explain(err error) error {
	c := a.conn.Load()
	if c == nil || a.turn != c.last() || err.Error() != "connection error: PROTOCOL_ERROR" {
		return err
	}
	return fmt.Errorf("%w: %w", errProtocol, err)
}

func isHTTP2(c net.Conn) bool {
	s, ok := c.(interface{ ConnectionState() tls.ConnectionState })
	return ok && s.ConnectionState().NegotiatedProtocol == "h2"
}

// conns are the open connections of a transport. Those of HTTP/2 net/http counts only as
// long as it may send requests on them, but leaves them open; one that is shut down just
// when a request is to be sent on it, for ever.
type conns struct {
	users func() int64  // attempts and bodies under way
	keep  time.Duration // IdleConnTimeout

	mu    sync.Mutex
	at    map[string]int // how many, by address
	open  map[*conn]struct{}
	timer *time.Timer // of sweep
}

var errManyConns = errors.New("too many connections are open")

// add counts a connection to addr that is to be opened, or returns an error if there are
// too many.
func (cs *conns) add(addr string) error {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if n := cs.at[addr]; int64(n) >= maxIdleConns+2*cs.users() {
		return &cause{kind: errManyConns, detail: fmt.Sprintf("%d connections are open to %s", n, addr)}
	}
	if cs.at == nil {
		cs.at, cs.open = map[string]int{}, map[*conn]struct{}{}
	}
	cs.at[addr]++
	return nil
}

// opened returns c, which add has counted.
func (cs *conns) opened(c net.Conn, addr string) *conn {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	counted := &conn{Conn: c, of: cs, addr: addr, since: time.Now(), closed: make(chan struct{})}
	cs.open[counted] = struct{}{}
	switch {
	case len(cs.open) > 1:
	case cs.timer == nil:
		cs.timer = time.AfterFunc(cs.keep, cs.sweep)
	default:
		cs.timer.Reset(cs.keep)
	}
	return counted
}

// remove is told that a connection to addr is closed, or, with nil, was not opened.
func (cs *conns) remove(c *conn, addr string) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	delete(cs.open, c)
	if cs.at[addr]--; cs.at[addr] == 0 {
		delete(cs.at, addr)
	}
	if len(cs.open) == 0 && cs.timer != nil {
		cs.timer.Stop()
	}
}

// sweep closes what nobody has used for twice as long as net/http keeps idle connections.
func (cs *conns) sweep() {
	var unused []*conn
	cs.mu.Lock()
	then := time.Now().Add(-2 * cs.keep)
	for c := range cs.open {
		if c.unused(then) {
			unused = append(unused, c)
		}
	}
	if len(cs.open) > 0 {
		cs.timer.Reset(cs.keep)
	}
	cs.mu.Unlock()
	for _, c := range unused {
		c.Close()
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
		cs.remove(nil, addr)
		return nil, err
	}
	return cs.opened(c, addr), nil
}

// A conn is counted until it is closed.
type conn struct {
	net.Conn
	of   *conns
	addr string

	mu     sync.Mutex
	users  int       // attempts
	over   bool      // it is closed when there are none
	served int       // attempts, with all before
	since  time.Time // when it was last in use or opened

	once   sync.Once
	closed chan struct{} // when it is
	told   atomic.Bool   // that it broke, to Client.broken
}

// Close closes the connection.
func (c *conn) Close() error {
	c.once.Do(func() {
		close(c.closed)
		c.of.remove(c, c.addr)
	})
	return c.Conn.Close()
}

// use is told that an attempt uses the connection. It returns which one it is, of all that
// have, or 0 if it is not alone.
func (c *conn) use() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.users++
	c.served++
	if c.users > 1 {
		return 0
	}
	return c.served
}

// release is told that an attempt does not use the connection any more.
func (c *conn) release() {
	c.mu.Lock()
	c.users--
	c.since = time.Now()
	done := c.over && c.users == 0
	c.mu.Unlock()
	if done {
		c.Close()
	}
}

// retire closes the connection when nobody uses it any more.
func (c *conn) retire() {
	c.mu.Lock()
	c.over = true
	done := c.users == 0
	c.mu.Unlock()
	if done {
		c.Close()
	}
}

// isRetired reports whether it does, or will.
func (c *conn) isRetired() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.over
}

// last returns which attempt was the last to use the connection.
func (c *conn) last() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.served
}

// unused reports whether nobody has used the connection since then.
func (c *conn) unused(then time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.users == 0 && c.since.Before(then)
}

// innermost returns the conn under those of TLS and of tunnels, nil if there is none. A
// tunnel is open then.
func innermost(c net.Conn) *conn {
	for {
		switch over := c.(type) {
		case *conn:
			return over
		case *tunnel:
			over.opened()
			c = over.Conn
		case interface{ NetConn() net.Conn }: // of package tls
			c = over.NetConn()
		default:
			return nil
		}
	}
}
