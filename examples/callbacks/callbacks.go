// Package callbacks has the API of oxffaa/gopher-parse-sitemap, for programs that move from it.
package callbacks

import (
	"io"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/parse"
)

// Parse calls consume with each entry, until it returns an error.
func Parse(r io.Reader, consume func(sitemap.Entry) error) error {
	for e, err := range parse.Entries(r, nil) {
		if err != nil {
			return err
		}
		if err := consume(e); err != nil {
			return err
		}
	}
	return nil
}
