package objects

import "testing"

// SetPieceSize sets the size of pieces for one test. Stores take none of less than 5 MiB.
func SetPieceSize(t *testing.T, n uint64) {
	was := pieceSize
	pieceSize = n
	t.Cleanup(func() { pieceSize = was })
}
