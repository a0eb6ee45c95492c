package fetch

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// answering gives one answer after the other, and the last from then on: a status, a Location
// with status 302, or "" for no connection.
func answering(all ...string) roundTripper {
	return func(r *http.Request) (*http.Response, error) {
		next := all[0]
		if len(all) > 1 {
			all = all[1:]
		}
		if next == "" {
			return nil, syscall.ECONNREFUSED
		}
		if status, err := strconv.Atoi(next); err == nil {
			return answer(r, status, ""), nil
		}
		return answer(r, 302, "", "Location", next), nil
	}
}

// exceptFor is a Limiter that refuses a host.
type exceptFor string

func (l exceptFor) Acquire(_ context.Context, u *url.URL) (func(int, time.Duration), error) {
	if u.Host == string(l) {
		return nil, errors.New("enough for today")
	}
	return nil, nil
}

// TestErrorOfRequests is what an Error tells of the requests for a document.
func TestErrorOfRequests(t *testing.T) {
	for _, tt := range []struct {
		name                   string
		transport              roundTripper
		status, hops, attempts int
	}{
		{"no connection", answering(""), 0, 0, 3},
		{"no connection, then a status", answering("", "404"), 404, 0, 2},
		{"a status, then no connection", answering("503", ""), 0, 0, 3},
		{"redirect to a status", answering("http://b.example/", "404"), 404, 1, 1},
		{"redirect to no connection", answering("http://b.example/", ""), 0, 1, 3},
		{"a retry, then redirect to no connection", answering("503", "http://b.example/", ""), 0, 1, 3},
		{"redirect to a port that is refused", answering("http://b.example:99/"), 302, 1, 1},
		{"redirect to a scheme that is refused", answering("ftp://b.example/"), 302, 0, 1},
		{"redirect to a host that the Limiter refuses", answering("http://refused.example/"), 302, 1, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			_, err := (&Client{Transport: tt.transport, Limiter: exceptFor("refused.example")}).Get(t.Context(), Request{URL: "http://a.example/"})
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("%s: %v, want a *Error", tt.name, err)
			}
			if e.Status != tt.status || len(e.Hops) != tt.hops || e.Attempts != tt.attempts {
				t.Errorf("%s: status %d, %d hops, %d attempts; want %d, %d, %d", tt.name, e.Status, len(e.Hops), e.Attempts, tt.status, tt.hops, tt.attempts)
			}
		})
	}
}

func TestErrorText(t *testing.T) {
	const u = "http://a.example/"
	for _, tt := range []struct {
		err  *Error
		want string
	}{
		{&Error{Err: ErrRequest}, "fetch: invalid request"},
		{&Error{URL: u, Status: 404, Attempts: 1, Err: statusError(404)}, "fetch: http://a.example/: status 404 Not Found"},
		{&Error{URL: u, Status: 503, Attempts: 3, Err: statusError(503), RetryAfter: 20 * time.Second}, "fetch: http://a.example/: status 503 Service Unavailable (after 3 attempts, retry after 20s)"},
		{&Error{URL: u, Err: ErrBusy, RetryAfter: 90 * time.Second}, "fetch: http://a.example/: host too busy (retry after 1m30s)"},
		{&Error{URL: u, Status: 429, Attempts: 1, Err: ErrBusy, RetryAfter: 19 * time.Second}, "fetch: http://a.example/: host too busy (status 429, retry after 19s)"},
		{&Error{URL: u, Status: 503, Attempts: 2, Err: ErrBusy, RetryAfter: time.Second}, "fetch: http://a.example/: host too busy (status 503, after 2 attempts, retry after 1s)"},
		{&Error{URL: u, Attempts: 1, Err: ErrSilent, RetryAfter: 30 * time.Second}, "fetch: http://a.example/: host does not answer (retry after 30s)"},
		{&Error{URL: u, Err: ErrSilent, RetryAfter: time.Millisecond}, "fetch: http://a.example/: host does not answer (retry after 1s)"},
		{&Error{URL: u, Status: 302, Attempts: 1, Err: ErrBusy, RetryAfter: time.Second}, "fetch: http://a.example/: host too busy (retry after 1s)"}, // of who redirected
	} {
		if got := tt.err.Error(); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}
