package main

import (
	"strings"
	"testing"

	"github.com/gocolly/colly/v2"

	"github.com/seed-322c453a/sitemap/examples/internal/site"
)

func TestVisit(t *testing.T) {
	s := site.New(t, site.Pages())
	var out strings.Builder
	if err := visit(t.Context(), site.Client(), colly.NewCollector(), s.URL, &out); err != nil {
		t.Fatal(err)
	}
	want := s.URL + "/a: A\n" + s.URL + "/b: B\n"
	if out.String() != want {
		t.Errorf("printed %q, want %q", out.String(), want)
	}
}
