package objects

import (
	"bufio"
	"context"
	"io"
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

// put puts the object in the store, in pieces of 16 MiB if it is larger.
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

// put puts an object.
func (s *Store) put(ctx context.Context, name string, r *io.SectionReader, o minio.PutObjectOptions) error {
	return s.retry(ctx, name, func() error {
		if _, err := r.Seek(0, io.SeekStart); err != nil {
			return err
		}
		_, err := s.client.Client.PutObject(ctx, s.bucket, s.prefix+name, r, r.Size(), o)
		return err
	})
}

// remove removes an object. It is no error if there is none.
func (s *Store) remove(ctx context.Context, name string) error {
	return s.retry(ctx, name, func() error {
		return s.client.RemoveObject(ctx, s.bucket, s.prefix+name, minio.RemoveObjectOptions{})
	})
}
