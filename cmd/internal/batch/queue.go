package batch

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"google.golang.org/grpc"
	"google.golang.org/grpc/connectivity"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/engines/frontier"
	"github.com/seed-322c453a/sitemap/engines/jetstream"
)

// A queue is a [batch.Queue] and what commands do with it. Functions that it does not need are nil.
type queue struct {
	batch.Queue
	states batch.States                    // on its server; nil: those beside the parts
	begin  func(ctx context.Context) error // a plan: an earlier End is taken back
	left   func(ctx context.Context) (waiting, leased int, err error)
	ready  func() bool // the server answers
	close  func()
	// endsHere says that a server does not keep End: each process has to say it.
	endsHere bool
}

// isReady reports whether the server of the queue, if there is one, answers.
func (q *queue) isReady() bool { return q.ready == nil || q.ready() }

// Schemes of the URLs of queues.
const (
	schemeNATS     = "nats://"
	schemeTLS      = "tls://"
	schemeFrontier = "urlfrontier://"
)

var errQueue = errors.New("--queue: want nats://HOST:PORT, several separated by commas, or " +
	"urlfrontier://HOST:PORT/CRAWL")

func isNATS(location string) bool {
	return strings.HasPrefix(location, schemeNATS) || strings.HasPrefix(location, schemeTLS)
}

// checkQueue reports what is not the URL of a queue.
func checkQueue(location string) error {
	if isNATS(location) {
		return nil
	}
	_, _, err := parseFrontier(location)
	return err
}

// parseFrontier returns the address and the crawl that the URL of a frontier names.
func parseFrontier(location string) (address, crawl string, err error) {
	u, err := url.Parse(location)
	if err != nil || !strings.HasPrefix(location, schemeFrontier) || u.Port() == "" || u.User != nil {
		return "", "", errQueue
	}
	return u.Host, strings.Trim(u.Path, "/"), nil
}

// openQueue opens the queue of a run: in memory, if no location is given.
func openQueue(ctx context.Context, location, run string, o *jetstream.Options) (*queue, error) {
	switch {
	case location == "":
		return &queue{Queue: batch.NewMemoryQueue(1_000)}, nil
	case isNATS(location):
		return openJetStream(ctx, location, run, o)
	}
	address, crawl, err := parseFrontier(location)
	if err != nil {
		return nil, err
	}
	conn, err := dialFrontier(ctx, address)
	if err != nil {
		return nil, err
	}
	return &queue{
		Queue:    &frontier.Queue{Conn: conn, Crawl: crawl, Run: run, Lease: o.Lease},
		ready:    func() bool { return conn.GetState() != connectivity.TransientFailure },
		close:    func() { conn.Close() },
		endsHere: true,
	}, nil
}

// connectNATS connects to a broker, and again whenever the connection is lost.
func connectNATS(location string) (*nats.Conn, error) {
	nc, err := nats.Connect(location, nats.Name("sitemap"), nats.MaxReconnects(-1))
	if err != nil {
		return nil, fmt.Errorf("--queue: %w", err)
	}
	return nc, nil
}

func openJetStream(
	ctx context.Context, location, run string, o *jetstream.Options,
) (*queue, error) {
	nc, err := connectNATS(location)
	if err != nil {
		return nil, err
	}
	q, err := jetstream.OpenQueue(ctx, nc, run, o)
	var states batch.States
	if err == nil {
		states, err = jetstream.OpenStates(ctx, nc, o)
	}
	if err != nil {
		nc.Close()
		return nil, err
	}
	return &queue{
		Queue: q, states: states, begin: q.Begin, left: q.Left, ready: nc.IsConnected, close: nc.Close,
	}, nil
}

// reachTime is how long a frontier may take to answer at first.
const reachTime = 10 * time.Second

// dialFrontier connects to a frontier.
func dialFrontier(ctx context.Context, address string) (*grpc.ClientConn, error) {
	conn, err := frontier.Dial(address, nil)
	if err != nil {
		return nil, fmt.Errorf("--queue: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, reachTime)
	defer cancel()
	conn.Connect()
	for s := conn.GetState(); s != connectivity.Ready; s = conn.GetState() {
		if !conn.WaitForStateChange(ctx, s) {
			conn.Close()
			return nil, fmt.Errorf("--queue: %s cannot be reached", address)
		}
	}
	return conn, nil
}
