package audit_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/audit"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/discover/state"
	"github.com/seed-322c453a/sitemap/fetch"
)

const pairs = "../testdata/audit"

// testTime is when the audits of the tests take place.
var testTime = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// unpaired are codes without a pair: those of limits, which TestRules_Limits makes documents
// for, those that only a command gives, one that needs no document, and one of a Store.
var unpaired = []sitemap.Code{"too_large", "too_many_entries",
	"fetch_failed", "timeout", "host_down", "refused", "bad_redirect", "unknown_encoding", "read_failed",
	"robots_unreachable", "limit", "not_a_site", "store_format"}

// Each rule is broken by the bad document of its pair and not by the good one, which breaks no
// other rule that is more than worth knowing either.
func TestPairs(t *testing.T) {
	for _, r := range audit.Rules() {
		if slices.Contains(unpaired, r.Code) {
			continue
		}
		t.Run(string(r.Code), func(t *testing.T) {
			bad, err := auditPair(t, r.Code, "bad")
			if !slices.ContainsFunc(bad, func(f audit.Finding) bool { return f.Code == r.Code }) &&
				!ends(err, r.Code) {
				t.Errorf("bad: found %v, %v", codes(bad), err)
			}
			for _, f := range bad {
				rule, ok := audit.RuleOf(f.Code)
				if !ok || f.Severity != rule.Severity || f.Message == "" || f.Fix == "" ||
					f.Sitemap == "" ||
					strings.ContainsAny(f.Message, "{}") {
					t.Errorf("bad: %+v", f)
				}
			}
			good, err := auditPair(t, r.Code, "good")
			for _, f := range good {
				if f.Code == r.Code || f.Severity > sitemap.SeverityInfo {
					t.Errorf(
						"good: %s:%d:%d: %s [%s]",
						f.Sitemap,
						f.Pos.Line,
						f.Column,
						f.Message,
						f.Code,
					)
				}
			}
			if err != nil {
				t.Errorf("good: %v", err)
			}
		})
	}
}

// ends reports whether an error is the one that a code names.
func ends(err error, code sitemap.Code) bool {
	target, ok := map[sitemap.Code]error{
		"empty": sitemap.ErrEmpty, "truncated": sitemap.ErrTruncated,
		"bad_gzip": sitemap.ErrGzip, "not_a_sitemap": sitemap.ErrNotSitemap,
	}[code]
	return ok && errors.Is(err, target)
}

func codes(found []audit.Finding) []sitemap.Code {
	set := map[sitemap.Code]bool{}
	for _, f := range found {
		set[f.Code] = true
	}
	return slices.Sorted(maps.Keys(set))
}

// auditPair audits testdata/audit/CODE/KIND.*: a document, a site in an archive, a site that is
// audited twice, or the folder of a site.
func auditPair(t *testing.T, code sitemap.Code, kind string) ([]audit.Finding, error) {
	t.Helper()
	base := filepath.Join(pairs, string(code), kind)
	names, err := filepath.Glob(base + ".*")
	if err != nil {
		t.Fatal(err)
	}
	if len(names) == 0 {
		return auditFolder(base)
	}
	var store state.Memory
	var found []audit.Finding
	for _, name := range names {
		if strings.HasSuffix(name, ".txtar") {
			o := audit.Options{Time: testTime, Store: &store}
			if strings.HasPrefix(string(code), "page_") {
				o.Pages = -1
			}
			found, err = auditArchive(t, name, &o)
			continue
		}
		text, readErr := os.ReadFile(name)
		if readErr != nil {
			t.Fatal(readErr)
		}
		_, ext, _ := strings.Cut(filepath.Base(name), ".")
		src := source("https://www.example.com/sitemap."+ext, text)
		src.Base, _ = url.Parse(src.Name)
		found, err = collect(audit.Document(src, &audit.Options{Time: testTime}))
	}
	return found, err
}

func collect(seq func(func(audit.Finding, error) bool)) (found []audit.Finding, err error) {
	for f, e := range seq {
		if err = e; e == nil {
			found = append(found, f)
		}
	}
	return found, err
}

func auditFolder(dir string) ([]audit.Finding, error) {
	files := os.DirFS(dir)
	c := discover.Client{
		Fetch: &fetch.Client{Transport: http.NewFileTransportFS(files), Retries: -1},
	}
	return collect(
		audit.Site(
			context.Background(),
			&c,
			"https://www.example.com/",
			&audit.Options{Time: testTime, Files: files},
		),
	)
}

