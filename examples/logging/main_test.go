package main

import (
	"bytes"
	"log/slog"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap/examples/internal/site"
	"github.com/seed-322c453a/sitemap/fetch"
)

func TestCount(t *testing.T) {
	s := site.New(t, map[string]string{
		"/robots.txt": "Sitemap: HOST/index.xml\n",
		"/index.xml": "<sitemapindex><sitemap><loc>HOST/a.txt</loc></sitemap>" +
			"<sitemap><loc>HOST/gone.txt</loc></sitemap></sitemapindex>",
		"/a.txt": "HOST/1\nHOST/2\n",
	})
	var log bytes.Buffer
	counter := &counter{next: http.DefaultTransport, statuses: map[int]int{}}
	client := &fetch.Client{
		AllowPrivateNetworks: true, Retries: -1, Transport: counter,
		Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	pages, err := count(t.Context(), client, s.URL)
	if pages != 2 || err == nil || !strings.Contains(err.Error(), "/gone.txt: status 404") {
		t.Errorf("%d pages, %v", pages, err)
	}
	if want := map[int]int{200: 3, 404: 1}; !maps.Equal(counter.statuses, want) {
		t.Errorf("statuses %v, want %v", counter.statuses, want)
	}
	if !strings.Contains(log.String(), s.URL+"/index.xml") {
		t.Errorf("logged %q", log.String())
	}
}
