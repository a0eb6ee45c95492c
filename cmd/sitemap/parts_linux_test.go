//go:build !race

package main

import (
	"bytes"
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

// writeParts writes the parts of run 1 without syncing them.
func writeParts(t *testing.T, dir string, n int) {
	t.Helper()
	for i := range n {
		target := fmt.Sprintf("s%d.test", i)
		path := filepath.Join(dir, batch.PartName("1", target))
		err := os.MkdirAll(filepath.Dir(path), 0o777)
		var file *os.File
		if err == nil {
			file, err = os.Create(path)
		}
		if err != nil {
			t.Fatal(err)
		}
		put := func(context.Context) error { return file.Close() }
		p := batch.NewFilePart(file, batch.Stored{Task: batch.Task{Run: "1", Domain: target}}, put)
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
