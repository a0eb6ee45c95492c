package chars

import "strconv"

// AppendInt appends n in decimal to b, padded with zeros to width digits. N must not be negative.
func AppendInt(b []byte, n, width int) []byte {
	var digits [20]byte
	s := strconv.AppendInt(digits[:0], int64(n), 10)
	for i := len(s); i < width; i++ {
		b = append(b, '0')
	}
	return append(b, s...)
}
