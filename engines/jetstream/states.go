package jetstream

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/seed-322c453a/sitemap/batch"
)

// maxValue is the size of a state that is in the value of its domain; a larger one is an object. A
// broker accepts messages of 1 MiB, unless it is set up otherwise, and a value has two states, as
// base64.
const maxValue = 256 << 10

// A saved is a state in the value of its domain.
type saved struct {
	Run         string `json:"run"`
	State       []byte `json:"state,omitempty"`
	Object      string `json:"object,omitempty"` // that has the state
	Predecessor *saved `json:"predecessor,omitempty"`
}

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
	full.Replicas = replicas(ctx, js, "KV_"+full.Name+"-states", full.Replicas)
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
func (s *States) Load(ctx context.Context, domain string) (batch.State, error) {
	v, revision, err := s.get(ctx, keyOf(domain))
	if err != nil || v == nil {
		return batch.State{Revision: revision}, err
	}
	now := s.stateOf(v)
	now.Revision = revision
	if v.Predecessor != nil {
		before := s.stateOf(v.Predecessor)
		now.Predecessor = &before
	}
	return now, nil
}

func (s *States) stateOf(v *saved) batch.State {
	return batch.State{Run: v.Run, Open: func(ctx context.Context) (io.ReadCloser, error) {
		if v.Object == "" {
			return io.NopCloser(bytes.NewReader(v.State)), nil
		}
		var object jetstream.ObjectResult
		err := s.patience.ask(ctx, func(context.Context) (err error) {
			object, err = s.objects.Get(ctx, v.Object) // read for as long as ctx lasts
			return err
		})
		return object, err
	}}
}

// get returns what was saved under a key, nil if there is nothing or it is damaged.
func (s *States) get(ctx context.Context, key string) (*saved, uint64, error) {
	var entry jetstream.KeyValueEntry
	err := s.patience.ask(ctx, func(ctx context.Context) (err error) {
		entry, err = s.values.Get(ctx, key)
		return err
	})
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, fmt.Errorf("jetstream: load: %w", err)
	}
	v := new(saved)
	if json.Unmarshal(entry.Value(), v) != nil {
		v = nil
	}
	return v, entry.Revision(), nil
}

// Save replaces the state of a domain: see [batch.States].
func (s *States) Save(
	ctx context.Context, domain, run string, revision uint64, write func(io.Writer) error,
) (uint64, error) {
	key := keyOf(domain)
	before, current, err := s.get(ctx, key)
	if err == nil && current != revision {
		err = batch.ErrStale
	}
	v, old := &saved{Run: run}, ""
	if before != nil && before.Run == run {
		v.Predecessor, old = before.Predecessor, before.Object
	} else if before != nil {
		if before.Predecessor != nil {
			old = before.Predecessor.Object
		}
		v.Predecessor = &saved{Run: before.Run, State: before.State, Object: before.Object}
	}
	if err == nil {
		err = s.store(ctx, key, v, write)
	}
	if err == nil {
		revision, err = s.replace(ctx, key, v, revision)
	}
	if err != nil {
		old = v.Object
	}
	if old != "" {
		s.objects.Delete(ctx, old) // one that is left takes space, no more
	}
	if err != nil {
		return 0, fmt.Errorf("jetstream: save %s: %w", domain, err)
	}
	return revision, nil
}

// store takes what write writes into v, or into an object.
func (s *States) store(
	ctx context.Context, key string, v *saved, write func(io.Writer) error,
) (err error) {
	in, out := io.Pipe()
	defer in.Close()
	go func() { out.CloseWithError(write(out)) }()
	if v.State, err = io.ReadAll(io.LimitReader(in, maxValue+1)); err != nil || len(v.State) <= maxValue {
		return err
	}
	v.Object = objectName(key)
	_, err = s.objects.Put(ctx, jetstream.ObjectMeta{Name: v.Object},
		io.MultiReader(bytes.NewReader(v.State), in))
	v.State = nil
	return err
}

// objectName returns a new name for an object.
func objectName(key string) string { return key + "." + strconv.FormatInt(time.Now().UnixNano(), 36) }

// replace replaces the value of a key.
func (s *States) replace(
	ctx context.Context, key string, v *saved, revision uint64,
) (next uint64, err error) {
	value, err := json.Marshal(v)
	if err != nil {
		return 0, err
	}
	err = s.patience.ask(ctx, func(ctx context.Context) error {
		if revision == 0 {
			next, err = s.values.Create(ctx, key, value)
		} else {
			next, err = s.values.Update(ctx, key, value, revision)
		}
		return err
	})
	if errors.Is(err, jetstream.ErrKeyExists) || hasCode(err, jetstream.JSErrCodeStreamWrongLastSequence,
		jetstream.JSErrCodeStreamWrongLastSequenceConstant) {
		err = batch.ErrStale
	}
	return next, err
}
