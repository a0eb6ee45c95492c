// Package turn lets who asks a Fetcher for a document know when a request for it goes out, and
// have it wait until it may: package discover counts the requests that are under way, not those
// that wait in package fetch for the turn of their host. And who has a goroutine for each document
// spares package fetch one.
package turn

import "context"

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

// WithReadAhead returns a context for whose documents the caller reads ahead himself: where the
// body has a method ReadAhead, he calls it, or closes the body.
func WithReadAhead(ctx context.Context) context.Context {
	return context.WithValue(ctx, aheadKey{}, true)
}

// ReadsAhead reports whether ctx is one of these.
func ReadsAhead(ctx context.Context) bool { return ctx.Value(aheadKey{}) != nil }
