package objects

import (
	"context"
	"io"
	"net/http"

	"github.com/minio/minio-go/v7"
)

// pieceSize is the size of the pieces in which a larger object is put.
const pieceSize = 16 << 20

// put puts an object.
func (s *Store) put(
	ctx context.Context, name string, r *io.SectionReader, o minio.PutObjectOptions,
) error {
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

// verify checks that the store has an object of this size. A store that was killed while it joined
// the pieces may claim afterwards that it has joined them, as versitygw 1.8.0 does.
func (s *Store) verify(ctx context.Context, name string, size int64) error {
	info, err := s.client.StatObject(ctx, s.bucket, s.prefix+name, minio.StatObjectOptions{})
	if statusOf(err) == http.StatusNotFound || err == nil && info.Size != size {
		return errLost
	}
	return err
}

// remove removes an object. It returns nil if the object does not exist.
func (s *Store) remove(ctx context.Context, name string) error {
	return s.retry(ctx, name, func() error {
		return s.client.RemoveObject(ctx, s.bucket, s.prefix+name, minio.RemoveObjectOptions{})
	})
}
