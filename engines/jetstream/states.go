package jetstream

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/seed-322c453a/sitemap/batch"
)

// maxValue is the size of a state that is a value of the bucket; a larger one is an object. A broker
// accepts messages of 1 MiB, unless it is set up otherwise.
const maxValue = 512 << 10

// The first byte of a value says what the rest is.
const (
	isState  = 's'
	isObject = 'o' // the name of an object
)

// States are [batch.States] on a broker.
type States struct {
	values   jetstream.KeyValue
	objects  jetstream.ObjectStore
	patience patience
}

// OpenStates opens the states, and makes their buckets if there are none.
func OpenStates(ctx context.Context, nc *nats.Conn, o *Options) (*States, error) {
	full := o.withDefaults()
	if err := checkName("name", full.Name); err != nil {
		return nil, err
	}
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, err
	}
	s := &States{patience: patience(full.Patience)}
	s.values, err = js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{
		Bucket: full.Name + "-states", Replicas: full.Replicas,
	})
	if err == nil {
		s.objects, err = js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{
			Bucket: full.Name + "-large-states", Replicas: full.Replicas,
		})
	}
	if err != nil {
		return nil, fmt.Errorf("jetstream: %w", err)
	}
	return s, nil
}

// Load returns the state of a domain: see [batch.States].
func (s *States) Load(ctx context.Context, domain string) ([]byte, uint64, error) {
	var entry jetstream.KeyValueEntry
	err := s.patience.ask(ctx, func(ctx context.Context) (err error) {
		entry, err = s.values.Get(ctx, keyOf(domain))
		return err
	})
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, fmt.Errorf("jetstream: load %s: %w", domain, err)
	}
	value := entry.Value()
	switch {
	case len(value) > 0 && value[0] == isState:
		return value[1:], entry.Revision(), nil
	case len(value) > 0 && value[0] == isObject:
		state, err := s.objects.GetBytes(ctx, string(value[1:]))
		if errors.Is(err, jetstream.ErrObjectNotFound) { // replaced in between, or lost
			return []byte{}, entry.Revision(), nil
		}
		return state, entry.Revision(), err
	}
	return []byte{}, entry.Revision(), nil
}

// Save replaces the state of a domain: see [batch.States].
func (s *States) Save(
	ctx context.Context, domain string, state []byte, revision uint64,
) (uint64, error) {
	key := keyOf(domain)
	value, object := append([]byte{isState}, state...), ""
	if len(state) > maxValue {
		object = key + "." + strconv.FormatInt(time.Now().UnixNano(), 36)
		if _, err := s.objects.PutBytes(ctx, object, state); err != nil {
			return 0, fmt.Errorf("jetstream: save %s: %w", domain, err)
		}
		value = append([]byte{isObject}, object...)
	}
	old, err := s.objectOf(ctx, key, revision)
	if err == nil {
		given := revision
		err = s.patience.ask(ctx, func(ctx context.Context) error {
			if given == 0 {
				revision, err = s.values.Create(ctx, key, value)
			} else {
				revision, err = s.values.Update(ctx, key, value, given)
			}
			return err
		})
	}
	stale := hasCode(err, jetstream.JSErrCodeStreamWrongLastSequence,
		jetstream.JSErrCodeStreamWrongLastSequenceConstant) || errors.Is(err, jetstream.ErrKeyExists)
	if stale {
		err = batch.ErrStale
	}
	if err != nil {
		old = object
	}
	if old != "" {
		s.objects.Delete(ctx, old) // one that is left takes space, no more
	}
	if err != nil {
		return 0, fmt.Errorf("jetstream: save %s: %w", domain, err)
	}
	return revision, nil
}

// objectOf returns the name of the object that the value with this revision names, or "".
func (s *States) objectOf(ctx context.Context, key string, revision uint64) (string, error) {
	if revision == 0 {
		return "", nil
	}
	entry, err := s.values.Get(ctx, key)
	if errors.Is(err, jetstream.ErrKeyNotFound) || err == nil && entry.Revision() != revision {
		return "", batch.ErrStale
	}
	if err != nil || len(entry.Value()) == 0 || entry.Value()[0] != isObject {
		return "", err
	}
	return string(entry.Value()[1:]), nil
}
