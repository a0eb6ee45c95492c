package lists

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"sync"

	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/cmd/internal/output"
	"github.com/seed-322c453a/sitemap/discover/state"
	"github.com/seed-322c453a/sitemap/internal/jsonl"
)

// A journal is the Store of a run with --state. Beside the records of the walks it keeps how much
// of the output is complete. The command notes the output with a document, and directly after that
// the walk puts the document into the Store. If a run is killed, either both are kept, or the last
// document was noted only: then it is read again, but not printed again.
type journal struct {
	*state.File
	out      *output.Writer
	printing sync.Mutex // held by the visit that writes to out
	mu       sync.Mutex // guards the fields below, which become durable together
	run      runRecord
	stopped  bool // out may hold a part of a document: nothing is kept of what follows
}

// A runRecord is what the journal keeps of the last run.
type runRecord struct {
	ID     string `json:"id"`     // discover.Options.Run
	Digest string `json:"digest"` // of what decides the output
	Ended  bool   `json:"ended"`
	Length int64  `json:"length"` // of the output after the last document
	URLs   int64  `json:"urls"`   // printed in this run until then
	Output string `json:"output"` // the file of -o
	Format string `json:"format"` // its format, with the columns of csv
	// Last are the documents with URLs that were noted last, by the targets under way.
	Last map[string]string `json:"last"`
}

// The keys of the journal. Those of walks have one letter after the first slash.
const (
	runKey = "sitemap/run"
	urlKey = "sitemap/url/" // and a hash: the last run that printed this URL, for --unique
)

func keyOf(hash uint64) string {
	return urlKey + string(binary.BigEndian.AppendUint64(nil, hash))
}

// printed returns the document of a target that was noted last.
func (j *journal) printed(target string) string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.run.Last[target]
}

// knows reports whether the run has printed the URL with a hash.
func (j *journal) knows(hash uint64) bool {
	value, err := j.Get(keyOf(hash))
	return err == nil && string(value) == j.run.ID
}

// taken counts the URLs of a document, and has their hashes for --unique.
type taken struct {
	urls   int64
	hashes []uint64
}

// note records the output after a document of a target, which holds the output.
func (j *journal) note(target, loc string, t *taken) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.stopped {
		return nil
	}
	if t.urls > 0 {
		j.run.Last[target] = loc
	}
	j.run.URLs += t.urls
	err := j.write()
	for _, hash := range t.hashes {
		if err == nil { // else they would be left out after a resume
			err = j.File.Put(keyOf(hash), []byte(j.run.ID))
		}
	}
	t.urls, t.hashes = 0, t.hashes[:0]
	j.stopped = err != nil
	return err
}

// ended notes that the visit of a target has ended with err, which ends the run if it is not nil.
func (j *journal) ended(target string, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.stopped = j.stopped || err != nil; !j.stopped {
		delete(j.run.Last, target)
	}
}

// write puts the record of the run.
func (j *journal) write() error {
	if err := j.out.Flush(); err != nil {
		return err
	}
	j.run.Length = j.out.Length
	return j.File.Put(runKey, jsonl.Marshal(j.run))
}

// Put keeps nothing once the run stops: no document may count as printed then.
func (j *journal) Put(key string, value []byte) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.stopped {
		return nil
	}
	return j.File.Put(key, value)
}

// Sync makes the output durable before the records that depend on it.
func (j *journal) Sync() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.out.SyncBefore(j.File)
}

// Finish closes the journal of a run that ended with err. The run has ended if err is nil.
func (j *journal) Finish(err error) error {
	if err == nil {
		j.run.Ended = true
		err = j.write()
	}
	return cmp.Or(err, j.Sync(), j.Close())
}

// digest returns what decides which URLs the output has and how they are printed.
func (w *Flags) digest() string {
	path := w.Out
	if abs, err := filepath.Abs(path); err == nil && path != "" && path != cli.Stdin {
		path = abs
	}
	return fmt.Sprintf("%q %q %q %q %q %q %q %q %q %t %t %t", path, w.Format, w.Fields, w.As,
		w.Since, w.Follow, w.Match, w.Exclude, w.MinTrust, w.Unique, w.Normalize, w.All)
}
