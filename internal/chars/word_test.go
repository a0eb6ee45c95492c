package chars

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"testing"
)

// Each function is right for all bytes up to the first one that is not ASCII, or that was found.
func TestWords(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		c := byte(rnd.IntN(0x80))
		b := make([]byte, 8)
		for i := range b {
			switch b[i] = byte(rnd.IntN(0x80)); rnd.IntN(6) {
			case 0:
				b[i] = c
			case 1:
				b[i] = c + byte(rnd.IntN(3)) - 1
			case 2:
				b[i] |= 0x80
			}
		}
		x := binary.LittleEndian.Uint64(b)
		differ, atLeast, find := Differ(x, uint64(c)*Ones), AtLeast(x, c), Find(x, c)
		found := 8
		for i, v := range b {
			if v == c {
				found = i
				break
			}
		}
		if bits.TrailingZeros64(find)/8 != found {
			t.Fatalf("Find(%x, %x) = %x, the first is byte %d", b, c, find, found)
		}
		for i, v := range b {
			if v >= 0x80 {
				break
			}
			high := uint64(0x80) << (8 * i)
			if differ&high != 0 != (v != c) || atLeast&high != 0 != (v >= c) {
				t.Fatalf("byte %d of %x: Differ(%x) = %x, AtLeast = %x", i, b, c, differ, atLeast)
			}
		}
	}
}
