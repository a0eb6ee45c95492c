package natsqueue

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/engines/internal/tempfile"
)

// OpenStates opens the states on a broker. It creates their buckets if they do not exist.
func OpenStates(ctx context.Context, nc *nats.Conn, o *Options) (s batch.States, err error) {
	err = openBroker(ctx, nc, o.withDefaults(), func(_ context.Context, b *broker) error {
		s = batch.NewStates(stateFiles{b})
		return nil
	})
	return s, err
}

// stateFiles are the [batch.StateFiles] on a broker. A version is the revision of the value, a
// space, and the message if that names an object.
type stateFiles struct{ *broker }

func stateKey(name string) string { return "state." + keyOf(name) }

// Create creates a temporary file: see [batch.StateFiles].
func (s stateFiles) Create() (*os.File, error) {
	return tempfile.Create("sitemap-state-")
}

// Open opens a file. If the object of a large one is lost, the file is empty.
func (s stateFiles) Open(ctx context.Context, name string) (*batch.File, error) {
	var entry jetstream.KeyValueEntry
	err := s.patience.ask(ctx, attempt, func(ctx context.Context) (err error) {
		entry, err = s.values.Get(ctx, stateKey(name))
		return err
	})
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, fs.ErrNotExist
	}
	var file *batch.File
	if err == nil {
		file, err = s.unpack(ctx, entry.Value())
	}
	if errors.Is(err, jetstream.ErrObjectNotFound) {
		file, err = s.unpack(ctx, nil)
	}
	if err != nil {
		return nil, fmt.Errorf("natsqueue: load %s: %w", name, err)
	}
	file.Path, file.Version = name, strconv.FormatUint(entry.Revision(), 10)+" "
	if value := entry.Value(); len(value) > 0 && value[0] == isObject {
		file.Version += string(value)
	}
	return file, nil
}

// Replace replaces a file.
func (s stateFiles) Replace(
	ctx context.Context, name string, file *os.File, version string,
) error {
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	message, err := s.pack(ctx, stateKey(name), io.NewSectionReader(file, 0, size))
	if err != nil {
		return fmt.Errorf("natsqueue: save %s: %w", name, err)
	}
	revision, old, _ := strings.Cut(version, " ")
	number, _ := strconv.ParseUint(revision, 10, 64) // 0 replaces no value
	isSent := false
	err = s.patience.ask(ctx, attempt, func(ctx context.Context) (err error) {
		if version == "" {
			_, err = s.values.Create(ctx, stateKey(name), message)
		} else {
			_, err = s.values.Update(ctx, stateKey(name), message, number)
		}
		isSent = isSent || err != nil && !isAnswer(err) // perhaps
		return err
	})
	switch {
	case err == nil:
		s.drop(ctx, []byte(old))
		return tempfile.File{File: file}.Close()
	case errors.Is(err, jetstream.ErrKeyExists) || hasCode(err,
		jetstream.JSErrCodeStreamWrongLastSequence,
		jetstream.JSErrCodeStreamWrongLastSequenceConstant):
		if !isSent {
			s.drop(ctx, message)
		}
		return batch.ErrStale
	}
	return fmt.Errorf("natsqueue: save %s: %w", name, err)
}
