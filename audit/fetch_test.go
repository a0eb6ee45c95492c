package audit_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/audit"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/fetch"
)

func TestCodeOf(t *testing.T) {
	tried := func(status int) error {
		err := &fetch.Error{Status: status, Err: fetch.ErrStatus}
		return &discover.NoSitemapError{Tried: []discover.Attempt{{URL: "https://example.com/robots.txt", Err: err}}}
	}
	for _, test := range []struct {
		err  error
		want sitemap.Code
	}{
		{nil, ""},
		{tried(404), audit.NoSitemap},
		{tried(410), audit.NoSitemap},
		{tried(403), audit.SiteRefused},
		{tried(429), audit.SiteRefused},
		{tried(503), audit.SiteRefused},
		{fmt.Errorf("%w: %w", discover.ErrUnreachable, &fetch.Error{Status: 429}), audit.SiteRefused},
		{fmt.Errorf("%w: %w", discover.ErrUnreachable, &fetch.Error{Status: 500}), audit.RobotsUnreachable},
		{fmt.Errorf("x: %w", fetch.ErrTimeout), audit.Timeout},
		{&sitemap.ParseError{Err: sitemap.ErrHTML}, audit.NotASitemap},
		{&fetch.Error{Status: 500, Err: fetch.ErrStatus}, audit.FetchFailed},
		{errors.New("disk"), audit.ReadFailed},
	} {
		if got := audit.CodeOf(test.err); got != test.want {
			t.Errorf("%v: %s, want %s", test.err, got, test.want)
		}
	}
}
