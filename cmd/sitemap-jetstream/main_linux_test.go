package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/cmd/sitemap-jetstream/embedded"
	"github.com/seed-322c453a/sitemap/engines/jetstream"
)

// TestMain lets the test binary be the command, or a broker in a folder.
func TestMain(m *testing.M) {
	if os.Getenv("TEST_COMMAND") != "" {
		main()
		os.Exit(0)
	}
	if dir := os.Getenv("TEST_BROKER"); dir != "" {
		var port int
		fmt.Sscan(os.Getenv("TEST_PORT"), &port)
		s, err := embedded.Start(dir, port)
		if err != nil {
			panic(err)
		}
		fmt.Println("ready")
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
		defer stop()
		<-ctx.Done()
		s.Close()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// A process is the command or a broker.
type process struct {
	*exec.Cmd
	out bytes.Buffer
}

func start(t *testing.T, env []string, args ...string) *process {
	t.Helper()
	p := &process{Cmd: exec.Command(os.Args[0], args...)}
	p.Env = append(os.Environ(), env...)
	p.Stdout, p.Stderr = &p.out, &p.out
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Process.Kill(); p.Wait() })
	return p
}

// hang is how long tests wait for a process before they take it to hang.
const hang = 5 * time.Minute

// end waits for a process to end.
func (p *process) end(t *testing.T) error {
	t.Helper()
	timer := time.AfterFunc(hang, func() {
		t.Errorf("%q has not ended after %v", p.Args[1:], hang)
		p.Process.Kill()
	})
	defer timer.Stop()
	return p.Wait()
}

// A broker is a process of its own.
type broker struct {
	dir  string
	port int
	p    *process
}

func newBroker(t *testing.T) *broker {
	t.Helper()
	b := &broker{filepath.Join(t.TempDir(), "broker"), freePort(t), nil}
	b.start(t)
	return b
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func (b *broker) start(t *testing.T) {
	t.Helper()
	b.p = start(t, []string{"TEST_BROKER=" + b.dir, fmt.Sprint("TEST_PORT=", b.port)})
	waitFor(t, "the broker", func() bool {
		nc, err := nats.Connect(b.url())
		if err == nil {
			nc.Close()
		}
		return err == nil
	})
}

func (b *broker) url() string { return fmt.Sprintf("nats://127.0.0.1:%d", b.port) }

// run runs the command to its end.
func (b *broker) run(t *testing.T, args ...string) string {
	t.Helper()
	p := b.command(t, args...)
	if err := p.end(t); err != nil {
		t.Fatalf("%q: %v\n%s", args, err, &p.out)
	}
	return p.out.String()
}

func (b *broker) command(t *testing.T, args ...string) *process {
	t.Helper()
	return start(t, []string{"TEST_COMMAND=1"}, append(args, "--servers", b.url())...)
}

// A web serves a site at each address of 127.0.0.0/8.
type web struct {
	port string
	hold func(host string) // called in each request

	mu       sync.Mutex
	requests map[string]int
}

func newWeb(t *testing.T) *web {
	t.Helper()
	w := &web{requests: map[string]int{}}
	s := httptest.NewUnstartedServer(w)
	l, err := net.Listen("tcp4", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	s.Listener.Close()
	s.Listener = l
	s.Start()
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	_, w.port, _ = net.SplitHostPort(l.Addr().String())
	return w
}

func (w *web) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	w.requests[r.Host]++
	w.mu.Unlock()
	if w.hold != nil {
		w.hold(r.Host)
	}
	if r.URL.Path == "/robots.txt" {
		io.WriteString(rw, "Sitemap: http://"+r.Host+"/sitemap.txt\n")
	} else {
		io.WriteString(rw, "http://"+r.Host+"/1\nhttp://"+r.Host+"/2\n")
	}
}

func (w *web) list(t *testing.T, n int) string {
	t.Helper()
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "http://127.7.%d.%d:%s\n", i/200, 1+i%200, w.port)
	}
	name := filepath.Join(t.TempDir(), "sites.txt")
	if err := os.WriteFile(name, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// parts returns the paths of the parts by domain.
func parts(t *testing.T, dir string) map[string]string {
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
		if p.Counts.URLs != 2 || p.Counts.Failed != 0 {
			t.Errorf("%s: %+v", p.Domain, p.Counts)
		}
		found[p.Domain] = p.Path
	}
	return found
}

