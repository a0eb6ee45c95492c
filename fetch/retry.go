package fetch

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"net/mail"
	"strconv"
	"strings"
	"time"
)

const (
	minBackoff = time.Second
	maxBackoff = 30 * time.Second
)

// retriable reports whether a response with this status is tried again.
func retriable(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		return true
	}
	return status >= 500 && status < 600 && status != http.StatusNotImplemented
}

// checkRetry is the retryablehttp.CheckRetry of one hop.
func (x *exchange) checkRetry(ctx context.Context, resp *http.Response, err error) (bool, error) {
	switch {
	case ctx.Err() != nil:
		return false, context.Cause(ctx)
	case x.retries+x.tries > x.most():
		return false, nil
	case errors.Is(err, ErrTimeout) && x.isDoubted(): // others may be answered
		return false, nil
	case err != nil:
		return !final(err) || x.noRoom && !errors.Is(err, ErrRefused), nil
	}
	after := x.last.after
	return retriable(resp.StatusCode) && after <= x.c.retryWait() && after < x.clock.remaining(), nil
}

// backoff is the retryablehttp.Backoff of one hop.
func (x *exchange) backoff(lo, hi time.Duration, retry int, resp *http.Response) time.Duration {
	wait := x.last.after
	if wait == 0 {
		wait = jitter(exponential(lo, hi, retry+x.retries))
	}
	if l, ok := x.c.limiter.(*HostLimiter); ok && isBusy(x.last.status) && x.last.after <= l.maxPause() {
		// It is to be there when the pause of the host is over, before others.
		if pause := l.pausedFor(x.target.url); pause > 0 {
			wait = pause - pause/10
			if x.last.after == 0 {
				x.clock.stop() // that is a wait for the Limiter
			}
		}
	}
	x.c.logRetry(x.ctx, x.target.url, x.last.status, wait)
	return wait
}

// isBusy reports whether a response with this status slows the host down.
func isBusy(status int) bool {
	return status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable
}

// exponential returns lo doubled n times, at most hi.
func exponential(lo, hi time.Duration, n int) time.Duration {
	for range n {
		if lo *= 2; lo >= hi {
			return hi
		}
	}
	return min(lo, hi)
}

// jitter returns a random part of d ("full jitter").
func jitter(d time.Duration) time.Duration { return rand.N(d + 1) }

// maxRetryAfter is the longest Retry-After that is told.
const maxRetryAfter = 365 * 24 * time.Hour

// retryAfter reads a Retry-After field: seconds, with a fraction or without, or a date (RFC
// 9110, section 10.2.3), also as in mail (RFC 5322, section 3.3) or by RFC 3339; of several, as a
// proxy and what is behind it may send, the longest. It returns 0 if there is none, none that can
// be read, or one that is past, and at most a year.
func retryAfter(h http.Header, now time.Time) (longest time.Duration) {
	for _, v := range h.Values("Retry-After") {
		if strings.Trim(v, "0123456789., \t") != "" {
			longest = max(longest, untilDate(strings.TrimSpace(v), now))
			continue
		}
		for seconds := range strings.SplitSeq(v, ",") {
			s, _ := strconv.ParseFloat(strings.TrimSpace(seconds), 64) // infinite where it is too large, else 0 if it is none
			longest = max(longest, time.Duration(min(s, maxRetryAfter.Seconds())*float64(time.Second)))
		}
	}
	return longest
}

// untilDate returns how long it is to a date, 0 if it cannot be read.
func untilDate(v string, now time.Time) time.Duration {
	v, _, _ = strings.Cut(v, " (") // a comment
	at, err := http.ParseTime(v)
	if err != nil {
		at, err = time.Parse(time.RFC3339, v)
	}
	if zone := v[strings.LastIndexByte(v, ' ')+1:]; err != nil && (!isName(zone) || zone == "UTC" || zone == "GMT" || zone == "UT") {
		at, err = mail.ParseDate(v)
	}
	if err != nil {
		return 0
	}
	return min(max(at.Sub(now), 0), maxRetryAfter)
}

// isName reports whether a zone is told by a name, whose offset is not known, of most.
func isName(zone string) bool { return zone != "" && 'A' <= zone[0] && zone[0] <= 'Z' }
