package discover

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// A line is one line of a State's journal, in JSON. Its kind says which of its
// fields have a meaning.
type line struct {
	Kind string `json:"t"`

	// lineHead, the first line
	Version int `json:"v,omitempty"`

	// linePlan: the walks that are to come
	Plan   []string `json:"plan,omitempty"`
	Output string   `json:"output,omitempty"`
	Told   bool     `json:"told,omitempty"` // by Resume: it ends with lineDone

	// lineBegin and lineEnd: a walk of the plan begins or ends
	Walk  string     `json:"walk,omitempty"`
	Run   int        `json:"run,omitempty"` // its number
	At    int64      `json:"at,omitempty"`  // seconds since 1970
	Site  string     `json:"site,omitempty"`
	Found *foundLine `json:"found,omitempty"`

	// lineDoc: a document has ended
	Doc *entry `json:"doc,omitempty"`
	// Out is the length of the output, where the caller noted it.
	Out *int64 `json:"out,omitempty"`

	// lineHost: what is known of a host's lastmods
	Host string   `json:"host,omitempty"`
	Mods *honesty `json:"mods,omitempty"`
}

const (
	lineHead  = "sitemap-state"
	linePlan  = "plan"
	lineBegin = "begin"
	lineEnd   = "end"
	lineDone  = "done"
	lineDoc   = "doc"
	lineHost  = "host"
)

const journalVersion = 1

// An entry is what the journal keeps of a document, under the URL that was asked
// for. It holds no grants: those are told anew in each walk.
type entry struct {
	URL      string `json:"url"`
	Final    string `json:"final,omitempty"`
	ETag     string `json:"etag,omitempty"`
	Modified string `json:"modified,omitempty"`
	At       int64  `json:"at"` // of the response, seconds since 1970
	Digest   string `json:"digest,omitempty"`
	Entries  int64  `json:"entries,omitempty"`
	Format   string `json:"format,omitempty"`
	LastMod  string `json:"lastmod,omitempty"` // as its referrer listed it
	failure
	Kids []kid `json:"kids,omitempty"`
	Wide bool  `json:"wide,omitempty"` // there are too many to keep: the index is read anew
	Run  int   `json:"run"`            // of the walk that read it
	// Asked are the origins whose robots.txt that walk asked for it, of Options.VerifyHosts.
	Asked []string `json:"asked,omitempty"`
	// Unverified are origins whose robots.txt did not name it, or could not be had, and whose
	// URLs it listed.
	Unverified []string `json:"unverified,omitempty"`
	// Scope is a digest of the grants that it was read under, where some of its URLs were
	// not trusted: under others, more of them may be.
	Scope string `json:"scope,omitempty"`
}

// lacks reports whether URLs of the document, read under these grants, may be missing.
func (e *entry) lacks(scope Scope) bool { return e.Scope != "" && e.Scope != scope.digest() }

// A kid is a child of an index.
type kid struct {
	Loc     string `json:"l"`
	LastMod string `json:"m,omitempty"`
}

// A kids is the children of an index, while they take no more than maxKids bytes of memory.
type kids struct {
	list []kid
	cost int
}

func (k *kids) add(loc, lastMod string) {
	added := kid{loc, lastMod}
	if k.cost += added.cost(); k.cost > maxKids {
		k.list = nil
		return
	}
	k.list = append(k.list, added)
}

func (k *kids) tooMany() bool { return k.cost > maxKids }

func costOf(list []kid) (cost int) {
	for _, k := range list {
		cost += k.cost()
	}
	return cost
}

func (k kid) cost() int { return kidCost + len(k.Loc) + len(k.LastMod) }

const (
	kidCost = 40 // bytes of memory beside its text
	// maxKids is enough for as many children as the protocol allows, with locations of 200
	// bytes and lastmods.
	maxKids = 12 << 20
)

// A foundLine is how a walk's seeds were found.
type foundLine struct {
	Robots string     `json:"robots,omitempty"`
	Hops   []string   `json:"hops,omitempty"`
	Seeds  []seedLine `json:"seeds,omitempty"`
	Cut    *failure   `json:"cut,omitempty"` // by which robots.txt broke off
}

type seedLine struct {
	Loc  string `json:"l"`
	Line int    `json:"n,omitempty"` // 0: a known path
}

// readJournal calls take for each whole line, with nil for one that cannot be read. A torn
// last line is left out.
func readJournal(r io.Reader, take func(*line)) error {
	br := bufio.NewReaderSize(r, 64<<10)
	for n := 0; ; n++ {
		text, err := br.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return err
		}
		if len(text) == 0 {
			return nil
		}
		var l line
		torn := err == io.EOF || json.Unmarshal(text, &l) != nil
		switch {
		case n > 0 && !torn:
			take(&l)
		case n > 0 && err == nil:
			take(nil)
		case n > 0:
		case bytes.HasPrefix([]byte(headText), text):
			// The head, or as much of it as was written.
		case torn || l.Kind != lineHead || l.Version != journalVersion:
			return errNoState
		}
	}
}

var headText = fmt.Sprintf("{%q:%q,%q:%d}\n", "t", lineHead, "v", journalVersion)

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
	enc := json.NewEncoder(j.f)
	enc.SetEscapeHTML(false)
	j.err = enc.Encode(l)
}

// sync waits until what was written is on the disk.
func (j *journal) sync() {
	if j.err == nil {
		j.err = j.f.Sync()
	}
}

// writeJournal replaces the file at path by one with the lines that each gives, and
// returns it, open behind them and locked.
func writeJournal(path string, each func(emit func(*line))) (*os.File, error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".sitemap-state-*")
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
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	each(func(l *line) {
		if err == nil {
			err = enc.Encode(l)
		}
	})
	return errors.Join(err, buf.Flush())
}
