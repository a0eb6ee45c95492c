package fetch

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/faultserver"
)

var quiet = log.New(io.Discard, "", 0)

// A faultCase is what is to come of a fault.
type faultCase struct {
	path     string
	get      error  // of Get
	read     error  // of the Body
	wraps    error  // another error that the one above matches
	status   int    // of the Document or the Error; 0 is not checked
	attempts int    // 0 means 1
	hits     int    // requests for the path; 0 means attempts
	body     string // what is read before the error
	least    int    // or at least so many bytes of the document
	maxBytes int64
	timeout  time.Duration
	short    bool          // idle clocks
	retry    time.Duration // Error.RetryAfter
}

func faultCases() []faultCase {
	document := string(faultserver.Document())
	half := document[:len(document)/2]
	size := int64(len(document))
	const mib = 1 << 20
	return []faultCase{
		{path: "ok", body: document, status: 200},
		{path: "gzip-encoded", body: document},
		{path: "gzip-file", body: document},
		{path: "gzip-both", body: document},
		{path: "http10", body: document},
		{path: "close-after", body: document},
		{path: "long-body", body: half},
		{path: "lying-encoding", body: document},
		{path: "encoding?name=UTF-8,none", body: document},
		{path: "drip", timeout: 500 * time.Millisecond, read: ErrTimeout, least: 1},

		{path: "reset", get: ErrNoResponse, attempts: 3},
		{path: "close", get: ErrNoResponse, wraps: io.EOF, attempts: 3},
		{path: "silence", short: true, get: ErrTimeout, wraps: ErrNoResponse, attempts: 3},
		{path: "flap", body: document, attempts: 3},
		{path: "flap-reset", body: document, attempts: 3},
		{path: "flap?n=3", get: ErrStatus, status: 503, attempts: 3},
		{path: "reset-midway", read: ErrBody, body: half, status: 200},
		{path: "close-midway", read: ErrBody, wraps: io.ErrUnexpectedEOF, body: half},
		{path: "chunk-midway", read: ErrBody, wraps: io.ErrUnexpectedEOF, body: half},
		{path: "bad-chunk", read: ErrBody, body: half},
		{path: "stall", short: true, read: ErrTimeout, wraps: ErrBody, body: half},

		{path: "http09", get: ErrNoResponse, attempts: 3},
		{path: "header-flood", get: ErrNoResponse, attempts: 1},
		{path: "header-huge", get: ErrNoResponse, attempts: 1},
		{path: "header-huge?n=257", get: ErrNoResponse, attempts: 1},
		{path: "header-huge?n=255", status: 200},
		{path: "header-many", get: ErrNoResponse, attempts: 1},
		{path: "header-many?n=1001", get: ErrNoResponse, attempts: 1},
		{path: "header-many?n=1000", status: 200},
		{path: "informational", get: ErrNoResponse, attempts: 1},

		{path: "encoding?name=br", get: ErrEncoding, status: 200},
		{path: "encoding?name=deflate", get: ErrEncoding},
		{path: "encoding?name=gzip,zstd", get: ErrEncoding},
		{path: "encoding?name=identity", body: document},
		{path: "encoding?name=X-GZIP", body: document},
		{path: "truncated-gzip", read: sitemap.ErrTruncated, least: 20_000},
		{path: "truncated-encoded", read: sitemap.ErrTruncated, least: 20_000},
		{path: "corrupt-gzip", read: sitemap.ErrGzip, least: 20_000},
		{path: "corrupt-encoded", read: sitemap.ErrGzip, least: 20_000},

		{path: "status?code=204", status: 204},
		{path: "status?code=205", status: 205},
		{path: "status?code=204&encoding=br", status: 204},
		{path: "status?code=205&encoding=br", status: 205},
		{path: "status?code=202&encoding=br", get: ErrEncoding, status: 202},
		{path: "status?code=202", body: "status 202\n", status: 202},
		{path: "partial", read: ErrBody, body: half, status: 206},
		{path: "partial-whole", body: document, status: 206},
		{path: "partial-rest", get: ErrStatus, status: 206},
		{path: "status?code=206", get: ErrStatus, status: 206},
		{path: "status?code=300", get: ErrStatus, status: 300},
		{path: "status?code=304", get: ErrStatus, status: 304},
		{path: "validators", body: document},
		{path: "status?code=400", get: ErrStatus, status: 400},
		{path: "status?code=401", get: ErrStatus, status: 401},
		{path: "status?code=403", get: ErrStatus, status: 403},
		{path: "status?code=404", get: ErrStatus, status: 404},
		{path: "status?code=410", get: ErrStatus, status: 410},
		{path: "status?code=404&retry-after=7", get: ErrStatus, status: 404},
		{path: "status?code=408", get: ErrStatus, status: 408, attempts: 3},
		{path: "status?code=425", get: ErrStatus, status: 425, attempts: 3},
		{path: "status?code=429", get: ErrStatus, status: 429, attempts: 3},
		{path: "status?code=500", get: ErrStatus, status: 500, attempts: 3},
		{path: "status?code=501", get: ErrStatus, status: 501},
		{path: "status?code=502", get: ErrStatus, status: 502, attempts: 3},
		{path: "status?code=503", get: ErrStatus, status: 503, attempts: 3},
		{path: "status?code=599", get: ErrStatus, status: 599, attempts: 3},
		{path: "status?code=600", get: ErrStatus, status: 600},
		{path: "status?code=999", get: ErrStatus, status: 999},
		{path: "status?code=999&retry-after=7", get: ErrStatus, status: 999},
		{path: "status?code=503&retry-after=86400", get: ErrStatus, status: 503, retry: 24 * time.Hour},
		{path: "status?code=429&retry-after=Fri,%2031%20Dec%201999%2023:59:59%20GMT", get: ErrStatus, status: 429, attempts: 3},
		{path: "status?code=429&retry-after=soon", get: ErrStatus, status: 429, attempts: 3},
		{path: "empty", status: 200},
		{path: "html", body: "<!DOCTYPE html>\n<html><head><title>Not found</title></head><body>Sorry.</body></html>\n"},
		{path: "json", body: `{"error":"not found","status":404}` + "\n"},
		{path: "login", body: "<!DOCTYPE html>\n<html><head><title>Not found</title></head><body>Sorry.</body></html>\n"},

		{path: "redirect", body: document},
		{path: "redirect?to=/fault/status%3Fcode=404", get: ErrStatus, status: 404},
		{path: "redirect?to=/fault/status%3Fcode=500", get: ErrStatus, status: 500, attempts: 3, hits: 1},
		{path: "redirect-loop", get: ErrRedirect, status: 302},
		{path: "redirect-self", get: ErrRedirect, status: 302},
		{path: "redirect-chain?n=10", body: document, hits: 11},
		{path: "redirect-chain?n=11", get: ErrRedirect, status: 302, hits: 11},
		{path: "redirect-nowhere", get: ErrRedirect, status: 302},
		{path: "redirect?to=/fault/ok/" + strings.Repeat("x", 8192-len("/fault/ok/")), body: document},
		{path: "redirect?to=/fault/ok/" + strings.Repeat("x", 8193-len("/fault/ok/")), get: ErrRedirect, status: 302},
		{path: "redirect?to=http://", get: ErrRedirect, status: 302},
		{path: "redirect?to=http://%5Bx", get: ErrRedirect, status: 302},
		{path: "redirect?to=file:///etc/passwd", get: ErrRefused, status: 302},
		{path: "redirect?to=ftp://example.com/sitemap.xml", get: ErrRefused},
		{path: "redirect?to=javascript:alert(1)", get: ErrRefused},
		{path: "redirect?to=data:text/xml,%3Curlset/%3E", get: ErrRefused},
		{path: "redirect?to=gopher://example.com/", get: ErrRefused},

		{path: "ok?exact", body: document, maxBytes: size},
		{path: "ok?less", read: sitemap.ErrTooLarge, body: document[:size-1], maxBytes: size - 1},
		{path: "endless", read: sitemap.ErrTooLarge, least: mib, maxBytes: mib},
		{path: "endless-gzip", read: sitemap.ErrTooLarge, least: mib, maxBytes: mib},
		{path: "bomb?n=8", read: sitemap.ErrTooLarge, least: 2 * mib, maxBytes: 2 * mib},
		{path: "nested-bomb?n=8", read: sitemap.ErrTooLarge, least: 2 * mib, maxBytes: 2 * mib},
		{path: "slow-bomb?n=8", read: sitemap.ErrTooLarge, least: 2 * mib, maxBytes: 2 * mib},
	}
}

