package batch

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/engines/objects"
)

// A store keeps the parts of runs, a record of each run, and the states of domains.
type store interface {
	batch.Sink
	batch.Remover
	Runs(ctx context.Context) ([]string, error)
	// Record returns the bytes that SaveRecord saved. If there are none, the error matches
	// fs.ErrNotExist.
	Record(ctx context.Context, run string) ([]byte, error)
	SaveRecord(ctx context.Context, run string, record []byte) error
	States(ctx context.Context) (batch.States, error)
}

func isBucket(location string) bool { return strings.HasPrefix(location, objects.Scheme) }

// openStore opens a folder, or a prefix of a bucket.
func openStore(ctx context.Context, location string) (store, error) {
	if isBucket(location) {
		return objects.Open(ctx, location)
	}
	return openFolder(location)
}

// splitRun returns the store and the run that OUT/RUN names.
func splitRun(location string) (out, run string, err error) {
	if isBucket(location) {
		out, run = path.Split(strings.TrimRight(location[len(objects.Scheme):], "/"))
		if out == "" { // a bucket alone
			run = ""
		}
		out = objects.Scheme + strings.TrimSuffix(out, "/")
	} else {
		location = filepath.Clean(location)
		out, run = filepath.Dir(location), filepath.Base(location)
	}
	if err := batch.CheckRun(run); err != nil {
		return "", "", fmt.Errorf("%s: want OUT/RUN: %w", location, err)
	}
	return out, run, nil
}

// hasRun reports whether there is a record or a part of a run.
func hasRun(ctx context.Context, s store, run string) bool {
	_, err := s.Record(ctx, run)
	return err == nil || hasPart(ctx, s, run)
}

// hasPart reports whether there is a part of a run.
func hasPart(ctx context.Context, s store, run string) bool {
	for _, err := range s.Parts(ctx, run) {
		return err == nil || errors.Is(err, batch.ErrDamaged)
	}
	return false
}

// errNoParts is the error for a run without parts. It names the command that makes them.
func errNoParts(location string) error {
	const text = "%s: no parts in it: sitemap batch LIST -o OUT makes parts, in OUT/RUN; " +
		"sitemap batch status OUT lists the runs"
	return fmt.Errorf(text, location)
}
