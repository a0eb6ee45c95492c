package natsqueue

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/seed-322c453a/sitemap/batch"
)

// A Queue is the tasks of one run on a broker. It is a [batch.Queue], and safe for concurrent use.
type Queue struct {
	*broker
	name     string
	stream   jetstream.Stream
	consumer jetstream.Consumer
	run      string
	lease    time.Duration
}

// consumerName is the name of the consumer that all workers share.
const consumerName = "workers"

// streamOf returns the name of the stream of a run, which is a token.
func streamOf(name, run string) string { return name + "-run-" + run }

// overKey returns the key of a run that End was called for.
func overKey(run string) string { return "run." + run }

// OpenQueue opens the queue of a run. It creates the queue if it does not exist. The Options of the
// last call hold for all workers of the run.
func OpenQueue(ctx context.Context, nc *nats.Conn, run string, o *Options) (*Queue, error) {
	full := o.withDefaults()
	if err := batch.CheckRun(run); err != nil {
		return nil, err
	}
	if full.Lease < MinLease {
		return nil, fmt.Errorf("natsqueue: a lease of %v: want at least %v", full.Lease, MinLease)
	}
	q := &Queue{name: full.Name, run: tokenOf(run), lease: full.Lease}
	err := openBroker(ctx, nc, full, func(ctx context.Context, b *broker) error {
		q.broker = b
		return q.open(ctx, full)
	})
	return q, err
}

func (q *Queue) subject(domain string) string { return q.name + "." + q.run + "." + domain }

// open opens or creates the stream of the queue and its consumer.
func (q *Queue) open(ctx context.Context, o Options) (err error) {
	stream := streamOf(q.name, q.run)
	q.stream, err = q.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name:                 stream,
		Subjects:             []string{q.subject("*")},
		Retention:            jetstream.WorkQueuePolicy,
		Discard:              jetstream.DiscardNew,
		DiscardNewPerSubject: true,
		MaxMsgsPerSubject:    1,
		MaxMsgs:              o.MaxTasks,
		Replicas:             replicas(ctx, q.js, stream, o.Replicas),
	})
	if err != nil {
		return err
	}
	q.consumer, err = q.stream.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{
		Durable:       consumerName,
		AckPolicy:     jetstream.AckExplicitPolicy,
		AckWait:       o.Lease,
		MaxAckPending: -1,
	})
	return err
}

// Put adds a task: see [batch.Queue].
func (q *Queue) Put(ctx context.Context, task batch.Task) (bool, error) {
	data, err := json.Marshal(task)
	if err != nil {
		return false, err
	}
	content := io.NewSectionReader(bytes.NewReader(data), 0, int64(len(data)))
	message, err := q.pack(ctx, keyOf(task.Domain), content)
	if err != nil {
		return false, err
	}
	return q.publish(ctx, task.Domain, message)
}

// publish sends the message of a domain, unless the stream has one. Then it drops the object of the
// message, if it is certain that the message in the stream is another one.
func (q *Queue) publish(ctx context.Context, domain string, message []byte) (bool, error) {
	for isSent := false; ; {
		err := q.patience.ask(ctx, attempt, func(ctx context.Context) error {
			_, err := q.js.Publish(ctx, q.subject(keyOf(domain)), message)
			isSent = isSent || err != nil && !isAnswer(err) // perhaps
			return err
		})
		switch {
		case err == nil:
			return true, nil
		case !hasCode(err, storeFailed):
			return false, fmt.Errorf("natsqueue: put %s: %w", domain, err)
		case strings.Contains(err.Error(), "per subject"):
			if !isSent {
				q.drop(ctx, message)
			}
			return false, nil
		}
		select { // the stream is full
		case <-time.After(pollEvery):
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
}

// End says that all tasks have been put: see [batch.Queue].
func (q *Queue) End(ctx context.Context) error {
	return q.patience.ask(ctx, attempt, func(ctx context.Context) error {
		_, err := q.values.PutString(ctx, overKey(q.run), "ended")
		return err
	})
}

// Begin reopens the run for Put, if End was called before, and deletes the streams of other runs
// that are over. Call it before a run is planned.
func (q *Queue) Begin(ctx context.Context) error {
	return q.patience.ask(ctx, long, func(ctx context.Context) error {
		if err := q.values.Purge(ctx, overKey(q.run)); err != nil {
			return err
		}
		names := q.js.StreamNames(ctx, jetstream.WithStreamListSubject(q.name+".*.*"))
		for name := range names.Name() {
			run := strings.TrimPrefix(name, streamOf(q.name, ""))
			stream, err := q.js.Stream(ctx, name)
			if err == nil && stream.CachedInfo().State.Msgs == 0 {
				if _, err = q.values.Get(ctx, overKey(run)); err == nil {
					err = q.js.DeleteStream(ctx, name)
				}
			}
			if err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) &&
				!errors.Is(err, jetstream.ErrKeyNotFound) {
				return err
			}
		}
		return names.Err()
	})
}

// Take leases a task: see [batch.Queue]. It returns within half a second of the end of ctx.
func (q *Queue) Take(ctx context.Context) (taken batch.Lease, err error) {
	for over := false; !over; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		err := q.patience.ask(ctx, attempt, func(once context.Context) (err error) {
			// Without once: a large task takes longer.
			if taken, err = q.next(ctx); taken != nil || err != nil && !isDeleted(err) {
				return err
			}
			var overErr error
			if over, overErr = q.isOver(once); over || err == nil {
				err = overErr
			}
			return err
		})
		if taken != nil {
			return taken, nil
		}
		if err != nil && ctx.Err() == nil {
			return nil, fmt.Errorf("natsqueue: take: %w", err)
		}
	}
	return nil, io.EOF
}

