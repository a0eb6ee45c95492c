package batch

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"google.golang.org/grpc"
	"google.golang.org/grpc/connectivity"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/engines/frontier"
	natsqueue "github.com/seed-322c453a/sitemap/engines/jetstream"
)

// A queue is a [batch.Queue] with further functions for commands. Functions that it does not need
// are nil.
type queue struct {
	batch.Queue
	nats  *nats.Conn                      // nil for another server
	begin func(ctx context.Context) error // begins a plan: an earlier End no longer counts
	left  func(ctx context.Context) (waiting, leased int, err error)
	ready func() bool // the server answers
	close func()
	// endsHere means that the server does not keep End: each process must call it.
	endsHere bool
}

// isReady reports whether the server of the queue, if there is one, answers.
func (q *queue) isReady() bool { return q.ready == nil || q.ready() }

// openQueue opens the queue of a run: in memory, if no location is given.
func openQueue(
	ctx context.Context, flags *serverFlags, run string, o *natsqueue.Options,
) (*queue, error) {
	switch {
	case flags.queue == "":
		return &queue{Queue: batch.NewMemoryQueue(1_000)}, nil
	case isNATS(flags.queue):
		return openJetStream(ctx, flags, run, o)
	}
	conn, crawl, err := dialFrontier(ctx, flags)
	if err != nil {
		return nil, err
	}
	return &queue{
		Queue: &frontier.Queue{
			Conn: conn, Crawl: crawl, Run: run, Lease: o.Lease, Refetch: flags.refetch,
		},
		ready:    func() bool { return conn.GetState() != connectivity.TransientFailure },
		close:    func() { conn.Close() },
		endsHere: true,
	}, nil
}

// connectNATS connects to a broker.
func connectNATS(flags *serverFlags) (*nats.Conn, error) {
	nc, err := natsqueue.Connect(flags.queue, flags.login)
	if err != nil {
		return nil, fmt.Errorf("--queue: %w", err)
	}
	return nc, nil
}

func openJetStream(
	ctx context.Context, flags *serverFlags, run string, o *natsqueue.Options,
) (*queue, error) {
	nc, err := connectNATS(flags)
	if err != nil {
		return nil, err
	}
	q, err := natsqueue.OpenQueue(ctx, nc, run, o)
	if err != nil {
		nc.Close()
		return nil, err
	}
	return &queue{
		Queue: q, nats: nc, begin: q.Begin, ready: nc.IsConnected, close: nc.Close,
		left: func(ctx context.Context) (int, int, error) {
			return natsqueue.Left(ctx, nc, run, o)
		},
	}, nil
}

// reachTime bounds the first answer of a frontier.
const reachTime = 10 * time.Second

// dialFrontier connects to a frontier, and returns the crawl that its URL names.
func dialFrontier(ctx context.Context, flags *serverFlags) (*grpc.ClientConn, string, error) {
	u, err := parseFrontier(flags.queue)
	if err != nil {
		return nil, "", err
	}
	secure, err := flags.secure(u.Scheme)
	if err != nil {
		return nil, "", err
	}
	conn, err := frontier.Dial(u.Host, secure)
	if err != nil {
		return nil, "", fmt.Errorf("--queue: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, reachTime)
	defer cancel()
	conn.Connect()
	for s := conn.GetState(); s != connectivity.Ready; s = conn.GetState() {
		if !conn.WaitForStateChange(ctx, s) {
			conn.Close()
			return nil, "", fmt.Errorf("--queue: %s cannot be reached", u.Host)
		}
	}
	return conn, u.Path, nil
}
