package batch_test

import (
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap/audit"
	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/fetch"
)

// texts answers with a text for each URL, 404 for any other, and 500 for all while it is down.
type texts struct {
	of     map[string]string
	isDown bool
}

func (x *texts) RoundTrip(req *http.Request) (*http.Response, error) {
	text, ok := x.of[req.URL.String()]
	status := http.StatusOK
	switch {
	case x.isDown || text == "down":
		status = http.StatusInternalServerError
	case !ok:
		status = http.StatusNotFound
	}
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(text)), Request: req}, nil
}

// oneOfThree returns a site with three sitemaps, of which one can be read.
func oneOfThree() *texts {
	return &texts{of: map[string]string{
		"https://a.example/robots.txt": "Sitemap: /a.txt\nSitemap: /b.txt\nSitemap: /c.txt\n",
		"https://a.example/a.txt":      "https://a.example/1\n", "https://a.example/b.txt": "down", "https://a.example/c.txt": "down",
	}}
}

// retried does a task, and again after its failures, and returns the URLs of its part.
func (x *texts) retried(t *testing.T, f *batch.Folder, list string, w batch.Worker) int {
	w.Client = &discover.Client{Fetch: &fetch.Client{Transport: x, Retries: -1}}
	w.Queue, w.Sink, w.States = queueOf(t, tasks(t, list, "1")), f, f
	if err := w.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return len(pages(t, part(t, f, "1", "a.example")))
}

// A retry while a site is down, which then fails once and not for each sitemap, keeps the part.
func TestRetry_SiteDown(t *testing.T) {
	for _, w := range []batch.Worker{{}, changed} {
		x, f := oneOfThree(), openFolder(t)
		if n := x.retried(t, f, "a.example", w); n != 1 {
			t.Fatalf("%d pages", n)
		}
		w.Retry, x.isDown = true, true
		if n := x.retried(t, f, "a.example", w); n != 1 {
			t.Errorf("%d pages after a retry while the site was down", n)
		}
		x.isDown, x.of["https://a.example/b.txt"] = false, "https://a.example/2\n"
		if n := x.retried(t, f, "a.example", w); n != 2 {
			t.Errorf("%d pages after a retry that is better", n)
		}
		delete(x.of, "https://a.example/c.txt")
		x.of["https://a.example/robots.txt"] = "Sitemap: /b.txt\n"
		want := 1 // or both, that were new in this run
		if w.Options.OnlyChanged {
			want = 2
		}
		if n := x.retried(t, f, "a.example", w); n != want {
			t.Errorf("%d pages after a retry without failures, want %d", n, want)
		}
	}
}

// A retry in which one document recovers and another is no longer there keeps the part.
func TestRetry_OtherDocument(t *testing.T) {
	x, f := oneOfThree(), openFolder(t)
	if n := x.retried(t, f, "a.example", batch.Worker{}); n != 1 {
		t.Fatalf("%d pages", n)
	}
	x.of["https://a.example/a.txt"], x.of["https://a.example/b.txt"], x.of["https://a.example/c.txt"] = "down", "https://a.example/2\n", "https://a.example/3\n"
	if n := x.retried(t, f, "a.example", batch.Worker{Retry: true}); n != 1 {
		t.Errorf("%d pages after a retry that has lost a document", n)
	}
	x.of["https://a.example/a.txt"] = "https://a.example/1\n"
	if n := x.retried(t, f, "a.example", batch.Worker{Retry: true}); n != 3 {
		t.Errorf("%d pages after a retry without failures", n)
	}
}

// A retry that reads more counts as better, though as many documents have failed as before.
func TestRetry_IndexRecovers(t *testing.T) {
	for _, w := range []batch.Worker{{}, changed} {
		x, f := oneOfThree(), openFolder(t)
		x.of["https://a.example/robots.txt"], x.of["https://a.example/i.xml"] = "Sitemap: /i.xml\n", "down"
		if n := x.retried(t, f, "a.example", w); n != 0 {
			t.Fatalf("%d pages", n)
		}
		x.of["https://a.example/i.xml"] = `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` +
			"<sitemap><loc>https://a.example/a.txt</loc></sitemap><sitemap><loc>https://a.example/b.txt</loc></sitemap></sitemapindex>"
		w.Retry = true
		for range 2 {
			if n := x.retried(t, f, "a.example", w); n != 1 {
				t.Errorf("%d pages after a retry that reads more", n)
			}
		}
	}
}

// The part of an audit counts the pages of all its targets, also after a retry.
func TestRetry_Findings(t *testing.T) {
	f, list := openFolder(t), "a.a.example\nb.a.example\nc.a.example"
	w := batch.Worker{Job: batch.Findings(audit.Options{})}
	for i, down := range []string{"b.a.example c.a.example", "b.a.example c.a.example", "c.a.example", ""} {
		done := int64(0)
		w.Done = func(_ batch.Task, c batch.Counts) { done = c.URLs }
		isDown := func(host string) bool { return strings.Contains(down, host) }
		mustDo(t, &web{lastMod: "2024", broken: isDown}, f, tasks(t, list, "1"), w)
		w.Retry = true
		want := []int64{3, 3, 6, 9}[i]
		for p, err := range f.Parts(t.Context(), "1") {
			if err != nil || p.Counts.URLs != want || done != want {
				t.Errorf("run %d: the part has %d URLs, %v, and %d are done, want %d", i, p.Counts.URLs, err, done, want)
			}
		}
	}
}

