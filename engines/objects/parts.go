package objects

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"net/http"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/minio/minio-go/v7"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/engines/internal/tempfile"
)

// Part begins the part of a task: see [batch.Sink].
func (s *Store) Part(_ context.Context, t batch.Task) (batch.Part, error) {
	if err := batch.CheckRun(t.Run); err != nil {
		return nil, err
	}
	file, err := tempfile.Create("sitemap-object-")
	if err != nil {
		return nil, err
	}
	return batch.NewFilePart(file.File, t, func(ctx context.Context) error {
		size, err := file.Seek(0, io.SeekCurrent)
		if err == nil {
			err = s.put(ctx, batch.PartName(t.Run, t.Domain), io.NewSectionReader(file, 0, size),
				minio.PutObjectOptions{ContentType: "application/gzip"})
		}
		if err == nil {
			file.Close()
		}
		return err
	}), nil
}

// Has reports whether the part of a task was committed: see [batch.Sink].
func (s *Store) Has(ctx context.Context, t batch.Task) (bool, error) {
	part, err := s.readPart(ctx, batch.PartName(t.Run, t.Domain))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && part.Of(t), err
}

// ahead is how much of a part is read to find its ends: all of most parts.
const ahead = 16 << 10

// readPart reads the ends of a part.
func (s *Store) readPart(ctx context.Context, name string) (batch.Stored, error) {
	o, err := s.open(ctx, name, ahead)
	if err != nil {
		return batch.Stored{}, err
	}
	part, err := batch.ReadStored(o, o.size)
	if statusOf(err) == http.StatusPreconditionFailed { // replaced meanwhile
		return s.readPart(ctx, name)
	}
	if err != nil {
		return batch.Stored{}, s.wrap(name, err)
	}
	part.Path = s.location(name)
	return part, nil
}

// Parts yields the parts of a run: see [batch.Sink].
func (s *Store) Parts(ctx context.Context, run string) iter.Seq2[batch.Stored, error] {
	return func(yield func(batch.Stored, error) bool) {
		if err := batch.CheckRun(run); err != nil {
			yield(batch.Stored{}, err)
			return
		}
		var names []string
		for name, err := range s.list(ctx, run+"/", true) {
			if err != nil {
				yield(batch.Stored{}, err)
				return
			}
			if strings.Count(name, "/") == 2 && strings.HasSuffix(name, batch.PartSuffix) {
				names = append(names, name)
			}
			if len(names) == atOnce {
				if !s.readParts(ctx, names, yield) {
					return
				}
				names = names[:0]
			}
		}
		s.readParts(ctx, names, yield)
	}
}

// atOnce is how many parts Parts reads side by side.
const atOnce = 64

// readParts reads parts side by side and yields them in order.
func (s *Store) readParts(
	ctx context.Context, names []string, yield func(batch.Stored, error) bool,
) bool {
	var parts [atOnce]batch.Stored
	var errs [atOnce]error
	var wg sync.WaitGroup
	for i, name := range names {
		wg.Go(func() { parts[i], errs[i] = s.readPart(ctx, name) })
	}
	wg.Wait()
	for i := range names {
		if errors.Is(errs[i], fs.ErrNotExist) { // removed meanwhile
			continue
		}
		if !yield(parts[i], errs[i]) || ctx.Err() != nil {
			return false
		}
	}
	return true
}

// list yields the names of objects under a prefix, sorted. Unless it is recursive, names are cut
// after the next slash, and each is yielded once.
func (s *Store) list(ctx context.Context, prefix string, recursive bool) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		last := ""
		err := s.retry(ctx, prefix, func() error {
			o := minio.ListObjectsOptions{
				Prefix: s.prefix + prefix, Recursive: recursive, StartAfter: last,
			}
			for object := range s.client.ListObjectsIter(ctx, s.bucket, o) {
				if object.Err != nil {
					return object.Err
				}
				if object.Key == last { // a folder that was listed before a retry
					continue
				}
				last = object.Key
				if !yield(strings.TrimPrefix(last, s.prefix), nil) {
					return nil
				}
			}
			return ctx.Err()
		})
		if err != nil {
			yield("", err)
		}
	}
}

// Open reads the lines of a part: see [batch.Sink].
func (s *Store) Open(ctx context.Context, part batch.Stored) (io.ReadCloser, error) {
	if err := batch.CheckRun(part.Run); err != nil {
		return nil, err
	}
	name := batch.PartName(part.Run, part.Domain)
	o, err := s.open(ctx, name, chunk)
	if err != nil {
		return nil, err
	}
	lines, err := gzip.NewReader(o.reader())
	if err != nil {
		return nil, s.wrap(name, err)
	}
	return lines, nil
}

// Remove removes a part: see [batch.Remover].
func (s *Store) Remove(ctx context.Context, part batch.Stored) error {
	if err := batch.CheckRun(part.Run); err != nil {
		return err
	}
	return s.remove(ctx, batch.PartName(part.Run, part.Domain))
}
