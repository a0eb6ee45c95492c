package objects

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"

	"github.com/minio/minio-go/v7"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/engines/internal/states"
)

// maxValue is the size of a state that is in the value of its domain; a larger one is an object.
const maxValue = 256 << 10

// ErrNoFence means that a store ignores If-Match or If-None-Match, so that one worker could undo
// what another one has saved.
var ErrNoFence = errors.New("the store ignores If-Match or If-None-Match")

// States returns the states in the store, after it has tried the fence. If the store has none, the
// error matches [ErrNoFence].
func (s *Store) States(ctx context.Context) (batch.States, error) {
	ctx, stop := context.WithTimeout(ctx, openTime)
	defer stop()
	v := values{s}
	if err := v.tryFence(ctx); err != nil {
		return nil, err
	}
	return states.New(v, maxValue), nil
}

// values keep the values and objects of states. A version is an ETag.
type values struct{ store *Store }

func valueName(domain string) string { return ".states/" + batch.FileName(domain) + ".json" }

func objectName(domain, id string) string { return valueName(domain) + "." + id }

// Value returns the value of a domain.
func (v values) Value(ctx context.Context, domain string) ([]byte, string, error) {
	o, err := v.store.open(ctx, valueName(domain), chunk)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", nil
	}
	if err != nil {
		return nil, "", err
	}
	value, err := io.ReadAll(o.reader())
	return value, o.etag, err
}

// Replace replaces the value of a domain.
func (v values) Replace(ctx context.Context, domain string, value []byte, version string) error {
	return v.replace(ctx, valueName(domain), value, version)
}

// replace puts an object if it has this version.
func (v values) replace(ctx context.Context, name string, value []byte, version string) error {
	options := minio.PutObjectOptions{ContentType: "application/json"}
	if version == "" {
		options.SetMatchETagExcept("*")
	} else {
		options.SetMatchETag(version)
	}
	r := io.NewSectionReader(bytes.NewReader(value), 0, int64(len(value)))
	err := v.store.put(ctx, name, r, options)
	status := statusOf(err)
	if status == http.StatusPreconditionFailed || status == http.StatusNotFound {
		return batch.ErrStale
	}
	return err
}

// Put keeps a large state.
func (v values) Put(ctx context.Context, domain, id string, object *io.SectionReader) error {
	return v.store.put(ctx, objectName(domain, id), object, minio.PutObjectOptions{
		ContentType: "application/octet-stream",
	})
}

// Open reads a large state.
func (v values) Open(ctx context.Context, domain, id string) (io.ReadCloser, error) {
	o, err := v.store.open(ctx, objectName(domain, id), chunk)
	if err != nil {
		return nil, err
	}
	return io.NopCloser(o.reader()), nil
}

// Delete removes a large state.
func (v values) Delete(ctx context.Context, domain, id string) {
	v.store.remove(ctx, objectName(domain, id))
}

// tryFence writes objects that the store must accept, and objects that it must refuse.
func (v values) tryFence(ctx context.Context) error {
	name, missing := ".fence/"+rand.Text(), ".fence/"+rand.Text()
	defer v.store.remove(ctx, name)
	if err := v.replace(ctx, name, []byte("1"), ""); err != nil {
		return v.store.wrap(name, err)
	}
	o, err := v.store.open(ctx, name, chunk)
	if err != nil {
		return err
	}
	if err := v.replace(ctx, name, []byte("2"), o.etag); err != nil {
		return v.store.wrap(name, err)
	}
	for _, try := range []struct{ name, version, what string }{
		{name, o.etag, "with a stale ETag"},
		{name, "", "in place of another one as the first"},
		{missing, o.etag, "with an ETag where there is none"},
	} {
		err := v.replace(ctx, try.name, []byte("3"), try.version)
		if err == nil {
			v.store.remove(ctx, try.name)
			return v.store.wrap(try.name,
				fmt.Errorf("%w: it wrote an object %s", ErrNoFence, try.what))
		}
		if !errors.Is(err, batch.ErrStale) {
			return err
		}
	}
	return nil
}
