package lists

import (
	"cmp"
	"io"
	"os"

	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/internal/jsonl"
)

// openFailures opens the file of --failed. It is written in place, so that it has what a run that is
// killed has met.
func (w *Walker) openFailures() error {
	if w.Flags.failed == "" {
		return nil
	}
	f, err := os.OpenFile(w.Flags.failed, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	w.failures = &sideFile{w.inOrder(f), func(err error) error { return cmp.Or(err, f.Close()) }}
	return nil
}

// noteFailure writes the target to the file of --failed, as it was given, with why it failed as a
// comment. A target that the list has several times is written once.
func (v *Visit) noteFailure() {
	if v.Walker.failures == nil {
		return
	}
	if _, again := v.failed.LoadOrStore(v.Target.Given, true); again {
		return
	}
	line := v.Target.Given + " # " + string(v.cause.Code) + ": " + cli.Harmless(v.cause.Message, "")
	if _, err := io.WriteString(v.failures, line+"\n"); err != nil {
		v.App.Fail("--failed: %v", err)
	}
}

// NoteCause notes why the target, or a document of it, could not be read. The first cause counts.
func (v *Visit) NoteCause(name string, err error) {
	if v.cause != nil {
		return
	}
	v.cause = jsonl.ErrorOf(name, err)
	if name != v.Target.Label() {
		v.cause.Message = name + ": " + v.cause.Message
	}
}
