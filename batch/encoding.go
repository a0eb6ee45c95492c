package batch

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
)

// A part as a file is gzip of several members (RFC 1952, section 2.2): the first line, one or more
// members of lines, and the last line. The first and the last are stored, not deflated, so that
// they can be read without the lines between: a file that has both is whole.

// newMember returns a gzip member that holds line as it is.
func newMember(line []byte) []byte {
	n := uint16(len(line))
	b := []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff, 1} // 1: the last block, stored
	b = binary.LittleEndian.AppendUint16(b, n)
	b = append(binary.LittleEndian.AppendUint16(b, ^n), line...)
	b = binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(line))
	return binary.LittleEndian.AppendUint32(b, uint32(n))
}

const (
	memberHead = 15 // bytes before the line
	memberTail = 8  // bytes after the line
)

// member returns the line in the gzip member that b begins with.
func member(b []byte) ([]byte, bool) {
	if len(b) < memberHead || b[0] != 0x1f || b[1] != 0x8b || b[10] != 1 {
		return nil, false
	}
	n := int(binary.LittleEndian.Uint16(b[11:]))
	if len(b) < memberHead+n+memberTail {
		return nil, false
	}
	line, tail := b[memberHead:memberHead+n], b[memberHead+n:]
	return line, crc32.ChecksumIEEE(line) == binary.LittleEndian.Uint32(tail)
}

// probe is how much is read of each end of a part, more than any first or last line takes.
const probe = 1 << 10

// readStored reads the first and the last line of a part of this size. If the part is not whole,
// the error matches [ErrDamaged].
func readStored(r io.ReaderAt, size int64) (Stored, error) {
	var ends [2][]byte
	for i, at := range []int64{0, max(0, size-probe)} {
		ends[i] = make([]byte, min(size, probe))
		if _, err := r.ReadAt(ends[i], at); err != nil && err != io.EOF {
			return Stored{}, err
		}
	}
	head, tail := ends[0], ends[1]
	if len(tail) > memberTail {
		n := int(min(probe, binary.LittleEndian.Uint32(tail[len(tail)-4:])))
		tail = tail[max(0, len(tail)-n-memberHead-memberTail):]
	}
	first, whole := member(head)
	last, ended := member(tail)
	if !whole || !ended || typeOf(first) != typePart || typeOf(last) != typeEnd {
		return Stored{}, ErrDamaged
	}
	var h header
	if err := cmp.Or(json.Unmarshal(first, &h), json.Unmarshal(last, &h.Stored)); err != nil {
		return Stored{}, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return h.Stored, h.check()
}
