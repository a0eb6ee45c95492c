package discover

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"sync"
	"time"
)

// A State remembers, in a file, the documents of walks.
//
// # Changes
//
// A walk with the State of an earlier one yields the URLs of the documents that
// may have changed. Left out are those that answer 304 (Not Modified) to their
// validators, and children whose lastmod in their index has not moved, where the
// host's lastmods proved honest: three times they told rightly whether a document
// had changed, which is whether its entries had (a comment with the time when the
// document was made is no change). One that had changed under an unmoved lastmod ends this for 30
// days; one in ten of these documents is asked for all the same, and each at
// least every 7 days. The children of an index that is left out are walked as
// they were listed.
//
// # Interruptions
//
// A walk that was stopped, by its context, a break or the end of the process, goes
// on when it is begun again with the same State, site (or sitemaps) and Options:
// documents that had ended are left out (ByResume), the others yielded, so that
// each is yielded at least once. Where the caller writes the URLs to a file, each
// is there exactly once if Options.Done writes out what is buffered and calls
// Note with the file's length, and the file is cut to what Resume tells before
// the walk goes on, and Close is called when it is safe:
//
//	offset, ok := state.Resume("example.com")
//	if ok { // go on
//		err = out.Truncate(offset) // and write there
//	}
//
// # The file
//
// It is a journal of lines of JSON, one for each document, written when that has
// ended; the last line for a document counts. It is compacted when it is opened,
// and a line that was not written to its end is left out. Its content may change
// with versions of this package. It holds URLs, validators, digests and the
// children of indexes, but no grants.
//
// A State is for one process and one walk at a time. A nil *State remembers
// nothing.
type State struct {
	mu      sync.Mutex
	journal journal

	entries map[string]*entry // by URL
	hosts   map[string]*honesty

	plan plan
	last int // number of the last walk
	kids int // in all entries
	now  func() time.Time
}

const (
	// maxStateKids bounds the children that a State remembers.
	maxStateKids = 1_000_000
	// maxStateAge is how long a document is remembered that no walk meets.
	maxStateAge = 90 * 24 * time.Hour
)

// OpenState opens the State in the file at path, which is made if it does not
// exist. A file that is not empty and holds something else is an error.
func OpenState(path string) (*State, error) {
	s := &State{
		entries: map[string]*entry{}, hosts: map[string]*honesty{},
		plan: newPlan(nil, false),
		now:  time.Now,
	}
	if err := s.load(path); err != nil {
		return nil, err
	}
	s.plan.reopened = s.plan.told
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return nil, fmt.Errorf("discover: state: %w", err)
	}
	s.journal.f = f
	return s, nil
}

// load reads the file, and writes it anew without what does not count any more.
func (s *State) load(path string) error {
	f, err := os.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return fmt.Errorf("discover: state: %w", err)
	default:
		err = readJournal(f, s.take)
		f.Close()
		if err != nil {
			return fmt.Errorf("discover: state: %s: %w", path, err)
		}
	}
	if err := writeJournal(path, s.lines); err != nil {
		return fmt.Errorf("discover: state: %w", err)
	}
	return nil
}

// take takes one line of the journal.
func (s *State) take(l *line) {
	s.plan.take(l)
	switch l.Kind {
	case lineBegin:
		s.last = max(s.last, l.Run)
	case lineDoc:
		if l.Doc != nil {
			s.put(l.Doc)
			s.last = max(s.last, l.Doc.Run)
		}
	case lineHost:
		if l.Mods != nil {
			s.hosts[l.Host] = l.Mods
		}
	}
}

// lines gives the lines that say all of the State.
func (s *State) lines(emit func(*line)) {
	s.plan.lines(emit)
	for _, host := range slices.Sorted(maps.Keys(s.hosts)) {
		emit(&line{Kind: lineHost, Host: host, Mods: s.hosts[host]})
	}
	oldest := s.now().Add(-maxStateAge).Unix()
	for _, url := range slices.Sorted(maps.Keys(s.entries)) {
		if s.entries[url].At < oldest {
			delete(s.entries, url)
			continue
		}
		emit(&line{Kind: lineDoc, Doc: s.entries[url]})
	}
}

// put remembers a document. The children of an index that there is no room for
// are forgotten, and it with them: it is read anew in the next walk.
func (s *State) put(e *entry) {
	if old := s.entries[e.URL]; old != nil {
		s.kids -= len(old.Kids)
		delete(s.entries, e.URL)
	}
	if s.kids+len(e.Kids) > maxStateKids {
		return
	}
	s.kids += len(e.Kids)
	s.entries[e.URL] = e
}

// gaveUp notes that a walk could not begin.
func (s *State) gaveUp(name string) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if name = withoutUser(name); slices.Contains(s.plan.names, name) {
		s.plan.failed[name] = true
	}
}

// Close closes the file. If Resume was called, and all walks that it was told of
// have come to their end, they are over with it: so what they yielded must be safe
// by then. Where it is not, do not call Close, and they go on another time.
//
// The error is the first that writing to the file met: what was yielded since is not
// remembered.
func (s *State) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.plan.isDone(s.now()) {
		s.plan.told = false
		s.journal.append(&line{Kind: lineDone})
		s.journal.sync()
	}
	err := errors.Join(s.journal.err, s.journal.f.Close())
	if err != nil {
		return fmt.Errorf("discover: state: %w", err)
	}
	return nil
}

// Resume says which walks are to come, and reports whether the same walks were
// begun before and interrupted, so that they go on now, and how long the output was
// when the last document had ended, as Note was told. A walk is named by the site
// that URLs is given, or by the Loc of the sitemap that Walk is given alone, with
// or without its credentials.
//
// Walks of an interrupted plan that had ended yield nothing; that is all of them
// where the process ended after the last of them and before Close. It need not be
// called for a single walk without output.
func (s *State) Resume(walks ...string) (offset int64, interrupted bool) {
	names := make([]string, 0, len(walks))
	for _, name := range walks {
		names = append(names, withoutUser(name))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.plan.resume(names, s.now()) {
		return s.plan.out, len(s.plan.begun) > 0
	}
	s.newPlan(names, true)
	return 0, false
}

func (s *State) newPlan(names []string, told bool) {
	s.plan = newPlan(names, told)
	s.plan.lines(s.journal.append)
}

// Note says how long the output is, in bytes, with all URLs of the document that
// has just ended. It is to be called in Options.Done; the length is written to
// the file in one line with the document. If the output could not be written, end
// the walk's context before Done returns: the document then counts as not read.
func (s *State) Note(length int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.plan.noted = &length
}
