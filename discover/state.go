package discover

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
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
// host's lastmods proved honest: three times they told rightly whether the entries of a
// document had changed (a comment with the time when it was made is no change); not those that were
// listed with several lastmods when they were last met. A document that had changed under an
// unmoved lastmod ends this for its host for 30 days. One in ten of the documents left out so is
// asked for all the same, and each at least every 7 days. The children of an index that is left out are walked as
// they were listed. A document that failed with a Retry-After is not asked for before
// that, 7 days at most.
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
//	offset, _, err := state.Resume("urls.txt", "example.com") // 0 if nothing was interrupted
//	if err == nil {
//		err = out.Truncate(offset)
//	}
//	if err == nil {
//		_, err = out.Seek(offset, io.SeekStart) // and write there
//	}
//
// # The file
//
// It is a journal of lines of JSON: one for each document, written when that has ended, of which
// the last counts, and some for walks and hosts. It is compacted when it is opened, so that who
// walks for days should open it anew now and then. A line that was not written to its end is left
// out; behind one that was damaged otherwise, which its checksum tells, so is the rest of its run.
// Its content may change with versions of this package, which then refuse those of others. It holds
// URLs, validators, digests, the children of indexes and what Resume was told, but no grants. Of
// URLs, which must be asked for again, it keeps user names and passwords as documents list them,
// but not those of the caller: only its owner can read it. When all this comes to more than 80 MiB,
// of a further document it holds only that it was read, and that is read anew.
//
// OpenState makes a State; the zero State is of no use, and a nil *State remembers nothing.
// A State is for one process and one walk at a time; where the system has flock, a second
// OpenState of the same file fails with ErrStateInUse. What an Option such as MinTrust or Since
// leaves out of a document counts as yielded: with others, begin a State of its own.
type State struct {
	mu      sync.Mutex
	path    string
	journal journal

	entries map[string]*entry       // by docName
	failing map[int]map[*entry]bool // those that failed, by the number of a walk that read them
	hosts   map[string]*honesty

	plan   plan
	last   int // number of the last walk
	kids   int // what those of all entries cost
	size   int // of all entries without them, but for those that are read anew
	closed bool
	now    func() time.Time

	// While the file is read:
	marks   int // lineMarks so far
	damaged int // number of the first walk of the run of which a line was; 0: none was
}

const (
	// maxStateKids bounds the memory for children that a State remembers, in bytes.
	maxStateKids = 32 << 20
	// maxStateSize bounds that for the rest of what it remembers of documents, beyond which it is
	// brief: it is enough for as many as a walk may have by default, with URLs of 200 bytes.
	maxStateSize = 48 << 20
	// maxStateAge is how long a document is remembered that no walk meets.
	maxStateAge = 90 * 24 * time.Hour
)

// What a State can be refused for.
var (
	// ErrStateInUse says that the State is open already.
	ErrStateInUse = errors.New("in use by another process")
	// ErrOtherRun says that the State is that of an interrupted run of other walks, or
	// to another output. It is not touched.
	ErrOtherRun = errors.New("of an interrupted run")

	errNoState  = errors.New("not a state of this program")
	errVersion  = errors.New("of another version of this program; remove it to begin anew")
	errNotAFile = errors.New("not a regular file")
)

// OpenState opens the State in the file at path, which is made if it does not
// exist. The error is ErrStateInUse, that of the file system, or says that the file is
// not empty and holds something else.
func OpenState(path string) (*State, error) {
	s := &State{
		path:    path,
		entries: map[string]*entry{}, failing: map[int]map[*entry]bool{}, hosts: map[string]*honesty{},
		plan: newPlan("", nil, false),
		now:  time.Now,
	}
	f, err := s.load(path)
	if err != nil {
		return nil, fmt.Errorf("discover: state %s: %w", path, withoutPath(err))
	}
	s.plan.reopened = s.plan.told
	s.journal.f = f
	return s, nil
}

