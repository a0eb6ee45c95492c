// Package turn lets who asks a Fetcher for a document know when a request for it goes out, and
// have it wait until it may: package discover counts the requests that are under way, not those
// that wait in package fetch for the turn of their host. And who has a goroutine for each document
// spares package fetch one. It is what these packages know of each other beside what is public.
package turn

import (
	"context"
	"io"
)

// A Body is the Body of a document of a fetch.Client.
type Body interface {
	// Raw returns a reader of the bytes as they came, and Encodings how often the
	// Content-Encoding names gzip.
	Raw() io.Reader
	Encodings() int
	// Unframed reports whether only the end of the connection tells that of the body.
	Unframed() bool
	// ReadAhead reads ahead until the body has ended or is closed. It is for who has said that he
	// calls it, on a goroutine that has nothing else to do.
	ReadAhead()
	// Pending returns nil if a Read returns at once, as far as read-ahead knows, and else a channel
	// that is told when that may have changed. It begins to read.
	Pending() <-chan struct{}
	// OnEnd has f called when the body has ended before anybody begins to read it, once and on any
	// goroutine, at once if that is so already. Broken says that it broke off (fetch.ErrBody), so
	// that another fetch may bring more; else it is whole, or ended for good. It is not called of
	// one that had to wait for room first, which another fetch might have to as well, nor without
	// read-ahead.
	OnEnd(f func(broken bool))
	// Peek returns the first bytes that have come and were not read, as they came, at most so
	// many: none without read-ahead.
	Peek(most int) []byte
	// Last returns the last bytes that have come, likewise.
	Last(most int) []byte
}

// A Taker waits until a request may go out, and returns what is to be called when its response
// or its failure has come. The error is ctx's.
type Taker func(ctx context.Context) (done func(), err error)

type key struct{}

// With returns a context for whose requests Take calls take.
func With(ctx context.Context, take Taker) context.Context {
	return context.WithValue(ctx, key{}, take)
}

// Take calls the Taker of ctx, if it has one.
func Take(ctx context.Context) (done func(), err error) {
	if take, ok := ctx.Value(key{}).(Taker); ok {
		return take(ctx)
	}
	return func() {}, nil
}

type aheadKey struct{}

// WithReadAhead returns a context for whose documents the caller reads ahead himself: he calls
// ReadAhead of each Body, or closes it. Only who asks a fetch.Client can. Queued calls queued.
func WithReadAhead(ctx context.Context, queued func()) context.Context {
	return context.WithValue(ctx, aheadKey{}, queued)
}

// ReadsAhead reports whether ctx is one of these.
func ReadsAhead(ctx context.Context) bool { return ctx.Value(aheadKey{}) != nil }

// Queued tells who reads ahead that a request waits for the turn of its host behind all that came
// before: what comes now is behind it. It may be called more than once.
func Queued(ctx context.Context) {
	if queued, ok := ctx.Value(aheadKey{}).(func()); ok {
		queued()
	}
}
