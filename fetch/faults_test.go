package fetch_test

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/testkit/faultserver"

	"github.com/seed-322c453a/sitemap/fetch"
)

// A faultCase is what is to come of a fault.
type faultCase struct {
	path     string
	get      error  // of Get
	read     error  // of the Body
	wraps    error  // another error that the one above matches
	status   int    // of the fetch.Document or the fetch.Error; 0 is not checked
	attempts int    // 0 means 1
	hits     int    // requests for the path; 0 means attempts
	body     string // the bytes that are read before the error
	least    int    // or at least this many bytes of the document
	start    string // or a part of this, from its start
	maxBytes int64
	answer   time.Duration // that an answer may take; 0 means 30 s
	idle     time.Duration // that a pause in a body may take; 0 means 30 s
	retry    time.Duration // fetch.Error.RetryAfter
}

func faultCases() []faultCase {
	document := string(faultserver.Document())
	half := document[:len(document)/2]
	size := int64(len(document))
	const short = 100 * time.Millisecond // of bytes that never arrive
	const page = "<!DOCTYPE html>\n<html><head><title>Not found</title></head><body>Sorry.</body></html>\n"
	return []faultCase{
		{path: "ok", body: document, status: 200},
		{path: "gzip-encoded", body: document},
		{path: "gzip-file", body: string(faultserver.Gzip([]byte(document)))},
		{path: "gzip-both", body: string(faultserver.Gzip([]byte(document)))},
		{path: "http10", body: document},
		{path: "close-after", body: document},
		{path: "long-body", body: half},
		{path: "lying-encoding", body: document},
		{path: "encoding?name=UTF-8,none", body: document},
		{path: "drip", read: sitemap.ErrTooLarge, body: document[:3], maxBytes: 3},

		{path: "reset", get: fetch.ErrNoResponse, attempts: 3},
		{path: "close", get: fetch.ErrNoResponse, wraps: io.EOF, attempts: 3},
		{path: "silence", answer: short, get: fetch.ErrTimeout, wraps: fetch.ErrNoResponse, attempts: 3},
		{path: "flap", body: document, attempts: 3},
		{path: "flap?n=3", get: fetch.ErrStatus, status: 503, attempts: 3},
		{path: "flap-reset", body: document, attempts: 3},
		{path: "flap-reset?n=3", get: fetch.ErrNoResponse, attempts: 3},
		{path: "reset-midway", read: fetch.ErrBody, body: half, status: 200, attempts: 3},
		{path: "close-midway", read: fetch.ErrBody, wraps: io.ErrUnexpectedEOF, body: half, attempts: 3},
		{path: "chunk-midway", read: fetch.ErrBody, wraps: io.ErrUnexpectedEOF, body: half, attempts: 3},
		{path: "bad-chunk", read: fetch.ErrBody, body: half, attempts: 3},
		{path: "stall", idle: short, read: fetch.ErrTimeout, wraps: fetch.ErrBody, start: half, attempts: 3},

		{path: "http09", get: fetch.ErrNoResponse, attempts: 3},
		{path: "header-flood", get: fetch.ErrNoResponse, attempts: 3},
		{path: "header-huge", get: fetch.ErrNoResponse, attempts: 3},
		{path: "header-huge?n=255", status: 200},
		{path: "header-many", status: 200},
		{path: "informational", get: fetch.ErrNoResponse, attempts: 3},

		{path: "encoding?name=br", get: fetch.ErrEncoding, status: 200},
		{path: "encoding?name=deflate", get: fetch.ErrEncoding},
		{path: "encoding?name=gzip,zstd", get: fetch.ErrEncoding},
		{path: "encoding?name=identity", body: document},
		{path: "encoding?name=iso-8859-1,%20text/xml", body: document},
		{path: "encoding?name=X-GZIP", body: document},
		{path: "truncated-gzip", least: 5_000},
		{path: "truncated-encoded", read: sitemap.ErrTruncated, least: 20_000},
		{path: "corrupt-gzip", least: 10_000},
		{path: "corrupt-encoded", read: sitemap.ErrGzip, least: 20_000},

		{path: "status?code=204", status: 204},
		{path: "status?code=204&encoding=br", status: 204},
		{path: "status?code=202&encoding=br", get: fetch.ErrEncoding, status: 202},
		{path: "status?code=202", body: "status 202\n", status: 202},
		{path: "partial", get: fetch.ErrStatus, status: 206},
		{path: "status?code=300", get: fetch.ErrStatus, status: 300},
		{path: "status?code=304", get: fetch.ErrStatus, status: 304},
		{path: "validators", body: document},
		{path: "status?code=400", get: fetch.ErrStatus, status: 400},
		{path: "status?code=404", get: fetch.ErrStatus, status: 404},
		{path: "status?code=404&retry-after=7", get: fetch.ErrStatus, status: 404},
		{path: "status?code=408", get: fetch.ErrStatus, status: 408, attempts: 3},
		{path: "status?code=425", get: fetch.ErrStatus, status: 425, attempts: 3},
		{path: "status?code=429", get: fetch.ErrStatus, status: 429, attempts: 3},
		{path: "status?code=500", get: fetch.ErrStatus, status: 500, attempts: 3},
		{path: "status?code=501", get: fetch.ErrStatus, status: 501},
		{path: "status?code=503", get: fetch.ErrStatus, status: 503, attempts: 3},
		{path: "status?code=600", get: fetch.ErrStatus, status: 600},
		{path: "status?code=999&retry-after=7", get: fetch.ErrStatus, status: 999},
		{path: "status?code=503&retry-after=86400", get: fetch.ErrStatus, status: 503, retry: 24 * time.Hour},
		{path: "status?code=429&retry-after=soon", get: fetch.ErrStatus, status: 429, attempts: 3},
		{path: "empty", status: 200},
		{path: "html", body: page},
		{path: "json", body: `{"error":"not found","status":404}` + "\n"},
		{path: "login", body: page},

		{path: "redirect", body: document},
		{path: "redirect?to=/fault/status%3Fcode=404", get: fetch.ErrStatus, status: 404},
		{path: "redirect?to=/fault/status%3Fcode=500", get: fetch.ErrStatus, status: 500, attempts: 3, hits: 1},
		{path: "redirect-loop", get: fetch.ErrRedirect, status: 302, hits: 6},
		{path: "redirect-self", get: fetch.ErrRedirect, status: 302, hits: 11},
		{path: "redirect-chain?n=10", body: document, hits: 11},
		{path: "redirect-chain?n=11", get: fetch.ErrRedirect, status: 302, hits: 11},
		{path: "redirect-nowhere", get: fetch.ErrRedirect, status: 302},
		{path: "redirect?to=/fault/ok/" + strings.Repeat("x", 8192-len("/fault/ok/")), body: document},
		{path: "redirect?to=/fault/ok/" + strings.Repeat("x", 8193-len("/fault/ok/")), get: fetch.ErrRedirect, status: 302},
		{path: "redirect?to=/fault/ok/100%25", body: document},
		{path: "redirect?to=http://", get: fetch.ErrRedirect, status: 302},
		{path: "redirect?to=http://%5Bx", get: fetch.ErrRedirect, status: 302},
		{path: "redirect?to=file:///etc/passwd", get: fetch.ErrRefused, status: 302},
		{path: "redirect?to=javascript:alert(1)", get: fetch.ErrRefused},

		{path: "ok?exact", body: document, maxBytes: size},
		{path: "ok?less", read: sitemap.ErrTooLarge, body: document[:size-1], maxBytes: size - 1},
		{path: "endless", read: sitemap.ErrTooLarge, least: mib, maxBytes: mib},
		{path: "endless-gzip", read: sitemap.ErrTooLarge, least: mib, maxBytes: mib},
		{path: "bomb?n=8", read: sitemap.ErrTooLarge, least: 2 * mib, maxBytes: 2 * mib},
		{path: "nested-bomb?n=8", least: 100},
		{path: "slow-bomb?n=8", read: sitemap.ErrTooLarge, least: 2 * mib, maxBytes: 2 * mib},
	}
}

