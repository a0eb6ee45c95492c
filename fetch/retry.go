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

// retryClient returns the client that sends and repeats the requests for one document.
func (c *Client) retryClient(x *exchange) *retryablehttp.Client {
	return &retryablehttp.Client{
		HTTPClient:   c.http,
		RetryMax:     math.MaxInt32, // CheckRetry counts
		ErrorHandler: retryablehttp.PassthroughErrorHandler,
		CheckRetry: func(ctx context.Context, resp *http.Response, err error) (bool, error) {
			return c.checkRetry(ctx, x, resp, err), nil
		},
		Backoff: func(time.Duration, time.Duration, int, *http.Response) time.Duration {
			c.log.Info("fetch: retry", "url", x.url, "status", x.last.status, "wait", x.wait)
			return x.wait
		},
	}
}

// checkRetry reports whether a request is repeated, and sets exchange.wait. A retry that would start
// after the document's time is up is not made: the document ends with what there is.
func (c *Client) checkRetry(ctx context.Context, x *exchange, resp *http.Response, err error) bool {
	switch {
	case ctx.Err() != nil:
		return false
	case err != nil:
		if isFinal(err) {
			return false
		}
	case x.last.broken != nil:
		if !errors.Is(x.last.broken, ErrBody) || isFinal(x.last.broken) {
			return false
		}
	case !isRetriable(resp.StatusCode), x.last.after > c.retryWait():
		return false
	}
	x.retries++
	x.wait = c.backoff(x.retries, x.last.after)
	return x.retries <= c.maxRetries() && x.wait < x.clock.remaining()
}

// backoff returns how long to wait before the nth retry: what Retry-After asks for, else a random
// part of a time that doubles ("full jitter").
func (c *Client) backoff(n int, after time.Duration) time.Duration {
	if after > 0 {
		return after
	}
	most := minBackoff
	for ; n > 1 && most < maxBackoff; n-- {
		most *= 2
	}
	return rand.N(min(most, maxBackoff, c.retryWait()) + 1)
}
