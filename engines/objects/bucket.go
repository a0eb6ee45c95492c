package objects

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/minio/minio-go/v7"
)

// A bucket is the [batch.Files] under a prefix of a bucket.
type bucket struct {
	client minio.Core
	name   string
	prefix string // of the names of all objects: "" or ending in "/"
}

// location returns the location of an object, for people to read.
func (b *bucket) location(name string) string { return Scheme + b.name + "/" + b.prefix + name }

// wrap adds the location of the object to an error.
func (b *bucket) wrap(name string, err error) error {
	return fmt.Errorf("objects: %s: %w", b.location(name), err)
}

// patience bounds the retries against an unresponsive store, one each second. It is a variable for
// tests.
var patience = 5 * time.Minute

// retry calls f until the store answers it, or patience is over. The error names the object.
func (b *bucket) retry(ctx context.Context, name string, f func() error) error {
	for end := time.Now().Add(patience); ; {
		err := f()
		if err == nil {
			return nil
		}
		if !unanswered(err) || time.Now().After(end) {
			return b.wrap(name, err)
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
// busy: a conflict is one with a write at the same moment, which may have failed. An upload that
// does not exist may be one that has ended, when the answer was lost.
func unanswered(err error) bool {
	switch status := statusOf(err); status {
	case http.StatusConflict, http.StatusTooManyRequests:
		return true
	case http.StatusNotFound:
		return minio.ToErrorResponse(err).Code == minio.NoSuchUpload
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