// TestFaults gets every document of a faultserver.
func TestFaults(t *testing.T) {
	tested := map[string]bool{}
	for _, tt := range faultCases() {
		name, _, _ := strings.Cut(tt.path, "?")
		tested[name] = true
		t.Run(tt.path[:min(len(tt.path), 100)], tt.run)
	}
	for _, name := range faultserver.Names() {
		if !tested[name] {
			t.Errorf("fault %q has no case", name)
		}
	}
}

func (tt faultCase) run(t *testing.T) {
	t.Parallel()
	s, c := newSite(t), newClient(t)
	fetch.SetTimes(c, 10*time.Second, cmp.Or(tt.answer, 30*time.Second), cmp.Or(tt.idle, 30*time.Second))
	want := max(tt.attempts, 1)

	doc, err := c.Get(t.Context(), fetch.Request{URL: s.fault(tt.path), MaxBytes: tt.maxBytes})
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
	var e *fetch.Error
	if !errors.As(err, &e) {
		t.Fatalf("error %T, want *fetch.Error", err)
	}
	if tt.status != 0 && e.Status != tt.status {
		t.Errorf("Error.Status = %d, want %d", e.Status, tt.status)
	}
	if attempts := max(tt.attempts, 1); e.Attempts != attempts {
		t.Errorf("Error.Attempts = %d, want %d", e.Attempts, attempts)
	}
	wantTemporary := want != fetch.ErrRefused && want != fetch.ErrRedirect &&
		want != fetch.ErrEncoding && want != sitemap.ErrTooLarge
	if want == fetch.ErrStatus {
		wantTemporary = tt.attempts > 1 || tt.retry > 0
	}
	if e.Temporary() != wantTemporary {
		t.Errorf("Temporary() = %t, want %t", e.Temporary(), wantTemporary)
	}
	if e.RetryAfter != tt.retry {
		t.Errorf("Error.RetryAfter = %v, want %v", e.RetryAfter, tt.retry)
	}
}

