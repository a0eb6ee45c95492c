package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	natsqueue "github.com/seed-322c453a/sitemap/engines/jetstream"
)

// work starts a worker.
func (b *broker) work(t *testing.T, w *loopbackWeb, dir string, flags ...string) *process {
	t.Helper()
	args := []string{"work", "-o", dir, "--allow-private", w.connectTo(), "--retries", "0"}
	return b.command(t, append(args, flags...)...)
}

// partDomains returns the paths of the parts of run 1 by domain.
func partDomains(t *testing.T, dir string) map[string]string {
	t.Helper()
	f, err := batch.OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for p, err := range f.Parts(t.Context(), "1") {
		if err != nil {
			t.Fatal(err)
		}
		if p.Counts.URLs != 3 || p.Counts.Failed != 0 {
			t.Errorf("%s: %+v", p.Domain, p.Counts)
		}
		found[p.Domain] = p.Path
	}
	return found
}

// holdFirst makes the first request wait until release is closed. Held is closed when it is there.
func (w *loopbackWeb) holdFirst() (held, release chan struct{}) {
	held, release = make(chan struct{}), make(chan struct{})
	var first atomic.Bool
	w.hold = func(string) {
		if first.CompareAndSwap(false, true) {
			close(held)
			<-release
		}
	}
	return held, release
}

// The broker is killed and its data deleted. Another plan finishes the run, and walks nothing that
// has a part.
func TestBatchQueue_BrokerLost(t *testing.T) {
	t.Parallel()
	const sites = 20
	w, b, dir := newSoundWeb(t), newBroker(t), filepath.Join(t.TempDir(), "out")
	var requests atomic.Int64
	killed := make(chan struct{})
	w.hold = func(string) {
		if requests.Add(1) > sites { // of two for each site
			<-killed
		}
	}
	list := w.list(t, sites)
	plan := []string{"plan", list, "-o", dir}
	for _, want := range []string{
		"sitemap: 20 domains put, 0 in the queue before, 0 done before\n",
		"sitemap: 0 domains put, 20 in the queue before, 0 done before\n",
	} {
		if out := b.run(t, plan...); out != want {
			t.Errorf("plan printed %q, want %q", out, want)
		}
	}
	worker := b.work(t, w, dir, "--parallel", "2")
	waitFor(t, "parts", func() bool { return countParts(dir) > sites/4 })
	b.kill()
	worker.Process.Kill()
	worker.Wait()
	close(killed)
	if err := os.RemoveAll(b.dir); err != nil {
		t.Fatal(err)
	}
	committed := partDomains(t, dir)
	w.mu.Lock()
	clear(w.requests)
	w.mu.Unlock()
	b.start(t)
	b.run(t, plan...)
	out := b.work(t, w, dir).end(t, cli.ExitOK)
	if want := fmt.Sprintf("sitemap: %d sites, ", sites-len(committed)); !strings.HasPrefix(out, want) {
		t.Errorf("work printed %q, want %q", out, want)
	}
	if n := len(partDomains(t, dir)); n != sites {
		t.Errorf("%d parts, want %d", n, sites)
	}
	for domain := range committed {
		if n := w.requests[domain+":"+w.port]; n > 0 {
			t.Errorf("%s was requested %d times", domain, n)
		}
	}
	status := b.run(t, "status", "-o", dir)
	if !strings.Contains(status, ": 20 of 20 sites done, 60 URLs") || !strings.Contains(status, "\n0 domains in the queue, 0 with workers\n") {
		t.Errorf("status printed %q", status)
	}
	const over = "sitemap: run 1 is over: 20 sites done; --retry walks failed targets again, --run NAME begins the next run\n"
	if out := b.run(t, plan...); out != over {
		t.Errorf("plan printed %q, want %q", out, over)
	}
}

