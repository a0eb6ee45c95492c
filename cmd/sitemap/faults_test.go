package main

import (
	"encoding/json"
	"fmt"
	"io"
	stdlog "log"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/internal/jsonl"
	"github.com/seed-322c453a/sitemap/internal/testkit/faultserver"
)

// A fault is a way in which a server fails, and what the command makes of it.
type fault struct {
	path    string // of the faultserver
	code    string // of the error, or ""
	entries string // how many are kept: a number, or "some" for a part
	flags   string
	waits   bool // the command waits: run under a fake clock
}

var faultTable = []fault{
	{path: "ok", entries: "100"},
	{path: "gzip-encoded", entries: "100"},
	{path: "gzip-file", entries: "100"},
	{path: "gzip-both", entries: "100"},
	{path: "http10", entries: "100"},
	{path: "close-after", entries: "100"},
	{path: "validators", entries: "100"},

	{path: "reset", code: "fetch_failed"},
	{path: "close", code: "fetch_failed"},
	{path: "reset-midway", code: "fetch_failed", entries: "some"},
	{path: "close-midway", code: "fetch_failed", entries: "some"},
	{path: "silence", code: "timeout", waits: true},
	{path: "silence?timeout", code: "timeout", flags: "--timeout 300ms", waits: true},
	{path: "stall", code: "timeout", entries: "some", waits: true},
	{path: "stall?timeout", code: "timeout", entries: "some", flags: "--timeout 300ms", waits: true},
	{path: "drip", code: "timeout", flags: "--timeout 300ms", waits: true},
	{path: "flap", entries: "100"},
	{path: "flap?n=1", entries: "100"},
	{path: "flap-reset", entries: "100"},

	{path: "http09", code: "fetch_failed"},
	{path: "chunk-midway", code: "fetch_failed", entries: "some"},
	{path: "bad-chunk", code: "fetch_failed", entries: "some"},
	{path: "long-body", code: "truncated", entries: "some"},
	{path: "header-flood", code: "fetch_failed"},
	{path: "header-huge", code: "fetch_failed"},
	{path: "header-many", code: "empty"},
	{path: "informational", code: "fetch_failed"},

	{path: "lying-encoding", entries: "100"},
	{path: "encoding", code: "unknown_encoding"},
	{path: "encoding?name=zstd", code: "unknown_encoding"},
	{path: "truncated-gzip", code: "truncated", entries: "some"},
	{path: "truncated-encoded", code: "truncated", entries: "some"},
	{path: "corrupt-gzip", code: "bad_gzip", entries: "some"},
	{path: "corrupt-encoded", code: "bad_gzip", entries: "some"},

	{path: "status", code: "fetch_failed"},
	{path: "status?code=204", code: "empty"},
	{path: "status?code=403", code: "fetch_failed"},
	{path: "status?code=404", code: "fetch_failed"},
	{path: "status?code=429&retry-after=86400", code: "fetch_failed"},
	{path: "status?code=503", code: "fetch_failed", waits: true},
	{path: "status?code=503&retry-after=86400", code: "fetch_failed"},
	{path: "partial", code: "fetch_failed"},
	{path: "empty", code: "empty"},
	{path: "html", code: "not_a_sitemap"},
	{path: "json", code: "not_a_sitemap"},
	{path: "login", code: "not_a_sitemap"},

	{path: "redirect", entries: "100"},
	{path: "redirect?to=ftp://www.example.com/", code: "refused"},
	{path: "redirect-loop", code: "bad_redirect"},
	{path: "redirect-self", code: "bad_redirect"},
	{path: "redirect-chain", entries: "100"},
	{path: "redirect-chain?n=11", code: "bad_redirect"},
	{path: "redirect-nowhere", code: "bad_redirect"},

	{path: "endless", code: "too_many_entries", entries: "1000", flags: "--limit bytes=1MiB,entries=1000"},
	{path: "endless?bytes", code: "too_large", entries: "some", flags: "--limit bytes=4KiB"},
	{path: "endless-gzip", code: "too_many_entries", entries: "1000", flags: "--limit bytes=1MiB,entries=1000"},
	{path: "bomb?n=8", code: "too_large", flags: "--limit bytes=1MiB"},
	{path: "nested-bomb?n=8", code: "too_large", flags: "--limit bytes=1MiB"},
	{path: "slow-bomb?n=8", code: "too_large", flags: "--limit bytes=1MiB", waits: true},
}

