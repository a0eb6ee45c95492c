//go:build unix && !race

package discover

import (
	"compress/gzip"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/fetch"
	"github.com/seed-322c453a/sitemap/internal/faultserver"
)

var wholeBombs = flag.Bool("wholebombs", false, "TestBombs reads to the default limits, 500 MiB and 500,000 entries of each document")

// maxProcess is the memory that a process which walks a bomb may have.
const maxProcess = 100 << 20

// TestBombs walks bombs, each in a process of its own, and looks at the most
// memory that the process had.
func TestBombs(t *testing.T) {
	if bomb := os.Getenv("DISCOVER_TEST_BOMB"); bomb != "" {
		walkBomb(t, bomb)
		return
	}
	faults := faultserver.New()
	defer faults.Close()
	for _, bomb := range []string{
		"/fault/bomb?n=600", "/fault/nested-bomb?n=600", "/fault/slow-bomb?n=600", "/fault/endless", "/fault/endless-gzip",
		"/space/", "/loc/", "/fan/", "/long/", "/chain/", "/self/", "/circle/", "/manyrobots/", "/hugerobots/",
	} {
		srv := httptest.NewServer(bombHandler(bomb, faults))
		cmd := exec.Command(os.Args[0], "-test.run=^TestBombs$", fmt.Sprint("-wholebombs=", *wholeBombs))
		cmd.Env = append(os.Environ(), "DISCOVER_TEST_BOMB="+srv.URL+bomb)
		out, err := cmd.CombinedOutput()
		srv.CloseClientConnections()
		srv.Close()
		if err != nil {
			t.Fatalf("%s: %v\n%s", bomb, err, out)
		}
		most := maxRSS(cmd.ProcessState)
		t.Logf("%-26s %d MiB, %v of CPU time", bomb, most>>20, cmd.ProcessState.UserTime().Round(10*time.Millisecond))
		if most > maxProcess {
			t.Errorf("%s: the process had %d MiB of memory", bomb, most>>20)
		}
	}
}

// maxRSS returns the most memory that an ended process had.
func maxRSS(p *os.ProcessState) int64 {
	n := int64(p.SysUsage().(*syscall.Rusage).Maxrss)
	if runtime.GOOS == "darwin" {
		return n // elsewhere it is in KiB
	}
	return n << 10
}

// bombHandler serves a site with one bomb.
func bombHandler(bomb string, faults http.Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		here := "http://" + r.Host
		kids := indexReader{base: fmt.Sprintf("%s%s%x-", here, bomb, fnvOf(r.URL.Path)), n: 50_000}
		switch {
		case r.URL.Path == "/robots.txt" && bomb == "/manyrobots/":
			for i := range 100_000 {
				fmt.Fprintf(w, "Sitemap: /s/%d.xml\n", i)
			}
		case r.URL.Path == "/robots.txt" && bomb == "/hugerobots/":
			line := strings.Repeat("#", 1<<16) + "\nSitemap: /s/1.xml\n"
			for err := error(nil); err == nil; {
				_, err = io.WriteString(w, line)
			}
		case strings.HasPrefix(r.URL.Path, "/fault/"):
			faults.ServeHTTP(w, r)
		case r.URL.Path == "/space/":
			endlessGzip(w, "<urlset>", strings.Repeat(" ", 1<<20))
		case r.URL.Path == "/loc/":
			endlessGzip(w, "<urlset><url><loc>https://example.com/", strings.Repeat("x", 1<<20))
		case strings.HasPrefix(r.URL.Path, "/s/"):
			io.WriteString(w, urlset(here+"/page"))
		case strings.HasPrefix(r.URL.Path, "/fan/"):
			io.Copy(w, &kids)
		case strings.HasPrefix(r.URL.Path, "/long/"):
			kids.base, kids.n = here+bomb+strings.Repeat("x", 2000)+kids.base[len(here+bomb):], 5_000
			io.Copy(w, &kids)
		case strings.HasPrefix(r.URL.Path, "/chain/"):
			io.WriteString(w, index(kids.base+"next"))
		case strings.HasPrefix(r.URL.Path, "/self/"):
			io.WriteString(w, index(here+"/self/", here+"/self/#x", here+"/self/."))
		case r.URL.Path == "/circle/":
			io.WriteString(w, index(here+"/circle/a", here+"/circle/b"))
		case r.URL.Path == "/circle/a":
			http.Redirect(w, r, "/circle/", http.StatusFound)
		case r.URL.Path == "/circle/b":
			io.WriteString(w, index(here+"/circle/a", here+"/circle/b", here+"/circle/"))
		default:
			http.NotFound(w, r)
		}
	}
}

// endlessGzip writes start, and then rest until the client goes.
func endlessGzip(w io.Writer, start, rest string) {
	z, _ := gzip.NewWriterLevel(w, gzip.BestSpeed)
	_, err := io.WriteString(z, start)
	for err == nil {
		_, err = io.WriteString(z, rest)
	}
}

// walkBomb walks what is at loc, or the site where the bomb is in its robots.txt,
// and checks that it ends as it must.
func walkBomb(t *testing.T, loc string) {
	o := &Options{MaxSitemaps: 20, Limits: sitemap.Limits{Bytes: 32 << 20, Entries: 100_000}}
	if *wholeBombs {
		o = &Options{MaxSitemaps: 500}
	}
	c := &Client{Fetcher: &fetch.Client{AllowPrivateNetworks: true, Retries: -1, Timeout: 20 * time.Second}}
	urls := 0
	seq := c.Walk(t.Context(), named(loc), o)
	if strings.HasSuffix(loc, "robots/") {
		seq = c.URLs(t.Context(), loc, o)
	}
	var last error
	for _, err := range seq {
		if last = err; err == nil {
			urls++
		}
	}
	var want error
	switch {
	case strings.Contains(loc, "/fault/endless"):
		want = sitemap.ErrTooManyEntries
	case strings.Contains(loc, "bomb?"), strings.Contains(loc, "/space/"), strings.Contains(loc, "/loc/"):
		want = sitemap.ErrTooLarge
	case strings.Contains(loc, "/self/"), strings.Contains(loc, "/circle/"), strings.Contains(loc, "/hugerobots/"):
	default:
		want = ErrLimit
	}
	if want == nil && last != nil || !errors.Is(last, want) {
		t.Errorf("%d URLs, then %v, want %v", urls, last, want)
	}
}
