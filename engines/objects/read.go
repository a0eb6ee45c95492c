package objects

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strconv"
	"strings"

	"github.com/minio/minio-go/v7"

	"github.com/seed-322c453a/sitemap/batch"
)

// An object is read in ranges, so that a broken connection costs one range only.
type object struct {
	bucket *bucket
	ctx    context.Context
	name   string
	etag   string // all ranges are of one version
	size   int64
	head   []byte
}

// ahead is how much of an object is read when it is opened: all of most parts and states.
const ahead = 16 << 10

// Open opens an object: see [batch.Files]. Its version is the ETag.
func (b *bucket) Open(ctx context.Context, name string) (*batch.File, error) {
	o := &object{bucket: b, ctx: ctx, name: name}
	head, err := o.get(0, ahead)
	if err != nil {
		return nil, err
	}
	o.head = head
	return &batch.File{
		ReaderAt: o, Closer: io.NopCloser(nil), Size: o.size, Path: b.location(name),
		Version: o.etag,
	}, nil
}

// ReadAt reads a range: see [io.ReaderAt].
func (o *object) ReadAt(p []byte, at int64) (n int, err error) {
	if at < int64(len(o.head)) {
		n = copy(p, o.head[at:])
	}
	want := min(int64(len(p)), o.size-at)
	if int64(n) < want {
		rest, err := o.get(at+int64(n), want-int64(n))
		n += copy(p[n:], rest)
		if err != nil {
			return n, err
		}
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// get requests n bytes, or those up to the end. The first request learns the size. Each reads its
// body to the end of the range.
func (o *object) get(at, n int64) (p []byte, err error) {
	var options minio.GetObjectOptions
	options.SetRange(at, at+n-1)
	if o.etag != "" {
		options.SetMatchETag(o.etag)
	}
	b := o.bucket
	err = b.retry(o.ctx, o.name, func() error {
		body, info, header, err := b.client.GetObject(o.ctx, b.name, b.prefix+o.name, options)
		if err != nil {
			return err
		}
		defer body.Close()
		size := info.Size
		if _, total, ok := strings.Cut(header.Get("Content-Range"), "/"); ok {
			if size, err = strconv.ParseInt(total, 10, 64); err != nil {
				return fmt.Errorf("Content-Range: %w", err)
			}
		}
		p = make([]byte, min(n, info.Size))
		if _, err = io.ReadFull(body, p); err == nil {
			o.etag, o.size = info.ETag, size
		}
		return err
	})
	switch statusOf(err) {
	case http.StatusRequestedRangeNotSatisfiable: // it is empty, so anything may replace it
		o.etag = batch.AnyVersion
		return nil, nil
	case http.StatusNotFound:
		return nil, fmt.Errorf("%w: %w", fs.ErrNotExist, err)
	case http.StatusPreconditionFailed: // it was replaced meanwhile
		return nil, batch.ErrStale
	}
	return p, err
}
