package audit

import (
	"cmp"
	"encoding/binary"
	"errors"
	"strings"
)

// The kinds of records, in the order in which those of a location are sorted.
const (
	isListed = iota // a document lists the location
	isNaming        // the page names other as an alternate
	isNamed         // other names the location as an alternate
)

// A record says something about a location.
type record struct {
	loc      string
	kind     byte
	other    string // of a page that is listed, its lastmod
	document uint32
	line     uint32
	column   uint32
	offset   uint64
}

func compareRecords(a, b record) int {
	if order := cmp.Or(strings.Compare(a.loc, b.loc), cmp.Compare(a.kind, b.kind)); order != 0 {
		return order
	}
	if a.kind == isNamed {
		if order := strings.Compare(a.other, b.other); order != 0 {
			return order
		}
	}
	return cmp.Or(cmp.Compare(a.document, b.document), cmp.Compare(a.offset, b.offset),
		strings.Compare(a.other, b.other))
}

func encodeRecord(r record) ([]byte, error) {
	b := make([]byte, 0, len(r.loc)+len(r.other)+24)
	b = append(b, r.kind)
	numbers := []uint64{
		uint64(r.document), uint64(r.line), uint64(r.column), r.offset, uint64(len(r.loc)),
	}
	for _, n := range numbers {
		b = binary.AppendUvarint(b, n)
	}
	return append(append(b, r.loc...), r.other...), nil
}

var errRecord = errors.New("damaged temporary file")

func decodeRecord(b []byte) (record, error) {
	if len(b) == 0 {
		return record{}, errRecord
	}
	r, rest := record{kind: b[0]}, b[1:]
	var numbers [5]uint64
	for i := range numbers {
		v, n := binary.Uvarint(rest)
		if n <= 0 {
			return record{}, errRecord
		}
		numbers[i], rest = v, rest[n:]
	}
	size := numbers[4]
	if size > uint64(len(rest)) {
		return record{}, errRecord
	}
	r.document, r.line, r.column = uint32(numbers[0]), uint32(numbers[1]), uint32(numbers[2])
	r.offset, r.loc, r.other = numbers[3], string(rest[:size]), string(rest[size:])
	return r, nil
}
