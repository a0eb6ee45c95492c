package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/engines/frontier"
	"github.com/seed-322c453a/sitemap/engines/frontier/frontiertest"
)

// A browser answers for the sites N.test without a network, after wait.
type browser struct {
	wait func(*http.Request) error
}

func (b *browser) RoundTrip(r *http.Request) (*http.Response, error) {
	if b.wait != nil {
		if err := b.wait(r); err != nil {
			return nil, err
		}
	}
	origin := "https://" + r.URL.Host
	w := httptest.NewRecorder()
	switch r.URL.Path {
	case "/robots.txt":
		io.WriteString(w, "Sitemap: "+origin+"/sitemap.xml\n")
	case "/sitemap.xml":
		io.WriteString(w, "<urlset><url><loc>"+origin+"/1</loc><lastmod>2024-05-06</lastmod></url>"+
			"<url><loc>"+origin+"/2</loc></url></urlset>")
	default:
		w.WriteHeader(http.StatusNotFound)
	}
	answer := w.Result()
	answer.Request = r
	return answer, nil
}

// batch runs a command of batch with this browser.
func (b *browser) batch(ctx context.Context, args ...string) result {
	var out, stderr bytes.Buffer
	a := cli.NewApp(ctx, strings.NewReader(""), &out, &stderr)
	a.Transport = b
	status := execute(a, append([]string{"batch"}, args...))
	return result{out.String(), stderr.String(), status}
}

