package fetch

import (
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// A rawHTTP2 is a server of HTTP/2 that speaks in frames.
type rawHTTP2 struct {
	settings []http2.Setting
	begin    func(*frames)         // or nil; after the settings
	serve    func(*frames, uint32) // answers the request of a stream
	url      string

	conns, open, requests atomic.Int32
}

// frames is one connection to a rawHTTP2.
type frames struct {
	net.Conn
	*http2.Framer
	mu sync.Mutex // for writing
}

func (s *rawHTTP2) start(t *testing.T) {
	t.Helper()
	donor := httptest.NewTLSServer(nil)
	certificates := donor.TLS.Certificates
	donor.Close()
	l, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: certificates, NextProtos: []string{"h2"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	s.url = "https://" + l.Addr().String() + "/"
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			s.conns.Add(1)
			s.open.Add(1)
			go func() {
				defer s.open.Add(-1)
				defer c.Close()
				s.talk(&frames{Conn: c, Framer: http2.NewFramer(c, c)})
			}()
		}
	}()
}

func (s *rawHTTP2) talk(f *frames) {
	if _, err := io.ReadFull(f, make([]byte, len(http2.ClientPreface))); err != nil {
		return
	}
	f.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	f.write(func() { f.WriteSettings(s.settings...) })
	if s.begin != nil {
		s.begin(f)
	}
	for {
		frame, err := f.ReadFrame()
		if err != nil {
			return
		}
		switch frame := frame.(type) {
		case *http2.SettingsFrame:
			if !frame.IsAck() {
				f.write(func() { f.WriteSettingsAck() })
			}
		case *http2.MetaHeadersFrame:
			s.requests.Add(1)
			s.serve(f, frame.StreamID)
		}
	}
}

func (f *frames) write(frames func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	frames()
}

// fields returns a block of header fields, given as names and values in turn.
func fields(pairs ...string) []byte {
	var b bytes.Buffer
	e := hpack.NewEncoder(&b)
	for i := 0; i < len(pairs); i += 2 {
		e.WriteField(hpack.HeaderField{Name: pairs[i], Value: pairs[i+1]})
	}
	return b.Bytes()
}

// header sends a header in frames of 16 KiB.
func (f *frames) header(stream uint32, pairs ...string) (err error) {
	f.write(func() {
		block := fields(pairs...)
		n := min(len(block), 16<<10)
		err = f.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: block[:n], EndHeaders: n == len(block)})
		for err == nil && n < len(block) {
			block = block[n:]
			n = min(len(block), 16<<10)
			err = f.WriteContinuation(stream, n == len(block), block[:n])
		}
	})
	return err
}

// respond answers with a body.
func (f *frames) respond(stream uint32, body string) {
	f.write(func() {
		f.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: fields(":status", "200"), EndHeaders: true})
		f.WriteData(stream, true, []byte(body))
	})
}

// newHTTP2Client returns a Client with a guard of its own that takes any certificate.
func newHTTP2Client(t *testing.T, l Limiter) *Client {
	t.Helper()
	c := newClient(t)
	trustAll(c, l)
	return c
}

// trustAll makes c, with l, and its transports, which then take any certificate.
func trustAll(c *Client, l Limiter) {
	c.Limiter = l
	c.init()
	for _, rt := range []http.RoundTripper{c.rt, c.extra, c.shared, c.lone} {
		if transport, ok := rt.(*http.Transport); ok {
			transport.TLSClientConfig = &tls.Config{InsecureSkipVerify: true}
		}
	}
}

// TestHTTP2Refusals: what a server refuses without a response net/http sends again of
// its own accord, on ever new connections.
func TestHTTP2Refusals(t *testing.T) {
	for name, refuse := range map[string]func(*frames, uint32){
		"GOAWAY":         func(f *frames, _ uint32) { f.WriteGoAway(0, http2.ErrCodeNo, nil) },
		"protocol error": func(f *frames, stream uint32) { f.WriteRSTStream(stream, http2.ErrCodeProtocol) },
		"refused stream": func(f *frames, stream uint32) { f.WriteRSTStream(stream, http2.ErrCodeRefusedStream) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &rawHTTP2{serve: func(f *frames, stream uint32) { f.write(func() { refuse(f, stream) }) }}
			s.start(t)
			c := newHTTP2Client(t, &HostLimiter{})
			_, err := c.Get(t.Context(), Request{URL: s.url})
			var e *Error
			if !errors.Is(err, ErrNoResponse) || !errors.As(err, &e) || e.Attempts != 3 || !e.Temporary() {
				t.Errorf("%v, want %v, temporary, after 3 attempts", err, ErrNoResponse)
			}
			if n, conns := s.requests.Load(), s.conns.Load(); n > 6 || conns > 9 {
				t.Errorf("%d requests on %d connections, want at most two requests an attempt", n, conns)
			}
		})
	}
}

