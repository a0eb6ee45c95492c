package objects

import (
	"testing"
	"time"
)

// SetPieceSize sets the size of pieces for one test. Stores take none of less than 5 MiB.
func SetPieceSize(t *testing.T, n uint64) {
	was := pieceSize
	pieceSize = n
	t.Cleanup(func() { pieceSize = was })
}

// SetPatience sets the time for retries for one test.
func SetPatience(t *testing.T, d time.Duration) {
	was := patience
	patience = d
	t.Cleanup(func() { patience = was })
}
