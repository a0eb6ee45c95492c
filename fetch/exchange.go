package fetch

import (
	"context"
	"math"
	"sync/atomic"
	"time"

	"github.com/seed-322c453a/sitemap/internal/hostlimit"
	"github.com/seed-322c453a/sitemap/internal/spool"
)

// An exchange is the state of one document that the layers of the stack share. They find it in the
// context of a request.
type exchange struct {
	req      *Request
	began    time.Time
	clock    clock
	delay    time.Duration          // Client.Delay
	pause    time.Duration          // Client.RetryWait, for the Limiter
	limit    int64                  // bytes of the body
	share    spool.Share            // of the temporary files, for the next attempt
	lookup   hostlimit.Lookup       // of addresses; nil with a Transport of the caller's
	proxy    atomic.Pointer[string] // host of the proxy that the request goes through
	mapped   string                 // host that Client.Map sends the request to, or ""
	attempts int                    // requests sent, each hop's included
	retries  int                    // of them, retries
	wait     time.Duration          // before the next attempt
	last     attempt
}

// An attempt is the outcome of one request.
type attempt struct {
	status   int
	location string        // of a redirect
	after    time.Duration // Retry-After
	broken   error         // why the body ended too early
	received int64
}

type exchangeKey struct{}

func exchangeOf(ctx context.Context) *exchange {
	x, _ := ctx.Value(exchangeKey{}).(*exchange)
	return x
}

const forever = time.Duration(math.MaxInt64)

// A clock bounds the time of one document. It runs only while the network is waited for.
type clock struct {
	total  time.Duration
	left   time.Duration
	cancel context.CancelCauseFunc
	timer  *time.Timer // nil while the clock stands still
	since  time.Time
}

func (c *clock) start() {
	if c.timer != nil || c.total == forever {
		return
	}
	c.since = time.Now()
	c.timer = time.AfterFunc(c.left, func() { c.cancel(timeoutError("the document", c.total)) })
}

func (c *clock) stop() {
	if c.timer != nil {
		c.timer.Stop()
		c.timer = nil
		c.left -= time.Since(c.since)
	}
}

// remaining returns how much time is left while the clock runs.
func (c *clock) remaining() time.Duration {
	if c.timer == nil {
		return c.left
	}
	return c.left - time.Since(c.since)
}