// TestHTTP2Headers: a header beyond the bounds is not asked for again, as with HTTP/1.
func TestHTTP2Headers(t *testing.T) {
	var many []string
	for i := range maxFields {
		many = append(many, fmt.Sprint("x-", i), "")
	}
	for name, serve := range map[string]func(*frames, uint32){
		"many fields": func(f *frames, stream uint32) {
			f.header(stream, append([]string{":status", "200"}, append(many, "x", "")...)...)
		},
		"large": func(f *frames, stream uint32) {
			f.header(stream, ":status", "200", "x", strings.Repeat("~", 250<<10), "y", strings.Repeat("~", 7<<10))
		},
		"very large": func(f *frames, stream uint32) {
			f.header(stream, ":status", "200", "x", strings.Repeat("~", 250<<10), "y", strings.Repeat("~", 200<<10))
		},
		"responses without end": func(f *frames, stream uint32) {
			for f.header(stream, ":status", "103") == nil {
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &rawHTTP2{serve: serve}
			s.start(t)
			_, err := newHTTP2Client(t, &HostLimiter{}).Get(t.Context(), Request{URL: s.url})
			var e *Error
			if !errors.Is(err, ErrNoResponse) || !errors.As(err, &e) || e.Attempts != 1 || e.Temporary() {
				t.Errorf("%v, want %v, not temporary, after one attempt", err, ErrNoResponse)
			}
		})
	}
}

// TestHTTP2Neighbours: where one answer ends a connection of HTTP/2, the requests beside it are
// sent again.
func TestHTTP2Neighbours(t *testing.T) {
	waiting := make(chan struct{}, 10)
	s := new(rawHTTP2)
	s.serve = func(f *frames, stream uint32) {
		switch s.requests.Load() {
		case 1:
			waiting <- struct{}{}
		case 2:
			f.header(stream, ":status", "200", "x", strings.Repeat("~", 500<<10))
		default:
			f.respond(stream, "ok")
		}
	}
	s.start(t)
	c := newHTTP2Client(t, &HostLimiter{})
	var group sync.WaitGroup
	get := func() {
		doc, err := c.Get(t.Context(), Request{URL: s.url})
		if err != nil {
			t.Error(err)
			return
		}
		if doc.Attempts != 2 {
			t.Errorf("%d attempts, want 2", doc.Attempts)
		}
		doc.Body.Close()
	}
	group.Go(get)
	<-waiting
	group.Go(get)
	group.Wait()
}

// TestHTTP2RefusalsPass: what is refused once is sent again within the same attempt.
func TestHTTP2RefusalsPass(t *testing.T) {
	s := new(rawHTTP2)
	s.serve = func(f *frames, stream uint32) {
		if s.requests.Load()%10 == 1 {
			f.write(func() { f.WriteRSTStream(stream, http2.ErrCodeRefusedStream) })
			return
		}
		f.respond(stream, "ok")
	}
	s.start(t)
	c := newHTTP2Client(t, &HostLimiter{})
	c.Retries = -1
	for i := range 30 {
		doc, err := c.Get(t.Context(), Request{URL: s.url + fmt.Sprint(i)})
		if err != nil {
			t.Fatal(err)
		}
		doc.Body.Close()
	}
}

// TestHTTP2Shutdowns: a server that ends each connection after ten requests, as servers do
// after more, loses none.
func TestHTTP2Shutdowns(t *testing.T) {
	const last = 19 // the tenth stream
	s := &rawHTTP2{serve: func(f *frames, stream uint32) {
		if stream == last {
			f.write(func() { f.WriteGoAway(last, http2.ErrCodeNo, nil) })
		}
		if stream <= last {
			go func() {
				time.Sleep(time.Millisecond)
				f.respond(stream, "ok")
			}()
		}
	}}
	s.start(t)
	c := newHTTP2Client(t, &HostLimiter{})
	c.Retries = -1
	getAtOnce(t, c, s.url, 300)
}

// TestIdleConnectionsClosed: with HTTP/1 a repeat is needed where the connections that are kept were
// closed, which is not a fault of the document.
func TestIdleConnectionsClosed(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				for range 2 { // the third request is read and not answered
					if _, err := c.Read(make([]byte, 4096)); err != nil {
						return
					}
					io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
				}
				c.Read(make([]byte, 4096))
			}()
		}
	}()
	c := newClient(t)
	c.Limiter = &HostLimiter{PerHost: 16}
	c.Retries = -1
	getAtOnce(t, c, "http://"+l.Addr().String()+"/", 300)
}

