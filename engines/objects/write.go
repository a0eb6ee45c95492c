package objects

import (
	"context"
	"io"
	"iter"
	"mime"
	"net/http"
	"os"
	"path"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/engines/internal/tempfile"
)

// Create creates a temporary file: see [batch.Files].
func (b *bucket) Create() (*os.File, error) {
	return tempfile.Create("sitemap-object-")
}

// Replace puts a temporary file: see [batch.Files].
func (b *bucket) Replace(
	ctx context.Context, name string, file *os.File, version string,
) error {
	size, err := file.Seek(0, io.SeekEnd)
	if err == nil {
		err = b.put(ctx, name, io.NewSectionReader(file, 0, size), version)
	}
	if err == nil {
		tempfile.File{File: file}.Close()
	}
	return err
}

// pieceSize is the size of the pieces in which a larger object is put. It is a variable for tests.
var pieceSize = uint64(16 << 20)

// put puts an object in place of one with this version. Unless that is any version, it is put as
// one piece, since not all stores honour If-Match for several.
func (b *bucket) put(
	ctx context.Context, name string, r *io.SectionReader, version string,
) error {
	o := minio.PutObjectOptions{
		PartSize: pieceSize, DisableMultipart: true,
		ContentType: mime.TypeByExtension(path.Ext(name)),
	}
	switch version {
	case batch.AnyVersion:
		o.DisableMultipart = false
	case "":
		o.SetMatchETagExcept("*")
	default:
		o.SetMatchETag(version)
	}
	err := b.retry(ctx, name, func() error {
		if _, err := r.Seek(0, io.SeekStart); err != nil {
			return err
		}
		_, err := b.client.Client.PutObject(ctx, b.name, b.prefix+name, r, r.Size(), o)
		if err == nil && r.Size() > int64(pieceSize) {
			err = b.verify(ctx, name, r.Size())
		}
		return err
	})
	switch status := statusOf(err); {
	case version == batch.AnyVersion:
	case status == http.StatusPreconditionFailed, status == http.StatusNotFound && version != "":
		return batch.ErrStale
	}
	return err
}

// verify checks that the store has an object of this size. A store that was killed while it joined
// the pieces may claim afterwards that it has joined them, as versitygw 1.8.0 does.
func (b *bucket) verify(ctx context.Context, name string, size int64) error {
	info, err := b.client.StatObject(ctx, b.name, b.prefix+name, minio.StatObjectOptions{})
	if statusOf(err) == http.StatusNotFound || err == nil && info.Size != size {
		return errLost
	}
	return err
}

// List yields the names of the objects below a folder: see [batch.Files].
func (b *bucket) List(ctx context.Context, folder string) iter.Seq2[string, error] {
	return b.list(ctx, minio.ListObjectsOptions{Prefix: folder + "/", Recursive: true})
}

// list yields the names of objects, sorted.
func (b *bucket) list(ctx context.Context, o minio.ListObjectsOptions) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		folder := o.Prefix
		o.Prefix = b.prefix + folder
		for last := ""; ; last = o.StartAfter {
			err := b.retry(ctx, folder, func() error { return b.listRest(ctx, &o, yield) })
			if unanswered(err) && o.StartAfter != last { // patience is for each page
				continue
			}
			if err != nil {
				yield("", err)
			}
			return
		}
	}
}

// listRest yields the names of objects after o.StartAfter, and moves that on.
func (b *bucket) listRest(
	ctx context.Context, o *minio.ListObjectsOptions, yield func(string, error) bool,
) error {
	for object := range b.client.ListObjectsIter(ctx, b.name, *o) {
		if object.Err != nil {
			return object.Err
		}
		if object.Key == o.StartAfter { // a folder that was listed before a retry
			continue
		}
		o.StartAfter = object.Key
		if !yield(strings.TrimPrefix(object.Key, b.prefix), nil) {
			return nil
		}
	}
	return ctx.Err()
}

// remove removes an object, if it is there.
func (b *bucket) remove(ctx context.Context, name string) error {
	return b.retry(ctx, name, func() error {
		return b.client.RemoveObject(ctx, b.name, b.prefix+name, minio.RemoveObjectOptions{})
	})
}

// abortUploads removes pieces of parts more than a day old, left by workers that were killed. Errors
// are ignored: the user may lack the permission, and pieces only take space.
func (b *bucket) abortUploads(ctx context.Context) {
	for upload := range b.client.ListIncompleteUploads(ctx, b.name, b.prefix, true) {
		isPart := strings.HasSuffix(upload.Key, batch.PartSuffix)
		if upload.Err == nil && isPart && time.Since(upload.Initiated) > 24*time.Hour {
			b.client.AbortMultipartUpload(ctx, b.name, upload.Key, upload.UploadID)
		}
	}
}
