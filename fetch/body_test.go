package fetch

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-322c453a/sitemap/internal/faultserver"
)

var manyHosts = flag.Int("hosts", 20_000, "how many hosts TestManyHosts visits")

// pattern returns n bytes whose places can be told.
func pattern(n int) []byte {
	b := make([]byte, 0, n+8)
	for i := uint64(0); len(b) < n; i++ {
		b = binary.BigEndian.AppendUint64(b, i*0x9e3779b97f4a7c15)
	}
	return b[:n]
}

// A dataServer serves one document, and counts connections that were closed.
type dataServer struct {
	*httptest.Server
	opened, closed atomic.Int32
}

func serveData(t *testing.T, data []byte, writeTimeout time.Duration) *dataServer {
	s := new(dataServer)
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(len(data)))
		w.Write(data)
	}))
	s.Config.ErrorLog = quiet
	s.Config.WriteTimeout = writeTimeout
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			s.opened.Add(1)
		case http.StateClosed:
			s.closed.Add(1)
		}
	}
	s.Start()
	t.Cleanup(s.Close)
	return s
}

// TestConnectionReleased tells from the next request that a body which was read
// ahead has given its connection back, though nobody has read it.
func TestConnectionReleased(t *testing.T) {
	s, c := serveData(t, pattern(100_000), 0), newClient(t)
	l := c.Limiter.(*countingLimiter)
	var docs []*Document
	for range 5 {
		doc, err := c.Get(t.Context(), Request{URL: s.URL, ReadAhead: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		docs = append(docs, doc)
		eventually(t, "the slot was released", func() bool {
			l.mu.Lock()
			defer l.mu.Unlock()
			return l.out == 0
		})
	}
	for _, doc := range docs {
		doc.Body.Close()
	}
	if n := s.opened.Load(); n != 1 {
		t.Errorf("%d connections, want 1", n)
	}
}

// TestParkedBodies gets documents from a host while others of it are open, not
// read and too large to be read ahead: more of them than the host may have
// connections.
func TestParkedBodies(t *testing.T) {
	s, c := serveData(t, pattern(20<<20), 0), newClient(t)
	c.Limiter = &HostLimiter{PerHost: 2, PerAddress: 2}
	var docs []*Document
	for range 8 {
		doc, err := c.Get(t.Context(), Request{URL: s.URL, ReadAhead: 1 << 20})
		if err != nil {
			t.Fatalf("beside %d others: %v", len(docs), err)
		}
		docs = append(docs, doc)
	}
	for i, doc := range docs {
		if n, err := io.Copy(io.Discard, doc.Body); n != 20<<20 || err != nil {
			t.Errorf("document %d: %d bytes, %v; want all", i, n, err)
		}
		doc.Body.Close()
	}
	if n := len(c.parked.bodies); n != 0 {
		t.Errorf("bodies of %d hosts count as parked, want none", n)
	}
}

// TestSlotOfAnIdleReader gets a second document while the first is open and not
// read, from a host that allows one.
func TestSlotOfAnIdleReader(t *testing.T) {
	s, c := serveData(t, pattern(40<<20), 0), newClient(t)
	c.Limiter = &HostLimiter{PerHost: 1, Total: 1}
	for _, ahead := range []int64{0, 1 << 20} {
		first, err := c.Get(t.Context(), Request{URL: s.URL, ReadAhead: ahead})
		if err != nil {
			t.Fatal(err)
		}
		io.ReadFull(first.Body, make([]byte, 10))
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		second, err := c.Get(ctx, Request{URL: s.URL, ReadAhead: ahead})
		if err != nil {
			t.Fatalf("%d ahead: second: %v", ahead, err)
		}
		n, err := io.Copy(io.Discard, first.Body)
		if err != nil || n != 40<<20-10 {
			t.Errorf("%d ahead: first: %d bytes, %v; want all", ahead, n, err)
		}
		second.Body.Close()
		first.Body.Close()
		cancel()
	}
}

// TestClose closes bodies while they are read.
func TestClose(t *testing.T) {
	check := baseline(t)
	t.Run("bodies", func(t *testing.T) {
		s, c := newSite(t), newClient(t)
		for _, fault := range []string{"stall", "drip", "endless", "endless-gzip", "bomb?n=8", "slow-bomb?n=8"} {
			for _, ahead := range []int64{0, 1 << 20} {
				doc, err := c.Get(t.Context(), Request{URL: s.fault(fault), ReadAhead: ahead})
				if err != nil {
					t.Fatal(err)
				}
				read := make(chan error)
				go func() {
					_, err := io.Copy(io.Discard, doc.Body)
					read <- err
				}()
				eventually(t, "something came", func() bool { return doc.Received() > 0 })
				var closing sync.WaitGroup
				for range 3 {
					closing.Go(func() { doc.Body.Close() })
				}
				if err := <-read; !errors.Is(err, ErrClosed) && fault != "bomb?n=8" {
					t.Errorf("%s, %d ahead: %v, want %v", fault, ahead, err, ErrClosed)
				}
				closing.Wait()
				var fe *Error
				if _, err := doc.Body.Read(make([]byte, 1)); !errors.Is(err, ErrClosed) || !errors.As(err, &fe) {
					t.Errorf("%s, %d ahead: Read after Close: %v, want %v", fault, ahead, err, ErrClosed)
				}
			}
		}
	})
	check()
}

func TestRaw(t *testing.T) {
	s, c := newSite(t), newClient(t)
	document := faultserver.Document()
	for _, tt := range []struct {
		fault string
		want  []byte
	}{
		{"ok", document},
		{"gzip-encoded", faultserver.Gzip(document)},
		{"lying-encoding", document},
		{"gzip-file", faultserver.Gzip(document)},
	} {
		doc, err := c.Get(t.Context(), Request{URL: s.fault(tt.fault)})
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(doc.Body.(interface{ Raw() io.Reader }).Raw())
		if err != nil || !bytes.Equal(got, tt.want) {
			t.Errorf("%s: %d bytes, %v; want %d", tt.fault, len(got), err, len(tt.want))
		}
		doc.Body.Close()
	}
}

// TestConnectionsReused gets a thousand documents, of which some fail, sixteen at
// once.
func TestConnectionsReused(t *testing.T) {
	const atOnce, documents = 16, 1000
	s, c := newSite(t), newClient(t)
	c.Limiter = &HostLimiter{PerHost: atOnce}
	c.times.linger = time.Minute
	c.Retries = -1
	paths := []string{"ok", "gzip-encoded", "gzip-file", "status?code=404", "redirect", "status?code=500", "empty", "html", "validators", "ok"}
	var group sync.WaitGroup
	for worker := range 2 * atOnce {
		group.Go(func() {
			for i := worker; i < documents; i += 2 * atOnce {
				req := Request{URL: s.fault(paths[i%len(paths)])}
				if i%3 == 0 {
					req.ReadAhead = 1 << 20
				}
				doc, err := c.Get(t.Context(), req)
				if err != nil {
					continue
				}
				if _, err := io.Copy(io.Discard, doc.Body); err != nil {
					t.Error(err)
				}
				doc.Body.Close()
			}
		})
	}
	group.Wait()
	if opened, _ := s.connections(); opened > atOnce {
		t.Errorf("%d connections, want at most %d", opened, atOnce)
	}
}

func TestHTTP2(t *testing.T) {
	var opened, second atomic.Int32
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor == 2 {
			second.Add(1)
		}
		faultserver.New().ServeHTTP(w, r)
	}))
	s.EnableHTTP2 = true
	s.Config.ErrorLog = quiet
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	s.StartTLS()
	defer s.Close()
	transport := NewTransport(true)
	transport.TLSClientConfig = s.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
	transport.TLSClientConfig.NextProtos = nil
	c := newClient(t)
	c.Transport = transport
	for _, fault := range []string{"ok", "gzip-encoded", "status?code=404", "redirect-chain", "endless", "ok"} {
		doc, err := c.Get(t.Context(), Request{URL: s.URL + "/fault/" + fault, ReadAhead: 1 << 20, MaxBytes: 1 << 20})
		if err != nil {
			if !errors.Is(err, ErrStatus) {
				t.Errorf("%s: %v", fault, err)
			}
			continue
		}
		io.Copy(io.Discard, doc.Body)
		doc.Body.Close()
	}
	if opened.Load() != 1 || second.Load() != 9 {
		t.Errorf("%d connections, %d requests over HTTP/2; want 1 and 9", opened.Load(), second.Load())
	}
	c.CloseIdleConnections()
}

