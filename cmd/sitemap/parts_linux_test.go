//go:build !race

package main

import (
	"bytes"
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

var batchParts = flag.Int("parts", 1_000, "how many parts TestBatchStatus_Parts counts")

// writeParts writes the parts of run 1 without syncing them.
func writeParts(t *testing.T, dir string, n int) {
	t.Helper()
	var b bytes.Buffer
	for i := range n {
		target := fmt.Sprintf("s%d.test", i)
		b.Reset()
		p, err := batch.NewPartWriter(&b, batch.Task{Run: "1", Domain: target, Targets: []string{target}})
		if err == nil {
			_, err = fmt.Fprintf(p, `{"loc":"https://%s/","kind":"page","target":"%s"}`+"\n", target, target)
		}
		if err == nil {
			err = p.End(batch.Counts{Targets: 1, Documents: 1, URLs: 1})
		}
		p.Release()
		path := filepath.Join(dir, batch.PartName("1", target))
		if err == nil {
			err = os.MkdirAll(filepath.Dir(path), 0o777)
		}
		if err == nil {
			err = os.WriteFile(path, b.Bytes(), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// The status of any number of parts takes little memory: of a million, less than 100 MiB. How long that
// takes is logged.
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
