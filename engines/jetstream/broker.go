package natsqueue

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/engines/internal/tempfile"
)

// A broker holds the buckets of queues and states on a broker.
type broker struct {
	js       jetstream.JetStream
	values   jetstream.KeyValue    // states, and runs that End was called for
	objects  jetstream.ObjectStore // what is too large for a message
	patience patience
}

// openBroker opens or creates the buckets, and then what open opens.
func openBroker(
	ctx context.Context, nc *nats.Conn, o Options, open func(context.Context, *broker) error,
) error {
	js, err := jetstream.New(nc)
	if err != nil {
		return err
	}
	b := &broker{js: js, patience: patience(o.Patience)}
	err = b.patience.ask(ctx, attempt, func(ctx context.Context) (err error) {
		replicas := replicas(ctx, js, "KV_"+o.Name, o.Replicas)
		b.values, err = js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{
			Bucket: o.Name, Replicas: replicas,
		})
		if err != nil {
			return err
		}
		b.objects, err = js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{
			Bucket: o.Name, Replicas: replicas,
		})
		if err != nil {
			return err
		}
		return open(ctx, b)
	})
	if err != nil {
		return fmt.Errorf("natsqueue: %w", err)
	}
	return nil
}

// A message holds a content, or the name of the object that holds it, after one of these bytes.
const (
	isContent = '='
	isObject  = '@'
)

// maxMessage is the size of a content that is in its message. A broker accepts messages of 1 MiB,
// unless it is set up otherwise.
const maxMessage = 512 << 10

// pack returns the message for a content.
func (b *broker) pack(ctx context.Context, key string, content *io.SectionReader) ([]byte, error) {
	if content.Size() <= maxMessage {
		message := make([]byte, 1+content.Size())
		message[0] = isContent
		_, err := io.ReadFull(content, message[1:])
		return message, err
	}
	name := key + "." + rand.Text()
	err := b.patience.ask(ctx, long, func(ctx context.Context) error {
		_, err := b.objects.Put(ctx, jetstream.ObjectMeta{Name: name},
			io.NewSectionReader(content, 0, content.Size()))
		return err
	})
	return append([]byte{isObject}, name...), err
}

// lateObject is how long an object that is not found is looked for. In a cluster, one server may
// confirm an object before another one has it.
const lateObject = 10 * time.Second

var errLateObject = errors.New("an object is not there yet")

// unpack opens the content of a message. An object is read whole: the broker may go away while the
// content is used. If there is no such object, the error matches jetstream.ErrObjectNotFound.
func (b *broker) unpack(ctx context.Context, message []byte) (*batch.File, error) {
	if len(message) == 0 || message[0] != isObject {
		content := bytes.NewReader(message[min(1, len(message)):])
		return &batch.File{
			ReaderAt: content, Closer: io.NopCloser(nil), Size: content.Size(),
		}, nil
	}
	file, err := tempfile.Create("sitemap-object-")
	if err != nil {
		return nil, err
	}
	content := &batch.File{ReaderAt: file, Closer: tempfile.File{File: file}}
	end := time.Now().Add(lateObject)
	err = b.patience.ask(ctx, long, func(ctx context.Context) error {
		object, err := b.objects.Get(ctx, string(message[1:]))
		if errors.Is(err, jetstream.ErrObjectNotFound) && time.Now().Before(end) {
			return errLateObject
		}
		if err != nil {
			return err
		}
		defer object.Close()
		content.Size, err = io.Copy(io.NewOffsetWriter(file, 0), object)
		return err
	})
	if err != nil {
		content.Close()
		return nil, err
	}
	return content, nil
}

// drop deletes the object of a message, if it has one. An object that stays only takes space.
func (b *broker) drop(ctx context.Context, message []byte) {
	if len(message) > 0 && message[0] == isObject {
		b.objects.Delete(ctx, string(message[1:]))
	}
}
