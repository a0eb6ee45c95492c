package objects

import (
	"bytes"
	"context"
	"io"
	"strings"

	"github.com/minio/minio-go/v7"

	"github.com/seed-322c453a/sitemap/batch"
)

// Runs returns the names of the runs, sorted.
func (s *Store) Runs(ctx context.Context) ([]string, error) {
	var runs []string
	for name, err := range s.bucket.list(ctx, minio.ListObjectsOptions{}) {
		if err != nil {
			return nil, err
		}
		run, isFolder := strings.CutSuffix(name, "/")
		if isFolder && batch.CheckRun(run) == nil {
			runs = append(runs, run)
		}
	}
	return runs, nil
}

func recordName(run string) string { return run + "/run.json" }

// Record returns the record of a run, in which a program keeps its own data about the run, such as
// a mode. If the run has none, the error matches fs.ErrNotExist.
func (s *Store) Record(ctx context.Context, run string) ([]byte, error) {
	o, err := s.bucket.Open(ctx, recordName(run))
	if err != nil {
		return nil, err
	}
	record := make([]byte, o.Size)
	_, err = o.ReadAt(record, 0)
	return record, err
}

// SaveRecord replaces the record of a run.
func (s *Store) SaveRecord(ctx context.Context, run string, record []byte) error {
	r := io.NewSectionReader(bytes.NewReader(record), 0, int64(len(record)))
	return s.bucket.put(ctx, recordName(run), r, batch.AnyVersion)
}
