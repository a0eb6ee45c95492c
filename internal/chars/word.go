package chars

// The functions below look at the eight bytes of a word at once ("SIMD within a register"). They
// return their result for each byte in the byte's high bit.
//
// A carry or borrow may reach the next higher byte. So a result is exact up to the lowest byte that
// is not ASCII (Differ, AtLeast) or that is found (Find). That is enough to find the first byte of
// some kind. Words are little-endian: the lowest byte is the first.

const (
	// Ones multiplied by a byte is a word of eight such bytes.
	Ones = 0x0101010101010101
	// Highs are the high bits of all bytes, which are set in bytes that are not ASCII.
	Highs = 0x80 * Ones
)

// Differ finds the bytes of x that are not those of c, a word of eight equal ASCII bytes.
func Differ(x, c uint64) uint64 { return (x ^ c) + 0x7f*Ones }

// AtLeast finds the bytes of x that are c or more. C must be ASCII.
func AtLeast(x uint64, c byte) uint64 { return x + uint64(0x80-c)*Ones }

// Find finds the bytes of x that are c. It returns 0 if there are none.
func Find(x uint64, c byte) uint64 {
	y := x ^ uint64(c)*Ones
	return (y - Ones) &^ y & Highs
}
