package fetch_test

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"github.com/seed-322c453a/sitemap/fetch"
)

func TestConnections_AreReused(t *testing.T) {
	s, c := newSite(t), newClient(t)
	for _, path := range []string{"ok", "status?code=404", "redirect", "gzip-encoded", "html", "empty", "validators"} {
		for range 3 {
			if doc, err := c.Get(t.Context(), fetch.Request{URL: s.fault(path)}); err == nil {
				doc.Body.Close()
			}
		}
	}
	if opened := s.connections(); opened != 1 {
		t.Errorf("%d connections, want 1", opened)
	}
}

func TestHTTP2(t *testing.T) {
	want := noise(300 << 10)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Proto", r.Proto)
		switch r.URL.Path {
		case "/moved":
			http.Redirect(w, r, "/", http.StatusFound)
		case "/broken":
			w.Header().Set("Content-Length", strconv.Itoa(len(want)))
			w.Write(want[:1000])
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		default:
			w.Write(want)
		}
	}))
	s.EnableHTTP2 = true
	s.Config.ErrorLog = quiet
	s.StartTLS()
	defer s.Close()
	tr := fetch.NewTransport()
	tr.DialContext = nil // loopback is not public
	tr.TLSClientConfig = &tls.Config{RootCAs: x509.NewCertPool()}
	tr.TLSClientConfig.RootCAs.AddCert(s.Certificate())
	c := newClient(t)
	c.Transport = tr
	for path, tt := range map[string]struct {
		size, attempts int
		err            error
	}{
		"/":       {len(want), 1, nil},
		"/moved":  {len(want), 1, nil},
		"/broken": {1000, 3, fetch.ErrBody},
	} {
		doc := get(t, c, s.URL+path)
		got, err := io.ReadAll(doc.Body)
		if !errors.Is(err, tt.err) || !bytes.Equal(got, want[:tt.size]) || doc.Attempts != tt.attempts {
			t.Errorf("%s: read %d bytes after %d attempts, %v", path, len(got), doc.Attempts, err)
		}
		if proto := doc.Header.Get("Proto"); proto != "HTTP/2.0" {
			t.Errorf("%s: by %s", path, proto)
		}
	}
}

// newHTTP2Server returns a server of HTTP/2 whose connections are served by serve.
func newHTTP2Server(t *testing.T, serve func(*tls.Conn)) *httptest.Server {
	t.Helper()
	s := httptest.NewUnstartedServer(nil)
	s.TLS = &tls.Config{NextProtos: []string{"h2"}}
	s.Config.TLSNextProto = map[string]func(*http.Server, *tls.Conn, http.Handler){
		"h2": func(_ *http.Server, conn *tls.Conn, _ http.Handler) { serve(conn) },
	}
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

// readRequest reads up to the first request of a connection, and returns what writes to it.
func readRequest(conn *tls.Conn) *http2.Framer {
	io.ReadFull(conn, make([]byte, len(http2.ClientPreface)))
	f := http2.NewFramer(conn, conn)
	err := f.WriteSettings()
	for frame := http2.Frame(nil); err == nil && !isHeaders(frame); {
		frame, err = f.ReadFrame()
	}
	return f
}

// A server of HTTP/2 that makes its client answer, and does not read the answers, would block it in
// a write, which no context ends.
func TestHTTP2_ServerThatDoesNotRead(t *testing.T) {
	s := newHTTP2Server(t, func(conn *tls.Conn) {
		f := readRequest(conn)
		const ok = 0x88 // ":status: 200" of RFC 7541, appendix A
		f.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: []byte{ok}, EndHeaders: true})
		f.WriteData(1, false, noise(10_000))
		var pings bytes.Buffer
		many := http2.NewFramer(&pings, nil)
		for range 500 {
			many.WritePing(false, [8]byte{})
		}
		for {
			if _, err := conn.Write(pings.Bytes()); err != nil {
				return
			}
		}
	})
	c := newClient(t)
	c.Insecure, c.Timeout = true, 3*time.Second
	fetch.SetTimes(c, 5*time.Second, time.Minute, time.Minute)
	began := time.Now()
	doc, err := c.Get(t.Context(), fetch.Request{URL: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer doc.Body.Close()
	got, err := io.ReadAll(doc.Body)
	if !errors.Is(err, fetch.ErrTimeout) || len(got) != 10_000 {
		t.Errorf("read %d bytes, %v", len(got), err)
	}
	if took := time.Since(began); took > time.Minute {
		t.Errorf("Get took %v", took)
	}
}

// A server that says goodbye on each HTTP/2 connection, and answers nothing, gets a few connections.
// net/http alone would open hundreds a second.
func TestHTTP2_ServerThatHangsUp(t *testing.T) {
	var opened atomic.Int32
	s := newHTTP2Server(t, func(conn *tls.Conn) {
		opened.Add(1)
		readRequest(conn).WriteGoAway(0, http2.ErrCodeNo, nil)
	})
	c := newClient(t)
	c.Insecure, c.Timeout = true, 30*time.Second
	_, err := c.Get(t.Context(), fetch.Request{URL: s.URL})
	if !errors.Is(err, fetch.ErrNoResponse) || errors.Is(err, fetch.ErrTimeout) {
		t.Errorf("error %v, want %v", err, fetch.ErrNoResponse)
	}
	if n := opened.Load(); n > 18 {
		t.Errorf("%d connections in three attempts", n)
	}
}

func TestConnections_WritesEnd(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0") // nobody reads
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	conn, err := fetch.Connect(t.Context(), l.Addr().String(), time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer time.AfterFunc(15*time.Second, func() { conn.Close() }).Stop()
	for err == nil {
		_, err = conn.Write(make([]byte, 1<<20))
	}
	_, again := conn.Write([]byte("."))
	if !errors.Is(err, os.ErrDeadlineExceeded) || !errors.Is(again, net.ErrClosed) {
		t.Errorf("Write: %v, then %v", err, again)
	}
}

func isHeaders(f http2.Frame) bool {
	_, ok := f.(*http2.HeadersFrame)
	return ok
}

// A connection may still be dialled for one hop while the next is requested on another connection.
func TestRedirects_SideBySide(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/document" {
			http.Redirect(w, r, "/document", http.StatusFound)
		}
	}))
	defer s.Close()
	c := newClient(t)
	for range 20 {
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for range 2 {
					doc, err := c.Get(t.Context(), fetch.Request{URL: s.URL})
					if err != nil || doc.Attempts != 1 || len(doc.Hops) != 1 {
						t.Errorf("Get: %v", err)
						return
					}
					doc.Body.Close()
				}
			})
		}
		wg.Wait()
		c.CloseIdleConnections()
	}
}