// openFrontier starts a frontier with domains in its crawl "sites", and returns the URL of a crawl
// without its name.
func openFrontier(t *testing.T, s *frontiertest.Server, domains ...string) string {
	t.Helper()
	address := s.Start(t)
	conn, err := frontier.Dial(address, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	q := &frontier.Queue{Conn: conn, Crawl: "sites"}
	for _, d := range domains {
		if ok, err := q.Put(t.Context(), batch.Task{Run: "1", Domain: d, Targets: []string{d}}); !ok || err != nil {
			t.Fatalf("Put(%s) = %t, %v", d, ok, err)
		}
	}
	return "urlfrontier://" + address + "/"
}

// A worker takes sites from a frontier, and emit gives their pages to one.
func TestBatchFrontier(t *testing.T) {
	t.Parallel()
	s := &frontiertest.Server{}
	url := openFrontier(t, s, "1.test", "2.test", "3.test")
	dir, web := filepath.Join(t.TempDir(), "out"), &browser{}
	web.batch(t.Context(), "work", "-o", dir, "--queue", url+"sites").want(t, cli.ExitOK, "", "sitemap: 3 sites, 6 URLs, 0 failed, ")
	if got := s.URLs("sites"); len(got) > 0 {
		t.Errorf("in the frontier are still %v", got)
	}
	web.batch(t.Context(), "work", "-o", dir, "--queue", url+"sites").want(t, cli.ExitOK, "", "sitemap: 0 sites, ")
	web.batch(t.Context(), "work", "-o", dir, "--queue", url+"sitse").want(t, cli.ExitFailed, "", "the crawl sitse has no URLs")
	for _, want := range []string{
		"sitemap: 3 parts: 6 pages added, 0 skipped, 0 failed\n", "sitemap: 3 parts: 0 pages added, 6 skipped, 0 failed\n",
	} {
		web.batch(t.Context(), "emit", dir+"/1", "--queue", url+"pages").want(t, cli.ExitOK, "", want)
	}
	got := s.URLs("pages")
	if len(got) != 6 || got[0].URL != "https://1.test/1" || got[0].Key != "1.test" ||
		got[0].Metadata["sitemap.url"][0] != "https://1.test/sitemap.xml" {
		t.Errorf("the frontier has %v", got)
	}
	part := filepath.Join(dir, filepath.FromSlash(batch.PartName("1", "1.test")))
	if err := os.Truncate(part, 0); err != nil {
		t.Fatal(err)
	}
	web.batch(t.Context(), "emit", dir+"/1", "--queue", url+"others").
		want(t, cli.ExitFailed, "", part+": damaged part\nsitemap: 2 parts: 4 pages added, 0 skipped, 0 failed\n")
}

// One command puts the domains of a list into a frontier and walks them.
func TestBatchFrontier_List(t *testing.T) {
	t.Parallel()
	s := &frontiertest.Server{}
	url := openFrontier(t, s)
	dir, web := filepath.Join(t.TempDir(), "out"), &browser{}
	list := writeFile(t, "sites.txt", "1.test\n2.test\nwww.2.test\n")
	args := []string{list, "-o", dir, "--queue", url + "sites", "--run", "2"}
	web.batch(t.Context(), args...).want(t, cli.ExitOK, "", "sitemap: 3 sites, 6 URLs, 0 failed, ")
	web.batch(t.Context(), args...).want(t, cli.ExitOK, "", "sitemap: run 2 is over: 3 sites done; ")
	web.batch(t.Context(), "plan", list, "-o", dir, "--queue", url+"sites", "--run", "3").
		want(t, cli.ExitOK, "", "sitemap: 2 domains put, 0 in the queue before, 0 done before\n")
}

// A frontier is asked by TLS, with certificates of one's own.
func TestBatchFrontier_TLS(t *testing.T) {
	t.Parallel()
	certified := httptest.NewTLSServer(nil)
	defer certified.Close()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	secure := &tls.Config{Certificates: certified.TLS.Certificates, NextProtos: []string{"h2"}}
	defer (&frontiertest.Server{}).Serve(tls.NewListener(l, secure))()
	ca := writeFile(t, "ca.pem", string(pem.EncodeToMemory(&pem.Block{
		Type: "CERTIFICATE", Bytes: certified.Certificate().Raw,
	})))
	list, dir := writeFile(t, "sites.txt", "1.test\n"), filepath.Join(t.TempDir(), "out")
	args := []string{list, "-o", dir, "--queue", "urlfrontiers://" + l.Addr().String() + "/sites"}
	web := &browser{}
	web.batch(t.Context(), append(args, "--queue-ca", list)...).want(t, cli.ExitFailed, "", "no certificate in PEM")
	web.batch(t.Context(), append(args, "--queue-ca", ca)...).want(t, cli.ExitOK, "", "sitemap: 1 site, 2 URLs, 0 failed, ")
}

// An interrupted worker lets its domains end within the grace time, and hands them back then.
func TestBatchFrontier_Interrupted(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, grace string
		parts, left int // left: domains in the frontier
	}{
		{"ends", "10m", 1, 2},
		{"handed back", "0s", 0, 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := &frontiertest.Server{}
			url := openFrontier(t, s, "1.test", "2.test", "3.test")
			ctx, interrupt := context.WithCancel(t.Context())
			var once sync.Once
			web := &browser{wait: func(r *http.Request) error {
				once.Do(interrupt)
				if test.grace == "0s" {
					<-r.Context().Done()
					return r.Context().Err()
				}
				return nil
			}}
			dir := t.TempDir()
			args := []string{"work", "-o", dir, "--queue", url + "sites", "--parallel", "1", "--grace", test.grace}
			web.batch(ctx, args...).want(t, cli.ExitInterrupted, "", "sitemap: interrupted\n")
			got, err := filepath.Glob(filepath.Join(dir, "1", "*", "*.jsonl.gz"))
			if err != nil || len(got) != test.parts || len(s.URLs("sites")) != test.left {
				t.Errorf("parts %q, %v, in the frontier %v", got, err, s.URLs("sites"))
			}
			if n := s.Leased("sites"); n > 0 {
				t.Errorf("%d domains are leased", n)
			}
		})
	}
}

// replaceFrontier serves the first frontier at an address. Put is the number of URLs that it has to
// receive. Then it stops while a site is being walked, and the other one serves at its address.
func replaceFrontier(
	t *testing.T, first, then *frontiertest.Server, put int,
) (web *browser, args []string) {
	address, stop := first.Listen(t, "127.0.0.1:0")
	list := writeFile(t, "sites.txt", "1.test\n2.test\n3.test\n")
	var once sync.Once
	web = &browser{wait: func(*http.Request) (err error) {
		once.Do(func() {
			for len(first.URLs("DEFAULT")) < put {
				time.Sleep(time.Millisecond)
			}
			stop()
			var l net.Listener
			if l, err = net.Listen("tcp", address); err == nil {
				t.Cleanup(then.Serve(l))
			}
		})
		return err
	}}
	return web, []string{list, "-o", t.TempDir(), "--queue", "urlfrontier://" + address, "--parallel", "1", "--retries", "0"}
}

