package callbacks_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/examples/callbacks"
)

const document = `<urlset><url><loc>http://example.com/a</loc><priority>0.8</priority></url>` +
	`<url><loc>http://example.com/b</loc></url></urlset>`

func TestParse(t *testing.T) {
	got := ""
	err := callbacks.Parse(strings.NewReader(document), func(e sitemap.Entry) error {
		got += fmt.Sprintln(e.Loc, e.Priority.Or(0.5))
		return nil
	})
	if want := "http://example.com/a 0.8\nhttp://example.com/b 0.5\n"; err != nil || got != want {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
}

func TestParse_Stopped(t *testing.T) {
	stop, n := errors.New("stop"), 0
	err := callbacks.Parse(strings.NewReader(document), func(sitemap.Entry) error {
		n++
		return stop
	})
	if err != stop || n != 1 {
		t.Errorf("%v after %d entries", err, n)
	}
}
