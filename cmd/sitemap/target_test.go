package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
)

func TestFromUnreadable(t *testing.T) {
	dir, out, state := t.TempDir(), writeFile(t, "out", "precious\n"),
		filepath.Join(t.TempDir(), "state")
	for _, more := range [][]string{{"-o", out}, {"-o", out, "--state", state}} {
		runArgs(t, append(more, "urls", "--from", dir+"/missing")...).want(t, cli.ExitFailed, "", "--from: "+dir+"/missing: no such file")
		runArgs(t, append(more, "urls", "--from", dir)...).want(t, cli.ExitFailed, "", "--from: "+dir+": ")
		runArgs(t, append(more, "urls", "--from", writeFile(t, "empty", "# none\n"))...).want(t, cli.ExitFailed, "", "no target in it")
	}
	if text, err := os.ReadFile(out); string(text) != "precious\n" {
		t.Errorf("the output holds %q, %v", text, err)
	}
}
