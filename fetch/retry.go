package fetch

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/seed-322c453a/sitemap"
)

const (
	minBackoff = time.Second
	maxBackoff = 30 * time.Second
)

// A retrier sends the requests for documents, and repeats those that fail.
type retrier struct {
	most    int           // retries of a document
	longest time.Duration // wait before a retry
	log     *slog.Logger
}

// client returns the client that sends requests over rt. It leaves redirects alone.
func (r *retrier) client(rt http.RoundTripper) *retryablehttp.Client {
	return &retryablehttp.Client{
		HTTPClient: &http.Client{
			Transport: rt,
			CheckRedirect: func(*http.Request, []*http.Request) error {
				return http.ErrUseLastResponse
			},
		},
		RetryMax:     math.MaxInt32, // check counts
		ErrorHandler: retryablehttp.PassthroughErrorHandler,
		CheckRetry:   r.check,
		Backoff: func(time.Duration, time.Duration, int, *http.Response) time.Duration {
			return 0 // PrepareRetry knows the document, and waits
		},
		PrepareRetry: r.wait,
	}
}

// check reports whether a request is repeated, and sets exchange.wait. A retry that would start
// after the document's deadline is not made, and the document ends with the result so far.
func (r *retrier) check(ctx context.Context, resp *http.Response, err error) (bool, error) {
	x := exchangeOf(ctx)
	switch {
	case ctx.Err() != nil:
		return false, nil
	case errors.Is(err, ErrNoRoom):
		return !x.req.Ahead, nil // the server is not to blame: this is no retry
	case err == nil:
		err = x.last.broken
	}
	switch {
	case err != nil:
		if isFinal(err) || errors.Is(err, sitemap.ErrTooLarge) || x.req.FailFast && isRefusal(err) {
			return false, nil
		}
	case !isRetriable(resp.StatusCode), x.last.after > r.longest:
		return false, nil
	}
	x.retries++
	x.wait = r.backoff(x.retries, x.last.after)
	return x.retries <= r.most && x.wait < x.clock.remaining(), nil
}

// backoff returns how long to wait before the nth retry: what Retry-After asks for, else a random
// part of a time that doubles ("full jitter").
func (r *retrier) backoff(n int, after time.Duration) time.Duration {
	if after > 0 {
		return after
	}
	most := minBackoff
	for ; n > 1 && most < maxBackoff; n-- {
		most *= 2
	}
	return rand.N(min(most, maxBackoff, r.longest) + 1)
}

// wait waits before a request is repeated: for room in temporary files, during which the clock of
// the document stands still, or for the backoff.
func (r *retrier) wait(req *http.Request) error {
	ctx := req.Context()
	x := exchangeOf(ctx)
	if x.share.IsWaiting() {
		x.clock.stop()
		defer x.clock.start()
		return x.share.Wait(ctx)
	}
	r.log.InfoContext(ctx, "fetch: retry", "url", req.URL, "status", x.last.status, "wait", x.wait)
	select {
	case <-time.After(x.wait):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
