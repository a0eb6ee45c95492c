package main

import (
	"bytes"
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/parse"
)

// newPages returns a site with one sitemap, and a function that sets its pages.
func newPages(t *testing.T) (loc string, set func(pages ...string)) {
	t.Helper()
	var mu sync.Mutex
	var pages []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		switch r.URL.Path {
		case "/robots.txt":
			io.WriteString(w, "Sitemap: /s.txt\n")
		case "/s.txt":
			for _, page := range pages {
				fmt.Fprintf(w, "http://%s/%s\n", r.Host, page)
			}
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL + "/", func(now ...string) {
		mu.Lock()
		defer mu.Unlock()
		pages = now
	}
}

// watchArgs are the arguments of a run in which every sitemap is due at once.
func watchArgs(loc, dir string, more ...string) []string {
	args := []string{"watch", loc, "--state", filepath.Join(dir, "watch.db"), "--once", "--allow-private",
		"--min", "1ns", "--max", "1ns", "--per-day", "100000"}
	return append(args, more...)
}

// A run prints what has changed since the last one.
func TestWatch(t *testing.T) {
	loc, set := newPages(t)
	dir := t.TempDir()
	set("1", "2")
	runArgs(t, watchArgs(loc, dir)...).want(t, cli.ExitOK, "")
	set("1", "3")
	runArgs(t, watchArgs(loc, dir)...).want(t, cli.ExitOK, "+ "+loc+"3\n- "+loc+"2\n")
	out := filepath.Join(dir, "out.jsonl")
	for _, page := range []string{"4", "5"} {
		set("1", "3", page)
		runArgs(t, watchArgs(loc, dir, "-o", out)...).want(t, cli.ExitOK, "")
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(string(text)) {
		var e struct{ ID, Event, Site, Loc, Sitemap string }
		if err := json.Unmarshal([]byte(line), &e); err != nil || e.ID == "" || e.Site != loc || e.Sitemap != loc+"s.txt" {
			t.Errorf("%s: %v", line, err)
		}
		got = append(got, e.Event+" "+strings.TrimPrefix(e.Loc, loc))
	}
	if strings.Join(got, ", ") != "added 4, added 5, removed 4" {
		t.Errorf("appended: %q", got)
	}
	r := runArgs(t, "watch", "status", loc, "--state", filepath.Join(dir, "watch.db"), "--format",
		"jsonl")
	if all := runArgs(t, "watch", "status", "--state", filepath.Join(dir, "watch.db"), "--format", "jsonl"); all != r {
		t.Errorf("of the sites watched last: %+v, want %+v", all, r)
	}
	var status struct {
		Sitemap string
		URLs    int
	}
	if err := json.Unmarshal([]byte(r.out), &status); err != nil || status.Sitemap != loc+"s.txt" || status.URLs != 3 {
		t.Errorf("status: %s%s, %v", r.out, r.err, err)
	}
	other := filepath.Join(dir, "other.db")
	runArgs(t, "watch", "status", "http://none.test", "--state", filepath.Join(dir, "watch.db"), "--format", "jsonl").want(t, cli.ExitOK, "", "http://none.test: no sitemap was found yet")
	runArgs(t, "watch", "status", "http:/127.0.0.1", loc, "--state", filepath.Join(dir, "watch.db"), "--format", "jsonl").want(t, cli.ExitUsage, "", "want a host")
	runArgs(t, "watch", "status", loc, "--state", other).want(t, cli.ExitFailed, "", "other.db: no such file")
	runArgs(t, "watch", loc).want(t, cli.ExitUsage, "", "--state")
}

// TestWatchUnread: a run that has not read any sitemap of a site says why, and fails, also if none
// is due.
func TestWatchUnread(t *testing.T) {
	loc, set := newPages(t)
	dir := t.TempDir()
	args := []string{"watch", loc, "--state", filepath.Join(dir, "watch.db"), "--once"}
	for range 2 {
		runArgs(t, args...).want(t, cli.ExitFailed, "", "sitemap: "+loc+": robots.txt unreachable: "+loc+"robots.txt: refused: address 127.0.0.1 is not public (see --allow-private)")
	}
	runArgs(t, "watch", "status", "--state", filepath.Join(dir, "watch.db")).want(t, cli.ExitFailed, "SITEMAP  URLS  CHANGES/DAY  INTERVAL  NEXT  CHANGED  FAILURES\n", "(see --allow-private)")
	set()
	dir = t.TempDir()
	runArgs(t, watchArgs(loc, dir)...).want(t, cli.ExitFailed, "", "sitemap: "+loc+"s.txt: line 1: empty document")
	set("1")
	runArgs(t, watchArgs(loc, dir)...).want(t, cli.ExitOK, "")
	set()
	runArgs(t, watchArgs(loc, dir)...).want(t, cli.ExitOK, "")
	text, err := os.ReadFile("../../examples/watch/changes.yml") // commits what the other sites have
	_, step, _ := strings.Cut(string(text), "continue-on-error: true")
	if err != nil || !strings.Contains(step, "sitemap watch --once") {
		t.Errorf("the example workflow ends with the run: %v", err)
	}
}

// A secret that cannot be read, or is empty so that anybody could sign, is refused.
func TestWatchWebhook_Secret(t *testing.T) {
	for _, secret := range []string{"secret", "whsec_", "whsec_!"} {
		t.Setenv("SITEMAP_WEBHOOK_SECRET", secret)
		runArgs(t, watchArgs("http://127.0.0.1:1/", t.TempDir(), "--webhook", "http://127.0.0.1:1/")...).want(t, cli.ExitUsage, "", "SITEMAP_WEBHOOK_SECRET: ")
	}
}

// A webhook receives each event once it answers 2xx, signed, also if it was down before. A redirect
// is no such answer.
func TestWatchWebhook(t *testing.T) {
	loc, set := newPages(t)
	dir := t.TempDir()
	const secret = "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	t.Setenv("SITEMAP_WEBHOOK_SECRET", "whsec_"+secret)
	key, _ := base64.StdEncoding.DecodeString(secret)
	var got []string
	answers := 0
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch answers++; {
		case answers == 1:
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		case answers == 2:
			http.Redirect(w, r, "/elsewhere", http.StatusFound)
			return
		case r.URL.Path == "/elsewhere":
			return
		}
		body, _ := io.ReadAll(r.Body)
		mac := hmac.New(sha256.New, key)
		fmt.Fprintf(mac, "%s.%s.%s", r.Header.Get("webhook-id"), r.Header.Get("webhook-timestamp"), body)
		want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
		if r.Header.Get("webhook-signature") != want {
			t.Errorf("signature %s, want %s", r.Header.Get("webhook-signature"), want)
		}
		var message struct {
			Events []struct{ ID, Event, Loc string }
		}
		if err := json.Unmarshal(body, &message); err != nil || len(message.Events) > 100 {
			t.Errorf("%d events, %v", len(message.Events), err)
		}
		for _, e := range message.Events {
			got = append(got, e.Event+" "+strings.TrimPrefix(e.Loc, loc))
		}
	}))
	defer hook.Close()
	var pages, want []string
	for i := range 250 {
		pages = append(pages, fmt.Sprintf("%03d", i))
		want = append(want, "added "+pages[i])
	}
	set(pages...)
	r := runArgs(t, watchArgs(loc, dir, "--initial", "--webhook", hook.URL)...)
	if r.status != cli.ExitOK || !strings.Contains(r.err, "503") || !strings.Contains(r.err, "302") {
		t.Errorf("status %d, %s", r.status, r.err)
	}
	if strings.Join(got, ", ") != strings.Join(want, ", ") {
		t.Errorf("%d events: %q", len(got), got)
	}
}

