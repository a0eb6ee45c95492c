// Package swar looks at the eight bytes of a word at once ("SIMD within a register").
// What it tells of a byte stands in that byte's high bit.
//
// Where bytes are added to or subtracted from, a carry or borrow may reach the next
// byte up. So a result is exact up to the first byte, from the lowest, that is not
// ASCII (Differ, AtLeast) or that is found (Find), which is all that who looks for
// the first byte of some kind needs. Words are little-endian: the lowest byte is the
// first.
package swar

const (
	// Ones, times a byte, is a word of eight of them.
	Ones = 0x0101010101010101
	// Highs are the high bits of all bytes: what is not ASCII has them.
	Highs = 0x80 * Ones
)

// Differ tells which bytes of x are not c, a word of eight equal ASCII bytes.
func Differ(x, c uint64) uint64 { return (x ^ c) + 0x7f*Ones }

// AtLeast tells which bytes of x are c or more, where c is an ASCII byte.
func AtLeast(x uint64, c byte) uint64 { return x + uint64(0x80-c)*Ones }

// Find tells which bytes of x are c, and nothing else: it is 0 if there is none.
func Find(x uint64, c byte) uint64 {
	y := x ^ uint64(c)*Ones
	return (y - Ones) &^ y & Highs
}
