// Package natsqueue hands out the tasks of a batch over NATS JetStream, to workers on many
// machines, and keeps their states there. Import it by its name, which differs from its folder so
// that it does not clash with nats.go's package jetstream:
//
//	import natsqueue "github.com/seed-322c453a/sitemap/engines/jetstream"
//	...
//	nc, err := natsqueue.Connect("nats://broker:4222", natsqueue.Login{})
//	...
//	queue, err := natsqueue.OpenQueue(ctx, nc, "1", nil)
//	states, err := natsqueue.OpenStates(ctx, nc, nil)
//	w := &batch.Worker{Client: client, Queue: queue, States: states, Sink: folder}
//	err = w.Run(ctx)
//
// A run has a stream of its own, a work queue with one subject for each domain, which holds at most
// one message: a second task of a domain is refused. A lease is a message that was delivered and
// not acknowledged; Renew resets its time. States are in a key-value bucket whose revisions refuse
// a stale Save. Tasks and states that are too large for a message are in an object store. A task
// says how often it was delivered, so that a [batch.Worker] abandons one that no worker ends. When
// a run is planned, the streams of other runs that are over are deleted.
//
// If the broker is lost with all its data, plan the run again: tasks whose part is committed are
// done as soon as they are taken. Only the states are lost, so that the next run reports all pages
// as new.
//
// The files:
//
//	connect.go    Connect
//	states.go     states
//	queue.go      Queue
//	broker.go     the bucket and the object store, and messages of any size
//	jetstream.go  Options, and requests to a broker
//
// Its tests run against brokers of their own, in the module jetstreamtest.
package natsqueue

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/seed-322c453a/sitemap/batch"
)

// Codes of a broker.
const (
	storeFailed   jetstream.ErrorCode = 10077 // a limit of the stream refuses the message
	invalidConfig jetstream.ErrorCode = 10052
	noCluster     jetstream.ErrorCode = 10074 // for several replicas
)

// pollEvery is how long a worker waits for a task before it asks whether the run is over.
const pollEvery = 500 * time.Millisecond

// Options are the options of a queue and of states. A nil *Options is a zero Options.
type Options struct {
	// Name is the prefix of the names of all streams and buckets, of letters, digits, "-" and "_".
	// "" means "sitemap".
	Name string
	// Lease is how long a lease lasts after Take and each Renew, at least MinLease. 0 means a
	// minute.
	Lease time.Duration
	// MaxTasks bounds the tasks that wait: Put waits while there are more. 0 means 100,000, a
	// negative number no bound.
	MaxTasks int64
	// Replicas is how many servers of a cluster keep each message. 0 or a negative number keeps
	// what a stream or bucket has, and makes new ones with 1.
	Replicas int
	// Patience bounds the retries against an unresponsive broker, which may be restarting or, in a
	// cluster, choosing a leader. 0 means 10 minutes, a negative value no retry.
	Patience time.Duration
}

// MinLease is the shortest lease: three renewals. It is a variable for tests.
var MinLease = 30 * time.Second

func (o *Options) withDefaults() Options {
	var full Options
	if o != nil {
		full = *o
	}
	full.Name = cmp.Or(full.Name, "sitemap")
	full.Lease = cmp.Or(full.Lease, time.Minute)
	full.MaxTasks = cmp.Or(full.MaxTasks, 100_000)
	full.Patience = cmp.Or(full.Patience, 10*time.Minute)
	return full
}

// replicas returns how many servers are to keep a stream.
func replicas(ctx context.Context, js jetstream.JetStream, stream string, want int) int {
	if want > 0 {
		return want
	}
	s, err := js.Stream(ctx, stream)
	if err != nil { // it does not exist, or creating it will fail too
		return 1
	}
	return s.CachedInfo().Config.Replicas
}

// tokenOf returns the name of a run as one token of a subject.
func tokenOf(run string) string { return strings.ReplaceAll(run, ".", "=") }

// keyOf returns a domain as one token of a subject.
func keyOf(domain string) string { return base64.RawURLEncoding.EncodeToString([]byte(domain)) }

// A patience bounds the retries against an unresponsive broker.
type patience time.Duration

// How long one request may take, and one for an object. A lost broker never answers.
const (
	attempt = 3 * time.Second
	long    = time.Minute
)

// ask calls f until it succeeds, the broker refuses, or p is over. Each call may take as long as
// each.
func (p patience) ask(
	ctx context.Context, each time.Duration, f func(ctx context.Context) error,
) error {
	for end := time.Now().Add(time.Duration(p)); ; {
		once, stop := context.WithTimeout(ctx, each)
		err := f(once)
		stop()
		if err == nil || isAnswer(err) || time.Now().After(end) {
			return err
		}
		select {
		case <-time.After(pollEvery):
		case <-ctx.Done():
			return cmp.Or(ctx.Err(), err)
		}
	}
}

// isAnswer reports whether err is an answer of the broker, and not that it is unavailable.
func isAnswer(err error) bool {
	var e *jetstream.APIError
	return errors.As(err, &e) && e.Code < 500 || errors.Is(err, batch.ErrStale) ||
		hasCode(err, storeFailed, invalidConfig, noCluster,
			jetstream.JSErrCodeJetStreamNotEnabled,
			jetstream.JSErrCodeJetStreamNotEnabledForAccount) ||
		errors.Is(err, jetstream.ErrKeyNotFound) || errors.Is(err, jetstream.ErrKeyExists) ||
		errors.Is(err, jetstream.ErrObjectNotFound) ||
		errors.Is(err, jetstream.ErrInvalidBucketName) || errors.Is(err, nats.ErrConnectionClosed)
}

// hasCode reports whether err is the broker's, with one of these codes.
func hasCode(err error, codes ...jetstream.ErrorCode) bool {
	var e *jetstream.APIError
	return errors.As(err, &e) && slices.Contains(codes, e.ErrorCode)
}