// TestHTTP2Faults breaks streams of HTTP/2.
func TestHTTP2Faults(t *testing.T) {
	check := baseline(t)
	t.Run("faults", func(t *testing.T) {
		s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/header":
				for i := range 1000 {
					w.Header().Set(fmt.Sprint("X-Flood-", i), string(bytes.Repeat([]byte("x"), 1000)))
				}
				return
			case "/midway":
				w.Header().Set("Content-Length", "1000")
				w.Write(pattern(500))
				w.(http.Flusher).Flush()
			case "/stall":
				w.Write(pattern(500))
				w.(http.Flusher).Flush()
				<-r.Context().Done()
			}
			panic(http.ErrAbortHandler)
		}))
		s.EnableHTTP2 = true
		s.Config.ErrorLog = quiet
		s.StartTLS()
		defer s.Close()
		transport := NewTransport(true)
		transport.TLSClientConfig = s.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
		transport.TLSClientConfig.NextProtos = nil
		c := newClient(t)
		c.Transport = transport
		c.times.idle = 100 * time.Millisecond
		for _, tt := range []struct {
			path      string
			get, read error
			attempts  int
		}{
			{"/abort", ErrNoResponse, nil, 3},
			{"/header", ErrNoResponse, nil, 3}, // told as an error of the protocol only
			{"/midway", nil, ErrBody, 1},
			{"/stall", nil, ErrTimeout, 1},
		} {
			doc, err := c.Get(t.Context(), Request{URL: s.URL + tt.path})
			want := tt.get
			if err == nil {
				var body []byte
				body, err = io.ReadAll(doc.Body)
				want = tt.read
				if !bytes.Equal(body, pattern(500)) {
					t.Errorf("%s: %d bytes, want 500", tt.path, len(body))
				}
				doc.Body.Close()
			}
			var e *Error
			if want == nil || !errors.Is(err, want) || !errors.As(err, &e) || e.Attempts != tt.attempts {
				t.Errorf("%s: %v, want %v after %d attempts", tt.path, err, want, tt.attempts)
			}
		}
		c.CloseIdleConnections()
	})
	check()
}

