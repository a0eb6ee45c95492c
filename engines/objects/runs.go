package objects

import (
	"context"
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
