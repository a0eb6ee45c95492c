package audit

import (
	"iter"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover/robots"
)

// Robots audits a robots.txt by the rules of reading. The Base of src is its location: without it,
// relative records are dropped. In the Summary for Done, Entries is the number of sitemaps that the
// file names. The error, if any, is the last element: that of Open or of the reader. A nil o is a
// zero Options.
func Robots(src Source, o *Options) iter.Seq2[Finding, error] {
	return sequence(o, func(o *Options, yield func(Finding) bool) error {
		in, err := src.Open()
		if err != nil {
			return err
		}
		defer in.Close()
		r := reporter{o: o, yield: yield}
		r.found = func(f Finding) { r.emit(f) }
		file, err := robots.Parse(in, src.Base)
		for _, p := range file.Problems {
			r.dropped = p.Dropped
			at := place{sitemap: src.Name, pos: p.Pos, column: p.Pos.Column}
			r.report(of(p.Code), at, p.Text, "%s", p.Message())
		}
		if src.Done != nil && !r.stopped {
			src.Done(sitemap.Summary{Entries: int64(len(file.Sitemaps))})
		}
		return err
	})
}
