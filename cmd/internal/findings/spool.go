package findings

import (
	"cmp"
	"os"
)

// A spool keeps texts that grow side by side, in memory and then in a temporary file.
type spool struct {
	file *os.File // nil until it is needed
	size int64    // of the file
	held int      // bytes in memory
	open []*spooled
	err  error
}

// A spooled text is in pieces of a file, and the rest of it in memory.
type spooled struct {
	pieces []piece
	rest   []byte
}

type piece struct {
	offset int64
	size   int
}

// maxHeld is how much text is held in memory.
const maxHeld = 8 << 20

// add appends a line to a text.
func (s *spool) add(t *spooled, line string) {
	if len(t.rest) == 0 {
		s.open = append(s.open, t)
	}
	t.rest = append(append(t.rest, line...), '\n')
	if s.held += len(line) + 1; s.held > maxHeld {
		s.write()
	}
}

// write moves what is held to the file.
func (s *spool) write() {
	if s.file == nil && s.err == nil {
		if s.file, s.err = os.CreateTemp("", "sitemap-*"); s.err == nil {
			os.Remove(s.file.Name()) // which some systems allow only once it is closed
		}
	}
	for _, t := range s.open {
		if s.err == nil {
			_, s.err = s.file.WriteAt(t.rest, s.size)
		}
		t.pieces = append(t.pieces, piece{s.size, len(t.rest)})
		s.size += int64(len(t.rest))
		t.rest = nil
	}
	s.open, s.held = s.open[:0], 0
}

// each calls f with the pieces of a text, all of them whole lines.
func (s *spool) each(t *spooled, f func([]byte) error) error {
	for _, p := range t.pieces {
		if s.err != nil {
			return s.err
		}
		b := make([]byte, p.size)
		if _, err := s.file.ReadAt(b, p.offset); err != nil {
			return err
		}
		if err := f(b); err != nil {
			return err
		}
	}
	if len(t.rest) == 0 {
		return s.err
	}
	return cmp.Or(s.err, f(t.rest))
}

func (t *spooled) isEmpty() bool { return len(t.pieces) == 0 && len(t.rest) == 0 }

// close removes the file.
func (s *spool) close() {
	if s.file != nil {
		s.file.Close()
		os.Remove(s.file.Name())
	}
}
