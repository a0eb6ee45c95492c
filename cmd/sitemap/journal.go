package main

import (
	"cmp"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/seed-322c453a/sitemap/discover/state"
)

// A journal is the Store of a run with --state. Beside the records of the walks it keeps how much
// of the output is complete. A walk puts a document into the Store directly after the command has
// noted the output with that document. So of a run that was killed, either both are kept, or the
// last document was noted only: then it is read again, but not printed again.
type journal struct {
	*state.File
	out *output
	run runRecord
	err error // why the output could not be noted
}

// A runRecord is what the journal keeps of the last run.
type runRecord struct {
	ID     string `json:"id"`     // discover.Options.Run
	Digest string `json:"digest"` // of what decides the output
	Ended  bool   `json:"ended"`
	Length int64  `json:"length"` // of the output after the last document
	Last   string `json:"last"`   // that document
	URLs   int64  `json:"urls"`   // printed in this run until then
	Output string `json:"output"` // the file of -o
	Format string `json:"format"` // its format
}

// The keys of the journal. Those of walks have one letter after the first slash.
const (
	runKey = "sitemap/run"
	urlKey = "sitemap/url/" // and a hash: the last run that printed this URL, for --unique
)

// openJournal opens the file of --state. It reports whether the last run goes on.
func openJournal(path, digest string) (j *journal, resumed bool, err error) {
	f, err := state.Open(path)
	if err != nil {
		return nil, false, err
	}
	j = &journal{File: f}
	value, err := f.Get(runKey)
	if err != nil {
		f.Close()
		return nil, false, err
	}
	if json.Unmarshal(value, &j.run) == nil && !j.run.Ended && j.run.Digest == digest {
		return j, true, nil
	}
	j.run = runRecord{ID: rand.Text(), Digest: digest, Output: j.run.Output, Format: j.run.Format}
	return j, false, nil
}

// keepFormat returns an error if the output has lines of another format already.
func (j *journal) keepFormat(output, format string) error {
	if output == j.run.Output && format != j.run.Format && output != "" {
		return fmt.Errorf("%s holds %s, not %s: name another file", output, j.run.Format, format)
	}
	j.run.Output, j.run.Format = output, format
	return nil
}

// attach makes out the output of the run.
func (j *journal) attach(out *output) error {
	j.out = out
	j.note(j.run.Last, j.run.URLs)
	return cmp.Or(j.err, j.Sync())
}

// note records the output after the last document, and how many URLs the run has printed by then.
func (j *journal) note(last string, urls int64) {
	if j.err = j.out.Flush(); j.err != nil {
		return
	}
	j.run.Length, j.run.Last, j.run.URLs = j.out.length, last, urls
	value, err := json.Marshal(j.run)
	if err == nil {
		err = j.Put(runKey, value)
	}
	j.err = err
}

// Put fails once the output could not be written: no document may count as printed then.
func (j *journal) Put(key string, value []byte) error {
	if j.err != nil {
		return j.err
	}
	return j.File.Put(key, value)
}

// Sync makes the output durable before the records that depend on it.
func (j *journal) Sync() error {
	if j.out.file != nil {
		if err := j.out.file.Sync(); err != nil {
			return err
		}
	}
	return j.File.Sync()
}

// finish closes the journal of a run that ended with err. The run has ended if err is nil.
func (j *journal) finish(err error) error {
	if err == nil {
		j.run.Ended = true
		j.note(j.run.Last, j.run.URLs)
	}
	return cmp.Or(err, j.err, j.Sync(), j.Close())
}

// remember makes seen remember the URLs of the run in the journal. The function that it returns is
// to be called after each note.
func (j *journal) remember(seen *urlSet) func() {
	var fresh []uint64
	key := func(hash uint64) string {
		return urlKey + string(binary.BigEndian.AppendUint64(nil, hash))
	}
	seen.known = func(hash uint64) bool {
		value, err := j.Get(key(hash))
		return err == nil && string(value) == j.run.ID
	}
	seen.fresh = func(hash uint64) { fresh = append(fresh, hash) }
	return func() {
		for _, hash := range fresh {
			j.Put(key(hash), []byte(j.run.ID))
		}
		fresh = fresh[:0]
	}
}

// digest returns what decides which URLs the output has and how they are printed.
func (w *walkFlags) digest() string {
	path := w.out
	if abs, err := filepath.Abs(path); err == nil && path != "" && path != stdin {
		path = abs
	}
	return fmt.Sprintf("%q %q %q %q %q %q %q %t",
		path, w.format, w.as, w.since, w.follow, w.match, w.minTrust, w.unique)
}
