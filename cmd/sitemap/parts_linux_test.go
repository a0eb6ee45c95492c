//go:build !race

package main

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seed-322c453a/sitemap/batch"
)

var batchParts = flag.Int("parts", 200, "how many parts TestBatchStatus_Parts counts")

// unsynced are files in a folder that are not synced.
type unsynced struct {
	batch.Files
	dir string
}

func (u unsynced) Replace(_ context.Context, name string, file *os.File, _ string) error {
	path := filepath.Join(u.dir, name)
	return cmp.Or(file.Close(), os.MkdirAll(filepath.Dir(path), 0o777), os.Rename(file.Name(), path))
}

// writeParts writes the parts of run 1 without syncing them.
func writeParts(t *testing.T, dir string, n int) {
	t.Helper()
	folder, err := batch.OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	s := batch.FileSink{Files: unsynced{folder.Files, dir}}
	for i := range n {
		target := fmt.Sprintf("s%d.test", i)
		p, err := s.Part(t.Context(), batch.Stored{Task: batch.Task{Run: "1", Domain: target}})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(p, `{"loc":"https://%s/","kind":"page","target":"%s"}`+"\n", target, target)
		if err := p.Commit(t.Context(), batch.Counts{Targets: 1, Documents: 1, URLs: 1}); err != nil {
			t.Fatal(err)
		}
	}
}

// The status of any number of parts takes little memory: of a million, less than 100 MiB. How long
// that takes is logged.
func TestBatchStatus_Parts(t *testing.T) {
	dir := t.TempDir()
	writeParts(t, dir, *batchParts)
	cmd := command(t, "batch", "status", dir)
	cmd.Env = append(cmd.Env, "SITEMAP_TEST_MEMORY=1")
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	begun := time.Now()
	err := cmd.Run()
	used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	t.Logf("%d parts: %v, %v of a processor", *batchParts, time.Since(begun), used)
	want := strconv.Itoa(*batchParts)
	if got := strings.ReplaceAll(out.String(), ",", ""); err != nil || !strings.Contains(got, " "+want+" sites done ") {
		t.Errorf("printed %s%s, %v", &out, &stderr, err)
	}
	wantMemory(t, "status", stderr.String(), maxMemory)
}