// A request whose answer is lost has the same id after a kill, although more events wait by then.
func TestWatchWebhook_Killed(t *testing.T) {
	loc, set := newPages(t)
	dir := t.TempDir()
	ids, sent := make(chan string, 100), make(chan bool, 1)
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		ids <- r.Header.Get("webhook-id")
		select {
		case sent <- true:
			<-r.Context().Done() // until the sender is killed
		default:
		}
	}))
	defer hook.Close()
	args := watchArgs(loc, dir, "--initial", "--webhook", hook.URL)
	set("1")
	cmd := command(t, args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	first := <-ids
	cmd.Process.Kill()
	wait(t, cmd)
	r := runArgs(t, watchArgs(loc, dir, "--feed", filepath.Join(dir, "feed"))...) // it goes on waiting
	if r.status != cli.ExitOK {
		t.Errorf("without the webhook: status %d, %s", r.status, r.err)
	}
	set("1", "2")
	if r := runArgs(t, args...); r.status != cli.ExitOK || len(ids) != 2 {
		t.Fatalf("%d more requests, status %d, %s", len(ids), r.status, r.err)
	}
	if again, next := <-ids, <-ids; again != first || next == first {
		t.Errorf("the id was %s, then %s and %s", first, again, next)
	}
}

// The feed holds the last events, and our own parser reads it.
func TestWatchFeed(t *testing.T) {
	loc, set := newPages(t)
	dir := t.TempDir()
	feed, link := filepath.Join(dir, "changes.atom"), filepath.Join(dir, "link.atom")
	writeTo(t, feed, "")
	if err := os.Symlink(feed, link); err != nil {
		if link = feed; runtime.GOOS != "windows" { // where not everybody may
			t.Fatal(err)
		}
	}
	set("1", "2<&>")
	runArgs(t, watchArgs(loc, dir, "--initial", "--feed", feed)...)
	set("1", "3")
	runArgs(t, watchArgs(loc, dir, "--feed", link)...)
	f, err := os.Open(feed)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	id := feedID(t, feed)
	runArgs(t, watchArgs(loc, dir, "--feed", filepath.Join(dir, "b.atom"))...)
	other := filepath.Join(t.TempDir(), filepath.Base(feed))
	runArgs(t, watchArgs(loc, t.TempDir(), "--feed", other)...)
	if feedID(t, filepath.Join(dir, "b.atom")) != id || feedID(t, other) == id {
		t.Errorf("the feed has the id %s, that of another state %s", id, feedID(t, other))
	}
	var got []string
	o := &sitemap.Options{Report: func(p sitemap.Problem) { t.Error(p) }}
	for e, err := range parse.Entries(f, o) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, strings.TrimPrefix(e.Loc, loc))
		if e.LastMod.IsZero() {
			t.Errorf("%s has no date", e.Loc)
		}
	}
	if strings.Join(got, " ") != "2%3C&%3E 3 2%3C&%3E 1" && strings.Join(got, " ") != "2<&> 3 2<&> 1" {
		t.Errorf("the feed lists %q", got)
	}
}

