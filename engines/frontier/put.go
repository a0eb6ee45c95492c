package frontier

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "github.com/seed-322c453a/sitemap/engines/internal/urlfrontier"
)

// inFlight is how many URLs may wait for their acknowledgement.
const inFlight = 1_000

var errUnanswered = errors.New("frontier: the server has not acknowledged all URLs")

// put sends URLs and calls acked with the acknowledgement of each. It stops at the first error, and
// waits for the URLs that precede one of items.
func put(
	ctx context.Context,
	conn grpc.ClientConnInterface,
	items iter.Seq2[*pb.URLItem, error],
	acked func(*pb.AckMessage),
) error {
	group, inner := errgroup.WithContext(ctx)
	stream, err := pb.NewURLFrontierClient(conn).PutURLs(inner)
	if err != nil {
		return failure(ctx, err)
	}
	waiting := make(chan struct{}, inFlight)
	var complete atomic.Bool
	var broken error // of items
	group.Go(func() error {
		for item, err := range items {
			if broken = err; err != nil {
				break
			}
			select {
			case waiting <- struct{}{}:
			case <-inner.Done():
				return inner.Err()
			}
			if err := stream.Send(item); err != nil {
				return nil // Recv returns the cause
			}
		}
		complete.Store(true)
		return stream.CloseSend()
	})
	group.Go(func() error {
		for {
			ack, err := stream.Recv()
			switch {
			case err != nil && complete.Load() && len(waiting) == 0:
				return nil
			case err == io.EOF:
				return errUnanswered
			case err != nil:
				return failure(ctx, err)
			}
			acked(ack)
			select {
			case <-waiting:
			default: // an unexpected acknowledgement
			}
		}
	})
	err = group.Wait()
	return cmp.Or(err, broken)
}

// failure returns the error of a call: that of the context if it has ended.
func failure(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case status.Code(err) == codes.DeadlineExceeded: // the server noticed first
		return context.DeadlineExceeded
	}
	return fmt.Errorf("frontier: %w", err)
}
