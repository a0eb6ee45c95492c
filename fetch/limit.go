package fetch

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// A Limiter decides when a request may be sent. It must be safe for concurrent use.
type Limiter interface {
	// Acquire waits until one request to u may be sent. Its error is ctx's, or one of its own,
	// which ends the document without a retry. The caller calls release once, after the body was
	// read: with the status of the response, or 0 if there was none, and with the Retry-After of
	// the response, or 0.
	Acquire(
		ctx context.Context, u *url.URL,
	) (release func(status int, retryAfter time.Duration), err error)
	// SetDelay makes requests to the host of u serial and at least d apart, as a Crawl-delay in
	// robots.txt asks. Zero ends that.
	SetDelay(u *url.URL, d time.Duration)
}

// A limit is a RoundTripper that asks the Limiter before each attempt.
type limit struct {
	next    http.RoundTripper
	limiter Limiter
	log     *slog.Logger
}

// RoundTrip waits for the Limiter, during which the clock of the document stands still.
func (l *limit) RoundTrip(req *http.Request) (*http.Response, error) {
	x := exchangeOf(req.Context())
	x.last = attempt{}
	x.clock.stop()
	release, err := l.limiter.Acquire(req.Context(), req.URL)
	x.clock.start()
	if err != nil {
		return nil, &limited{err}
	}
	x.attempts++
	l.log.DebugContext(req.Context(), "fetch: request", "url", req.URL, "attempt", x.attempts)
	defer func() { // also if the transport panics or ends the goroutine
		status := x.last.status
		if errors.Is(x.last.broken, ErrTimeout) {
			status = 0 // a host that stops in the middle does not answer either
		}
		if release != nil {
			release(status, x.last.after)
		}
	}()
	resp, err := l.next.RoundTrip(req)
	if err == nil && isRetriable(resp.StatusCode) {
		x.last.after = retryAfter(resp.Header, time.Now())
	}
	return resp, err
}

// maxRetryAfter bounds a Retry-After.
const maxRetryAfter = 365 * 24 * time.Hour

// retryAfter returns what a Retry-After field asks for, in seconds or as a date (RFC 9110, section
// 10.2.3). It returns 0 if there is none, if it cannot be read, and if it is past.
func retryAfter(h http.Header, now time.Time) time.Duration {
	v := strings.TrimSpace(h.Get("Retry-After"))
	if seconds, err := strconv.ParseFloat(v, 64); err == nil && seconds > 0 {
		return time.Duration(min(seconds, maxRetryAfter.Seconds()) * float64(time.Second))
	}
	at, err := http.ParseTime(v)
	if err != nil {
		return 0
	}
	return min(max(at.Sub(now), 0), maxRetryAfter)
}