// A target that is not UTF-8 is retried as well as others.
func TestRetry_Latin1(t *testing.T) {
	x, f := &texts{of: map[string]string{"https://a.example/b.txt": "https://a.example/1\n"}}, openFolder(t)
	const list = "https://a.example/\xfc\xfc.txt\nhttps://a.example/b.txt"
	if n := x.retried(t, f, list, batch.Worker{}); n != 1 {
		t.Fatalf("%d pages", n)
	}
	x.of["https://a.example/%FC%FC.txt"] = "https://a.example/2\n"
	if n := x.retried(t, f, list, batch.Worker{Retry: true}); n != 2 {
		t.Errorf("%d pages after a retry", n)
	}
}

// A retry that is abandoned keeps the part, which has pages.
func TestRetry_Abandoned(t *testing.T) {
	x, f := oneOfThree(), openFolder(t)
	if n := x.retried(t, f, "a.example", batch.Worker{}); n != 1 {
		t.Fatalf("%d pages", n)
	}
	task := tasks(t, "a.example", "1")[0]
	task.Attempts = 5
	w := &batch.Worker{Queue: &given{all: []batch.Task{task}}, Sink: f, States: f, Retry: true}
	if err := w.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := len(pages(t, part(t, f, "1", "a.example"))); n != 1 {
		t.Errorf("%d pages after a retry that was abandoned", n)
	}
}

// cutAfter returns a sitemap that breaks off after these pages.
func cutAfter(pages ...string) string {
	s := `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`
	for _, page := range pages {
		s += "<url><loc>https://a.example/" + page + "</loc></url>"
	}
	return s + "<url>"
}

// A retry while a site is down keeps the pages of sitemaps that broke off.
func TestRetry_Truncated(t *testing.T) {
	x, f := oneOfThree(), openFolder(t)
	x.of["https://a.example/b.txt"], x.of["https://a.example/c.txt"] = cutAfter("2"), cutAfter("3")
	delete(x.of, "https://a.example/a.txt")
	x.of["https://a.example/robots.txt"] = "Sitemap: /b.txt\nSitemap: /c.txt\n"
	if n := x.retried(t, f, "a.example", batch.Worker{}); n != 2 {
		t.Fatalf("%d pages", n)
	}
	x.isDown = true
	if n := x.retried(t, f, "a.example", batch.Worker{Retry: true}); n != 2 {
		t.Errorf("%d pages after a retry while the site was down", n)
	}
}

// A retry in which two documents recover and another breaks off, earlier than before, keeps the
// part.
func TestRetry_BreaksOff(t *testing.T) {
	for _, before := range []string{"https://a.example/1\nhttps://a.example/2\n", cutAfter("1", "2")} {
		x, f := oneOfThree(), openFolder(t)
		x.of["https://a.example/a.txt"] = before
		if n := x.retried(t, f, "a.example", batch.Worker{}); n != 2 {
			t.Fatalf("%d pages", n)
		}
		x.of["https://a.example/a.txt"], x.of["https://a.example/b.txt"], x.of["https://a.example/c.txt"] = cutAfter("1"), "https://a.example/3\n", "https://a.example/4\n"
		if n := x.retried(t, f, "a.example", batch.Worker{Retry: true}); n != 2 {
			t.Errorf("%d pages after a retry that has lost a page", n)
		}
		x.of["https://a.example/a.txt"] = before
		if n := x.retried(t, f, "a.example", batch.Worker{Retry: true}); n != 4 {
			t.Errorf("%d pages after a retry that is better", n)
		}
	}
}

// A retry after the state was lost writes each page once.
func TestRetry_StateLost(t *testing.T) {
	dir := t.TempDir()
	f := openFolderIn(t, dir)
	x, w := oneOfThree(), changed
	if n := x.retried(t, f, "a.example", w); n != 1 {
		t.Fatalf("%d pages", n)
	}
	if err := os.RemoveAll(filepath.Join(dir, ".state")); err != nil {
		t.Fatal(err)
	}
	w.Retry, x.of["https://a.example/b.txt"] = true, "https://a.example/2\n"
	if n := x.retried(t, f, "a.example", w); n != 2 {
		t.Errorf("%d pages, want 2", n)
	}
}

// A retry with another list does the new targets, and keeps what a failed target had.
func TestRetry_OtherList(t *testing.T) {
	for list, want := range map[string]int{"a.example": 1, "a.example\nhttps://b.a.example/2.txt": 2} {
		x, f := oneOfThree(), openFolder(t)
		x.of["https://b.a.example/2.txt"] = "https://b.a.example/2\n"
		x.of["https://b.a.example/3.txt"] = "https://b.a.example/3\n"
		if n := x.retried(t, f, "a.example\nhttps://b.a.example/3.txt", batch.Worker{}); n != 2 {
			t.Fatalf("%d pages", n)
		}
		x.of["https://a.example/robots.txt"] = "down"
		if n := x.retried(t, f, list, batch.Worker{Retry: true}); n != want {
			t.Errorf("%d pages after a retry of %q, want %d", n, list, want)
		}
		list += "\nhttps://b.a.example/3.txt"
		maps.Copy(x.of, map[string]string{
			"https://a.example/robots.txt": "Sitemap: /a.txt\nSitemap: /b.txt\n", "https://a.example/b.txt": "https://a.example/2\n",
		})
		if n := x.retried(t, f, list, batch.Worker{Retry: true}); n != want+2 {
			t.Errorf("%d pages after a retry of %q that is better, want %d", n, list, want+2)
		}
	}
}