// The frontier is stopped while a worker walks, and started again. The worker goes on.
func TestBatchFrontier_Restarted(t *testing.T) {
	t.Parallel()
	s := &frontiertest.Server{}
	web, args := replaceFrontier(t, s, s, 0)
	web.batch(t.Context(), args...).want(t, cli.ExitOK, "", "sitemap: 3 sites, 6 URLs, 0 failed, ")
	if got := s.URLs("DEFAULT"); len(got) > 0 {
		t.Errorf("in the frontier are still %v", got)
	}
}

// If a frontier loses its tasks, the command does not end as if the run were over. Given again, it
// does the rest.
func TestBatchFrontier_Lost(t *testing.T) {
	t.Parallel()
	web, args := replaceFrontier(t, &frontiertest.Server{}, &frontiertest.Server{}, 3)
	web.batch(t.Context(), args...).want(t, cli.ExitFailed, "", "sitemap: 1 site, 2 URLs, 0 failed, ",
		"sitemap: run 1: the queue has lost 2 sites that it had: give the command again\n")
	web.batch(t.Context(), args...).want(t, cli.ExitOK, "", "sitemap: 2 sites, 4 URLs, 0 failed, ")
}

// A worker that finds tasks of an earlier run does them in the mode of that run, or not at all. A
// list whose domains they are is not done.
func TestBatchFrontier_EarlierRun(t *testing.T) {
	t.Parallel()
	url := openFrontier(t, &frontiertest.Server{})
	list, dir, web := writeFile(t, "sites.txt", "1.test\n"), filepath.Join(t.TempDir(), "out"), &browser{}
	run := func(status int, want string, args ...string) {
		t.Helper()
		args = append(args, "-o", dir, "--queue", url+"sites")
		web.batch(t.Context(), args...).want(t, status, "", want)
	}
	run(cli.ExitOK, "1 domain put", "plan", list)
	const other = "sitemap: --queue: 1.test is of run 1, which has the mode \"full\": work on that run first\n"
	run(cli.ExitFailed, other, list, "--run", "2", "--changed")
	run(cli.ExitFailed, other, "work", "--run", "2", "--changed")
	run(cli.ExitFailed, "run 3: the queue has lost 1 site that it had: give the command again\n", list, "--run", "3")
	run(cli.ExitOK, "sitemap: 1 site, 2 URLs, 0 failed, ", list, "--run", "3")
}

// A worker that waits for more ends when it is interrupted.
func TestBatchFrontier_Wait(t *testing.T) {
	t.Parallel()
	s := &frontiertest.Server{}
	url := openFrontier(t, s)
	ctx, interrupt := context.WithCancel(t.Context())
	web := &browser{wait: func(*http.Request) error { interrupt(); return nil }}
	ended := make(chan result)
	dir := t.TempDir()
	go func() {
		ended <- web.batch(ctx, "work", "-o", dir, "--queue", url+"sites", "--wait", "--grace", "10m")
	}()
	conn, err := frontier.Dial(strings.Trim(strings.TrimPrefix(url, "urlfrontier:"), "/"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	q := &frontier.Queue{Conn: conn, Crawl: "sites"}
	if _, err := q.Put(t.Context(), batch.Task{Run: "1", Domain: "1.test", Targets: []string{"1.test"}}); err != nil {
		t.Fatal(err)
	}
	(<-ended).want(t, cli.ExitInterrupted, "", "sitemap: 1 site, 2 URLs, 0 failed, ", "sitemap: interrupted\n")
}

func TestBatchFrontier_Failures(t *testing.T) {
	t.Parallel()
	full := &frontiertest.Server{Fails: func(string) bool { return true }}
	url := openFrontier(t, full)
	dir, web := filepath.Join(t.TempDir(), "out"), &browser{}
	web.batch(t.Context(), writeFile(t, "sites.txt", "1.test\n"), "-q", "-o", dir).want(t, cli.ExitOK, "")
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{dir + "/1", "--metrics", "nowhere"}, "--metrics: listen tcp"},
		{[]string{dir + "/none"}, "/none: no parts in it"},
		{[]string{dir + "/1"}, "the frontier did not take 2 pages: run emit again"},
	} {
		args := slices.Concat([]string{"emit", "--queue", url}, test.args)
		web.batch(t.Context(), args...).want(t, cli.ExitFailed, "", test.want)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	refused := fmt.Sprintf("urlfrontier://127.0.0.1:%d/", freePort(t))
	web.batch(ctx, "work", "-o", dir, "--queue", refused).want(t, cli.ExitInterrupted, "", "interrupted")
}