// waitFor waits until ok returns true.
func waitFor(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(hang); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited %v in vain for %s", hang, what)
		}
	}
}

// The broker is killed and its data deleted. Another plan finishes the run, and walks nothing that
// has a part.
func TestBrokerLost(t *testing.T) {
	const sites = 150
	w, b, dir := newWeb(t), newBroker(t), filepath.Join(t.TempDir(), "parts")
	var requests atomic.Int64
	killed := make(chan struct{})
	w.hold = func(string) {
		if requests.Add(1) > sites { // of two for each site
			<-killed
		}
	}
	list := w.list(t, sites)
	if out := b.run(t, "plan", list, "-o", dir); out != "150 domains put, 0 already on the broker, 0 already done\n" {
		t.Errorf("plan printed %q", out)
	}
	if out := b.run(t, "plan", list, "-o", dir); out != "0 domains put, 150 already on the broker, 0 already done\n" {
		t.Errorf("the second plan printed %q", out)
	}
	worker := b.command(t, "work", "-o", dir, "--allow-private", "--walks", "2")
	waitFor(t, "parts", func() bool { return len(parts(t, dir)) > sites/4 })
	b.p.Process.Kill()
	b.p.Wait()
	worker.Process.Kill()
	worker.Wait()
	close(killed)
	if err := os.RemoveAll(b.dir); err != nil {
		t.Fatal(err)
	}
	committed := parts(t, dir)
	w.mu.Lock()
	clear(w.requests)
	w.mu.Unlock()
	b.start(t)
	b.run(t, "plan", list, "-o", dir)
	out := b.run(t, "work", "-o", dir, "--allow-private")
	if !strings.Contains(out, fmt.Sprintf("%d domains, 0 failed", sites-len(committed))) {
		t.Errorf("work printed %q, want %d domains", out, sites-len(committed))
	}
	if n := len(parts(t, dir)); n != sites {
		t.Errorf("%d parts, want %d", n, sites)
	}
	for domain := range committed {
		if n := w.requests[domain+":"+w.port]; n > 0 {
			t.Errorf("%s was requested %d times", domain, n)
		}
	}
	if out := b.run(t, "status", "-o", dir); !strings.HasPrefix(out, "0 domains wait, 0 are with workers, 150 are done: 300 URLs\n0 failed") {
		t.Errorf("status printed %q", out)
	}
}

// A worker stands still beyond its lease, and goes on when another one has walked its domain: its
// part is not committed a second time, and its state is not saved.
func TestStoppedWorker(t *testing.T) {
	w, b, dir := newWeb(t), newBroker(t), filepath.Join(t.TempDir(), "parts")
	held, release := make(chan struct{}), make(chan struct{})
	var first atomic.Bool
	w.hold = func(string) {
		if first.CompareAndSwap(false, true) {
			close(held)
			<-release
		}
	}
	b.run(t, "plan", w.list(t, 1), "-o", dir, "--lease", "2s")
	stopped := b.command(t, "work", "-o", dir, "--allow-private", "--lease", "2s")
	<-held
	stopped.Process.Signal(syscall.SIGSTOP)
	b.run(t, "work", "-o", dir, "--allow-private", "--lease", "2s")
	path := parts(t, dir)["127.7.0.1"]
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	revision := revisionOf(t, b, "127.7.0.1")
	stopped.Process.Signal(syscall.SIGCONT)
	close(release)
	if err := stopped.end(t); err != nil {
		t.Errorf("the worker that stood still: %v\n%s", err, &stopped.out)
	}
	after, err := os.Stat(path)
	if err != nil || !os.SameFile(before, after) || !after.ModTime().Equal(before.ModTime()) {
		t.Errorf("the part was committed again: %v", err)
	}
	if again := revisionOf(t, b, "127.7.0.1"); revision == 0 || again != revision {
		t.Errorf("the state had revision %d, and has %d", revision, again)
	}
}

