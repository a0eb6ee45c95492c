package watch_test

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/discover/state"
	"github.com/seed-322c453a/sitemap/fetch"
	"github.com/seed-322c453a/sitemap/watch"
)

var kills = flag.Int("kills", 3, "how often to kill the process")

const task = "WATCH_TEST_STATE"

// TestMain watches the sites of the test if it runs in another process for that.
func TestMain(m *testing.M) {
	flag.Parse()
	if path := os.Getenv(task); path != "" {
		if err := printEvents(path, time.Millisecond); err != nil {
			fmt.Println(err)
		}
		os.Exit(0)
	}
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}

// killPages returns how many pages a sitemap has in which processes are killed.
func killPages() int { return 50 + 2**kills }

// killSites returns sites with many pages, and their names.
func killSites() (*web, []string) {
	w := newWeb()
	var names []string
	for i := range 4 {
		host := fmt.Sprintf("s%d.test", i)
		names = append(names, host)
		put := func(path, body string) {
			body = strings.ReplaceAll(body, "a.test", host)
			w.pages["https://"+host+"/"+path] = func() string { return body }
		}
		put("robots.txt", "Sitemap: /i")
		put("i", index("0", "1", "2"))
		for j := range 3 {
			var pages []string
			for k := range killPages() {
				pages = append(pages, fmt.Sprintf("%d/%d", j, k))
			}
			put(fmt.Sprint(j), urlset(pages...))
		}
	}
	return w, names
}

// printEvents prints the ID of each event, with a pause after it.
func printEvents(path string, pause time.Duration) error {
	db, err := state.Open(path)
	if err != nil {
		return err
	}
	web, names := killSites()
	w := &watch.Watcher{
		Client: &discover.Client{Fetch: &fetch.Client{Transport: web}}, Store: db, Initial: true,
	}
	for e, err := range w.Once(context.Background(), slices.Values(names)) {
		if err != nil {
			return err
		}
		fmt.Println(e.ID)
		time.Sleep(pause)
	}
	return db.Close()
}

// TestKilled: a process that is killed again and again has printed each event in the end, with the
// ID that it has without kills.
func TestKilled(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "state")
	// watchUntil watches until n events are printed, and then kills the process.
	watchUntil := func(path string, most int) (ids []string) {
		cmd := exec.Command(self, fmt.Sprint("-kills=", *kills))
		cmd.Env = append(os.Environ(), task+"="+path)
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for len(ids) < most && lines.Scan() {
			ids = append(ids, lines.Text())
		}
		cmd.Process.Kill()
		for lines.Scan() {
			ids = append(ids, lines.Text()) // the reader had them before the kill
		}
		cmd.Wait()
		return ids
	}
	all := 4 * 3 * killPages()
	wanted := watchUntil(path+".undisturbed", all+1)
	if len(wanted) != all {
		t.Fatalf("%d events without kills; the last is %s", len(wanted), wanted[len(wanted)-1])
	}
	printed := 0
	union := map[string]bool{}
	for range *kills {
		ids := watchUntil(path, 1+rand.IntN(2*all / *kills))
		printed += len(ids)
		for _, id := range ids {
			union[id] = true
		}
	}
	for _, id := range watchUntil(path, all+1) {
		union[id] = true
		printed++
	}
	for _, id := range wanted {
		if !union[id] {
			t.Fatalf("event %s was lost", id)
		}
	}
	if len(union) != all {
		t.Errorf("%d events, want %d", len(union), all)
	}
	t.Logf("%d kills: %d events, %d printed", *kills, all, printed)
}
