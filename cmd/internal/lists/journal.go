package lists

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"path/filepath"
	"sync"

	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/cmd/internal/output"
	"github.com/seed-322c453a/sitemap/discover/state"
)

// A journal is the Store of a run with --state. Beside the records of the walks it keeps how much
// of the output is complete. A walk puts a document into the Store directly after the command has
// noted the output with that document. So of a run that was killed, either both are kept, or the
// last document was noted only: then it is read again, but not printed again.
type journal struct {
	*state.File
	out      *output.Writer
	printing sync.Mutex   // held by the visit that writes to out
	urls     func() int64 // how many URLs the run has printed
	mu       sync.Mutex
	run      runRecord
	err      error  // why the output could not be noted
	keep     func() // puts what else belongs to the output
}

// A runRecord is what the journal keeps of the last run.
type runRecord struct {
	ID     string `json:"id"`     // discover.Options.Run
	Digest string `json:"digest"` // of what decides the output
	Ended  bool   `json:"ended"`
	Length int64  `json:"length"` // of the output after the last document
	URLs   int64  `json:"urls"`   // printed in this run until then
	Output string `json:"output"` // the file of -o
	Format string `json:"format"` // its format
	// Last are the documents that were noted last, by the targets under way.
	Last map[string]string `json:"last"`
}

// The keys of the journal. Those of walks have one letter after the first slash.
const (
	runKey = "sitemap/run"
	urlKey = "sitemap/url/" // and a hash: the last run that printed this URL, for --unique
)

// printed returns the document of a target that was noted last.
func (j *journal) printed(target string) string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.run.Last[target]
}

// note records the output after a document of a target.
func (j *journal) note(target, loc string) {
	j.mu.Lock()
	j.run.Last[target] = loc
	j.mu.Unlock()
	j.write()
}

// ended notes that a target has ended.
func (j *journal) ended(target string) {
	j.mu.Lock()
	delete(j.run.Last, target)
	j.mu.Unlock()
}

// write puts the record of the run.
func (j *journal) write() {
	flushErr := j.out.Flush()
	j.mu.Lock()
	j.run.Length, j.run.URLs = j.out.Length, j.urls()
	value, err := json.Marshal(j.run)
	if j.err = cmp.Or(flushErr, err); j.err == nil {
		j.err = j.File.Put(runKey, value)
	}
	j.mu.Unlock()
	if j.keep != nil {
		j.keep()
	}
}

func (j *journal) failed() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.err
}

// Put fails once the output could not be written: no document may count as printed then.
func (j *journal) Put(key string, value []byte) error {
	if err := j.failed(); err != nil {
		return err
	}
	return j.File.Put(key, value)
}

// Sync makes the output durable before the records that depend on it.
func (j *journal) Sync() error {
	if j.out.File != nil {
		if err := j.out.File.Sync(); err != nil {
			return err
		}
	}
	return j.File.Sync()
}

// Finish closes the journal of a run that ended with err. The run has ended if err is nil.
func (j *journal) Finish(err error) error {
	if err == nil {
		j.run.Ended = true
		j.write()
	}
	return cmp.Or(err, j.failed(), j.Sync(), j.Close())
}

// remember makes seen remember the URLs of the run in the journal. Seen is used under a lock.
func (j *journal) remember(seen *urlSet) {
	var mu sync.Mutex
	var fresh []uint64
	key := func(hash uint64) string {
		return urlKey + string(binary.BigEndian.AppendUint64(nil, hash))
	}
	seen.known = func(hash uint64) bool {
		value, err := j.Get(key(hash))
		return err == nil && string(value) == j.run.ID
	}
	seen.fresh = func(hash uint64) {
		mu.Lock()
		fresh = append(fresh, hash)
		mu.Unlock()
	}
	j.keep = func() {
		mu.Lock()
		defer mu.Unlock()
		for _, hash := range fresh {
			j.Put(key(hash), []byte(j.run.ID))
		}
		fresh = fresh[:0]
	}
}

// digest returns what decides which URLs the output has and how they are printed.
func (w *Flags) digest() string {
	path := w.Out
	if abs, err := filepath.Abs(path); err == nil && path != "" && path != cli.Stdin {
		path = abs
	}
	return fmt.Sprintf("%q %q %q %q %q %q %q %q %q %t %t %t", path, w.Format, w.Fields, w.As, w.Since,
		w.Follow, w.Match, w.Exclude, w.MinTrust, w.Unique, w.Normalize, w.All)
}
