package fetch

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestHTTP2Breakers: documents that break their connection each time cost none of those that are
// fetched beside them on it.
func TestHTTP2Breakers(t *testing.T) {
	type connKey struct{}
	for name, answer := range map[string]func(rw http.ResponseWriter, conn net.Conn){
		"before an answer": func(_ http.ResponseWriter, conn net.Conn) { conn.Close() },
		"in the body": func(rw http.ResponseWriter, conn net.Conn) {
			rw.Write([]byte("it begins"))
			rw.(http.Flusher).Flush()
			time.Sleep(5 * time.Millisecond)
			conn.Close()
		},
	} {
		srv := httptest.NewUnstartedServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			time.Sleep(20 * time.Millisecond)
			if strings.HasPrefix(r.URL.Path, "/bad") {
				answer(rw, r.Context().Value(connKey{}).(net.Conn))
				return
			}
			fmt.Fprint(rw, r.URL.Path)
		}))
		srv.EnableHTTP2 = true
		srv.Config.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, connKey{}, c)
		}
		srv.StartTLS()
		c := newHTTP2Client(t, &HostLimiter{PerHost: 8})
		var group sync.WaitGroup
		for i := range 40 {
			path := fmt.Sprint("/", i)
			if i%8 == 5 {
				path = fmt.Sprint("/bad", i)
			}
			group.Go(func() {
				// A body that breaks off is for the caller to have again.
				for try := 0; ; try++ {
					body, err := readAll(c.Get(t.Context(), Request{URL: srv.URL + path}))
					isBad := strings.HasPrefix(path, "/bad")
					switch {
					case err != nil && try < c.MaxRetries():
						continue
					case isBad != (err != nil), !isBad && body != path:
						t.Errorf("%s: %s: %q, %v", name, path, body, err)
					}
					return
				}
			})
		}
		group.Wait()
		srv.Close()
	}
}

// TestBreaking: connections of a minute count, and origins are not remembered without end.
func TestBreaking(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b breaking
		o := origin{scheme: "https", host: "example.com", port: "443"}
		isApart := func(retries int, want bool) {
			t.Helper()
			if got := b.isApart(o, retries); got != want {
				t.Errorf("after %d breaks, with %d retries: %t", b.at[o].n, retries, got)
			}
		}
		isApart(0, false)
		b.note(o)
		isApart(0, true)
		isApart(1, true)
		isApart(2, false)
		b.note(o)
		isApart(2, true)
		isApart(9, true)
		time.Sleep(apartFor + time.Second)
		isApart(0, false)
		b.note(o)
		isApart(2, false)
		for i := range 2 * maxBreaking {
			b.note(origin{scheme: "https", host: fmt.Sprint(i)})
		}
		if len(b.at) != maxBreaking {
			t.Errorf("%d origins are remembered", len(b.at))
		}
	})
}

// readAll returns the body of what Get returns, and the error of either.
func readAll(doc *Document, err error) (string, error) {
	if err != nil {
		return "", err
	}
	defer doc.Body.Close()
	body, err := io.ReadAll(doc.Body)
	return string(body), err
}
