package fetch

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
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
	status := func(code int) func(http.ResponseWriter, *numbered) {
		return func(rw http.ResponseWriter, _ *numbered) { rw.WriteHeader(code) }
	}
	cut := func(rw http.ResponseWriter, c *numbered) {
		fmt.Fprint(c, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n<urlset>")
		c.Close()
	}
	noResponse := func(rw http.ResponseWriter, c *numbered) {
		fmt.Fprint(c, "HTTP/1.1 2")
		c.Close()
	}
	isFirst := func(c *numbered) bool { return c.n == 1 }
	isFourth := func(c *numbered) bool { return c.n%4 == 2 }
	isUsed := func(c *numbered) bool { return c.requests.Load() > 1 }
	for name, test := range map[string]struct {
		http2 bool
		isBad func(c *numbered) bool
		bad   func(rw http.ResponseWriter, c *numbered)
	}{
		"the first answers 502":               {false, isFirst, status(502)},
		"the first answers 502, HTTP/2":       {true, isFirst, status(502)},
		"each that is kept answers 408":       {false, isUsed, status(408)},
		"each that is kept cuts its bodies":   {false, isUsed, cut},
		"each that is kept gives no response": {false, isUsed, noResponse},
		"the first resets streams, HTTP/2": {true, isFirst, func(rw http.ResponseWriter, _ *numbered) {
			rw.Write([]byte("half"))
			rw.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}},
		"a fourth answers 500": {false, isFourth, status(500)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, _ := serveNumbered(t, test.http2, func(rw http.ResponseWriter, r *http.Request, c *numbered) {
				if test.isBad(c) {
					test.bad(rw, c)
					return
				}
				fmt.Fprint(rw, r.URL.Path)
			})
			const documents = 20
			came := getAll(t, newHTTP2Client(t, &HostLimiter{}), url, documents, 4)
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
	// Four may be under way when the third has failed.
	if n := opened.Load(); n > 4+vain+4 {
		t.Errorf("%d connections", n)
	}
}
