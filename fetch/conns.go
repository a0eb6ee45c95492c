package fetch

import (
	"crypto/tls"
	"errors"
	"net"
	"net/http/httptrace"
	"sync/atomic"
)

// maxTries is how often net/http may send the request of one attempt over HTTP/2.
// What a server refuses (RFC 9113, section 8.7) it repeats of its own accord,
// behind the back of the Limiter: at once the first time, which helps where a
// connection is just being shut down, and without end on ever new connections.
const maxTries = 2

// An inner watches what net/http does for one attempt.
type inner struct {
	*exchange
	cancel func(error) // ends the attempt
	tries  atomic.Int32
}

// gotConn is the httptrace.ClientTrace.GotConn of the attempt.
func (a *inner) gotConn(info httptrace.GotConnInfo) {
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