// auditArchive audits the site in an archive.
func auditArchive(t *testing.T, name string, o *audit.Options) ([]audit.Finding, error) {
	t.Helper()
	c := discover.Client{Fetch: &fetch.Client{Transport: newWeb(t, name), Retries: -1}}
	return collect(audit.Site(t.Context(), &c, "https://www.example.com/", o))
}

// A web answers requests from an archive. The name of a section is a URL, a status and header
// fields, separated by " | ". The section * answers for every other path of www.example.com.
type web map[string]section

type section struct {
	status string
	header http.Header
	body   []byte
}

func newWeb(t *testing.T, name string) web {
	t.Helper()
	archive, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	w := web{}
	for _, f := range archive.Files {
		parts := strings.Split(f.Name, " | ")
		s := section{
			status: "200",
			header: http.Header{"Content-Type": {"text/plain"}},
			body:   f.Data,
		}
		if strings.HasPrefix(string(f.Data), "<?xml") {
			s.header.Set("Content-Type", "application/xml")
		}
		if len(parts) > 1 {
			s.status = parts[1]
		}
		for _, field := range parts[min(2, len(parts)):] {
			key, value, _ := strings.Cut(field, ": ")
			s.header.Set(key, value)
		}
		w[parts[0]] = s
	}
	return w
}

type timeoutError struct{ error }

func (timeoutError) Timeout() bool   { return true }
func (timeoutError) Temporary() bool { return true }

func (w web) RoundTrip(r *http.Request) (*http.Response, error) {
	s, ok := w[r.URL.String()]
	if !ok && r.URL.Host == "www.example.com" && r.URL.Path != "/robots.txt" {
		s, ok = w["*"]
	}
	if !ok {
		s = section{status: "404"}
	}
	switch s.status {
	case "timeout":
		return nil, timeoutError{errors.New("timed out")}
	case "refused":
		return nil, errors.New("connection refused")
	}
	status, err := strconv.Atoi(s.status)
	if err != nil {
		return nil, fmt.Errorf("archive: status %q", s.status)
	}
	h := s.header.Clone()
	if h == nil {
		h = http.Header{}
	}
	return &http.Response{
		Status:        http.StatusText(status),
		StatusCode:    status,
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        h,
		Body:          io.NopCloser(bytes.NewReader(s.body)),
		ContentLength: int64(len(s.body)),
		Request:       r,
	}, nil
}

// Every folder of pairs is that of a rule.
func TestPairs_AreOfRules(t *testing.T) {
	folders, err := fs.ReadDir(os.DirFS(pairs), ".")
	if err != nil || len(folders) < 100 {
		t.Fatalf("%d folders, %v", len(folders), err)
	}
	for _, f := range folders {
		if _, ok := audit.RuleOf(sitemap.Code(f.Name())); !ok {
			t.Errorf("%s is no rule", f.Name())
		}
	}
}

// The limits of the protocol are judged at the place where they are crossed.
func TestRules_Limits(t *testing.T) {
	const head = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`
	entries := strings.Builder{}
	for i := range sitemap.ProtocolEntries + 1 {
		fmt.Fprintf(&entries, "\n<url><loc>https://www.example.com/%d</loc></url>", i)
	}
	blank := strings.Repeat(" ", 1<<20)
	for _, test := range []struct {
		code  sitemap.Code
		blank int // before the body
		body  string
		line  int
	}{
		{"too_many_entries", 0, entries.String(), sitemap.ProtocolEntries + 2},
		{"too_large", sitemap.ProtocolBytes, "<url><loc>https://www.example.com/</loc></url>", 1},
	} {
		open := func() (io.ReadCloser, error) {
			readers := []io.Reader{strings.NewReader(head)}
			for range test.blank / len(blank) {
				readers = append(readers, strings.NewReader(blank))
			}
			readers = append(readers, strings.NewReader(test.body+"\n</urlset>"))
			return io.NopCloser(io.MultiReader(readers...)), nil
		}
		found, err := collect(audit.Document(audit.Source{Name: "s.xml", Open: open}, nil))
		i := slices.IndexFunc(found, func(f audit.Finding) bool { return f.Code == test.code })
		if err != nil || i < 0 || found[i].Pos.Line != test.line || found[i].Column == 0 {
			t.Errorf("%s: %v, %v", test.code, found, err)
		}
	}
}