// load reads the file, and writes it anew without what does not count any more. It
// returns the new one, open and locked.
func (s *State) load(path string) (*os.File, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, errNotAFile
	}
	old, err := openLocked(path)
	if err != nil {
		return nil, err
	}
	defer old.Close()
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target // which is what is replaced, not a link to it
	}
	if err := readJournal(old, s.take); err != nil {
		return nil, err
	}
	if s.marks < 2 { // the file, which is written whole before it takes its place, was cut
		s.damage()
	}
	if !locks {
		old.Close() // what is open cannot be replaced everywhere
	}
	return writeJournal(path, s.lines)
}

// openLocked opens and locks the file at path, and not one that has just been replaced.
func openLocked(path string) (*os.File, error) {
	for {
		f, err := os.OpenFile(path, os.O_RDONLY|os.O_CREATE, 0o600)
		if err != nil {
			return nil, err
		}
		err = lock(f)
		opened, _ := f.Stat()
		now, statErr := os.Stat(path)
		switch {
		case err == nil && statErr == nil && os.SameFile(opened, now):
			return f, nil
		case err != nil:
			f.Close()
			return nil, err
		}
		f.Close()
	}
}

// take takes one line of the journal, nil for one that is damaged. What came behind
// that in its run counts as not read: how far the output had come without it is not known.
func (s *State) take(l *line) {
	switch {
	case l == nil:
		s.damage()
		return
	case l.Kind == linePlan && s.marks > 0, l.Kind == lineDone:
		s.damaged = 0
	case s.damaged == 0:
	case l.Kind == lineEnd, l.Kind == lineDoc && l.Doc != nil && l.Doc.Run >= s.damaged:
		return
	}
	s.plan.take(l)
	switch l.Kind {
	case lineMark:
		s.marks++
	case linePlan, lineBegin:
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

// damage notes that a line is damaged or missing: any, of the section of the file that the marks
// tell.
func (s *State) damage() {
	first := s.last + 1
	if n := s.plan.firstRun(); n > 0 && s.plan.isOpen(s.now()) {
		first = n
	}
	switch {
	case s.marks == 0: // which walks the output has, and whether one goes on, is not known
		s.plan = newPlan("", nil, false)
		first = 1
	case s.marks == 1 && first <= s.last: // it may be of any document that the output has
		s.plan.restart()
		for _, e := range s.entries {
			if e.Run >= first {
				s.forget(e)
			}
		}
	}
	if s.damaged == 0 || first < s.damaged {
		s.damaged = first
	}
}

// lines gives the lines that say all of the State.
func (s *State) lines(emit func(*line)) {
	s.plan.lines(func(l *line) {
		if l.Kind == linePlan {
			l.Run = s.last
		}
		emit(l)
	})
	emit(&line{Kind: lineMark})
	s.expire()
	for _, host := range slices.Sorted(maps.Keys(s.hosts)) {
		emit(&line{Kind: lineHost, Host: host, Mods: s.hosts[host]})
	}
	for _, url := range slices.Sorted(maps.Keys(s.entries)) {
		emit(&line{Kind: lineDoc, Doc: s.entries[url]})
	}
	emit(&line{Kind: lineMark})
}

// expire forgets documents that no walk has met for long, but for those of a run that goes on,
// and hosts without documents.
func (s *State) expire() {
	run := s.plan.firstRun()
	if !s.plan.isOpen(s.now()) {
		run = 0
	}
	oldest := s.now().Add(-maxStateAge).Unix()
	hosts := map[string]bool{}
	for _, e := range s.entries {
		if e.At < oldest && (run == 0 || e.Run < run) {
			s.forget(e)
		} else {
			hosts[hostOf(e.URL)] = true
		}
	}
	maps.DeleteFunc(s.hosts, func(host string, _ *honesty) bool { return !hosts[host] })
}

// put remembers a document, of one that there is no room for only that it was read. It returns what
// is kept.
func (s *State) put(e *entry) *entry {
	name := e.name()
	if old := s.entries[name]; old != nil {
		s.forget(old)
	}
	switch {
	case e.Last == nil:
	case e.Last.Wide: // of which nothing is known, perhaps not all of its URL
		e.Last = nil
	default:
		e.URL = e.Last.URL
	}
	if s.kids+e.cost() > maxStateKids || s.size+e.size() > maxStateSize {
		e = e.brief()
	}
	s.kids += e.cost()
	s.size += e.size()
	s.entries[name] = e
	if e.Err == "" {
		return e
	}
	for _, run := range e.runs() {
		if s.failing[run] == nil {
			s.failing[run] = map[*entry]bool{}
		}
		s.failing[run][e] = true
	}
	return e
}

// of returns what is known of a document, nil if that is nothing.
func (s *State) of(loc string) *entry { return s.entries[docName(loc)] }

func (s *State) forget(e *entry) {
	s.kids -= e.cost()
	s.size -= e.size()
	delete(s.entries, e.name())
	for _, run := range e.runs() {
		if delete(s.failing[run], e); len(s.failing[run]) == 0 {
			delete(s.failing, run)
		}
	}
}

// gaveUp notes that a walk could not begin.
func (s *State) gaveUp(name string) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.plan.fail(WalkName(name))
}

// Close closes the file. If Resume was called, and all walks that it was told of
// have come to their end, they are over with it: so what they yielded must be safe
// by then. Where it is not, call Abandon, and they go on another time.
//
// The error is the first that writing to the file met: what was yielded since is not
// remembered. Closing again does nothing. A State that was closed is of no more use: of walks with
// it nothing is remembered.
func (s *State) Close() error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		if s.plan.isDone(s.now()) {
			s.plan.told = false
			s.journal.append(&line{Kind: lineDone})
			s.journal.sync()
		}
		s.journal.checkPath(s.path)
	}
	return s.closeFile()
}

