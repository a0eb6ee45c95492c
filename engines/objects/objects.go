// Package objects keeps parts and states of package batch on S3, or a service that speaks its
// protocol, so that workers on many machines share nothing but a bucket.
//
//	store, err := objects.Open(ctx, "s3://bucket/prefix")
//	...
//	states, err := store.States(ctx)
//	w := &batch.Worker{Client: client, Queue: queue, States: states, Sink: store}
//	err = w.Run(ctx)
//
// Parts have the names that a [batch.Folder] gives them, so that a copy of them is a folder of
// parts. A part is written to a temporary file and uploaded once it is whole, in pieces if it has
// more than 16 MiB. A part that is discarded leaves nothing. If a worker is killed during an
// upload, its pieces are removed when the store is opened a day later.
//
// A state is replaced only if its ETag is still the one that was read (If-Match, or If-None-Match
// for the first). [Store.States] tests that, and refuses a store that ignores these fields. Large
// states are separate objects.
//
// The tests, in the module objectstest, run against versitygw 1.8 on a file system and kill it now
// and then. AWS S3, MinIO, Ceph and Cloudflare R2 were not tested.
//
// # Files
//
// Each file builds on those below it:
//
//	states.go   states, and the fence
//	runs.go     runs and their records
//	parts.go    parts
//	write.go    writes an object
//	object.go   reads an object
//	objects.go  opens a store
package objects

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// A Store keeps parts under a prefix of a bucket. It is a [batch.Sink] and a [batch.Remover], and
// safe for concurrent use by workers on many machines.
type Store struct {
	client minio.Core
	bucket string
	prefix string // of all names: "" or ending in "/"
}

// Scheme is the prefix of the location of a store.
const Scheme = "s3://"

// Open opens the store at a location such as "s3://bucket/prefix". The bucket must exist. The
// prefix may be missing. It is taken literally, without percent-decoding.
//
// AWS_ENDPOINT_URL is the URL of the service, if it is not Amazon's. AWS_REGION is the region of
// the bucket; without it, Open asks the service. Credentials are AWS_ACCESS_KEY_ID,
// AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, else those of the files of the AWS command, else of
// the machine's role.
func Open(ctx context.Context, location string) (*Store, error) {
	rest, ok := strings.CutPrefix(location, Scheme)
	bucket, prefix, _ := strings.Cut(rest, "/")
	if !ok || bucket == "" {
		return nil, fmt.Errorf("objects: %q: want s3://BUCKET or s3://BUCKET/PREFIX", location)
	}
	client, err := newClient()
	if err != nil {
		return nil, fmt.Errorf("objects: %w", err)
	}
	return New(ctx, client, bucket, prefix)
}

// newClient returns the client that the environment describes.
func newClient() (*minio.Client, error) {
	endpoint := os.Getenv("AWS_ENDPOINT_URL")
	if endpoint == "" {
		endpoint = "https://s3.amazonaws.com"
	}
	u, err := url.Parse(endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || strings.Trim(u.Path, "/") != "" {
		return nil, fmt.Errorf("AWS_ENDPOINT_URL %q: want http:// or https:// and a host", endpoint)
	}
	return minio.New(u.Host, &minio.Options{
		Secure: u.Scheme == "https",
		Region: os.Getenv("AWS_REGION"),
		Creds: credentials.NewChainCredentials([]credentials.Provider{
			&credentials.EnvAWS{}, &credentials.FileAWSCredentials{}, &credentials.IAM{},
		}),
	})
}

// openTime is how long New waits for an unresponsive store.
const openTime = 30 * time.Second

// New opens the store under a prefix of a bucket, with the caller's client.
func New(ctx context.Context, client *minio.Client, bucket, prefix string) (*Store, error) {
	ctx, stop := context.WithTimeout(ctx, openTime)
	defer stop()
	s := &Store{client: minio.Core{Client: client}, bucket: bucket}
	if prefix = strings.Trim(prefix, "/"); prefix != "" {
		s.prefix = prefix + "/"
	}
	exists, err := client.BucketExists(ctx, bucket)
	if err != nil {
		return nil, s.wrap("", err)
	}
	if !exists {
		return nil, s.wrap("", fmt.Errorf("there is no such bucket: %w", fs.ErrNotExist))
	}
	s.abortUploads(ctx)
	return s, nil
}

// abortUploads removes pieces more than a day old, left by workers that were killed. Errors are
// ignored: the user may lack the permission, and pieces only take space.
func (s *Store) abortUploads(ctx context.Context) {
	for upload := range s.client.ListIncompleteUploads(ctx, s.bucket, s.prefix, true) {
		if upload.Err == nil && time.Since(upload.Initiated) > 24*time.Hour {
			s.client.AbortMultipartUpload(ctx, s.bucket, upload.Key, upload.UploadID)
		}
	}
}

// location returns the location of an object, for people to read.
func (s *Store) location(name string) string { return Scheme + s.bucket + "/" + s.prefix + name }

// wrap adds the location of the object to an error.
func (s *Store) wrap(name string, err error) error {
	return fmt.Errorf("objects: %s: %w", s.location(name), err)
}

// patience bounds the retries against an unresponsive store, one each second.
const patience = 5 * time.Minute

// retry calls f until the store answers it, or patience is over. The error names the object.
func (s *Store) retry(ctx context.Context, name string, f func() error) error {
	for end := time.Now().Add(patience); ; {
		err := f()
		if err == nil {
			return nil
		}
		if !unanswered(err) || time.Now().After(end) {
			return s.wrap(name, err)
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// errLost means that a store lacks an object that it has accepted.
var errLost = errors.New("the store has lost the object")

// unanswered reports whether an error means that the store could not be reached, has failed or was
// busy: a conflict is one with a write at the same moment, which may have failed.
func unanswered(err error) bool {
	switch status := statusOf(err); status {
	case http.StatusConflict, http.StatusTooManyRequests:
		return true
	case 0:
		return errors.As(err, new(net.Error)) || errors.Is(err, io.ErrUnexpectedEOF) ||
			errors.Is(err, errLost)
	default:
		return status >= 500 && status != http.StatusNotImplemented
	}
}

// statusOf returns the HTTP status of an error, 0 if the store did not answer.
func statusOf(err error) int {
	var e minio.ErrorResponse
	errors.As(err, &e)
	return e.StatusCode
}
