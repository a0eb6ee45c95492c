package fetch

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

// maxBusy is how many answers of 429 and 503 to one document do not count as retries.
const maxBusy = 10

// retryClient returns the client that sends and repeats the requests for one document.
func (c *Client) retryClient(x *exchange) *retryablehttp.Client {
	return &retryablehttp.Client{
		HTTPClient:   c.http,
		RetryMax:     math.MaxInt32, // CheckRetry counts
		RetryWaitMin: min(minBackoff, c.retryWait()),
		RetryWaitMax: min(maxBackoff, c.retryWait()),
		ErrorHandler: retryablehttp.PassthroughErrorHandler,
		CheckRetry: func(ctx context.Context, resp *http.Response, err error) (bool, error) {
			return c.checkRetry(ctx, x, resp, err), nil
		},
		Backoff: func(lo, hi time.Duration, _ int, _ *http.Response) time.Duration {
			wait := x.backoff(lo, hi)
			c.log.Info("fetch: retry", "url", x.url, "status", x.last.status, "wait", wait)
			return wait
		},
	}
}

// checkRetry reports whether a request is repeated, and counts.
func (c *Client) checkRetry(ctx context.Context, x *exchange, resp *http.Response, err error) bool {
	switch {
	case ctx.Err() != nil, c.maxRetries() == 0:
		return false
	case err != nil:
		if isFinal(err) {
			return false
		}
	case x.last.broken != nil:
		if !errors.Is(x.last.broken, ErrBody) {
			return false
		}
	case !isRetriable(resp.StatusCode),
		x.last.after > c.retryWait(), x.last.after >= x.clock.remaining():
		return false
	case isBusy(resp.StatusCode):
		x.busy++
		return x.busy <= maxBusy
	}
	x.retries++
	return x.retries <= c.maxRetries()
}

// backoff returns how long to wait before the next attempt: what Retry-After asks for, else a
// random part of a time that doubles ("full jitter"). The wait for a busy host does not count as
// time of the document.
func (x *exchange) backoff(lo, hi time.Duration) time.Duration {
	n := x.retries
	if isBusy(x.last.status) {
		x.clock.stop()
		n = x.busy
	}
	if x.last.after > 0 {
		return x.last.after
	}
	for ; n > 1 && lo < hi; n-- {
		lo *= 2
	}
	return rand.N(min(lo, hi) + 1)
}
