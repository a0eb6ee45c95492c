package fetch

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/seed-322c453a/sitemap/internal/hostlimit"
	"github.com/seed-322c453a/sitemap/internal/location"
)

// A HostLimiter is a [Limiter] that bounds the requests under way in all, to one host and to one
// address, and how fast they follow each other. The zero HostLimiter is ready. It is safe for
// concurrent use, must not be copied, and its fields must not change once it is used. Several
// Clients may share one.
//
// Requests to a host are granted in the order in which their documents were begun: a retry goes
// before newer documents. After 429 or 503, a host pauses for its Retry-After, at most
// [Client.RetryWait], else for a backoff that doubles from 1 s to 30 s. Then it gets one request at
// a time, each no sooner than that pause, or 30 s, after the one before, until ten in a row have
// succeeded. A Retry-After meanwhile is added to the time between requests, up to twice the longest
// of these pauses. If three different URLs in a row, each requested alone and not refused before,
// are answered so, and the next pause would end more than [Client.RetryWait] after the first
// refusal, the host is busy. Its requests fail with [ErrBusy] until the pause is over, which may
// then take up to an hour. After two refusals in a row, documents that were refused wait for
// others, which show whether the host is busy.
//
// After fifteen requests in a row that timed out after ten seconds or more, such as those of five
// documents, requests wait for one that is sent as a probe once a minute. After two failed probes
// they fail with [ErrHostDown] until a probe succeeds.
type HostLimiter struct {
	// Total bounds the requests under way. 0 means 16, a negative number no bound.
	Total int
	// PerHost bounds those to one host and port. 0 means 4, a negative number no bound.
	PerHost int
	// PerAddress bounds those to one IP address, which thousands of hosts may share, or to one
	// IPv6 network of 64 bits. 0 means 8 or PerHost, whichever is more; a negative number means no
	// bound. Host names are resolved only for a Client that has no Transport of the caller's.
	PerAddress int

	once  sync.Once
	inner *hostlimit.Limiter
}

func (l *HostLimiter) init() {
	l.once.Do(func() {
		l.inner = hostlimit.New(hostlimit.Bounds{
			Total: l.Total, PerHost: l.PerHost, PerAddress: l.PerAddress,
		})
	})
}

// Acquire waits until a request to u may be sent. The error is ctx's, or a [*Error] with [ErrBusy]
// or [ErrHostDown].
func (l *HostLimiter) Acquire(
	ctx context.Context, u *url.URL,
) (release func(status int, retryAfter time.Duration), err error) {
	l.init()
	r := hostlimit.Request{URL: u, Host: hostKey(u), Began: time.Now(), Pause: time.Minute}
	if x := exchangeOf(ctx); x != nil {
		r.Began, r.Delay, r.Pause, r.Lookup = x.began, x.delay, x.pause, x.lookup
	}
	release, err = l.inner.Acquire(ctx, r)
	if e := (*hostlimit.Error)(nil); errors.As(err, &e) {
		return nil, &Error{RetryAfter: e.RetryAfter, Err: e.Err}
	}
	return release, err
}

// SetDelay makes requests to the host of u serial and at least d apart, at most 30 s. Zero ends
// that. A longer [Client.Delay] holds all the same.
func (l *HostLimiter) SetDelay(u *url.URL, d time.Duration) {
	l.init()
	l.inner.SetDelay(hostKey(u), d)
}

// hostKey returns the host of u, normalised.
func hostKey(u *url.URL) string {
	o, _ := location.OriginOf(u)
	return cmp.Or(o.Host, strings.ToLower(u.Host))
}