// TestBombs reads gigabytes out of a little, and keeps little.
func TestBombs(t *testing.T) {
	s, c := newSite(t), newClient(t)
	// What is no longer in use counts until it is collected.
	defer debug.SetGCPercent(debug.SetGCPercent(20))
	var before, during runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for _, fault := range []string{"bomb?n=256", "nested-bomb?n=256", "endless", "endless-gzip"} {
		doc, err := c.Get(t.Context(), Request{URL: s.fault(fault), ReadAhead: 1 << 20, MaxBytes: 64 << 20})
		if err != nil {
			t.Fatal(err)
		}
		buf := make([]byte, 1<<20)
		for err == nil {
			_, err = io.ReadFull(doc.Body, buf)
			runtime.ReadMemStats(&during)
			if grown := int64(during.HeapAlloc) - int64(before.HeapAlloc); grown > 48<<20 {
				t.Errorf("%s: the heap grew by %d MiB", fault, grown>>20)
				break
			}
		}
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%s: %v, want a *Error", fault, err)
		}
		doc.Body.Close()
	}
}

// TestManyHosts visits hosts that it never sees again.
func TestManyHosts(t *testing.T) {
	c := &Client{Transport: new(fakeNet)}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var group sync.WaitGroup
	for worker := range 8 {
		group.Go(func() {
			for i := worker; i < *manyHosts; i += 8 {
				u := fmt.Sprintf("http://h%d.example/", i)
				doc, err := c.Get(t.Context(), Request{URL: u, ReadAhead: 1 << 20})
				if err != nil {
					t.Error(err)
					return
				}
				io.Copy(io.Discard, doc.Body)
				doc.Body.Close()
			}
		})
	}
	group.Wait()
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 32<<20 {
		t.Errorf("%d hosts left %d MiB behind", *manyHosts, grown>>20)
	}
	runtime.KeepAlive(c)
}

// fakeNet answers everything with a small document.
type fakeNet struct{}

func (*fakeNet) RoundTrip(r *http.Request) (*http.Response, error) {
	return answer(r, 200, "http://www.example.com/\n"), nil
}

// TestHeaderIsTheDocuments: who drops the header of a document has no memory for it any more,
// though the body is open.
func TestHeaderIsTheDocuments(t *testing.T) {
	c := &Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
		resp := answer(r, 200, "http://www.example.com/\n")
		resp.Header.Set("X-Large", strings.Repeat("x", 1<<20))
		return resp, nil
	})}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var docs []*Document
	for range 30 {
		doc, err := c.Get(t.Context(), Request{URL: "http://www.example.com/", ReadAhead: 1 << 10})
		if err != nil {
			t.Fatal(err)
		}
		defer doc.Body.Close()
		doc.Header = nil
		docs = append(docs, doc)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 10<<20 {
		t.Errorf("%d documents without header take %d MiB", len(docs), grown>>20)
	}
	runtime.KeepAlive(docs)
}
