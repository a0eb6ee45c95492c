package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestHTTP2Breakers: documents that break their connection cost none of those that are fetched
// beside them on it, whether they do so each time or, all of them, the first time.
func TestHTTP2Breakers(t *testing.T) {
	breakNow := func(_ http.ResponseWriter, conn net.Conn) { conn.Close() }
	breakLater := func(rw http.ResponseWriter, conn net.Conn) {
		rw.Write([]byte("it begins"))
		rw.(http.Flusher).Flush()
		time.Sleep(5 * time.Millisecond)
		conn.Close()
	}
	for name, test := range map[string]struct {
		answer  func(rw http.ResponseWriter, conn net.Conn)
		first   bool // breaks each document's
		retries int
	}{
		"always, before an answer":         {answer: breakNow},
		"always, in the body":              {answer: breakLater},
		"the first time, before an answer": {answer: breakNow, first: true, retries: 1},
		"the first time, in the body":      {answer: breakLater, first: true},
	} {
		t.Run(name, func(t *testing.T) {
			var asked sync.Map
			url, _ := serveNumbered(t, true, func(rw http.ResponseWriter, r *http.Request, conn *numbered) {
				_, again := asked.LoadOrStore(r.URL.Path, true)
				time.Sleep(20 * time.Millisecond)
				if strings.HasPrefix(r.URL.Path, "/bad") || test.first && !again {
					test.answer(rw, conn)
					return
				}
				fmt.Fprint(rw, r.URL.Path)
			})
			c := newHTTP2Client(t, &HostLimiter{PerHost: 8})
			c.Retries = test.retries
			var group sync.WaitGroup
			for i := range 40 {
				path := fmt.Sprint("/", i)
				if i%8 == 5 && !test.first {
					path = fmt.Sprint("/bad", i)
				}
				group.Go(func() {
					// A body that breaks off is for the caller to have again.
					for try := 0; ; try++ {
						body, err := readAll(c.Get(t.Context(), Request{URL: url + path}))
						isBad := strings.HasPrefix(path, "/bad")
						switch {
						case err != nil && try < c.MaxRetries():
							continue
						case isBad != (err != nil), !isBad && body != path:
							t.Errorf("%s: %q, %v", path, body, err)
						}
						return
					}
				})
			}
			group.Wait()
		})
	}
}

// TestHTTP2Spared: of the tries of a document that break their connection while others use it one
// does not count, but where none is to be tried again.
func TestHTTP2Spared(t *testing.T) {
	for retries, want := range map[int]int{-1: 1, 1: 3, 2: 4} {
		waiting := make(chan struct{}, 1)
		s := new(rawHTTP2)
		s.serve = func(f *frames, _ uint32) {
			if s.requests.Load() == 1 {
				waiting <- struct{}{} // for the second one, on the same connection
				return
			}
			f.Close()
		}
		s.start(t)
		c := newHTTP2Client(t, &HostLimiter{})
		c.Retries = retries
		var group sync.WaitGroup
		get := func() {
			_, err := c.Get(t.Context(), Request{URL: s.url})
			var e *Error
			if !errors.As(err, &e) || !errors.Is(err, ErrNoResponse) || e.Attempts != want {
				t.Errorf("with %d retries: %v, want %d attempts", retries, err, want)
			}
		}
		group.Go(get)
		<-waiting
		group.Go(get)
		group.Wait()
	}
}

// A slowRelease has the first release wait until it is closed.
type slowRelease chan struct{}

func (l slowRelease) Acquire(_ context.Context, u *url.URL) (func(int, time.Duration), error) {
	if u.Path != "/first" {
		return nil, nil
	}
	return func(int, time.Duration) { <-l }, nil
}

// TestHTTP1IsNotShared: a connection of HTTP/1 goes from one attempt to the next, also while the
// Limiter is told of the first. If it breaks then, that is for the second alone to answer for.
func TestHTTP1IsNotShared(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/first" {
			return
		}
		conn, _, _ := rw.(http.Hijacker).Hijack()
		conn.Write([]byte("HTTP/1.1 200"))
		conn.Close()
	}))
	defer srv.Close()
	l := make(slowRelease)
	c := newClient(t)
	c.Limiter = l
	var group sync.WaitGroup
	defer group.Wait()
	defer close(l)
	read := make(chan struct{})
	group.Go(func() {
		doc, err := c.Get(t.Context(), Request{URL: srv.URL + "/first"})
		close(read)
		readAll(doc, err)
	})
	<-read
	time.Sleep(50 * time.Millisecond) // for the connection to be idle
	_, err := c.Get(t.Context(), Request{URL: srv.URL + "/second"})
	if e := (*Error)(nil); !errors.As(err, &e) || e.Attempts != 3 {
		t.Errorf("%v, want 3 attempts", err)
	}
	if n := len(c.broken.at); n != 0 {
		t.Errorf("connections of %d origins count as broken while they were shared", n)
	}
}

// TestBreaks: connections of a minute count, and what broke is not remembered without end.
func TestBreaks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b breaks[string]
		count := func(want int) {
			t.Helper()
			if got := b.count("a"); got != want {
				t.Errorf("%d breaks, want %d", got, want)
			}
		}
		count(0)
		b.note("a")
		count(1)
		b.note("b")
		b.note("a")
		count(2)
		time.Sleep(apartFor + time.Second)
		count(0)
		b.note("a")
		count(1)
		for i := range 2 * maxBreaks {
			b.note(fmt.Sprint(i))
		}
		if len(b.at) != maxBreaks {
			t.Errorf("%d are remembered", len(b.at))
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
