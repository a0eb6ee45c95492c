package lists

import (
	"cmp"
	"crypto/rand"
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
	Run      runRecord
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

// OpenJournal opens the file of --state. It reports whether the last run goes on.
func OpenJournal(path, digest string) (j *journal, resumed bool, err error) {
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
	if json.Unmarshal(value, &j.Run) == nil && !j.Run.Ended && j.Run.Digest == digest {
		return j, true, nil
	}
	j.Run = runRecord{ID: rand.Text(), Digest: digest, Output: j.Run.Output, Format: j.Run.Format}
	return j, false, nil
}

// KeepFormat returns an error if the output has lines of another format already.
func (j *journal) KeepFormat(output, format string) error {
	if output == j.Run.Output && format != j.Run.Format && output != "" {
		return fmt.Errorf("%s holds %s, not %s: name another file", output, j.Run.Format, format)
	}
	j.Run.Output, j.Run.Format = output, format
	return nil
}

// Attach makes out the output of the run.
func (j *journal) Attach(out *output.Writer, urls func() int64) error {
	j.out, j.urls = out, urls
	if j.Run.Last == nil {
		j.Run.Last = map[string]string{}
	}
	j.write()
	return cmp.Or(j.failed(), j.Sync())
}

// printed returns the document of a target that was noted last.
func (j *journal) printed(target string) string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.Run.Last[target]
}

// note records the output after a document of a target.
func (j *journal) note(target, loc string) {
	j.mu.Lock()
	j.Run.Last[target] = loc
	j.mu.Unlock()
	j.write()
}

// ended notes that a target has ended.
func (j *journal) ended(target string) {
	j.mu.Lock()
	delete(j.Run.Last, target)
	j.mu.Unlock()
}

// write puts the record of the run.
func (j *journal) write() {
	flushErr := j.out.Flush()
	j.mu.Lock()
	j.Run.Length, j.Run.URLs = j.out.Length, j.urls()
	value, err := json.Marshal(j.Run)
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
		j.Run.Ended = true
		j.write()
	}
	return cmp.Or(err, j.failed(), j.Sync(), j.Close())
}

// Remember makes seen remember the URLs of the run in the journal. Seen is used under a lock.
func (j *journal) Remember(seen *urlSet) {
	var mu sync.Mutex
	var fresh []uint64
	key := func(hash uint64) string {
		return urlKey + string(binary.BigEndian.AppendUint64(nil, hash))
	}
	seen.known = func(hash uint64) bool {
		value, err := j.Get(key(hash))
		return err == nil && string(value) == j.Run.ID
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
			j.Put(key(hash), []byte(j.Run.ID))
		}
		fresh = fresh[:0]
	}
}

// Digest returns what decides which URLs the output has and how they are printed.
func (w *Flags) Digest() string {
	path := w.Out
	if abs, err := filepath.Abs(path); err == nil && path != "" && path != cli.Stdin {
		path = abs
	}
	return fmt.Sprintf("%q %q %q %q %q %q %q %q %q %t %t %t", path, w.Format, w.Fields, w.As, w.Since,
		w.Follow, w.Match, w.Exclude, w.MinTrust, w.Unique, w.Normalize, w.All)
}
