package batch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/discover/state"
)

// A batchRun is what run.json says of a run over a list, or over a shard of one.
type batchRun struct {
	Run     int       `json:"run"` // from 1
	Shard   string    `json:"shard,omitempty"`
	Begun   time.Time `json:"begun"`
	Started time.Time `json:"started"`        // when the last process began to work on it
	Ended   time.Time `json:"ended,omitzero"` // zero if it is not over
	// Targets is how many targets the list has, at first about.
	Targets int64 `json:"targets"`

	Domains int64            `json:"domains"` // with a part
	Failed  int64            `json:"failed"`  // domains of which something could not be read
	Causes  map[string]int64 `json:"causes,omitempty"`
	Counts  batch.Counts     `json:"counts"`
}

func thisSecond() time.Time { return time.Now().UTC().Truncate(time.Second) }

// name returns the run as package batch names it.
func (r *batchRun) name() string { return strconv.Itoa(r.Run) }

// count counts the parts of the run. Recent is how many targets have been walked since it was
// started.
func (r *batchRun) count(f *batch.Folder, s shard) (recent int64, err error) {
	r.Domains, r.Failed, r.Causes, r.Counts = 0, 0, map[string]int64{}, batch.Counts{}
	for p, err := range f.Parts(context.Background(), r.name()) {
		if err != nil {
			return 0, err
		}
		if !s.has(p.Domain) {
			continue
		}
		if !p.Time.Before(r.Started) {
			recent += p.Counts.Targets
		}
		r.Domains++
		r.Counts.Targets += p.Counts.Targets
		r.Counts.Documents += p.Counts.Documents
		r.Counts.URLs += p.Counts.URLs
		r.Counts.Untrusted += p.Counts.Untrusted
		r.Counts.Failed += p.Counts.Failed
		if p.Counts.Failed > 0 {
			r.Failed++
			r.Causes[p.Counts.Cause]++
		}
	}
	return recent, nil
}

// runPath returns the path of run.json. Each shard has its own.
func runPath(folder string, s shard) string {
	if s.n == 0 {
		return filepath.Join(folder, "run.json")
	}
	return filepath.Join(folder, fmt.Sprintf("run-%d-of-%d.json", s.i, s.n))
}

// lockRun makes the folder, and keeps other processes from the run until it is closed. The file is
// empty but for what keeps it locked.
func lockRun(folder string, s shard) (io.Closer, error) {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return nil, err
	}
	lock, err := state.Open(strings.TrimSuffix(runPath(folder, s), ".json") + ".lock")
	if errors.Is(err, state.ErrLocked) {
		err = fmt.Errorf("%s: another process works on this run", folder)
	}
	return lock, err
}

// readRun reads the run in a folder. Run is 0 if there is none.
func readRun(folder string, s shard) (batchRun, error) {
	r, err := readRunFile(runPath(folder, s))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return r, err
}

func readRunFile(path string) (r batchRun, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return r, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

func (r *batchRun) save(folder string, s shard) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	path := runPath(folder, s)
	if err := os.WriteFile(path+".tmp", append(text, '\n'), 0o666); err != nil {
		return err
	}
	return os.Rename(path+".tmp", path)
}

// A shard is one of several parts of a list.
type shard struct{ i, n int }

func (s *shard) String() string {
	if s.n == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.i, s.n)
}

func (s *shard) Type() string { return "string" }

func (s *shard) Set(text string) error {
	i, n, _ := strings.Cut(text, "/")
	var iErr, nErr error
	s.i, iErr = strconv.Atoi(i)
	s.n, nErr = strconv.Atoi(n)
	if iErr != nil || nErr != nil || s.i < 0 || s.i >= s.n {
		return errors.New("want I/N, with I from 0 to N-1")
	}
	return nil
}

// has reports whether a domain is in the shard.
func (s *shard) has(domain string) bool { return s.n == 0 || batch.Shard(domain, s.n) == s.i }
