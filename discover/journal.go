package discover

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// A line is one line of a State's journal, in JSON. Its kind says which of its
// fields have a meaning.
type line struct {
	Kind string `json:"t"`

	// linePlan and lineMore: the walks that are to come
	Plan   []string `json:"plan,omitempty"`
	Output string   `json:"output,omitempty"`
	Told   bool     `json:"told,omitempty"` // by Resume: it ends with lineDone

	// lineBegin and lineEnd: a walk of the plan begins or ends
	Walk  string     `json:"walk,omitempty"`
	Run   int        `json:"run,omitempty"` // its number; of linePlan, that of the last one
	At    int64      `json:"at,omitempty"`  // seconds since 1970
	Site  string     `json:"site,omitempty"`
	Found *foundLine `json:"found,omitempty"`
	// Limits left documents out of a walk that has ended.
	Limits []*LimitError `json:"limits,omitempty"`

	// lineDoc: a document has ended
	Doc *entry `json:"doc,omitempty"`
	// Out is the length of the output, where the caller noted it.
	Out *int64 `json:"out,omitempty"`

	// lineHost: what is known of a host's lastmods
	Host string   `json:"host,omitempty"`
	Mods *honesty `json:"mods,omitempty"`
}

const (
	lineMark  = "mark" // behind the plan that was compacted, and behind all that was
	linePlan  = "plan"
	lineMore  = "more"
	lineBegin = "begin"
	lineEnd   = "end"
	lineDone  = "done"
	lineDoc   = "doc"
	lineHost  = "host"
)

// A foundLine is how a walk's seeds were found.
type foundLine struct {
	Robots string     `json:"robots,omitempty"`
	Hops   []string   `json:"hops,omitempty"`
	Seeds  []seedLine `json:"seeds,omitempty"`
	Cut    *failure   `json:"cut,omitempty"`    // by which robots.txt broke off
	Answer *answer    `json:"answer,omitempty"` // by which it came then
	// Missed are known paths that may have a sitemap another time.
	Missed []missedLine `json:"missed,omitempty"`
}

type missedLine struct {
	Loc string `json:"l"`
	failure
}

type seedLine struct {
	Loc  string `json:"l"`
	Line int    `json:"n,omitempty"` // 0: a known path
}

// maxLine bounds a line of the journal: twice what an index has at most.
const maxLine = 2 * maxKids

// readJournal calls take for each whole line, with nil for one that is damaged. A torn last
// line is left out.
func readJournal(r io.Reader, take func(*line)) error {
	br := bufio.NewReaderSize(r, 64<<10)
	for n := 0; ; n++ {
		text, err := readLine(br)
		if err != nil && err != io.EOF {
			return err
		}
		switch {
		case len(text) == 0:
			return nil
		case n == 0 && strings.HasPrefix(headText, string(text)):
		case n == 0 && bytes.HasPrefix(text, []byte(headStart)):
			return errVersion
		case n == 0:
			return errNoState
		case err == nil:
			take(decodeLine(text))
		}
	}
}

// readLine reads a line with its end, or the start of one that is too long.
func readLine(br *bufio.Reader) (text []byte, err error) {
	for {
		part, err := br.ReadSlice('\n')
		if len(text) <= maxLine {
			text = append(text, part...)
		}
		if err != bufio.ErrBufferFull {
			return text, err
		}
	}
}

// sumText is what a line ends with: the checksum of what stands before it.
const sumText = `,"c":"%08x"}` + "\n"

var sums = crc32.MakeTable(crc32.Castagnoli)

// encodeLine returns the text of a line.
func encodeLine(l *line) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(l); err != nil {
		return nil, err
	}
	text := bytes.TrimSuffix(b.Bytes(), []byte("}\n"))
	return fmt.Appendf(text, sumText, crc32.Checksum(text, sums)), nil
}

// decodeLine returns the line of a text, nil if it is damaged.
func decodeLine(text []byte) *line {
	before := text[:max(0, len(text)-len(fmt.Sprintf(sumText, 0)))]
	if !bytes.Equal(text[len(before):], fmt.Appendf(nil, sumText, crc32.Checksum(before, sums))) {
		return nil
	}
	var l line
	if json.Unmarshal(text, &l) != nil {
		return nil
	}
	return &l
}

// headText is the first line, which ends with the version of the journal.
const (
	headStart = `{"t":"sitemap-state","v":`
	headText  = headStart + "3}\n"
)

// A journal is the file of a State, open for appending.
type journal struct {
	f   *os.File
	err error // the first that writing met
}

// append writes one line with one call, so that only the last line of the file
// can be torn.
func (j *journal) append(l *line) {
	if j.err != nil {
		return
	}
	var text []byte
	if text, j.err = encodeLine(l); j.err == nil {
		_, j.err = j.f.Write(text)
	}
}

// sync waits until what was written is on the disk.
func (j *journal) sync() {
	if j.err == nil {
		j.err = j.f.Sync()
	}
}

// checkPath sees to it that the file is still what path leads to.
func (j *journal) checkPath(path string) {
	opened, err := j.f.Stat()
	if j.err != nil || err != nil {
		return
	}
	if now, err := os.Stat(path); err != nil || !os.SameFile(opened, now) {
		j.err = errors.New("removed or replaced since it was opened")
	}
}

// writeJournal replaces the file at path by one with the lines that each gives, and
// returns it, open behind them and locked.
func writeJournal(path string, each func(emit func(*line))) (*os.File, error) {
	// Who holds the lock of the old one may remove what an earlier process left.
	temporary := filepath.Join(filepath.Dir(path), ".sitemap-state-"+filepath.Base(path))
	os.Remove(temporary)
	f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	if err = lock(f); err == nil {
		err = writeLines(f, each)
	}
	if err == nil {
		err = f.Sync()
	}
	if err == nil && !locks {
		err = f.Close() // what is open cannot be renamed everywhere
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		f.Close()
		os.Remove(f.Name())
		return nil, err
	}
	if !locks {
		return os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	}
	return f, nil
}

func writeLines(w io.Writer, each func(emit func(*line))) error {
	buf := bufio.NewWriterSize(w, 256<<10)
	_, err := buf.WriteString(headText)
	each(func(l *line) {
		var text []byte
		if err == nil {
			text, err = encodeLine(l)
		}
		buf.Write(text)
	})
	return errors.Join(err, buf.Flush())
}
