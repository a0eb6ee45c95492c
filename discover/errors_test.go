package discover

import (
	"testing"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/fetch"
)

// An error that somebody made without its fields has a text.
func TestZeroErrors(t *testing.T) {
	for _, err := range []error{&DocumentError{}, &fetch.Error{}, &sitemap.ParseError{}} {
		if err.Error() == "" {
			t.Errorf("%T has no text", err)
		}
	}
}
