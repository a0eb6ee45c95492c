package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/url"
	"path/filepath"
	"slices"
	"testing"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/audit"
)

// A caseRow is a line of expected.jsonl.
type caseRow struct {
	Case        string
	Kind        string
	Base        string
	ContentType string `json:"content_type"`
	Format      string
	Entries     []caseEntry
	Error       string
	Problems    []string
	May         []string
	Sitemaps    []string
}

type caseEntry struct {
	Loc        string
	Kind       string
	LastMod    string
	ChangeFreq string
	Priority   *float64
}

func (e caseEntry) String() string {
	s := fmt.Sprintf("%s %s lastmod=%s changefreq=%s", e.Kind, e.Loc, e.LastMod, e.ChangeFreq)
	if e.Priority != nil {
		s += fmt.Sprintf(" priority=%g", *e.Priority)
	}
	return s
}

func (e caseEntry) equal(f caseEntry) bool {
	if (e.Priority == nil) != (f.Priority == nil) || e.Priority != nil &&
		math.Abs(*e.Priority-*f.Priority) > 1e-6 {
		return false
	}
	e.Priority, f.Priority = nil, nil
	return e == f
}

func toCaseEntry(e sitemap.Entry) caseEntry {
	c := caseEntry{Loc: e.Loc, Kind: e.Kind.String(), LastMod: e.LastMod.String(),
		ChangeFreq: e.ChangeFreq.String()}
	if p, ok := e.Priority.Get(); ok {
		c.Priority = &p
	}
	return c
}

func runCases(t *testing.T, dir string) {
	documents, robots := &tally{t: t, name: "documents"}, &tally{t: t, name: "robots"}
	for line := range bytes.Lines(readFile(t, dir, "expected.jsonl")) {
		var c caseRow
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "in", c.Case)
		if !exists(path) {
			path = filepath.Join(dir, "in", "robots", c.Case)
		}
		in := readFile(t, path)
		base, err := url.Parse(c.Base)
		if err != nil {
			t.Fatal(err)
		}
		if c.Kind == "robots" {
			robots.check(c.Case, c.robotsFaults(in, base))
		} else {
			documents.check(c.Case, c.faults(in, base))
		}
	}
	documents.done()
	robots.done()
}

// faults returns the differences from the expected result.
func (c *caseRow) faults(in []byte, base *url.URL) (why []string) {
	out := readBytes(in, sitemap.Options{Base: base, ContentType: c.ContentType})
	got := make([]caseEntry, len(out.entries))
	for i, e := range out.entries {
		got[i] = toCaseEntry(e)
	}
	if !slices.EqualFunc(got, c.Entries, caseEntry.equal) {
		why = append(why, fmt.Sprintf("entries %v, want %v", got, c.Entries))
	}
	if code := errorCode(out.err); code != c.Error {
		why = append(why, fmt.Sprintf("error %q, want %q", code, c.Error))
	}
	if c.Format != "" && out.format.String() != c.Format {
		why = append(why, fmt.Sprintf("format %q, want %q", out.format, c.Format))
	}
	codes, found := out.codes(), c.audit(in, base)
	for _, code := range c.Problems {
		if !slices.Contains(codes, code) {
			why = append(why, "not reported: "+code)
		}
		if !slices.Contains(found, code) && code != "zone_assumed" { // a field of the entry
			why = append(why, "not found by the audit: "+code)
		}
	}
	for _, code := range codes {
		if !slices.Contains(c.Problems, code) && !slices.Contains(c.May, code) &&
			!slices.Contains(laterCodes, code) {
			why = append(why, "falsely reported: "+code)
		}
	}
	return why
}

// audit returns the codes of the findings of an audit.
func (c *caseRow) audit(in []byte, base *url.URL) (codes []string) {
	src := audit.Source{Base: base, ContentType: c.ContentType, Open: func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(in)), nil
	}}
	for f := range audit.Document(src, nil) {
		codes = append(codes, string(f.Code))
	}
	return codes
}

// laterCodes are newer than the cases and do not count as false reports in them.
var laterCodes = []string{"repeated_element", "unknown_element", "missing_root", "nonstandard_key",
	"stray_text", "bad_feed_date", "extension_namespace", "foreign_element"}
