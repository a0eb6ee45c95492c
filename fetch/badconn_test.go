package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/http2"
)

// A numbered is a connection, with its number, from 1, and how many requests it has had.
type numbered struct {
	net.Conn
	n        int32
	requests atomic.Int32
}

type numberedKey struct{}

// serveNumbered serves a handler that knows its connections.
func serveNumbered(t *testing.T, http2 bool, h func(rw http.ResponseWriter, r *http.Request, c *numbered)) (url string, opened *atomic.Int32) {
	opened = new(atomic.Int32)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		c := r.Context().Value(numberedKey{}).(*numbered)
		c.requests.Add(1)
		h(rw, r, c)
	}))
	s.Config.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		return context.WithValue(ctx, numberedKey{}, &numbered{Conn: c, n: opened.Add(1)})
	}
	if s.EnableHTTP2 = http2; http2 {
		s.StartTLS()
	} else {
		s.Start()
	}
	t.Cleanup(s.Close)
	return s.URL, opened
}

// getAll gets so many documents, several at once, those whose body breaks off as often as others
// are tried. It returns how many came.
func getAll(t *testing.T, c *Client, url string, documents, atOnce int) (came int32) {
	var group sync.WaitGroup
	next, got := make(chan int), atomic.Int32{}
	for range atOnce {
		group.Go(func() {
			for i := range next {
				want := fmt.Sprint("/", i)
				for range 1 + c.MaxRetries() {
					doc, err := c.Get(t.Context(), Request{URL: url + want})
					if body, bodyErr := readAll(doc, err); bodyErr == nil && body == want {
						got.Add(1)
						break
					}
					if err != nil {
						t.Log(want, err)
						break
					}
				}
			}
		})
	}
	for i := range documents {
		next <- i
	}
	close(next)
	group.Wait()
	return got.Load()
}

// TestBadConnections: what is wrong with a connection, and what is behind it, costs no document.
func TestBadConnections(t *testing.T) {
	status := func(code int) func(http.ResponseWriter, *http.Request, *numbered) {
		return func(rw http.ResponseWriter, _ *http.Request, _ *numbered) { rw.WriteHeader(code) }
	}
	cut := func(_ http.ResponseWriter, _ *http.Request, c *numbered) {
		fmt.Fprint(c, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n<urlset>")
		c.Close()
	}
	noResponse := func(_ http.ResponseWriter, _ *http.Request, c *numbered) {
		fmt.Fprint(c, "HTTP/1.1 2")
		c.Close()
	}
	silent := func(_ http.ResponseWriter, r *http.Request, _ *numbered) { <-r.Context().Done() }
	half := func(rw http.ResponseWriter) {
		rw.Write([]byte("half"))
		rw.(http.Flusher).Flush()
	}
	isFirst := func(c *numbered) bool { return c.n == 1 }
	isFourth := func(c *numbered) bool { return c.n%4 == 2 }
	isUsed := func(c *numbered) bool { return c.requests.Load() > 1 }
	for name, test := range map[string]struct {
		http2 bool
		isBad func(c *numbered) bool
		bad   func(rw http.ResponseWriter, r *http.Request, c *numbered)
	}{
		"the first answers 502":               {false, isFirst, status(502)},
		"the first answers 502, HTTP/2":       {true, isFirst, status(502)},
		"each that is kept answers 408":       {false, isUsed, status(408)},
		"each that is kept cuts its bodies":   {false, isUsed, cut},
		"each that is kept gives no response": {false, isUsed, noResponse},
		"the first is silent, HTTP/2":         {true, isFirst, silent},
		"the first resets streams, HTTP/2": {true, isFirst, func(rw http.ResponseWriter, _ *http.Request, _ *numbered) {
			half(rw)
			panic(http.ErrAbortHandler)
		}},
		"the first stops in its bodies, HTTP/2": {true, isFirst, func(rw http.ResponseWriter, r *http.Request, c *numbered) {
			half(rw)
			silent(rw, r, c)
		}},
		"a fourth answers 500": {false, isFourth, status(500)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, _ := serveNumbered(t, test.http2, func(rw http.ResponseWriter, r *http.Request, c *numbered) {
				if test.isBad(c) {
					test.bad(rw, r, c)
					return
				}
				fmt.Fprint(rw, r.URL.Path)
			})
			const documents = 20
			c := newHTTP2Client(t, &HostLimiter{})
			c.times.firstByte, c.times.idle = time.Second, time.Second
			came := getAll(t, c, url, documents, 4)
			// A new connection may be a bad one, too.
			if came != documents && !(name == "a fourth answers 500" && came >= documents-3) {
				t.Errorf("%d documents of %d came", came, documents)
			}
		})
	}
}

