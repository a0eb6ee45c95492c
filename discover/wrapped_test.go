package discover

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-322c453a/sitemap/fetch"
)

// A wrapped is a Fetcher that does something with the bodies of a fetch.Client.
type wrapped struct {
	*fetch.Client
	wrap func(io.ReadCloser) io.ReadCloser
}

func (f *wrapped) Get(ctx context.Context, req fetch.Request) (*fetch.Document, error) {
	doc, err := f.Client.Get(ctx, req)
	if err == nil {
		doc.Body = f.wrap(doc.Body)
	}
	return doc, err
}

// TestFetchersThatWrap: a Fetcher may do with the documents of a fetch.Client what it likes.
func TestFetchersThatWrap(t *testing.T) {
	for name, wrap := range map[string]func(io.ReadCloser) io.ReadCloser{
		"hides": func(body io.ReadCloser) io.ReadCloser { return struct{ io.ReadCloser }{body} },
		"reads": func(body io.ReadCloser) io.ReadCloser {
			defer body.Close()
			text, err := io.ReadAll(body)
			if err != nil {
				t.Error(err)
			}
			return io.NopCloser(bytes.NewReader(text))
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := newWeb()
			w.serve("http://example.com/i.xml", index("http://example.com/1.xml", "http://example.com/2.xml"))
			w.serve("http://example.com/1.xml", urlset("http://example.com/1"))
			w.serve("http://example.com/2.xml", gz(urlset("http://example.com/2")))
			l := walkFrom(&Client{Fetcher: &wrapped{w.fetcher(), wrap}}, named("http://example.com/i.xml"), Options{})
			if l.err != nil || len(l.urls) != 2 {
				t.Errorf("%s: %q, %v", name, l.urls, l.err)
			}
		})
	}
}

// An own is a Fetcher that knows no package fetch, of documents by URL.
type own map[string]func(asked *url.URL) (status int, body io.Reader)

func (f own) Get(_ context.Context, req fetch.Request) (*fetch.Document, error) {
	u, err := url.Parse(req.URL)
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("asked for %q", req.URL)
	}
	serve := f[u.Path]
	if serve == nil {
		return nil, fs.ErrNotExist
	}
	status, body := serve(u)
	return &fetch.Document{URL: u, Status: status, Hops: []fetch.Hop{{URL: req.URL, Status: 302}}, Body: io.NopCloser(body)}, nil
}

// TestOwnFetcher: the plainest Fetcher gives no credentials away, its bodies that break off are
// fetched again, and it is not asked for what is no URL.
func TestOwnFetcher(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked []string
		f := own{
			"/robots.txt": func(*url.URL) (int, io.Reader) {
				return 200, strings.NewReader("Sitemap: /s.xml\nSitemap: /none.xml\n")
			},
			"/none.xml": func(*url.URL) (int, io.Reader) { return 503, strings.NewReader("busy") },
			"/s.xml": func(u *url.URL) (int, io.Reader) {
				asked = append(asked, u.String())
				text := strings.NewReader(urlset("https://example.com/1"))
				if len(asked) < 3 {
					return 200, io.MultiReader(io.LimitReader(text, 80), brokenReader{})
				}
				return 200, text
			},
		}
		l := walkSite(&Client{Fetcher: f}, "https://example.com/", Options{})
		equal(t, "URLs", l.locs(), []string{"https://example.com/1"})
		if len(asked) != 3 || !errors.Is(l.err, fetch.ErrStatus) {
			t.Errorf("asked for %q, %v", asked, l.err)
		}
		l = walkFrom(&Client{Fetcher: f}, named("https://user:secret@example.com/s.xml"), Options{})
		const bare = "https://example.com/s.xml"
		sum := l.sums[bare]
		if asked[3] != "https://user:secret@example.com/s.xml" || sum.FinalURL != bare || sum.Hops[0].URL != bare {
			t.Errorf("asked for %s, final URL %s, by %v", asked[3], sum.FinalURL, sum.Hops)
		}
		l = walkFrom(&Client{Fetcher: f}, named("::", "ftp://user:secret@example.com/s.xml"), Options{})
		if !errors.Is(l.err, fetch.ErrRequest) || len(asked) != 4 || strings.Contains(l.err.Error(), "secret") {
			t.Errorf("what is no URL: %v, asked for %q", l.err, asked)
		}
	})
}

// TestDoneMayKeep: what Done is given is not changed any more.
func TestDoneMayKeep(t *testing.T) {
	w := newWeb()
	w.serve("https://example.com/i.xml", index("https://example.com/s.xml"))
	w.serve("https://example.com/s.xml", urlset("https://example.com/1"))
	var keep sync.WaitGroup
	n := 0
	o := &Options{Done: func(_ *Sitemap, sum Summary) {
		keep.Go(func() {
			for range 100 {
				for _, r := range sum.Referrers {
					if r.Scope.Trust("https://example.com/1") == Untrusted {
						t.Errorf("%s has no grants", r.Loc)
					}
				}
				time.Sleep(10 * time.Microsecond)
			}
		})
	}}
	for range w.client().Walk(t.Context(), named("https://example.com/i.xml", "https://example.com/s.xml"), o) {
		n++
	}
	if keep.Wait(); n != 1 {
		t.Errorf("%d URLs", n)
	}
}