// Every fault ends with an error of its code. The entries before the fault are kept and printed
// once.
func TestFaults(t *testing.T) {
	faults := faultserver.New()
	srv := httptest.NewUnstartedServer(faults)
	srv.Config.ErrorLog = stdlog.New(io.Discard, "", 0)
	srv.Start()
	t.Cleanup(func() { faults.Close(); srv.Close() })
	var tested []string
	for i, f := range faultTable {
		name, query, _ := strings.Cut(f.path, "?")
		tested = append(tested, name)
		path := "/fault/" + name + "/" + strconv.Itoa(i) + "%c.xml?" + query
		t.Run(f.path, func(t *testing.T) {
			t.Parallel()
			if !f.waits {
				f.flags += " --retry-wait 1ms --timeout 0"
				f.check(t, nil, srv.URL+path)
				return
			}
			synctest.Test(t, func(t *testing.T) {
				faults := faultserver.New()
				transport, stop := serveMemory(faults)
				defer stop()
				defer faults.Close()
				f.check(t, transport, "http://faults.example"+path)
			})
		})
	}
	for _, name := range faultserver.Names() {
		if !slices.Contains(tested, name) {
			t.Errorf("fault %q is not tested", name)
		}
	}
}

// check runs commands on a URL, in which %c is their first letter.
func (f *fault) check(t *testing.T, transport http.RoundTripper, loc string) {
	t.Helper()
	for _, command := range []string{"check --disable wrong_compression --format jsonl", "urls"} {
		args := strings.Fields(command + " --allow-private --min-trust untrusted " + f.flags)
		f.checkCommand(t, transport, append(args, fmt.Sprintf(loc, command[0])))
	}
}

func (f *fault) checkCommand(t *testing.T, transport http.RoundTripper, args []string) {
	t.Helper()
	r := runOver(t, transport, args...)
	want := cli.ExitOK
	if f.code != "" {
		want = cli.ExitFailed
	}
	if r.status != want || (f.code == "") != (r.err == "") {
		t.Errorf("%s: status %d, reported %q", args[0], r.status, r.err)
	}
	if args[0] == "urls" {
		locs := strings.Fields(r.out)
		f.checkEntries(t, len(locs))
		slices.Sort(locs)
		if distinct, n := len(slices.Compact(locs)), strings.Count(r.out, "\n"); distinct != n {
			t.Errorf("%d URLs, %d of them distinct", n, distinct)
		}
		return
	}
	lines := strings.Split(strings.TrimSpace(r.out), "\n")
	var doc struct {
		Entries int
		Error   *jsonl.Error
	}
	if err := json.Unmarshal([]byte(lines[max(0, len(lines)-2)]), &doc); err != nil {
		t.Fatalf("printed %q: %v", r.out, err)
	}
	f.checkEntries(t, doc.Entries)
	if doc.Error == nil {
		doc.Error = &jsonl.Error{}
	}
	if string(doc.Error.Code) != f.code {
		t.Errorf("error %+v, want %q", doc.Error, f.code)
	}
}

func (f *fault) checkEntries(t *testing.T, n int) {
	t.Helper()
	switch f.entries {
	case "some":
		if n == 0 || n >= faultserver.Entries {
			t.Errorf("%d entries, want some", n)
		}
	default:
		if want, _ := strconv.Atoi(f.entries); n != want {
			t.Errorf("%d entries, want %d", n, want)
		}
	}
}