// TestBadDocumentsReuse: where it is the documents that are bad, they are not asked for on
// connections of their own for long.
func TestBadDocumentsReuse(t *testing.T) {
	url, opened := serveNumbered(t, false, func(rw http.ResponseWriter, r *http.Request, _ *numbered) {
		rw.WriteHeader(http.StatusInternalServerError)
	})
	c := newHTTP2Client(t, &HostLimiter{})
	if came := getAll(t, c, url, 40, 4); came != 0 {
		t.Errorf("%d documents came", came)
	}
	// Four may be under way when the third has failed, and each has its own in the place of one.
	if n := opened.Load(); n > 4+2*(vain+4) {
		t.Errorf("%d connections", n)
	}
}

// TestFlappingCostsNoOthers: what a document that comes at the third try is blamed on is not taken
// from who uses it, nor are other documents asked for otherwise.
func TestFlappingCostsNoOthers(t *testing.T) {
	for _, code := range []int{408, 500, 429, 503} {
		for _, isHTTP2 := range []bool{false, true} {
			t.Run(fmt.Sprint(code, isHTTP2), func(t *testing.T) {
				t.Parallel()
				var asked atomic.Int32
				failed, read := make(chan struct{}), make(chan struct{})
				url, opened := serveNumbered(t, isHTTP2, func(rw http.ResponseWriter, r *http.Request, _ *numbered) {
					switch r.URL.Path {
					case "/flaps":
						switch n := asked.Add(1); {
						case n == 2:
							close(failed)
							fallthrough
						case n == 1:
							rw.WriteHeader(code)
							return
						}
						close(read)
					case "/long":
						rw.Write([]byte("it begins"))
						rw.(http.Flusher).Flush()
						<-read
						time.Sleep(50 * time.Millisecond)
					}
					fmt.Fprint(rw, r.URL.Path)
				})
				c := newHTTP2Client(t, new(countingLimiter))
				c.times.backoff = 100 * time.Millisecond
				var group sync.WaitGroup
				get := func(path, want string) {
					if body, err := readAll(c.Get(t.Context(), Request{URL: url + path})); err != nil || body != want {
						t.Errorf("%s: %q, %v", path, body, err)
					}
				}
				group.Go(func() { get("/flaps", "/flaps") })
				<-failed
				get("/long", "it begins/long")
				group.Wait()
				if came := getAll(t, c, url, 50, 4); came != 50 {
					t.Errorf("%d documents came", came)
				}
				most := int32(12)
				if isHTTP2 && isBusy(code) { // which says nothing of the connection
					most = 1
				}
				if n := opened.Load(); n > most {
					t.Errorf("%d connections", n)
				}
			})
		}
	}
}

// TestNoRoomForOneMore: a document whose last try would go on a connection of its own comes also
// where the server takes no more connections.
func TestNoRoomForOneMore(t *testing.T) {
	var asked atomic.Int32
	url, _ := serveNumbered(t, true, func(rw http.ResponseWriter, r *http.Request, c *numbered) {
		switch {
		case c.n > 1:
			c.Close()
		case asked.Add(1) <= 2:
			rw.WriteHeader(http.StatusInternalServerError)
		default:
			fmt.Fprint(rw, r.URL.Path)
		}
	})
	doc, err := newHTTP2Client(t, &HostLimiter{}).Get(t.Context(), Request{URL: url + "/flaps"})
	if body, err := readAll(doc, err); err != nil || body != "/flaps" || doc.Attempts != 4 {
		t.Errorf("%q, %v", body, err)
	}
}

// A flipping connection damages one byte that it sends.
type flipping struct {
	net.Conn
	at int // which one, from 0; less than 0 is none
}

func (c *flipping) Write(p []byte) (int, error) {
	if 0 <= c.at && c.at < len(p) {
		p = []byte(strings.Clone(string(p)))
		p[c.at] ^= 1
	}
	c.at -= len(p)
	return c.Conn.Write(p)
}

type flippingListener struct {
	net.Listener
	flipped bool
}

func (l *flippingListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil || l.flipped {
		return c, err
	}
	l.flipped = true
	return &flipping{c, 2500}, nil
}

// TestDamagedRecord: a record of TLS that is damaged on the way ends its connection, and no
// document.
func TestDamagedRecord(t *testing.T) {
	for _, isHTTP2 := range []bool{false, true} {
		s := httptest.NewUnstartedServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { fmt.Fprint(rw, r.URL.Path) }))
		s.Listener = &flippingListener{Listener: s.Listener}
		s.EnableHTTP2 = isHTTP2
		s.StartTLS()
		if came := getAll(t, newHTTP2Client(t, &HostLimiter{}), s.URL, 50, 4); came != 50 {
			t.Errorf("HTTP/2 %t: %d documents of 50 came", isHTTP2, came)
		}
		s.Close()
	}
}

