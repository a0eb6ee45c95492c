// Package faultserver is a web server that misbehaves, for tests. Each path /fault/NAME is one way
// in which servers on the web fail. Anything after the name (/fault/NAME/sitemap.xml) is ignored,
// so that locations may have any form.
//
// Unless said otherwise, a fault serves Document(), a urlset of 100 entries, and keeps the
// connection.
//
// Sound:
//
//	ok                  the document
//	gzip-encoded        with Content-Encoding: gzip
//	gzip-file           gzip as the document itself
//	gzip-both           gzip as the document itself, and Content-Encoding: gzip
//	http10              HTTP/1.0, no length, ended by closing the connection
//	close-after         sound, but the connection is closed without notice
//	validators          with ETag and Last-Modified, 304 if they are sent back
//
// Connections:
//
//	reset               reset before a response
//	close               closed before a response
//	reset-midway        reset after half of the body
//	close-midway        closed after half of the body: Content-Length is too large
//	silence             no response, until the client goes
//	stall               half of the body, then nothing, until the client goes
//	drip                one byte every Pace
//	flap                503 for the first ?n=2 requests of a path, then ok
//	flap-reset          the same with resets
//
// Protocol:
//
//	http09              a body without status line and header
//	chunk-midway        chunked, closed after half of the chunks
//	bad-chunk           chunked, with a length that is no number after half
//	long-body           a body longer than its Content-Length: half of the document
//	header-flood        header fields without end
//	header-huge         one header field of ?n=1024 KiB
//	header-many         ?n=20000 header fields, of which most are a few bytes each
//	informational       responses 103 without end
//
// Encodings:
//
//	lying-encoding      Content-Encoding: gzip on a plain document
//	encoding            Content-Encoding: ?name= on a plain document
//	truncated-gzip      gzip file cut in half
//	truncated-encoded   the same with Content-Encoding: gzip
//	corrupt-gzip        gzip file with damage in its second half
//	corrupt-encoded     the same with Content-Encoding: gzip
//
// Statuses:
//
//	status              ?code= with a short text; ?retry-after= and ?encoding= are sent on
//	partial             206, the first half of the document
//	empty               200 without a body
//	html                an HTML page with status 200
//	json                JSON with status 200
//	login               302 to an HTML page
//
// Redirects:
//
//	redirect            302 to ?to=, as it stands
//	redirect-loop       302 to redirect-loop/b, which redirects back
//	redirect-self       302 to itself
//	redirect-chain      ?n= redirects, then ok
//	redirect-nowhere    302 without Location
//
// Bombs:
//
//	endless             an endless urlset, which repeats 1000 entries
//	endless-gzip        the same as a gzip file
//	bomb                ?n= MiB of white space, with Content-Encoding: gzip
//	nested-bomb         the same as gzip in gzip
//	slow-bomb           the same as bomb, a kilobyte every Pace
package faultserver

import (
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// A Server is an http.Handler that serves the faults. New makes one. It is safe for concurrent use.
type Server struct {
	// Pace is the time between the pieces of a slow fault. It must not change once the Server is
	// used.
	Pace time.Duration

	mu   sync.Mutex
	hits map[string]int
	held map[net.Conn]bool
	done chan struct{}
	once sync.Once
}

// New returns a Server with a Pace of 10 ms.
func New() *Server {
	return &Server{Pace: 10 * time.Millisecond, hits: map[string]int{}, held: map[net.Conn]bool{},
		done: make(chan struct{})}
}

// Close ends all responses that are under way. Call it before closing the http.Server, which waits
// for them.
func (s *Server) Close() {
	s.once.Do(func() { close(s.done) })
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.held {
		c.Close()
	}
}

// Hits returns the number of requests for a path, which includes /fault/.
func (s *Server) Hits(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hits[path]
}

// A response is one request being answered.
type response struct {
	*Server
	http.ResponseWriter
	req *http.Request
	hit int // number of requests for its path, including this one
}

// param returns a query parameter, or def.
func (r *response) param(name, def string) string {
	if v := r.req.URL.Query().Get(name); v != "" {
		return v
	}
	return def
}

// wait waits for d, or forever if d is 0. It returns false if the client went or the Server was
// closed.
func (r *response) wait(d time.Duration) bool {
	var over <-chan time.Time
	if d > 0 {
		t := time.NewTimer(d)
		defer t.Stop()
		over = t.C
	}
	select {
	case <-over:
		return true
	case <-r.req.Context().Done():
	case <-r.done:
	}
	return false
}

// A raw is a connection taken from net/http.
type raw struct {
	net.Conn
	r *response
}

// hijack calls write with the connection and closes it.
func (r *response) hijack(write func(c raw)) {
	conn, _, err := r.ResponseWriter.(http.Hijacker).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // HTTP/2, which has no connection to take
	}
	r.mu.Lock()
	r.held[conn] = true
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		delete(r.held, conn)
		r.mu.Unlock()
		conn.Close()
	}()
	write(raw{conn, r})
}

// send writes a text, with CR LF for each LF.
func (c raw) send(head string) {
	c.Write([]byte(strings.ReplaceAll(head, "\n", "\r\n")))
}

// reset makes closing the connection a reset.
func (c raw) reset() {
	if t, ok := c.Conn.(*net.TCPConn); ok {
		t.SetLinger(0)
	}
}

// untilGone waits until the client closes the connection.
func (c raw) untilGone() {
	var buf [512]byte
	for {
		if _, err := c.Read(buf[:]); err != nil {
			return
		}
	}
}