// A worker stands still beyond its lease, and goes on when another one has walked its domain: its
// part is not committed a second time, and its state is not saved.
func TestBatchQueue_StoppedWorker(t *testing.T) {
	t.Parallel()
	w, b, dir := newSoundWeb(t), newBroker(t), filepath.Join(t.TempDir(), "out")
	held, release := w.holdFirst()
	const lease = "--lease=2s"
	b.run(t, "plan", w.list(t, 1), "-o", dir, lease)
	stopped := b.work(t, w, dir, lease)
	<-held
	stopped.Process.Signal(syscall.SIGSTOP)
	b.work(t, w, dir, lease).end(t, cli.ExitOK)
	path := partDomains(t, dir)["127.1.0.1"]
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	version := b.version(t, "127.1.0.1")
	stopped.Process.Signal(syscall.SIGCONT)
	close(release)
	stopped.end(t, cli.ExitOK)
	after, err := os.Stat(path)
	if err != nil || !os.SameFile(before, after) || !after.ModTime().Equal(before.ModTime()) {
		t.Errorf("the part was committed again: %v", err)
	}
	if again := b.version(t, "127.1.0.1"); version == "" || again != version {
		t.Errorf("the state had version %s, and has %s", version, again)
	}
}

// version returns the version of a domain's state.
func (b *broker) version(t *testing.T, domain string) string {
	t.Helper()
	nc, err := nats.Connect(b.url())
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	s, err := natsqueue.OpenStates(t.Context(), nc, nil)
	if err != nil {
		t.Fatal(err)
	}
	state, err := s.Load(t.Context(), domain)
	if err != nil {
		t.Fatal(err)
	}
	return state.Version
}

// On SIGTERM, a walk that needs longer than the grace time is handed back at once.
func TestBatchQueue_Terminated(t *testing.T) {
	t.Parallel()
	w, b, dir := newSoundWeb(t), newBroker(t), filepath.Join(t.TempDir(), "out")
	held, release := w.holdFirst()
	defer close(release)
	const lease = "--lease=1h"
	b.run(t, "plan", w.list(t, 3), "-o", dir, lease)
	worker := b.work(t, w, dir, lease, "--parallel", "1", "--grace", "100ms")
	<-held
	worker.Process.Signal(syscall.SIGTERM)
	if out := worker.end(t, cli.ExitInterrupted); !strings.HasSuffix(out, "sitemap: interrupted\n") {
		t.Errorf("reported %q", out)
	}
	b.work(t, w, dir, lease).end(t, cli.ExitOK) // without waiting for the lease to end
	if n := len(partDomains(t, dir)); n != 3 {
		t.Errorf("%d parts", n)
	}
}

// Metrics and the health answers are served while a worker walks. Ready is a worker whose broker
// answers.
func TestBatchQueue_Metrics(t *testing.T) {
	t.Parallel()
	w, b, dir := newSoundWeb(t), newBroker(t), filepath.Join(t.TempDir(), "out")
	release := make(chan struct{})
	w.hold = func(host string) {
		if strings.HasPrefix(host, "127.1.0.3:") {
			<-release
		}
	}
	b.run(t, "plan", w.list(t, 3), "-o", dir)
	address := fmt.Sprint("127.0.0.1:", freePort(t))
	worker := b.work(t, w, dir, "--metrics", address)
	get := func(path string) string {
		resp, err := http.Get("http://" + address + path)
		if err != nil {
			return err.Error()
		}
		defer resp.Body.Close()
		text, _ := io.ReadAll(resp.Body)
		return resp.Status + "\n" + string(text)
	}
	waitFor(t, "two domains", func() bool { return strings.Contains(get("/metrics"), "\nsitemap_domains_total 2\n") })
	for _, want := range []string{
		"sitemap_urls_total 6", "sitemap_domains_waiting 0", "sitemap_domains_leased 1", "sitemap_domains_walking 1",
		"sitemap_domain_seconds_count 2", `sitemap_requests_total{code="200"} 4`,
	} {
		if got := get("/metrics"); !strings.Contains(got, "\n"+want+"\n") {
			t.Errorf("%q lacks %q", got, want)
		}
	}
	for _, path := range []string{"/healthz", "/readyz"} {
		if got := get(path); got != "200 OK\nok\n" {
			t.Errorf("%s: %s", path, got)
		}
	}
	unready := func() bool { return strings.HasPrefix(get("/readyz"), "503 ") }
	b.p.Process.Signal(syscall.SIGSTOP) // it is connected, but does not answer
	waitFor(t, "a broker that does not answer", unready)
	status := b.command(t, "status", dir).end(t, cli.ExitFailed)
	for _, want := range []string{": 2 of 3 sites done, ", "\nsitemap: --queue: "} {
		if !strings.Contains(status, want) {
			t.Errorf("status printed %q, want %q", status, want)
		}
	}
	b.kill()
	waitFor(t, "the loss of the broker", unready)
	if got := get("/healthz"); got != "200 OK\nok\n" {
		t.Errorf("/healthz without a broker: %s", got)
	}
	b.start(t)
	close(release)
	worker.end(t, cli.ExitOK)
}

