package conformance

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/seed-322c453a/sitemap"
)

func (c *corpusCase) documentFaults(t *testing.T) (why []string) {
	in := readFile(t, c.dir, c.Input[0])
	o := c.options(t)
	out := readBytes(in, o)
	if len(in) < 16<<10 {
		if slow := read(iotest.OneByteReader(bytes.NewReader(in)), o); !sameOutcome(&out, &slow) {
			why = append(why, "another result when read byte by byte")
		}
	}
	if slices.Contains(c.FormatAlsoOK, "unknown") && errors.Is(out.err, sitemap.ErrNotSitemap) {
		return why
	}
	c.promote()
	why = append(why, c.entryFaults("URLs", out.kind(sitemap.Page), out.problems, c.URLs,
		c.URLsComplete, c.URLsPrefix, c.URLCount, c.URLCountMin, c.URLCountMax)...)
	why = append(why, c.entryFaults("sitemaps", out.kind(sitemap.Sitemap), out.problems, c.Sitemaps,
		c.SitemapsComplete, c.SitemapsPrefix, c.SitemapCount, c.SitemapCountMin,
		c.SitemapCountMax)...)
	why = append(why, c.errorFaults(&out)...)
	if c.Format != "unknown" && out.format.String() != c.Format &&
		!slices.Contains(c.FormatAlsoOK, out.format.String()) {
		why = append(why, fmt.Sprintf("format %q, want %q", out.format, c.Format))
	}
	if len(out.problems) < c.WarningsMin {
		why = append(why, fmt.Sprintf("%d problems, want %d at least", len(out.problems),
			c.WarningsMin))
	}
	if c.Limits.Entries > 0 || c.Limits.Bytes > 0 {
		o.Limits = sitemap.Limits{Entries: c.Limits.Entries, Bytes: c.Limits.Bytes}
		if limited := readBytes(in, o); limited.err == nil {
			why = append(why, fmt.Sprintf("no error with the limits %+v", o.Limits))
		}
	}
	return why
}

// promote moves entries that the case drops for lack of a link to those that it lists, if they have
// an id or guid that is a URL: T44 and T45 use those. Such entries are alone in their documents.
func (c *corpusCase) promote() {
	for _, l := range c.Rejected {
		if len(c.URLs) == 0 && l.Loc == "" &&
			(strings.HasPrefix(strings.ToLower(l.ID), "http://") ||
				strings.HasPrefix(l.ID, "https://")) {
			c.URLs = []listed{{Loc: l.ID}}
			c.URLCount = new(1)
		}
	}
}

// sameOutcome compares two results, and their errors by code.
func sameOutcome(a, b *outcome) bool {
	return a.format == b.format && a.encoding == b.encoding &&
		errorCode(a.err) == errorCode(b.err) &&
		slices.Equal(a.problems, b.problems) && slices.EqualFunc(a.entries, b.entries, sameEntry)
}

// sameEntry compares two entries, except their extensions.
func sameEntry(a, b sitemap.Entry) bool {
	a.Extensions, b.Extensions = nil, nil
	return a == b
}

// errorFaults compares the document's error; the README of the corpus defines the classes.
func (c *corpusCase) errorFaults(out *outcome) []string {
	code := errorCode(out.err)
	oneOf := func(codes ...string) []string {
		if slices.Contains(codes, code) || c.ErrorOptional && out.err == nil {
			return nil
		}
		return []string{fmt.Sprintf("error %q, want %q", code, codes)}
	}
	switch c.Error {
	case "":
		if out.err != nil && !c.ErrorOptional {
			return []string{fmt.Sprintf("error %v, want none", out.err)}
		}
	case "empty":
		return oneOf("empty")
	case "unknown-format":
		return oneOf("not_a_sitemap", "empty")
	case "xml-truncated":
		return oneOf("truncated")
	case "gzip-corrupt":
		return oneOf("bad_gzip", "truncated")
	default:
		if out.err == nil && len(out.problems) == 0 && !c.ErrorOptional {
			return []string{fmt.Sprintf("neither problem nor error, want %s", c.Error)}
		}
	}
	return nil
}

