package conformance

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/parse"
)

// An outcome is the result of reading one document.
type outcome struct {
	format   sitemap.Format
	encoding string
	entries  []sitemap.Entry
	problems []sitemap.Problem
	err      error
}

// read reads a document with options o, except its Report.
func read(r io.Reader, o sitemap.Options) (out outcome) {
	o.Report = func(p sitemap.Problem) { out.problems = append(out.problems, p) }
	d, err := parse.NewReader(r, &o)
	if err != nil {
		out.err = err
		return out
	}
	for e, err := range d.Entries() {
		if err != nil {
			out.err = err
			break
		}
		out.entries = append(out.entries, e)
	}
	s := d.Summary()
	out.format, out.encoding = s.Format, s.Encoding
	return out
}

func readBytes(doc []byte, o sitemap.Options) outcome { return read(bytes.NewReader(doc), o) }

// codes returns the codes of the problems reported, each once, sorted.
func (o *outcome) codes() []string {
	var codes []string
	for _, p := range o.problems {
		codes = append(codes, string(p.Code))
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

// kind returns the entries of one kind.
func (o *outcome) kind(k sitemap.Kind) []sitemap.Entry {
	var list []sitemap.Entry
	for _, e := range o.entries {
		if e.Kind == k {
			list = append(list, e)
		}
	}
	return list
}

// errorCodes are the names of testdata/cases/CODES.md for the causes of errors.
var errorCodes = []struct {
	err  error
	code string
}{
	{sitemap.ErrEmpty, "empty"},
	{sitemap.ErrNotSitemap, "not_a_sitemap"},
	{sitemap.ErrTruncated, "truncated"},
	{sitemap.ErrGzip, "bad_gzip"},
	{sitemap.ErrTooLarge, "too_large"},
	{sitemap.ErrTooManyEntries, "too_many_entries"},
}

func errorCode(err error) string {
	if err == nil {
		return ""
	}
	for _, c := range errorCodes {
		if errors.Is(err, c.err) {
			return c.code
		}
	}
	return err.Error()
}

// A tally counts the cases of one kind.
type tally struct {
	t            *testing.T
	name         string
	total, held  int
	disagreement int
}

// check counts a case. The test fails if the case does not hold and disagreements does not give a
// reason.
func (c *tally) check(id string, why []string) {
	c.t.Helper()
	c.total++
	reason, known := disagreements[id]
	switch {
	case len(why) == 0 && known:
		c.held++
		c.t.Errorf("%s holds, though it is among the disagreements", id)
	case len(why) == 0:
		c.held++
	case known:
		c.disagreement++
		c.t.Logf("%s: known (%s): %.200s", id, reason, why[0])
	default:
		for _, w := range why {
			c.t.Errorf("%s: %s", id, w)
		}
	}
}

// done logs the counts.
func (c *tally) done() {
	c.t.Helper()
	c.t.Logf("%s: %d of %d cases hold, %d known disagreements", c.name, c.held, c.total,
		c.disagreement)
	if c.total == 0 {
		c.t.Errorf("%s: no case", c.name)
	}
}
