package batch

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"sync"
	"time"

	"github.com/klauspost/compress/gzip"
)

// A part as a file is gzip of several members (RFC 1952, section 2.2): the first line, the lines, and
// the last line. The first and the last are stored, not deflated, so that they are read back without
// what lies between: a file that has both is whole.

// A firstLine says whose part it is.
type firstLine struct {
	Version int    `json:"version"`
	Run     string `json:"run"`
	Domain  string `json:"domain"`
	Digest  string `json:"digest"`         // of the targets
	Lots    string `json:"lots,omitempty"` // a bit for each, in hexadecimal
}

// A lastLine says what the part holds.
type lastLine struct {
	Time   time.Time `json:"time"`
	Counts Counts    `json:"counts"`
}

func firstOf(t Task) firstLine {
	l := firstLine{Version: version, Run: t.Run, Domain: t.Domain, Digest: t.Digest()}
	if lots := t.lots(); lots != nil {
		var bits [32]byte
		for _, lot := range lots {
			var i int
			fmt.Sscanf(lot.Domain[len(t.Domain):], "~%02x", &i)
			bits[i/8] |= 1 << (i % 8)
		}
		l.Lots = hex.EncodeToString(bits[:])
	}
	return l
}

// lotNames returns the names of the lots of a domain.
func (l *firstLine) lotNames() []string {
	bits, _ := hex.DecodeString(l.Lots)
	var names []string
	for i := range 8 * len(bits) {
		if bits[i/8]&(1<<(i%8)) != 0 {
			names = append(names, fmt.Sprintf("%s~%02x", l.Domain, i))
		}
	}
	return names
}

// appendMember appends a gzip member that holds line as it is.
func appendMember(b, line []byte) []byte {
	b = append(b, 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff)
	n := uint16(len(line))
	b = binary.LittleEndian.AppendUint16(append(b, 1), n) // the last block, stored
	b = append(binary.LittleEndian.AppendUint16(b, ^n), line...)
	b = binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(line))
	return binary.LittleEndian.AppendUint32(b, uint32(n))
}

const (
	memberHead = 15 // bytes before the line
	memberTail = 8  // and after it
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

var zippers = sync.Pool{New: func() any { return gzip.NewWriter(nil) }}

// A PartWriter writes a part in the form in which a [Folder] has it, for sinks that keep parts
// elsewhere.
type PartWriter struct {
	w  io.Writer
	gz *gzip.Writer
}

// NewPartWriter begins the part of a task.
func NewPartWriter(w io.Writer, t Task) (*PartWriter, error) {
	if _, err := w.Write(appendMember(nil, typed(typePart, firstOf(t)))); err != nil {
		return nil, err
	}
	p := &PartWriter{w: w, gz: zippers.Get().(*gzip.Writer)}
	p.gz.Reset(w)
	return p, nil
}

// Write writes lines.
func (p *PartWriter) Write(lines []byte) (int, error) { return p.gz.Write(lines) }

// End writes the last line. A part without it is damaged.
func (p *PartWriter) End(c Counts) error {
	if err := p.gz.Close(); err != nil {
		return err
	}
	last := lastLine{Time: time.Now().UTC().Truncate(time.Second), Counts: c}
	_, err := p.w.Write(appendMember(nil, typed(typeEnd, last)))
	return err
}

// Release frees what the writer holds. Nothing may be called after it.
func (p *PartWriter) Release() { zippers.Put(p.gz) }

// probe is how much is read of each end of a part, more than any first or last line takes.
const probe = 1 << 10

// ReadStored reads the first and the last line of a part of this size. If it is not whole, the error
// matches [ErrDamaged].
func ReadStored(r io.ReaderAt, size int64) (Stored, error) {
	head := make([]byte, min(size, probe))
	if _, err := r.ReadAt(head, 0); err != nil && err != io.EOF {
		return Stored{}, err
	}
	tail := head
	if size > probe {
		tail = make([]byte, probe)
		if _, err := r.ReadAt(tail, size-probe); err != nil && err != io.EOF {
			return Stored{}, err
		}
	}
	if len(tail) > memberTail {
		n := int(binary.LittleEndian.Uint32(tail[len(tail)-4:]))
		tail = tail[max(0, len(tail)-n-memberHead-memberTail):]
	}
	first, whole := member(head)
	last, ended := member(tail)
	if !whole || !ended || typeOf(first) != typePart || typeOf(last) != typeEnd {
		return Stored{}, ErrDamaged
	}
	var f firstLine
	var l lastLine
	if err := errors.Join(json.Unmarshal(first, &f), json.Unmarshal(last, &l)); err != nil {
		return Stored{}, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if f.Version > version {
		return Stored{}, errNewer(f.Version)
	}
	return Stored{
		Task: Task{Run: f.Run, Domain: f.Domain}, Digest: f.Digest, Lots: f.lotNames(), Time: l.Time,
		Counts: l.Counts,
	}, nil
}

// Of reports whether the part is that of a task: with the same targets or, if the task has none, with
// any.
func (s *Stored) Of(t Task) bool {
	return s.Run == t.Run && s.Domain == t.Domain && (len(t.Targets) == 0 || s.Digest == t.Digest())
}
