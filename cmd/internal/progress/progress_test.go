package progress

import (
	"strings"
	"testing"
	"time"
)

func TestProgressOfList(t *testing.T) {
	p := Counter{IsList: true}
	p.Total.Store(1000)
	p.Sites.Store(412)
	p.Failed.Store(9)
	p.URLs.Store(1_234_567)
	if got := p.line(126 * time.Second); got != "412/1,000 sites · 9 failed · 1.2 M URLs · 3 min left" {
		t.Error(got)
	}
}

// Sites that were done before count as done, but say nothing of how long the others take.
func TestProgressOfResumedList(t *testing.T) {
	p := Counter{IsList: true}
	p.Total.Store(1000)
	p.Before.Store(900)
	p.Sites.Store(50)
	p.URLs.Store(200)
	if got := p.line(10 * time.Minute); got != "950/1,000 sites · 0 failed · 200 URLs · 10 min left" {
		t.Error(got)
	}
	if got := p.Totals(); !strings.HasPrefix(got, "50 sites, 200 URLs, 0 failed, ") ||
		!strings.HasSuffix(got, "; 900 sites done before") {
		t.Error(got)
	}
}

func TestLine(t *testing.T) {
	p := &Counter{}
	p.queued.Store(2)
	p.ended.Store(3)
	p.URLs.Store(30_000)
	p.bytes.Store(3 << 20)
	p.Loc.Store("https://Example.com/a.xml")
	if got, want := p.line(10e9), "3 sitemaps done, 2 queued  30,000 URLs, 3,000/s  3.0 MiB  example.com"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
