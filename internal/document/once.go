package document

import (
	"errors"
	"iter"

	"github.com/seed-322c453a/sitemap"
)

var errAgain = errors.New("sitemap: entries ranged over again")

// Once returns seq as a single-use iterator: ranging over it again yields only an error.
func Once(seq iter.Seq2[sitemap.Entry, error]) iter.Seq2[sitemap.Entry, error] {
	return func(yield func(sitemap.Entry, error) bool) {
		if seq == nil {
			yield(sitemap.Entry{}, errAgain)
			return
		}
		once := seq
		seq = nil
		once(yield)
	}
}
