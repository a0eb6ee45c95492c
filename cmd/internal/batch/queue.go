package batch

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"
	"google.golang.org/grpc/connectivity"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/engines/frontier"
	natsqueue "github.com/seed-322c453a/sitemap/engines/jetstream"
)

var (
	errFrontier = errors.New("--queue: want urlfrontier://HOST:PORT/CRAWL")
	errQueue    = errors.New("--queue: want nats://HOST:PORT, several separated by commas, or " +
		"urlfrontier://HOST:PORT/CRAWL")
)

func isNATS(location string) bool {
	return strings.HasPrefix(location, "nats://") || strings.HasPrefix(location, "tls://")
}

// secureFrontier is the scheme of a frontier that is reached by TLS.
const secureFrontier = "urlfrontiers"

// parseFrontier returns the URL of a frontier, whose path is the name of a crawl.
func parseFrontier(location string) (*url.URL, error) {
	u, err := url.Parse(location)
	scheme, _, _ := strings.Cut(location, "://")
	isFrontier := scheme == "urlfrontier" || scheme == secureFrontier
	if err != nil || !isFrontier || u.Port() == "" || u.User != nil {
		return nil, errFrontier
	}
	u.Path = strings.Trim(u.Path, "/")
	return u, nil
}

// serverFlags name a queue, the credentials for its server, and the authorities to trust.
type serverFlags struct {
	queue   string
	login   natsqueue.Login
	refetch time.Duration // of a frontier
}

func (s *serverFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&s.login.Creds, "nats-creds", "", "log in to NATS with the credentials in `FILE`")
	f.StringVar(&s.login.NKey, "nats-nkey", "", "log in to NATS with the seed of an NKey in `FILE`")
	s.addAuthorities(cmd)
}

// addAuthorities adds the flag that a frontier needs too.
func (s *serverFlags) addAuthorities(cmd *cobra.Command) {
	cmd.Flags().StringVar(&s.login.CA, "queue-ca", "",
		"trust the certificate authorities in `FILE` (PEM) for the server of the queue")
	cli.Group(cmd, "Network")
}

// check returns an error if --queue is not the URL of a queue, or a flag does not apply to it.
func (s *serverFlags) check() error {
	isLogin := s.login.Creds != "" || s.login.NKey != ""
	switch {
	case s.login.Creds != "" && s.login.NKey != "":
		return errors.New("--nats-creds, --nats-nkey: want one of them")
	case isLogin && !isNATS(s.queue):
		return errors.New("--nats-creds, --nats-nkey: want --queue nats://HOST:PORT")
	case s.login.CA != "" && s.queue == "":
		return errors.New("--queue-ca needs --queue URL")
	case s.queue == "" || isNATS(s.queue):
		return nil
	}
	if _, err := parseFrontier(s.queue); err != nil {
		return errQueue
	}
	return nil
}

// secure returns the TLS configuration for a frontier, or nil for no TLS.
func (s *serverFlags) secure(scheme string) (*tls.Config, error) {
	roots, err := cli.ReadAuthorities("--queue-ca", s.login.CA, x509.NewCertPool())
	if err != nil || roots == nil && scheme != secureFrontier {
		return nil, err
	}
	return &tls.Config{RootCAs: roots}, nil
}

// A queue is a [batch.Queue] with further functions for commands.
type queue struct {
	batch.Queue
	ready func() bool // the server answers
	close func()
	// The server of frontier does not keep End: each process must call it. Nil for another server.
	frontier *frontier.Queue

	// Of NATS, else nil.
	nats  *nats.Conn
	begin func(ctx context.Context) error // begins a plan: an earlier End no longer counts
	left  func() (waiting, leased int, err error)
}

// openQueue opens the queue of a run: in memory, if no location is given.
func openQueue(
	ctx context.Context, flags *serverFlags, run string, o *natsqueue.Options,
) (*queue, error) {
	switch {
	case flags.queue == "":
		q := batch.NewMemoryQueue(1_000)
		return &queue{Queue: q, ready: func() bool { return true }, close: func() {}}, nil
	case isNATS(flags.queue):
		return openJetStream(ctx, flags, run, o)
	}
	q, err := openFrontier(ctx, flags)
	if err == nil {
		q.frontier.Run, q.frontier.Lease = run, o.Lease
	}
	return q, err
}

// endCrawl ends the tasks of a crawl that others have filled.
func endCrawl(ctx context.Context, q *frontier.Queue) error {
	exists, err := q.Exists(ctx)
	switch {
	case err != nil:
		return err
	case !exists:
		const text = "--queue: the crawl %s has no URLs: correct its name, or fill it with sitemap " +
			"batch plan or another program first, or wait for URLs with --wait"
		return fmt.Errorf(text, cmp.Or(q.Crawl, frontier.DefaultCrawl))
	}
	return q.End(ctx)
}

// connectNATS connects to a broker.
func connectNATS(flags *serverFlags) (*nats.Conn, error) {
	nc, err := natsqueue.Connect(flags.queue, flags.login)
	if err != nil {
		return nil, fmt.Errorf("--queue: %w", err)
	}
	return nc, nil
}

// answerTime is how long NATS may take to answer a probe or a metric. A cluster without a majority
// of its servers is connected, but does not answer.
const answerTime = 2 * time.Second

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
	left := func() (waiting, leased int, err error) {
		ctx, stop := context.WithTimeout(context.Background(), answerTime)
		defer stop()
		return natsqueue.Left(ctx, nc, run, o)
	}
	return &queue{
		Queue: q, nats: nc, begin: q.Begin, left: left, close: nc.Close,
		ready: func() bool { _, _, err := left(); return err == nil },
	}, nil
}

// reachTime is how long a frontier may take to answer first, and NATS to answer a status.
const reachTime = 10 * time.Second

// openFrontier connects to a frontier.
func openFrontier(ctx context.Context, flags *serverFlags) (*queue, error) {
	u, _ := parseFrontier(flags.queue) // the command has checked it
	secure, err := flags.secure(u.Scheme)
	if err != nil {
		return nil, err
	}
	conn, err := frontier.Dial(u.Host, secure)
	if err != nil {
		return nil, fmt.Errorf("--queue: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, reachTime)
	defer cancel()
	conn.Connect()
	for s := conn.GetState(); s != connectivity.Ready; s = conn.GetState() {
		if !conn.WaitForStateChange(ctx, s) {
			conn.Close()
			return nil, fmt.Errorf("--queue: %s cannot be reached", u.Host)
		}
	}
	q := &frontier.Queue{Conn: conn, Crawl: u.Path, Refetch: flags.refetch}
	return &queue{
		Queue: q, frontier: q, close: func() { conn.Close() },
		ready: func() bool { return conn.GetState() != connectivity.TransientFailure },
	}, nil
}
