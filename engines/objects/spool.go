package objects

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"os"

	"github.com/minio/minio-go/v7"
)

// A spool is a temporary file that becomes an object.
type spool struct {
	*bufio.Writer
	file *os.File
}

func newSpool() (*spool, error) {
	file, err := os.CreateTemp("", "sitemap-object-")
	if err != nil {
		return nil, err
	}
	os.Remove(file.Name()) // where the system allows it
	return &spool{bufio.NewWriterSize(file, 16<<10), file}, nil
}

// put puts the object in the store.
func (p *spool) put(ctx context.Context, s *Store, name, contentType string) error {
	if err := p.Flush(); err != nil {
		return err
	}
	size, err := p.file.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	return s.put(ctx, name, io.NewSectionReader(p.file, 0, size), minio.PutObjectOptions{
		ContentType: contentType,
	})
}

// close removes the file.
func (p *spool) close() {
	p.file.Close()
	os.Remove(p.file.Name())
}

// pieceSize is the size of the pieces in which a larger object is put.
const pieceSize = 16 << 20

// errLost means that a store does not have what it has accepted.
var errLost = errors.New("the store has lost the object")

// put puts an object.
func (s *Store) put(ctx context.Context, name string, r *io.SectionReader, o minio.PutObjectOptions) error {
	return s.retry(ctx, name, func() error {
		if _, err := r.Seek(0, io.SeekStart); err != nil {
			return err
		}
		o.PartSize = pieceSize
		_, err := s.client.Client.PutObject(ctx, s.bucket, s.prefix+name, r, r.Size(), o)
		if err == nil && r.Size() > pieceSize {
			err = s.verify(ctx, name, r.Size())
		}
		return err
	})
}

// verify reports whether the store has an object of this size. One that was killed while it joined the
// pieces may say afterwards that it has done so, as versitygw 1.8.0 does.
func (s *Store) verify(ctx context.Context, name string, size int64) error {
	info, err := s.client.StatObject(ctx, s.bucket, s.prefix+name, minio.StatObjectOptions{})
	if statusOf(err) == http.StatusNotFound || err == nil && info.Size != size {
		return errLost
	}
	return err
}

// remove removes an object. It is no error if there is none.
func (s *Store) remove(ctx context.Context, name string) error {
	return s.retry(ctx, name, func() error {
		return s.client.RemoveObject(ctx, s.bucket, s.prefix+name, minio.RemoveObjectOptions{})
	})
}