// TestHTTP2RefusingConnection: documents that one connection refuses come over another.
func TestHTTP2RefusingConnection(t *testing.T) {
	s := new(rawHTTP2)
	var first atomic.Pointer[frames]
	s.serve = func(f *frames, stream uint32) {
		if first.CompareAndSwap(nil, f); first.Load() == f {
			f.write(func() { f.WriteRSTStream(stream, http2.ErrCodeRefusedStream) })
			return
		}
		f.respond(stream, "ok")
	}
	s.start(t)
	getAtOnce(t, newHTTP2Client(t, &HostLimiter{}), s.url, 3)
}

// A fewListener closes at once what is more than six connections.
type fewListener struct {
	net.Listener
	open atomic.Int32
}

type fewConn struct {
	net.Conn
	once sync.Once
	of   *fewListener
}

func (c *fewConn) Close() error {
	c.once.Do(func() { c.of.open.Add(-1) })
	return c.Conn.Close()
}

func (l *fewListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if l.open.Add(1) <= 6 {
			return &fewConn{Conn: c, of: l}, nil
		}
		l.open.Add(-1)
		c.Close()
	}
}

// TestFewConnections: a server that takes hardly more connections than requests are sent to it at
// once gives all documents, also those that flap or break off.
func TestFewConnections(t *testing.T) {
	for _, isHTTP2 := range []bool{false, true} {
		var cut, flapped, again atomic.Int32
		s := httptest.NewUnstartedServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			switch {
			case r.URL.Path == "/7" && cut.Add(1) == 1:
				rw.Header().Set("Content-Length", "100")
				rw.Write([]byte("it begins"))
				rw.(http.Flusher).Flush()
				panic(http.ErrAbortHandler)
			case r.URL.Path == "/11" && flapped.Add(1) < 3, r.URL.Path == "/13" && again.Add(1) < 3:
				rw.WriteHeader(http.StatusInternalServerError)
			default:
				time.Sleep(5 * time.Millisecond)
				fmt.Fprint(rw, r.URL.Path)
			}
		}))
		s.Listener = &fewListener{Listener: s.Listener}
		if s.EnableHTTP2 = isHTTP2; isHTTP2 {
			s.StartTLS()
		} else {
			s.Start()
		}
		if came := getAll(t, newHTTP2Client(t, &HostLimiter{}), s.URL, 60, 4); came != 60 {
			t.Errorf("HTTP/2 %t: %d documents of 60 came", isHTTP2, came)
		}
		s.Close()
	}
}

// TestSilentDocument: one document that is not answered costs others of its host no connections.
func TestSilentDocument(t *testing.T) {
	url, opened := serveNumbered(t, true, func(rw http.ResponseWriter, r *http.Request, _ *numbered) {
		if r.URL.Path == "/silent" {
			<-r.Context().Done()
			return
		}
		fmt.Fprint(rw, r.URL.Path)
	})
	c := newHTTP2Client(t, &HostLimiter{})
	c.times.firstByte = 500 * time.Millisecond
	if _, err := c.Get(t.Context(), Request{URL: url + "/silent"}); !errors.Is(err, ErrTimeout) {
		t.Error(err)
	}
	before := opened.Load()
	if came := getAll(t, c, url, 50, 4); came != 50 || opened.Load() > before+4 {
		t.Errorf("%d documents of 50 came over %d more connections", came, opened.Load()-before)
	}
}

// TestClientCertificate: who has no certificate that a server asks for is told so once.
func TestClientCertificate(t *testing.T) {
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert}
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	defer s.Close()
	_, err := newHTTP2Client(t, &HostLimiter{}).Get(t.Context(), Request{URL: s.URL})
	var e *Error
	if !errors.As(err, &e) || e.Attempts != 1 {
		t.Errorf("%v, want one attempt", err)
	}
}

// TestRepeats: a request that has each connection closed is sent on two at most in one attempt, not
// on all that are kept.
func TestRepeats(t *testing.T) {
	const kept = 8
	var asked atomic.Int32
	var first sync.WaitGroup
	first.Add(kept)
	url, _ := serveNumbered(t, false, func(rw http.ResponseWriter, r *http.Request, c *numbered) {
		if r.URL.Path == "/bad" {
			asked.Add(1)
			panic(http.ErrAbortHandler)
		}
		first.Done()
		first.Wait()
		io.WriteString(rw, r.URL.Path)
	})
	c := &Client{AllowPrivateNetworks: true, Retries: -1, Limiter: &HostLimiter{PerHost: kept}}
	defer c.CloseIdleConnections()
	if came := getAll(t, c, url, kept, kept); came != kept {
		t.Errorf("%d came", came)
	}
	if _, err := c.Get(t.Context(), Request{URL: url + "/bad"}); !errors.Is(err, ErrNoResponse) || asked.Load() != 2 {
		t.Errorf("%v after %d requests", err, asked.Load())
	}
}
