package objects

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strconv"
	"strings"

	"github.com/minio/minio-go/v7"
)

// chunk is how much of an object is read with one request.
const chunk = 1 << 20

// An object is read in ranges, so that a broken connection costs one range only.
type object struct {
	store *Store
	ctx   context.Context
	name  string
	etag  string // all ranges are of one version
	size  int64
	head  []byte
}

// open opens an object and reads up to ahead bytes of it. If it does not exist, the error matches
// fs.ErrNotExist.
func (s *Store) open(ctx context.Context, name string, ahead int64) (*object, error) {
	o := &object{store: s, ctx: ctx, name: name}
	head, err := o.get(0, ahead)
	if err != nil {
		return nil, err
	}
	o.head = head
	return o, nil
}

// reader reads the object from its start.
func (o *object) reader() io.Reader {
	r := io.NewSectionReader(o, 0, o.size)
	return bufio.NewReaderSize(r, int(min(o.size, chunk)))
}

// ReadAt reads a range: see [io.ReaderAt].
func (o *object) ReadAt(b []byte, at int64) (n int, err error) {
	if at < int64(len(o.head)) {
		n = copy(b, o.head[at:])
	}
	want := min(int64(len(b)), o.size-at)
	if int64(n) < want {
		var rest []byte
		if rest, err = o.get(at+int64(n), want-int64(n)); err != nil {
			return n, err
		}
		n += copy(b[n:], rest)
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// get requests n bytes, or those up to the end. The first request learns the size.
func (o *object) get(at, n int64) (b []byte, err error) {
	var options minio.GetObjectOptions
	options.SetRange(at, at+n-1)
	if o.etag != "" {
		options.SetMatchETag(o.etag)
	}
	err = o.store.retry(o.ctx, o.name, func() error {
		b, err = o.request(n, options)
		return err
	})
	switch statusOf(err) {
	case http.StatusRequestedRangeNotSatisfiable: // it is empty
		return nil, nil
	case http.StatusNotFound:
		return nil, fmt.Errorf("%w: %w", fs.ErrNotExist, err)
	}
	return b, err
}

// request makes one request. It reads the body to the end of the range.
func (o *object) request(n int64, options minio.GetObjectOptions) ([]byte, error) {
	s := o.store
	body, info, header, err := s.client.GetObject(o.ctx, s.bucket, s.prefix+o.name, options)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	if o.etag == "" {
		o.etag, o.size = info.ETag, info.Size
		if _, size, ok := strings.Cut(header.Get("Content-Range"), "/"); ok {
			if o.size, err = strconv.ParseInt(size, 10, 64); err != nil {
				return nil, fmt.Errorf("Content-Range: %w", err)
			}
		}
	}
	b := make([]byte, min(n, info.Size))
	if _, err := io.ReadFull(body, b); err != nil {
		return nil, err
	}
	return b, nil
}