func revisionOf(t *testing.T, b *broker, domain string) uint64 {
	t.Helper()
	nc, err := nats.Connect(b.url())
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	s, err := jetstream.OpenStates(t.Context(), nc, nil)
	if err != nil {
		t.Fatal(err)
	}
	state, err := s.Load(t.Context(), domain)
	if err != nil {
		t.Fatal(err)
	}
	return state.Revision
}

// On SIGTERM, a walk that needs longer than the grace time is handed back at once.
func TestTerminated(t *testing.T) {
	w, b, dir := newWeb(t), newBroker(t), filepath.Join(t.TempDir(), "parts")
	held, release := make(chan struct{}), make(chan struct{})
	var first atomic.Bool
	w.hold = func(string) {
		if first.CompareAndSwap(false, true) {
			close(held)
			<-release
		}
	}
	defer close(release)
	const lease = "--lease=1h"
	b.run(t, "plan", w.list(t, 3), "-o", dir, lease)
	worker := b.command(t, "work", "-o", dir, "--allow-private", "--walks", "1", "--grace", "100ms", lease)
	<-held
	worker.Process.Signal(syscall.SIGTERM)
	if err := worker.end(t); err == nil || !strings.Contains(worker.out.String(), "interrupted; what was not done is on the broker") {
		t.Errorf("%v\n%s", err, &worker.out)
	}
	b.run(t, "work", "-o", dir, "--allow-private", lease) // without waiting for the lease to end
	if n := len(parts(t, dir)); n != 3 {
		t.Errorf("%d parts", n)
	}
}

// Metrics and the health answer are served while a worker walks.
func TestMetrics(t *testing.T) {
	w, b, dir := newWeb(t), newBroker(t), filepath.Join(t.TempDir(), "parts")
	release := make(chan struct{})
	w.hold = func(host string) {
		if strings.HasPrefix(host, "127.7.0.3:") {
			<-release
		}
	}
	b.run(t, "plan", w.list(t, 3), "-o", dir)
	address := fmt.Sprint("127.0.0.1:", freePort(t))
	worker := b.command(t, "work", "-o", dir, "--allow-private", "--metrics", address)
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
	for _, want := range []string{"\nsitemap_urls_total 4\n", "\nsitemap_domains_failed_total 0\n", "\nsitemap_domains_waiting 0\n"} {
		if got := get("/metrics"); !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
	if got := get("/healthz"); !strings.HasPrefix(got, "200 OK") {
		t.Errorf("/healthz: %s", got)
	}
	close(release)
	if err := worker.end(t); err != nil {
		t.Errorf("%v\n%s", err, &worker.out)
	}
}

// One machine needs no broker.
func TestEmbedded(t *testing.T) {
	w, dir := newWeb(t), filepath.Join(t.TempDir(), "parts")
	env := []string{"TEST_COMMAND=1"}
	for _, args := range [][]string{
		{"plan", w.list(t, 5), "-o", dir, "--embedded", "--port", "-1"},
		{"work", "-o", dir, "--embedded", "--port", "-1", "--allow-private"},
	} {
		p := start(t, env, args...)
		if err := p.end(t); err != nil {
			t.Fatalf("%q: %v\n%s", args, err, &p.out)
		}
	}
	if n := len(parts(t, dir)); n != 5 {
		t.Errorf("%d parts", n)
	}
}