// Workers are killed while they walk, and the broker, too. The parts are those of a run that
// nothing disturbed. Four kills abandon no domain: a fifth would be allowed to.
func TestBatchQueue_Killed(t *testing.T) {
	t.Parallel()
	w, b := newSoundWeb(t), newBroker(t)
	list := w.list(t, *batchSites)
	whole, dir := filepath.Join(t.TempDir(), "whole"), filepath.Join(t.TempDir(), "out")
	runArgs(t, "batch", list, "--allow-private", w.connectTo(), "-q", "-o", whole).want(t, cli.ExitOK, "")
	want := partFiles(t, whole)
	const lease = "--lease=2s"
	b.run(t, "plan", list, "-o", dir, lease)
	var workers [3]*process
	start := func(i int) { workers[i] = b.work(t, w, dir, lease, "--parallel", "4") }
	kill := func(i, parts int) {
		waitFor(t, fmt.Sprint(parts, " parts"), func() bool { return countParts(dir) >= parts })
		if i == 2 { // the last worker: it has made the latest parts, so it is connected
			b.kill()
			b.start(t)
		}
		workers[i].Process.Kill()
		workers[i].Wait()
	}
	for i := range workers {
		start(i)
	}
	for i := range workers {
		kill(i, (1+i)*len(want)/6)
	}
	for i := range workers {
		start(i)
	}
	kill(0, 4*len(want)/6)
	start(0)
	for _, worker := range workers {
		worker.end(t, cli.ExitOK)
	}
	wantBatchParts(t, dir, want)
}

// One command plans and works, and a second one with the same run helps.
func TestBatchQueue_PlanAndWork(t *testing.T) {
	t.Parallel()
	w, b, dir := newSoundWeb(t), newBroker(t), filepath.Join(t.TempDir(), "out")
	args := []string{w.list(t, 12), "-o", dir, "--allow-private", w.connectTo(), "--run", "2026.11"}
	first, second := b.command(t, args...), b.command(t, args...)
	first.end(t, cli.ExitOK)
	second.end(t, cli.ExitOK)
	status := b.run(t, "status", dir+"/2026.11")
	if !strings.Contains(status, ": 12 of 12 sites done, 36 URLs in 12 sitemaps\n0 of 12 domains failed") {
		t.Errorf("status printed %q", status)
	}
}

// A command that plans and works goes on with a run that was over, however long it looks for parts:
// here until it has read one that is a pipe.
func TestBatchQueue_AnotherList(t *testing.T) {
	t.Parallel()
	w, b, dir := newSoundWeb(t), newBroker(t), filepath.Join(t.TempDir(), "out")
	walk := func(sites int) *process {
		return b.command(t, w.list(t, sites), "-o", dir, "--allow-private", w.connectTo(), "--retries", "0")
	}
	walk(1).end(t, cli.ExitOK)
	pipe := filepath.Join(dir, "1", "00", "pipe"+batch.PartSuffix)
	if err := cmp.Or(os.MkdirAll(filepath.Dir(pipe), 0o777), syscall.Mkfifo(pipe, 0o666)); err != nil {
		t.Fatal(err)
	}
	again := walk(3)
	values := b.values(t)
	waitFor(t, "the run to go on", func() bool {
		_, err := values.Get(t.Context(), "run.1")
		return errors.Is(err, jetstream.ErrKeyNotFound)
	})
	if err := os.WriteFile(pipe, nil, 0); err != nil {
		t.Fatal(err)
	}
	again.end(t, cli.ExitOK)
	if err := os.Remove(pipe); err != nil {
		t.Fatal(err)
	}
	if n := len(partDomains(t, dir)); n != 3 {
		t.Errorf("%d parts, want 3", n)
	}
}

// values returns what the broker keeps beside tasks.
func (b *broker) values(t *testing.T) jetstream.KeyValue {
	t.Helper()
	nc, err := nats.Connect(b.url())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	values, err := js.KeyValue(t.Context(), "sitemap")
	if err != nil {
		t.Fatal(err)
	}
	return values
}
