package discover

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-322c453a/sitemap/fetch"
)

// A pausing is a server of one large document, whose connections have small buffers,
// and walks of it by one Client.
type pausing struct {
	*httptest.Server
	entries int
	body    []byte
	sent    atomic.Int64 // bytes
	whole   atomic.Int64 // documents
}

func newPausing(t *testing.T) *pausing {
	p := &pausing{}
	p.Server = httptest.NewUnstartedServer(p)
	p.Config.ErrorLog = quiet
	p.Config.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		c.(*net.TCPConn).SetWriteBuffer(64 << 10)
		return ctx
	}
	p.Start()
	t.Cleanup(p.Close)
	for filler := strings.Repeat("x", 500); len(p.body) < readAhead-1_000; p.entries++ {
		p.body = fmt.Appendf(p.body, "%s/%s/%d\n", p.URL, filler, p.entries)
	}
	return p
}

func (p *pausing) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	for rest := bytes.NewBuffer(p.body); rest.Len() > 0; {
		n, err := w.Write(rest.Next(64 << 10))
		if p.sent.Add(int64(n)); err != nil {
			return
		}
	}
	p.whole.Add(1)
}

// settled waits until so many documents are sent, or nothing is sent any more for as
// long as patience.
func (p *pausing) settled(walks int, patience time.Duration) {
	const tick = 10 * time.Millisecond
	for still, before := time.Duration(0), int64(-1); p.whole.Load() < int64(walks) && still < patience; still += tick {
		if now := p.sent.Load(); now != before {
			still, before = 0, now
		}
		time.Sleep(tick)
	}
}

func (p *pausing) client() *Client {
	dial := func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := new(net.Dialer).DialContext(ctx, network, addr)
		if err == nil {
			c.(*net.TCPConn).SetReadBuffer(64 << 10)
		}
		return c, err
	}
	tr := &http.Transport{DialContext: dial}
	return &Client{Fetcher: &fetch.Client{Transport: tr, AllowPrivateNetworks: true, Limiter: unlimited{}}}
}

// walk counts the URLs of a walk that pauses at its first.
func (p *pausing) walk(t *testing.T, c *Client, paused func(), resume <-chan struct{}) (n int, err error) {
	for u, err := range c.Walk(t.Context(), named(p.URL+"/s.txt"), nil) {
		if err != nil {
			return n, err
		}
		if !strings.HasSuffix(u.Loc, fmt.Sprintf("x/%d", n)) {
			t.Errorf("URL %d ends with %s", n, u.Loc[len(u.Loc)-20:])
		}
		if n++; n == 1 {
			paused()
			<-resume
		}
	}
	return n, nil
}

// TestWalksPauseTogether: six walks of one Client that all pause in a document of 8
// MiB until the server gives up lose nothing. Of more, some do: they keep what came,
// and say so.
func TestWalksPauseTogether(t *testing.T) {
	for walks, patience := range map[int]time.Duration{6: 20 * time.Second, 12: 500 * time.Millisecond} {
		p := newPausing(t)
		c, resume := p.client(), make(chan struct{})
		var paused, ended sync.WaitGroup
		var short atomic.Int64
		for range walks {
			paused.Add(1)
			ended.Go(func() {
				pauses := sync.OnceFunc(paused.Done)
				defer pauses()
				n, err := p.walk(t, c, pauses, resume)
				if (n < p.entries) != errors.Is(err, fetch.ErrBody) || n == p.entries && err != nil {
					t.Errorf("%d of %d URLs, %v", n, p.entries, err)
				}
				if n < p.entries {
					short.Add(1)
				}
			})
		}
		paused.Wait()
		p.settled(walks, patience)
		p.CloseClientConnections()
		close(resume)
		ended.Wait()
		c.CloseIdleConnections()
		if n := short.Load(); (n > 0) != (walks > 6) {
			t.Errorf("%d walks: %d lost something", walks, n)
		}
	}
}