// TestFaults gets every document of a faultserver, as it is read by the caller and
// as it is read ahead.
func TestFaults(t *testing.T) {
	tested := map[string]bool{}
	for _, tt := range faultCases() {
		name, _, _ := strings.Cut(tt.path, "?")
		tested[name] = true
		path := clip(tt.path, 100)
		t.Run(path, func(t *testing.T) { tt.run(t, 0) })
		t.Run(path+" ahead", func(t *testing.T) { tt.run(t, 8<<20) })
	}
	for _, name := range faultserver.Names() {
		if !tested[name] {
			t.Errorf("fault %q has no case", name)
		}
	}
}

func (tt faultCase) run(t *testing.T, readAhead int64) {
	t.Parallel()
	s, c := newSite(t), newClient(t)
	c.Timeout = tt.timeout
	if tt.short {
		c.times.firstByte, c.times.idle = 100*time.Millisecond, 100*time.Millisecond
	}
	want := max(tt.attempts, 1)

	doc, err := c.Get(t.Context(), Request{URL: s.fault(tt.path), ReadAhead: readAhead, MaxBytes: tt.maxBytes})
	if tt.get != nil {
		tt.checkError(t, err, tt.get)
	} else if err != nil {
		t.Fatalf("Get: %v", err)
	} else {
		tt.checkBody(t, doc)
		if doc.Attempts != want {
			t.Errorf("Document.Attempts = %d, want %d", doc.Attempts, want)
		}
		doc.Body.Close()
	}

	path, _, _ := strings.Cut(tt.path, "?")
	hits := tt.hits
	if hits == 0 {
		hits = want
	}
	if got := s.faults.Hits("/fault/" + path); got != hits {
		t.Errorf("%d requests, want %d", got, hits)
	}
	l := c.Limiter.(*countingLimiter)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.out != 0 || l.twice != 0 {
		t.Errorf("limiter: %d not released, %d released twice", l.out, l.twice)
	}
}

