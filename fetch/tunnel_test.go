package fetch

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync/atomic"
	"testing"
	"time"
)

// A tunneller is a proxy that connects everybody to one server.
type tunneller struct {
	addr   string
	open   atomic.Int32
	silent atomic.Bool
}

// newTunneller returns a proxy whose side of the handshake is shake.
func newTunneller(t *testing.T, to string, shake func(net.Conn, *bufio.Reader)) *tunneller {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	p := &tunneller{addr: l.Addr().String()}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			p.open.Add(1)
			go func() {
				defer p.open.Add(-1)
				defer c.Close()
				if p.silent.Load() {
					io.Copy(io.Discard, c)
					return
				}
				server, err := net.Dial("tcp", to)
				if err != nil {
					return
				}
				defer server.Close()
				r := bufio.NewReader(c)
				shake(c, r)
				go io.Copy(c, server)
				io.Copy(server, r)
			}()
		}
	}()
	return p
}

func shakeSOCKS(c net.Conn, r *bufio.Reader) {
	head := make([]byte, 5)
	io.ReadFull(r, head[:2])
	r.Discard(int(head[1])) // methods
	c.Write([]byte{5, 0})
	io.ReadFull(r, head) // up to the length of the name
	r.Discard(int(head[4]) + 2)
	c.Write([]byte{5, 0, 0, 1, 0, 0, 0, 0, 0, 0})
}

func shakeCONNECT(c net.Conn, r *bufio.Reader) {
	http.ReadRequest(r)
	io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\n")
}

// TestSilentProxy: a proxy that accepts connections and says nothing is given up, with
// the connections, and used again once it speaks; what is open for longer than that stays.
func TestSilentProxy(t *testing.T) {
	const limit = 100 * time.Millisecond
	serve := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "o")
		w.(http.Flusher).Flush()
		time.Sleep(4 * limit)
		io.WriteString(w, "k")
	})
	plain, secure := httptest.NewServer(serve), httptest.NewUnstartedServer(serve)
	secure.EnableHTTP2 = true
	secure.StartTLS()
	t.Cleanup(plain.Close)
	t.Cleanup(secure.Close)
	for _, tt := range []struct {
		name, scheme, url string
		shake             func(net.Conn, *bufio.Reader)
	}{
		{"SOCKS, HTTP", "socks5", "http://a.test/", shakeSOCKS},
		{"SOCKS, HTTPS", "socks5", "https://a.test/", shakeSOCKS},
		{"CONNECT", "http", "https://a.test/", shakeCONNECT},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			server := plain
			if tt.url[4] == 's' {
				server = secure
			}
			p := newTunneller(t, server.Listener.Addr().String(), tt.shake)
			p.silent.Store(true)
			c := newClient(t)
			c.Proxy = http.ProxyURL(&url.URL{Scheme: tt.scheme, Host: p.addr})
			c.Retries = -1
			c.times.connect = limit
			trustAll(c, &HostLimiter{})
			for range 2 * DefaultPerHost {
				if _, err := c.Get(t.Context(), Request{URL: tt.url}); !errors.Is(err, ErrConnect) || !errors.Is(err, ErrTimeout) {
					t.Fatalf("silent: %v, want %v and %v", err, ErrConnect, ErrTimeout)
				}
			}
			eventually(t, "all connections closed", func() bool { return p.open.Load() == 0 })
			p.silent.Store(false)
			for range 2 {
				doc, err := c.Get(t.Context(), Request{URL: tt.url})
				if err != nil {
					t.Fatal(err)
				}
				if body, err := io.ReadAll(doc.Body); string(body) != "ok" || err != nil {
					t.Errorf("%q, %v", body, err)
				}
				doc.Body.Close()
			}
			if n := p.open.Load(); n != 1 {
				t.Errorf("%d connections, want one that is kept", n)
			}
		})
	}
}