// feedID returns the id of a feed.
func feedID(t *testing.T, name string) string {
	t.Helper()
	var feed struct {
		ID string `xml:"id"`
	}
	text, err := os.ReadFile(name)
	if err = cmp.Or(err, xml.Unmarshal(text, &feed)); err != nil || feed.ID == "" {
		t.Errorf("%s has the id %q, %v", name, feed.ID, err)
	}
	return feed.ID
}

// The password of a site is not kept.
func TestWatch_Password(t *testing.T) {
	loc, set := newPages(t)
	set("1")
	dir := t.TempDir()
	site := strings.Replace(loc, "://", "://name:secretword@", 1)
	runArgs(t, watchArgs(site, dir)...).want(t, cli.ExitOK, "")
	db := filepath.Join(dir, "watch.db")
	if b, err := os.ReadFile(db); err != nil || bytes.Contains(b, []byte("secretword")) {
		t.Errorf("the state has the password, %v", err)
	}
	if r := runArgs(t, "watch", "status", "--state", db); !strings.Contains(r.out, loc+"s.txt") {
		t.Errorf("status prints %q, %s", r.out, r.err)
	}
}

// A feed that cannot be written ends a run at its start.
func TestWatchFeed_Unwritable(t *testing.T) {
	loc, set := newPages(t)
	set("1")
	feed := filepath.Join(t.TempDir(), "missing", "feed")
	runArgs(t, watchArgs(loc, t.TempDir(), "--initial", "--feed", feed)...).want(t, cli.ExitFailed, "", "no such file")
}

// A run without --once follows the file of sites, and counts what it sees.
func TestWatchSites(t *testing.T) {
	loc, set := newPages(t)
	set("1")
	dir := t.TempDir()
	list, out := filepath.Join(dir, "sites.txt"), filepath.Join(dir, "out.txt")
	if err := os.WriteFile(list, []byte("# none yet\n"+loc+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	cmd := command(t, "watch", "--from", list, "--state", filepath.Join(dir, "watch.db"),
		"--initial", "--allow-private", "-o", out, "--metrics", address)
	var diag strings.Builder
	cmd.Stderr = &diag
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// printed waits until a line is printed.
	printed := func(line string) {
		for range 1_000 {
			if text, _ := os.ReadFile(out); strings.Contains(string(text), line+"\n") {
				return
			}
			time.Sleep(hang / 1_000)
		}
		t.Errorf("%q is not printed", line)
	}
	printed("+ " + loc + "1")
	second, setSecond := newPages(t)
	setSecond("2")
	if err := os.WriteFile(list, []byte(loc+"\n"+second+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	printed("+ " + second + "2")
	resp, err := http.Get("http://" + address + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(resp.Body)
	resp.Body.Close()
	for _, want := range []string{`sitemap_watch_events_total{kind="added"} 2`, "sitemap_watch_documents 2", "sitemap_watch_failing 0"} {
		if !strings.Contains(string(text), want+"\n") {
			t.Errorf("the metrics lack %s", want)
		}
	}
	cmd.Process.Signal(os.Interrupt)
	if status := wait(t, cmd); status != cli.ExitInterrupted {
		t.Errorf("exit status %d: %s", status, diag.String())
	}
}