// withoutPath returns err without the path of the file, which is that under which it was made.
func withoutPath(err error) error {
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// Abandon closes the file and leaves the walks as they are, as if the process had ended. The
// error is that of Close, which does nothing then.
func (s *State) Abandon() error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closeFile()
}

// closeFile closes the file, once.
func (s *State) closeFile() error {
	if s.closed {
		return nil
	}
	s.closed = true
	err := errors.Join(withoutPath(s.journal.err), withoutPath(s.journal.f.Close()))
	if err != nil {
		return fmt.Errorf("discover: state %s: %w", s.path, err)
	}
	return nil
}

// Resume says which walks are to come, and what their output is: where it goes and all
// that decides what it looks like, in words of the caller's; "" if it cannot be cut.
// It reports whether these walks were begun before and interrupted, so that they go on
// now, and how long the output was when the last document had ended, as Note was told.
// A walk is named by the site that URLs is given, or by the Loc of the sitemap that
// Walk is given alone, with or without its credentials.
//
// Walks of an interrupted run that had ended yield nothing but their failures; that is all of them
// where the process ended after the last of them and before Close. Walks may be added
// to it. What it has written must not be lost: if other walks are named, or another
// output, the error is ErrOtherRun. It need not be called for a single walk without
// output.
func (s *State) Resume(output string, walks ...string) (offset int64, interrupted bool, err error) {
	names := make([]string, 0, len(walks))
	for _, name := range walks {
		names = append(names, WalkName(name))
	}
	if s == nil {
		return 0, false, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	goesOn, added, err := s.plan.resume(output, names, s.now())
	if err != nil {
		return 0, false, fmt.Errorf("discover: state %w", err)
	}
	if goesOn {
		moreLines(added, s.journal.append)
		return s.plan.out, s.plan.firstRun() > 0, nil
	}
	s.newPlan(output, names, true)
	return 0, false, nil
}

func (s *State) newPlan(output string, names []string, told bool) {
	s.plan = newPlan(output, names, told)
	s.plan.lines(s.journal.append)
}

// Note says how long the output is, in bytes, with all URLs of the document that
// has just ended. It is to be called in Options.Done; the length is written to
// the file in one line with the document. If the output could not be written, end
// the walk's context before Done returns: the document then counts as not read.
func (s *State) Note(length int64) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.plan.noted = &length
}