func (tt faultCase) checkBody(t *testing.T, doc *fetch.Document) {
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
	case tt.start != "":
		if !strings.HasPrefix(tt.start, string(body)) {
			t.Errorf("read %q, want the start of %q", body, tt.start)
		}
	case tt.least == 0:
		if string(body) != tt.body {
			t.Errorf("read %d bytes, want %d", len(body), len(tt.body))
		}
	case len(body) < tt.least:
		t.Errorf("read %d bytes, want at least %d", len(body), tt.least)
	case tt.maxBytes > 0 && int64(len(body)) > tt.maxBytes:
		t.Errorf("read %d bytes, want at most %d", len(body), tt.maxBytes)
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

// TestFaults_LeaveNothing gets every document again, drops it in the middle, and counts goroutines
// and connections.
func TestFaults_LeaveNothing(t *testing.T) {
	check := baseline()
	t.Run("all", func(t *testing.T) {
		s, c := newSite(t), newClient(t)
		c.Retries, c.MaxBytes, c.Timeout = -1, 16<<20, 500*time.Millisecond
		fetch.SetTimes(c, time.Second, 100*time.Millisecond, 100*time.Millisecond)
		for _, tt := range faultCases() {
			ctx, cancel := context.WithCancel(t.Context())
			doc, err := c.Get(ctx, fetch.Request{URL: s.fault(tt.path)})
			if err == nil {
				io.ReadFull(doc.Body, make([]byte, 100))
				doc.Body.Close()
				doc.Body.Close()
				if _, err := doc.Body.Read(make([]byte, 1)); err == nil {
					t.Errorf("%s: Read after Close succeeded", tt.path)
				}
			}
			cancel()
		}
		c.CloseIdleConnections()
		s.waitUntilClosed()
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
	_, err = c.Get(t.Context(), fetch.Request{URL: "http://" + closed.Addr().String() + "/"})
	var op *net.OpError
	if !errors.Is(err, fetch.ErrConnect) || !errors.As(err, &op) {
		t.Errorf("closed port: %v, want %v and a *net.OpError", err, fetch.ErrConnect)
	}
	var e *fetch.Error
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

	_, err := c.Get(t.Context(), fetch.Request{URL: s.URL + "/fault/ok"})
	var unknown x509.UnknownAuthorityError
	var e *fetch.Error
	if !errors.Is(err, fetch.ErrConnect) || !errors.As(err, &unknown) || !errors.As(err, &e) {
		t.Fatalf("certificate: %v, want %v and an x509.UnknownAuthorityError",
			err, fetch.ErrConnect)
	}
	if e.Attempts != 1 || e.Temporary() {
		t.Errorf("certificate: %d attempts, temporary %t; want 1, not temporary",
			e.Attempts, e.Temporary())
	}

	_, err = c.Get(t.Context(),
		fetch.Request{URL: strings.Replace(plain.fault("ok"), "http:", "https:", 1)})
	if !errors.Is(err, fetch.ErrConnect) || !errors.As(err, &e) || e.Attempts != 1 {
		t.Errorf("HTTP at an https port: %v, want %v after 1 attempt", err, fetch.ErrConnect)
	}
}
