package lists

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"fmt"

	"github.com/seed-322c453a/sitemap/cmd/internal/output"
	"github.com/seed-322c453a/sitemap/discover/state"
)

// OpenJournal opens the file of --state and the output, and makes the walk go on with the last run
// if that was stopped. The command ends the journal with its Finish.
func (w *Walker) OpenJournal() error {
	f, err := state.Open(w.Flags.State)
	if err != nil {
		return err
	}
	j := &journal{File: f}
	if err := j.begin(w); err != nil {
		f.Close()
		return err
	}
	w.Journal, w.Selector.taken = j, j.run.URLs
	w.Options.Store, w.Options.Run, w.Options.OnlyChanged = j, j.run.ID, !w.Flags.All
	w.Selector.known = j.knows
	if err := cmp.Or(j.write(), j.Sync()); err != nil {
		return w.Out.Finish(j.Finish(err))
	}
	return nil
}

// begin begins a run or goes on with it, and opens the output. That may not hold lines of another
// format already.
func (j *journal) begin(w *Walker) error {
	value, err := j.Get(runKey)
	if err != nil {
		return err
	}
	digest := w.Flags.digest()
	resumed := json.Unmarshal(value, &j.run) == nil && !j.run.Ended && j.run.Digest == digest
	if !resumed {
		j.run = runRecord{ID: rand.Text(), Digest: digest, Output: j.run.Output,
			Format: j.run.Format}
	}
	if j.run.Last == nil {
		j.run.Last = map[string]string{}
	}
	out, format := w.Flags.Out, w.Flags.Format
	if out == j.run.Output && format != j.run.Format && out != "" {
		return fmt.Errorf("%s holds %s, not %s: name another file", out, j.run.Format, format)
	}
	j.run.Output, j.run.Format = out, format
	j.out, err = output.Append(w.App, out, resumed, j.run.Length)
	w.Out = j.out
	return err
}
