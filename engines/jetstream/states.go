package natsqueue

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/engines/internal/states"
	"github.com/seed-322c453a/sitemap/engines/internal/tempfile"
)

// OpenStates opens the states on a broker. It creates their buckets if they do not exist.
func OpenStates(ctx context.Context, nc *nats.Conn, o *Options) (batch.States, error) {
	full := o.withDefaults()
	if err := checkName("name", full.Name); err != nil {
		return nil, err
	}
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, err
	}
	s := &store{patience: patience(full.Patience)}
	err = s.patience.ask(ctx, attempt,
		func(ctx context.Context) error { return s.open(ctx, js, full) })
	if err != nil {
		return nil, fmt.Errorf("natsqueue: %w", err)
	}
	return states.New(s, maxValue), nil
}

// A store keeps the values and objects of states. A version is a revision of the bucket.
type store struct {
	values   jetstream.KeyValue
	objects  jetstream.ObjectStore
	patience patience
}

// open opens or creates the buckets.
func (s *store) open(ctx context.Context, js jetstream.JetStream, o Options) (err error) {
	o.Replicas = replicas(ctx, js, "KV_"+o.Name+"-states", o.Replicas)
	s.values, err = js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{
		Bucket: o.Name + "-states", Replicas: o.Replicas,
	})
	if err != nil {
		return err
	}
	s.objects, err = js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{
		Bucket: o.Name + "-large-states", Replicas: o.Replicas,
	})
	return err
}

func stateName(domain, id string) string { return keyOf(domain) + "." + id }

// Value returns the value of a domain.
func (s *store) Value(ctx context.Context, domain string) ([]byte, string, error) {
	var entry jetstream.KeyValueEntry
	err := s.patience.ask(ctx, attempt, func(ctx context.Context) (err error) {
		entry, err = s.values.Get(ctx, keyOf(domain))
		return err
	})
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, "", nil
	}
	if err != nil {
		return nil, "", fmt.Errorf("natsqueue: load %s: %w", domain, err)
	}
	return entry.Value(), strconv.FormatUint(entry.Revision(), 10), nil
}

// Replace replaces the value of a domain.
func (s *store) Replace(ctx context.Context, domain string, value []byte, version string) error {
	err := s.patience.ask(ctx, attempt, func(ctx context.Context) (err error) {
		if version == "" {
			_, err = s.values.Create(ctx, keyOf(domain), value)
			return err
		}
		revision, err := strconv.ParseUint(version, 10, 64)
		if err == nil {
			_, err = s.values.Update(ctx, keyOf(domain), value, revision)
		}
		return err
	})
	if errors.Is(err, jetstream.ErrKeyExists) || hasCode(err,
		jetstream.JSErrCodeStreamWrongLastSequence,
		jetstream.JSErrCodeStreamWrongLastSequenceConstant) {
		return batch.ErrStale
	}
	if err != nil {
		return fmt.Errorf("natsqueue: save %s: %w", domain, err)
	}
	return nil
}

// Put keeps a large state.
func (s *store) Put(ctx context.Context, domain, id string, object *io.SectionReader) error {
	return s.patience.ask(ctx, long, func(ctx context.Context) error {
		_, err := s.objects.Put(ctx, jetstream.ObjectMeta{Name: stateName(domain, id)},
			io.NewSectionReader(object, 0, object.Size()))
		return err
	})
}

// Open reads a large state, whole: while a walk reads it, the broker may go away.
func (s *store) Open(ctx context.Context, domain, id string) (io.ReadCloser, error) {
	file, err := tempfile.Create("sitemap-state-")
	if err != nil {
		return nil, err
	}
	err = s.patience.ask(ctx, long, func(ctx context.Context) error {
		object, err := s.objects.Get(ctx, stateName(domain, id))
		if err != nil {
			return err
		}
		defer object.Close()
		_, err = io.Copy(io.NewOffsetWriter(file, 0), object)
		return err
	})
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// Delete removes a large state.
func (s *store) Delete(ctx context.Context, domain, id string) {
	s.objects.Delete(ctx, stateName(domain, id))
}
