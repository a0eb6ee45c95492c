//go:build !race

package main

import (
	"bytes"
	"context"
	"flag"
	"net/http/httptest"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/internal/testkit/faultserver"
)

var long = flag.Bool("long", false, "TestBombs reads 500 MiB of each document")

// maxMemory is the most memory that the command may have.
const maxMemory = 100 << 20

func init() {
	if os.Getenv("SITEMAP_TEST_MEMORY") != "" {
		runAndReportMemory()
	}
}

// runAndReportMemory runs the command and reports the most memory that it had. The system's own
// figure for a child process counts the memory of the test too.
func runAndReportMemory() {
	status := run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		panic(err)
	}
	os.Stderr.Write(text)
	os.Exit(status)
}

var highWater = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// Documents that are too large end with an error, in bounded memory.
func TestBombs(t *testing.T) {
	t.Parallel()
	faults := faultserver.New()
	s := httptest.NewServer(faults)
	t.Cleanup(func() { faults.Close(); s.CloseClientConnections(); s.Close() })
	limit, n := "bytes=8MiB,entries=20000", "16"
	if *long {
		limit, n = "bytes=500MiB", "600"
	}
	for _, path := range []string{"bomb?n=" + n, "nested-bomb?n=" + n, "endless", "endless-gzip"} {
		cmd := command(t, "urls", "-q", "--allow-private", "--min-trust", "untrusted",
			"--limit", limit, "--timeout", "0", s.URL+"/fault/"+path)
		cmd.Env = append(cmd.Env, "SITEMAP_TEST_MEMORY=1")
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if status := wait(t, cmd); status != cli.ExitFailed || !strings.Contains(stderr.String(), "see --limit") {
			t.Errorf("%s: exit status %d, reported %q", path, status, &stderr)
		}
		wantMemory(t, path, stderr.String(), maxMemory)
	}
}

// wantMemory checks the most memory that a command has reported.
func wantMemory(t *testing.T, name, reported string, most int) {
	t.Helper()
	found := highWater.FindStringSubmatch(reported)
	if found == nil {
		t.Fatalf("%s: no memory in %q", name, reported)
	}
	kib, err := strconv.Atoi(found[1])
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: %d MiB", name, kib>>10)
	if kib<<10 > most {
		t.Errorf("%s: the command had %d MiB of memory", name, kib>>10)
	}
}
