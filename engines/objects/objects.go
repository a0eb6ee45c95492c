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
// A domain's states are an object. It is replaced only if its ETag is still the one that was read
// (If-Match, or If-None-Match for the first). [Store.States] tests that, and refuses a store that
// ignores these fields.
//
// The tests, in the module objectstest, run against versitygw 1.8 on a file system and kill it now
// and then. AWS S3, MinIO, Ceph and Cloudflare R2 were not tested.
//
// # Files
//
// Each file builds on those below it:
//
//	objects.go  opens a store
//	runs.go     runs
//	states.go   states, and whether the store honours If-Match
//	write.go    writes, lists and removes objects
//	read.go     reads an object
//	bucket.go   repeats requests
package objects

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/batch"
)

// A Store keeps parts under a prefix of a bucket. It is a [batch.Sink], and safe for concurrent use
// by workers on many machines.
type Store struct {
	batch.FileSink
	bucket *bucket
}

// Scheme is the prefix of the location of a store.
const Scheme = "s3://"

// ErrLocation is in the error of [Open] for a location that names no bucket.
var ErrLocation = errors.New("want s3://BUCKET or s3://BUCKET/PREFIX")

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
	if !ok || bucket == "" || strings.ContainsAny(bucket, "@:") { // Hadoop's credentials
		return nil, fmt.Errorf("objects: %q: %w", sitemap.Redact(location), ErrLocation)
	}
	endpoint := cmp.Or(os.Getenv("AWS_ENDPOINT_URL"), "https://s3.amazonaws.com")
	u, err := url.Parse(endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || strings.Trim(u.Path, "/") != "" {
		const text = "objects: AWS_ENDPOINT_URL %q: want http:// or https:// and a host"
		return nil, fmt.Errorf(text, sitemap.Redact(endpoint))
	}
	client, err := minio.New(u.Host, &minio.Options{
		Secure: u.Scheme == "https",
		Region: os.Getenv("AWS_REGION"),
		Creds: credentials.NewChainCredentials([]credentials.Provider{
			&credentials.EnvAWS{}, &credentials.FileAWSCredentials{}, &credentials.IAM{},
		}),
	})
	if err != nil {
		return nil, fmt.Errorf("objects: %w", err)
	}
	return New(ctx, client, bucket, prefix)
}

// openTime is how long New waits for an unresponsive store.
const openTime = 30 * time.Second

// New opens the store under a prefix of a bucket, with the caller's client.
func New(ctx context.Context, client *minio.Client, name, prefix string) (*Store, error) {
	ctx, stop := context.WithTimeout(ctx, openTime)
	defer stop()
	b := &bucket{client: minio.Core{Client: client}, name: name}
	b.prefix = strings.TrimPrefix(strings.Trim(prefix, "/")+"/", "/") // "" stays ""
	exists, err := client.BucketExists(ctx, name)
	if err != nil {
		return nil, b.wrap("", err)
	}
	if !exists {
		return nil, b.wrap("", fmt.Errorf("there is no such bucket: %w", fs.ErrNotExist))
	}
	b.abortUploads(ctx)
	return &Store{batch.FileSink{Files: b}, b}, nil
}
