package main

import (
	"slices"
	"testing"

	"github.com/seed-322c453a/sitemap/examples/internal/site"
)

func TestVisit(t *testing.T) {
	s := site.New(t, site.Pages())
	for _, test := range []struct {
		max  int
		want []string
	}{{1, []string{s.URL + "/a"}}, {10, []string{s.URL + "/a", s.URL + "/b"}}} {
		var got []string
		err := visit(t.Context(), site.Client(), s.URL, func(r request) bool {
			if r.Source != s.URL+"/sitemap.xml" || r.Depth != 1 {
				t.Errorf("%+v", r)
			}
			got = append(got, r.URL)
			return len(got) < test.max
		})
		if err != nil || !slices.Equal(got, test.want) {
			t.Errorf("at most %d: %q, %v; want %q", test.max, got, err, test.want)
		}
	}
}

func TestVisit_NoSitemap(t *testing.T) {
	s := site.New(t, nil)
	err := visit(t.Context(), site.Client(), s.URL, func(r request) bool {
		t.Errorf("%+v", r)
		return true
	})
	if err != nil {
		t.Error(err)
	}
}