func (tt faultCase) checkError(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) || tt.wraps != nil && !errors.Is(err, tt.wraps) {
		t.Fatalf("error %v, want %v (%v)", err, want, tt.wraps)
	}
	if want == sitemap.ErrGzip || want == sitemap.ErrTruncated {
		return // damage in the bytes, not a failure to fetch them
	}
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("error %T, want *Error", err)
	}
	if tt.status != 0 && e.Status != tt.status {
		t.Errorf("Error.Status = %d, want %d", e.Status, tt.status)
	}
	if attempts := max(tt.attempts, 1); e.Attempts != attempts {
		t.Errorf("Error.Attempts = %d, want %d", e.Attempts, attempts)
	}
	wantTemporary := want != ErrRefused && want != ErrRedirect && want != ErrEncoding && want != sitemap.ErrTooLarge
	if want == ErrStatus {
		wantTemporary = tt.attempts > 1 || tt.retry > 0
	}
	if strings.HasPrefix(tt.path, "header-") || tt.path == "informational" {
		wantTemporary = false
	}
	if e.Temporary() != wantTemporary {
		t.Errorf("Temporary() = %t, want %t", e.Temporary(), wantTemporary)
	}
	if e.RetryAfter != tt.retry {
		t.Errorf("Error.RetryAfter = %v, want %v", e.RetryAfter, tt.retry)
	}
}

func (tt faultCase) checkBody(t *testing.T, doc *Document) {
	t.Helper()
	if tt.status != 0 && doc.Status != tt.status {
		t.Errorf("Document.Status = %d, want %d", doc.Status, tt.status)
	}
	body, err := io.ReadAll(doc.Body)
	if tt.read != nil {
		tt.checkError(t, err, tt.read)
	} else if err != nil {
		t.Errorf("Read: %v", err)
	}
	switch {
	case tt.least == 0:
		if string(body) != tt.body {
			t.Errorf("read %d bytes, want %d", len(body), len(tt.body))
		}
	case len(body) < tt.least:
		t.Errorf("read %d bytes, want at least %d", len(body), tt.least)
	case tt.maxBytes > 0 && int64(len(body)) > tt.maxBytes:
		t.Errorf("read %d bytes, want at most %d", len(body), tt.maxBytes)
	}
	if tt.read == sitemap.ErrTruncated || tt.read == sitemap.ErrGzip {
		// Damage starts at about half of the compressed bytes.
		if !bytes.HasPrefix(faultserver.Noisy(), body[:min(20_000, len(body))]) {
			t.Error("what was read is not the start of the document")
		}
	}
	if _, again := doc.Body.Read(make([]byte, 1)); !sameError(again, err) {
		t.Errorf("second Read: %v, want %v", again, err)
	}
}

// sameError reports whether Read repeats what io.ReadAll returned.
func sameError(again, err error) bool {
	if err == nil {
		return again == io.EOF
	}
	return again == err
}