// getAtOnce gets n documents, which are "ok".
func getAtOnce(t *testing.T, c *Client, url string, n int) {
	t.Helper()
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() {
			doc, err := c.Get(t.Context(), Request{URL: url + fmt.Sprint(i)})
			if err != nil {
				t.Error(err)
				return
			}
			defer doc.Body.Close()
			if body, err := io.ReadAll(doc.Body); string(body) != "ok" || err != nil {
				t.Errorf("document %d: %q, %v", i, body, err)
			}
		})
	}
	group.Wait()
}

// TestHTTP2NoStreams: a connection that takes no request is left, but not for ever new ones.
func TestHTTP2NoStreams(t *testing.T) {
	for name, s := range map[string]*rawHTTP2{
		"no streams":            {settings: []http2.Setting{{ID: http2.SettingMaxConcurrentStreams, Val: 0}}},
		"GOAWAY at the start":   {begin: func(f *frames) { f.write(func() { f.WriteGoAway(0, http2.ErrCodeNo, nil) }) }},
		"GOAWAY and then close": {begin: func(f *frames) { f.write(func() { f.WriteGoAway(0, http2.ErrCodeNo, nil) }); f.Close() }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s.serve = func(f *frames, stream uint32) {
				f.write(func() { f.WriteRSTStream(stream, http2.ErrCodeRefusedStream) })
			}
			s.start(t)
			c := newHTTP2Client(t, &HostLimiter{})
			_, err := c.Get(t.Context(), Request{URL: s.url})
			var e *Error
			if !errors.Is(err, ErrNoResponse) || !errors.As(err, &e) || e.Attempts != 3 || !e.Temporary() {
				t.Errorf("%v, want %v, temporary, after 3 attempts", err, ErrNoResponse)
			}
			if n := s.conns.Load(); n > 3*(2*maxDials+2) {
				t.Errorf("%d connections for 3 attempts", n)
			}
			for range 30 {
				c.Get(t.Context(), Request{URL: s.url})
			}
			if n := s.open.Load(); n > 2*maxIdleConns+4 {
				t.Errorf("%d connections are left open, want at most %d", n, 2*maxIdleConns)
			}
		})
	}
}

// TestHTTP2OneStream: a server that allows one request at once on a connection gets as many
// connections as there are requests.
func TestHTTP2OneStream(t *testing.T) {
	s := &rawHTTP2{settings: []http2.Setting{{ID: http2.SettingMaxConcurrentStreams, Val: 1}}}
	s.serve = func(f *frames, stream uint32) {
		time.Sleep(5 * time.Millisecond)
		f.respond(stream, "ok")
	}
	s.start(t)
	for _, perHost := range []int{0, 16, 64, -1} {
		c := newHTTP2Client(t, &HostLimiter{Total: -1, PerHost: perHost, PerAddress: -1})
		getAtOnce(t, c, s.url, 100)
		c.CloseIdleConnections()
	}
}

// TestHTTP2UnreadBodies: what a server sends of bodies that nobody reads is little.
func TestHTTP2UnreadBodies(t *testing.T) {
	const documents = 64
	var sent atomic.Int64
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for block := make([]byte, 16<<10); ; sent.Add(int64(len(block))) {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	}))
	s.EnableHTTP2 = true
	s.Config.ErrorLog = quiet
	s.StartTLS()
	defer s.Close()
	c := newHTTP2Client(t, &HostLimiter{Total: -1, PerHost: documents, PerAddress: -1})
	for range documents {
		doc, err := c.Get(t.Context(), Request{URL: s.URL, MaxBytes: -1})
		if err != nil {
			t.Fatal(err)
		}
		defer doc.Body.Close()
	}
	for before := int64(-1); before != sent.Load(); time.Sleep(200 * time.Millisecond) {
		before = sent.Load()
	}
	if n := sent.Load() / documents >> 10; n < 64 || n > 128+32 {
		t.Errorf("%d KiB of each body were sent, want about 128", n)
	}
}

// TestHTTP2Abandoned: connections that net/http leaves behind where requests were to be sent on
// them just as they were shut down are closed.
func TestHTTP2Abandoned(t *testing.T) {
	for name, s := range map[string]*rawHTTP2{
		"no streams": {settings: []http2.Setting{{ID: http2.SettingMaxConcurrentStreams, Val: 0}}},
		"GOAWAY":     {begin: func(f *frames) { f.write(func() { f.WriteGoAway(0, http2.ErrCodeNo, nil) }) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s.serve = func(*frames, uint32) {}
			s.start(t)
			c := newClient(t)
			c.times.keep, c.times.firstByte = 300*time.Millisecond, 50*time.Millisecond
			trustAll(c, &HostLimiter{})
			for range 20 {
				if _, err := c.Get(t.Context(), Request{URL: s.url}); !errors.Is(err, ErrNoResponse) {
					t.Error(err)
				}
			}
			eventually(t, "all connections closed", func() bool { return s.open.Load() == 0 })
		})
	}
}