// next waits a moment for a task. It returns nil if none arrives.
func (q *Queue) next(ctx context.Context) (batch.Lease, error) {
	// Without ctx: otherwise the broker could deliver a message to a request that was given up.
	until := time.Now().Add(q.lease)
	msg, err := q.consumer.Next(jetstream.FetchMaxWait(pollEvery))
	if errors.Is(err, nats.ErrTimeout) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, msg.Nak()
	}
	l := &lease{message: msg, queue: q}
	l.until.Store(&until)
	if err := l.read(ctx); err != nil {
		return nil, err
	}
	if time.Now().After(until) { // another worker has the task
		return nil, fmt.Errorf("the task of %s took longer to read than its lease", l.task.Domain)
	}
	return l, nil
}

// isOver reports whether End was called and no task is left.
func (q *Queue) isOver(ctx context.Context) (bool, error) {
	_, err := q.values.Get(ctx, overKey(q.run))
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	info, err := q.stream.Info(ctx)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return true, nil
	}
	return err == nil && info.State.Msgs == 0, err
}

// isDeleted reports whether an error may mean that the stream was deleted when another run was
// planned.
func isDeleted(err error) bool {
	return errors.Is(err, nats.ErrNoResponders) || errors.Is(err, jetstream.ErrConsumerDeleted)
}

// Left returns how many tasks of a run wait, and how many are leased. It changes nothing on the
// broker. For a run that was never planned, both are 0.
func Left(
	ctx context.Context, nc *nats.Conn, run string, o *Options,
) (waiting, leased int, err error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return 0, 0, err
	}
	full := o.withDefaults()
	var consumer jetstream.Consumer
	err = patience(full.Patience).ask(ctx, attempt, func(ctx context.Context) (err error) {
		consumer, err = js.Consumer(ctx, streamOf(full.Name, tokenOf(run)), consumerName)
		return err
	})
	if errors.Is(err, jetstream.ErrStreamNotFound) ||
		errors.Is(err, jetstream.ErrConsumerNotFound) {
		return 0, 0, nil
	}
	if err != nil {
		return 0, 0, fmt.Errorf("natsqueue: %w", err)
	}
	info := consumer.CachedInfo()
	return int(info.NumPending), info.NumAckPending, nil
}

// A lease is a message that was delivered.
type lease struct {
	message jetstream.Msg
	task    batch.Task
	queue   *Queue
	// until is the earliest end of the lease. After it, nothing is sent: the broker would take it for
	// the end of the next lease.
	until atomic.Pointer[time.Time]
}

// read reads the task. A message without a task is removed.
func (l *lease) read(ctx context.Context) error {
	content, err := l.queue.unpack(ctx, l.message.Data())
	if err != nil && !errors.Is(err, jetstream.ErrObjectNotFound) {
		return errors.Join(err, l.message.Nak())
	}
	if err == nil {
		defer content.Close()
		r := io.NewSectionReader(content, 0, content.Size)
		err = json.NewDecoder(r).Decode(&l.task)
	}
	if err != nil { // not wrapped: Take goes on with the next task unless the broker refuses
		return errors.Join(fmt.Errorf("natsqueue: no task: %v", err), l.message.Term())
	}
	if about, err := l.message.Metadata(); err == nil {
		l.task.Attempts = int(about.NumDelivered) - 1
	}
	return nil
}

func (l *lease) Task() batch.Task { return l.task }

// send sends the end of the lease, or that it goes on.
func (l *lease) send(what func() error) error {
	if time.Now().After(*l.until.Load()) {
		return batch.ErrStale
	}
	err := what()
	if errors.Is(err, jetstream.ErrMsgAlreadyAckd) {
		return batch.ErrStale
	}
	return err
}

// Renew fails while the broker is away: what is sent then may arrive after the end of the lease.
func (l *lease) Renew(context.Context) error {
	until := time.Now().Add(l.queue.lease)
	err := l.send(func() error {
		return cmp.Or(l.message.InProgress(), l.queue.js.Conn().FlushTimeout(attempt))
	})
	if err == nil {
		l.until.Store(&until)
	}
	return err
}

func (l *lease) Done(ctx context.Context) error {
	err := l.queue.patience.ask(ctx, attempt, func(ctx context.Context) error {
		return l.send(func() error { return l.message.DoubleAck(ctx) })
	})
	if err == nil {
		l.queue.drop(ctx, l.message.Data())
	}
	return err
}

func (l *lease) Later(_ context.Context, delay time.Duration) error {
	return l.send(func() error { return l.message.NakWithDelay(delay) })
}