// entryFaults compares entries of one kind.
func (c *corpusCase) entryFaults(what string, got []sitemap.Entry, problems []sitemap.Problem,
	want []listed, complete *bool, prefix bool, count, least, most *int) (why []string) {
	n := len(got)
	extra := 0 // entries that are allowed but not required
	k := 0
	for _, e := range got {
		switch {
		case k < len(want) && want[k].is(e):
			why = append(why, want[k].faults(e, problems)...)
			k++
		case slices.ContainsFunc(c.Recoverable, func(l listed) bool { return l.is(e) }),
			slices.ContainsFunc(c.Pending, func(l listed) bool { return l.is(e) }):
			extra++
		case complete != nil && *complete && !(prefix && k == len(want)):
			why = append(why, fmt.Sprintf("%s: %q, which is not listed there", what, e.Loc))
		}
		for _, l := range c.Rejected {
			if (complete == nil || !*complete) && l.is(e) {
				why = append(why, fmt.Sprintf("%s: %q is not to be delivered: %s", what, e.Loc,
					l.Reason))
			}
		}
	}
	for _, l := range want[k:] {
		why = append(why, fmt.Sprintf("%s: no %q", what, l.Loc))
	}
	n -= extra
	if count != nil && n != *count && (complete == nil || *complete || prefix) || least != nil &&
		n < *least || most != nil && n > *most {
		why = append(why, fmt.Sprintf("%d %s", n, what))
	}
	return why
}

// is reports whether e has the location of l.
func (l *listed) is(e sitemap.Entry) bool {
	want := l.LocResolved
	if want == "" {
		want = l.Loc
	}
	if e.Loc == want || slices.Contains(l.LocAlsoOK, e.Loc) {
		return true
	}
	if l.Normalized == "" {
		return false
	}
	u, err := e.URL()
	return e.Loc == l.Normalized || err == nil && u.String() == l.Normalized
}

// faults compares e's metadata.
func (l *listed) faults(e sitemap.Entry, problems []sitemap.Problem) (why []string) {
	if l.LastMod.present && !l.lastModOK(e.LastMod) {
		why = append(why, fmt.Sprintf("%s: lastmod %q, want %q (listed as %q)", e.Loc, e.LastMod,
			l.LastMod.value, l.LastModRaw))
	}
	if p := l.LastModPrecision; p != "" && !e.LastMod.IsZero() &&
		precisionName(e.LastMod.Precision()) != p {
		why = append(why, fmt.Sprintf("%s: lastmod %q, want precision %s", e.Loc, e.LastMod, p))
	}
	if f := e.ChangeFreq.String(); l.ChangeFreq.present && f != l.ChangeFreq.value {
		why = append(why, fmt.Sprintf("%s: changefreq %q, want %q", e.Loc, f, l.ChangeFreq.value))
	}
	if p, ok := e.Priority.Get(); l.Priority.present &&
		(ok == l.Priority.null || math.Abs(p-l.Priority.value) > 1e-6) {
		why = append(why, fmt.Sprintf("%s: priority %v %v, want %v", e.Loc, p, ok,
			l.Priority.value))
	}
	return append(why, extensionFaults(e, l.Extensions, problems)...)
}

func (l *listed) lastModOK(t sitemap.Time) bool {
	if t.IsZero() {
		return l.LastMod.null || slices.Contains(l.LastModAlsoOK, nil)
	}
	if l.LastMod.null && t.ZoneAssumed() {
		return true
	}
	wants := l.LastModAlsoOK
	if !l.LastMod.null {
		wants = append(wants[:len(wants):len(wants)], &l.LastMod.value)
	}
	return slices.ContainsFunc(wants, func(s *string) bool {
		return s != nil && sameInstant(t, *s)
	})
}

// sameInstant compares instants to the second: fractions may be cut in want.
func sameInstant(t sitemap.Time, want string) bool {
	w, err := time.Parse(time.RFC3339, want)
	return err == nil && t.Start().Truncate(time.Second).Equal(w.Truncate(time.Second))
}

func precisionName(p sitemap.Precision) string {
	names := []string{"", "year", "month", "day", "minute", "second"}
	return names[min(int(p), len(names)-1)]
}
