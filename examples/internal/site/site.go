// Package site serves sites to the tests of the examples.
package site

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/fetch"
)

// A Site is a server of documents by path. HOST in a document is the server's URL.
type Site struct {
	URL string
	mu  sync.Mutex
	doc map[string]string
}

// New serves documents until the test ends.
func New(t *testing.T, documents map[string]string) *Site {
	t.Helper()
	s := &Site{doc: documents}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		text, ok := s.doc[r.URL.Path]
		s.mu.Unlock()
		if !ok {
			http.NotFound(w, r)
			return
		}
		io.WriteString(w, strings.ReplaceAll(text, "HOST", s.URL))
	}))
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

// Set replaces a document.
func (s *Site) Set(path, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.doc[path] = text
}

// Client returns a client that may connect to the server.
func Client() *discover.Client {
	return &discover.Client{Fetch: &fetch.Client{AllowPrivateNetworks: true, Retries: -1}}
}

// Pages are a robots.txt and a sitemap with two pages.
func Pages() map[string]string {
	return map[string]string{
		"/robots.txt": "Sitemap: HOST/sitemap.xml\n",
		"/sitemap.xml": `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` +
			`<url><loc>HOST/a</loc><lastmod>2024-05-06</lastmod></url>` +
			`<url><loc>HOST/b</loc></url></urlset>`,
		"/a": "<title>A</title>", "/b": "<title>B</title>",
	}
}
