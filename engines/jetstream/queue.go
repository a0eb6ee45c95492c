package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/seed-322c453a/sitemap/batch"
)

// A Queue is the tasks of one run on a broker. It is a [batch.Queue], and safe for concurrent use.
type Queue struct {
	js       jetstream.JetStream
	stream   jetstream.Stream
	consumer jetstream.Consumer
	runs     jetstream.KeyValue // runs that End was called for
	run      string
	subject  string
	patience patience
}

// storeFailed is the broker's code for a message that a limit of the stream refuses.
const storeFailed jetstream.ErrorCode = 10077

// pollEvery is how long a worker waits for a task before it asks whether the run is over.
const pollEvery = 500 * time.Millisecond

// OpenQueue opens the queue of a run, and makes it if there is none. The Options of whoever opens it
// last hold for all.
func OpenQueue(ctx context.Context, nc *nats.Conn, run string, o *Options) (*Queue, error) {
	full := o.withDefaults()
	if err := errors.Join(checkName("run", run), checkName("name", full.Name)); err != nil {
		return nil, err
	}
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, err
	}
	q := &Queue{js: js, run: run, subject: full.Name + "." + run + ".", patience: patience(full.Patience)}
	q.stream, err = js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name:                 full.Name + "-run-" + run,
		Subjects:             []string{q.subject + "*"},
		Retention:            jetstream.WorkQueuePolicy,
		Discard:              jetstream.DiscardNew,
		DiscardNewPerSubject: true,
		MaxMsgsPerSubject:    1,
		MaxMsgs:              full.MaxTasks,
		Replicas:             full.Replicas,
	})
	if err != nil {
		return nil, fmt.Errorf("jetstream: %w", err)
	}
	q.consumer, err = q.stream.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{
		Durable:       "workers",
		AckPolicy:     jetstream.AckExplicitPolicy,
		AckWait:       full.Lease,
		MaxAckPending: -1,
	})
	if err != nil {
		return nil, fmt.Errorf("jetstream: %w", err)
	}
	q.runs, err = js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{
		Bucket: full.Name + "-runs", Replicas: full.Replicas,
	})
	if err != nil {
		return nil, fmt.Errorf("jetstream: %w", err)
	}
	return q, nil
}

// Put adds a task: see [batch.Queue].
func (q *Queue) Put(ctx context.Context, task batch.Task) (bool, error) {
	data, err := json.Marshal(task)
	if err != nil {
		return false, err
	}
	for {
		err := q.patience.ask(ctx, func(ctx context.Context) error {
			_, err := q.js.Publish(ctx, q.subject+keyOf(task.Domain), data)
			return err
		})
		switch {
		case err == nil:
			return true, nil
		case !hasCode(err, storeFailed):
			return false, fmt.Errorf("jetstream: put %s: %w", task.Domain, err)
		case strings.Contains(err.Error(), "per subject"):
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
	return q.patience.ask(ctx, func(ctx context.Context) error {
		_, err := q.runs.PutString(ctx, q.run, "ended")
		return err
	})
}

// Begin takes back an earlier End: the run is planned again.
func (q *Queue) Begin(ctx context.Context) error { return q.runs.Purge(ctx, q.run) }

// Take leases a task: see [batch.Queue]. It returns half a second after ctx has ended, at most.
func (q *Queue) Take(ctx context.Context) (taken batch.Lease, err error) {
	for over := false; !over; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		err := q.patience.ask(ctx, func(ctx context.Context) error {
			taken, err = q.next(ctx)
			if err == nil && taken == nil {
				over, err = q.isOver(ctx)
			}
			return err
		})
		if taken != nil {
			return taken, nil
		}
		if err != nil && ctx.Err() == nil {
			return nil, fmt.Errorf("jetstream: take: %w", err)
		}
	}
	return nil, io.EOF
}

// next waits a moment for a task. It returns nil if there is none.
func (q *Queue) next(ctx context.Context) (batch.Lease, error) {
	// Without ctx: the broker would deliver a message to a request that nobody waits for.
	messages, err := q.consumer.Fetch(1, jetstream.FetchMaxWait(pollEvery))
	if err != nil {
		return nil, err
	}
	message := <-messages.Messages()
	if message == nil {
		err := messages.Error()
		if errors.Is(err, nats.ErrTimeout) {
			err = nil
		}
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, message.Nak()
	}
	l := &lease{message: message, patience: q.patience}
	if err := json.Unmarshal(message.Data(), &l.task); err != nil {
		return nil, errors.Join(fmt.Errorf("jetstream: no task: %w", err), message.Term())
	}
	return l, nil
}

// isOver reports whether End was called and no task is left.
func (q *Queue) isOver(ctx context.Context) (bool, error) {
	_, err := q.runs.Get(ctx, q.run)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	info, err := q.stream.Info(ctx)
	return err == nil && info.State.Msgs == 0, err
}

// Left returns how many tasks wait, and how many are leased.
func (q *Queue) Left(ctx context.Context) (waiting, leased int, err error) {
	info, err := q.consumer.Info(ctx)
	if err != nil {
		return 0, 0, err
	}
	return int(info.NumPending), info.NumAckPending, nil
}

// A lease is a message that was delivered.
type lease struct {
	message  jetstream.Msg
	task     batch.Task
	patience patience
}

func (l *lease) Task() batch.Task { return l.task }

func (l *lease) Renew(context.Context) error { return l.message.InProgress() }

func (l *lease) Done(ctx context.Context) error {
	err := l.patience.ask(ctx, func(ctx context.Context) error { return l.message.DoubleAck(ctx) })
	if errors.Is(err, jetstream.ErrMsgAlreadyAckd) {
		return nil
	}
	return err
}

func (l *lease) Later(_ context.Context, delay time.Duration) error {
	if delay <= 0 {
		return l.message.Nak()
	}
	return l.message.NakWithDelay(delay)
}
