package lists

import (
	"io"
	"strings"

	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/internal/jsonl"
)

// noteFailure writes the target to the file of --failed, if there is one, as it was given, with the
// cause as a comment. A target that the list has several times is written once.
func (v *Visit) noteFailure() {
	if v.failures == nil {
		return
	}
	if _, again := v.failed.LoadOrStore(v.Target.Given, true); again {
		return
	}
	if !isLine(v.Target.Given) {
		v.App.Fail("--failed: %q is not written: a line of a list cannot name it", v.Target.Given)
		return
	}
	line := v.Target.Given + " # " + string(v.cause.Code) + ": " + cli.Harmless(v.cause.Message, "")
	if _, err := io.WriteString(v.failures, line+"\n"); err != nil {
		v.App.Fail("--failed: %v", err)
	}
}

// isLine reports whether a line of a list names the target with this name.
func isLine(name string) bool {
	line, _, _ := strings.Cut(" "+name, " #")
	return strings.TrimSpace(line) == name && !strings.ContainsAny(name, "\t\r\n")
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