// TestFaultsLeaveNothing gets every document again, drops it in the middle, and
// counts goroutines and connections.
func TestFaultsLeaveNothing(t *testing.T) {
	check := baseline(t)
	t.Run("all", func(t *testing.T) {
		s, c := newSite(t), newClient(t)
		c.Retries = -1
		c.times.firstByte = 100 * time.Millisecond
		for _, tt := range faultCases() {
			for _, ahead := range []int64{0, 1 << 20} {
				ctx, cancel := context.WithCancel(t.Context())
				doc, err := c.Get(ctx, Request{URL: s.fault(tt.path), ReadAhead: ahead})
				if err != nil {
					cancel()
					continue
				}
				io.ReadFull(doc.Body, make([]byte, 100))
				if len(tt.path)%2 == 0 {
					cancel()
				}
				doc.Body.Close()
				doc.Body.Close()
				if _, err := doc.Body.Read(make([]byte, 1)); err == nil {
					t.Errorf("%s: Read after Close succeeded", tt.path)
				}
				cancel()
			}
		}
		if used := c.ahead.used; used != 0 {
			t.Errorf("%d bytes of the budget not given back", used)
		}
		c.CloseIdleConnections()
		eventually(t, "all connections closed", func() bool {
			_, open := s.connections()
			return open == 0
		})
	})
	check()
}

func TestCannotConnect(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	c := newClient(t)
	_, err = c.Get(t.Context(), Request{URL: "http://" + closed.Addr().String() + "/"})
	var op *net.OpError
	if !errors.Is(err, ErrConnect) || !errors.As(err, &op) {
		t.Errorf("closed port: %v, want %v and a *net.OpError", err, ErrConnect)
	}
	var e *Error
	if !errors.As(err, &e) || e.Attempts != 3 || !e.Temporary() {
		t.Errorf("closed port: %+v, want 3 attempts, temporary", e)
	}
}

func TestTLSErrors(t *testing.T) {
	s := httptest.NewUnstartedServer(faultserver.New())
	s.Config.ErrorLog = quiet
	s.StartTLS()
	defer s.Close()
	plain := newSite(t)
	c := newClient(t)

	_, err := c.Get(t.Context(), Request{URL: s.URL + "/fault/ok"})
	var unknown x509.UnknownAuthorityError
	var e *Error
	if !errors.Is(err, ErrConnect) || !errors.As(err, &unknown) || !errors.As(err, &e) {
		t.Fatalf("certificate: %v, want %v and an x509.UnknownAuthorityError", err, ErrConnect)
	}
	if e.Attempts != 1 || e.Temporary() {
		t.Errorf("certificate: %d attempts, temporary %t; want 1, not temporary", e.Attempts, e.Temporary())
	}

	_, err = c.Get(t.Context(), Request{URL: strings.Replace(plain.fault("ok"), "http:", "https:", 1)})
	if !errors.Is(err, ErrConnect) || !errors.As(err, &e) || e.Attempts != 1 {
		t.Errorf("HTTP at an https port: %v, want %v after 1 attempt", err, ErrConnect)
	}
}

func TestTLSAlert(t *testing.T) {
	s := httptest.NewUnstartedServer(faultserver.New())
	s.Config.ErrorLog = quiet
	s.TLS = &tls.Config{MaxVersion: tls.VersionTLS10}
	s.StartTLS()
	defer s.Close()
	_, err := newClient(t).Get(t.Context(), Request{URL: s.URL + "/fault/ok"})
	var e *Error
	if !errors.Is(err, ErrConnect) || !errors.As(err, &e) || e.Attempts != 1 || e.Temporary() {
		t.Errorf("an old version of TLS: %v, want %v after 1 attempt", err, ErrConnect)
	}
}

// TestNoConnection: no connection within its time, or within that of the document, is
// ErrConnect as much as ErrTimeout.
func TestNoConnection(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	s := newSite(t)
	const limit = 50 * time.Millisecond
	for _, tt := range []struct {
		name, url string
		timeout   time.Duration
		times     phases
		connect   bool // the error is ErrConnect
	}{
		{"handshake", "https://" + silent.Addr().String(), 0, phases{handshake: limit}, true},
		{"document, in the handshake", "https://" + silent.Addr().String(), limit, phases{}, true},
		{"document, between attempts", "http://" + closed.Addr().String(), limit, phases{backoff: time.Hour}, true},
		{"document, connected", s.fault("silence"), limit, phases{}, false},
		{"document, answered before", s.fault("status?code=503"), limit, phases{backoff: time.Hour}, false},
	} {
		c := newClient(t)
		c.Timeout, c.times = tt.timeout, tt.times
		if tt.timeout == 0 {
			c.Retries = -1
		}
		_, err := c.Get(t.Context(), Request{URL: tt.url})
		if !errors.Is(err, ErrTimeout) || errors.Is(err, ErrConnect) != tt.connect {
			t.Errorf("%s: %v, want %v, and %v: %v", tt.name, err, ErrTimeout, ErrConnect, tt.connect)
		}
	}
}
