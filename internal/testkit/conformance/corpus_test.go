package conformance

import (
	"encoding/json"
	"net/url"
	"path/filepath"
	"slices"
	"testing"

	"github.com/seed-322c453a/sitemap"
)

// A corpusCase is an expected.json.
type corpusCase struct {
	dir string // of its files

	ID      string
	Kind    string
	Tags    []string
	Input   []string
	Context struct {
		URL       string
		MediaType string `json:"media_type"`
		Headers   map[string]string
	}
	Format           string
	FormatAlsoOK     []string `json:"format_also_ok"`
	Error            errorClass
	ErrorFatal       bool       `json:"error_fatal"`
	ErrorOptional    bool       `json:"error_optional"`
	ErrorFatalAlsoOK bool       `json:"error_fatal_also_ok"`
	ErrorWithLimit   errorClass `json:"error_with_limit"`
	Limits           struct {
		Entries int   `json:"max_entries"`
		Bytes   int64 `json:"max_decompressed_bytes"`
	}
	WarningsMin   int `json:"warnings_min"`
	Idiosyncratic bool

	URLs         []listed
	URLsComplete *bool `json:"urls_complete"`
	URLsPrefix   bool  `json:"urls_prefix"`
	URLCount     *int  `json:"url_count"`
	URLCountMin  *int  `json:"url_count_min"`
	URLCountMax  *int  `json:"url_count_max"`

	Sitemaps         []listed
	SitemapsComplete *bool `json:"sitemaps_complete"`
	SitemapsPrefix   bool  `json:"sitemaps_prefix"`
	SitemapCount     *int  `json:"sitemap_count"`
	SitemapCountMin  *int  `json:"sitemap_count_min"`
	SitemapCountMax  *int  `json:"sitemap_count_max"`

	Rejected    []listed
	Recoverable []listed
	Pending     []listed

	// robots, scope, date, site, xml
	InScope         bool `json:"in_scope"`
	Syntax          string
	Dates           []dateRow
	RobotsSitemaps  []string       `json:"robots_sitemaps"`
	FetchCounts     map[string]int `json:"fetch_counts"`
	SitemapsVisited []string       `json:"sitemaps_visited"`
	Failed          []struct{ URL, Error string }
	WellFormed      bool `json:"well_formed"`
	Root            maybe[string]
	Text            maybe[string]
	HasDTD          bool `json:"has_dtd"`
}

// An errorClass is the name of a class of errors, or false for no error.
type errorClass string

func (c *errorClass) UnmarshalJSON(b []byte) error {
	if string(b) == "false" {
		*c = ""
		return nil
	}
	return json.Unmarshal(b, (*string)(c))
}

// A maybe distinguishes an absent key, null and a value.
type maybe[T any] struct {
	present, null bool
	value         T
}

func (m *maybe[T]) UnmarshalJSON(b []byte) error {
	m.present = true
	if string(b) == "null" {
		m.null = true
		return nil
	}
	return json.Unmarshal(b, &m.value)
}

// A listed is an entry of a case.
type listed struct {
	Loc              string
	ID               string           // of an entry without a link
	LocResolved      string           `json:"loc_resolved"`
	Normalized       string           `json:"normalized"`
	LocAlsoOK        []string         `json:"loc_also_ok"`
	LastMod          maybe[string]    `json:"lastmod"`
	LastModRaw       string           `json:"lastmod_raw"`
	LastModAlsoOK    []*string        `json:"lastmod_also_ok"`
	LastModPrecision string           `json:"lastmod_precision"`
	ChangeFreq       maybe[string]    `json:"changefreq"`
	Priority         maybe[float64]   `json:"priority"`
	Extensions       []foreignElement `json:"extensions"`

	InScope maybe[bool] `json:"in_scope"`
	Reason  string
}

// kinds are the functions that run a case of each kind. They return the differences from the
// expected result.
var kinds = map[string]func(*corpusCase, *testing.T) []string{
	"urlset":       (*corpusCase).documentFaults,
	"sitemapindex": (*corpusCase).documentFaults,
	"text":         (*corpusCase).documentFaults,
	"gzip":         (*corpusCase).documentFaults,
	"encoding":     (*corpusCase).documentFaults,
	"feed":         (*corpusCase).documentFaults,
	"date":         (*corpusCase).dateFaults,
	"robots":       (*corpusCase).robotsFaults,
	"scope":        (*corpusCase).scopeFaults,
	"site":         (*corpusCase).siteFaults,
	"xml":          (*corpusCase).xmlFaults,
}

func runCorpus(t *testing.T, dir string) {
	var manifest struct {
		Cases []struct{ ID, Dir, Kind string }
	}
	if err := json.Unmarshal(readFile(t, dir, "manifest.json"), &manifest); err != nil {
		t.Fatal(err)
	}
	tallies := map[string]*tally{}
	for _, m := range manifest.Cases {
		c := &corpusCase{dir: filepath.Join(dir, m.Dir)}
		if err := json.Unmarshal(readFile(t, c.dir, "expected.json"), c); err != nil {
			t.Fatalf("%s: %v", m.ID, err)
		}
		name := m.Kind
		if c.Idiosyncratic {
			name += ", idiosyncratic"
		}
		faults, ok := kinds[m.Kind]
		if !ok {
			t.Errorf("%s: unknown kind %q", m.ID, m.Kind)
			continue
		}
		if tallies[name] == nil {
			tallies[name] = &tally{t: t, name: name}
		}
		tallies[name].check(c.ID, faults(c, t))
	}
	for _, name := range sortedKeys(tallies) {
		tallies[name].done()
	}
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// options returns the options that a case has for its document.
func (c *corpusCase) options(t *testing.T) (o sitemap.Options) {
	t.Helper()
	o.ContentType = c.Context.MediaType
	if c.Context.URL != "" {
		base, err := url.Parse(c.Context.URL)
		if err != nil {
			t.Fatalf("%s: %v", c.ID, err)
		}
		o.Base = base
	}
	if location := c.Context.Headers["Content-Location"]; location != "" {
		if ref, err := url.Parse(location); err == nil {
			if o.Base != nil {
				ref = o.Base.ResolveReference(ref)
			}
			if ref.Scheme == "http" || ref.Scheme == "https" {
				o.Base = ref
			}
		}
	}
	return o
}
