package fetch_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-322c453a/sitemap/fetch"
)

// Validators go to the URL that they belong to, and to no other hop.
func TestValidators_BelongToOneURL(t *testing.T) {
	const first, old, other = "http://example.com/", "http://example.com/old.xml", "https://example.org/b"
	for _, tt := range []struct {
		name string
		url  string   // of the validators
		via  []string // redirects from first
		want []bool   // whether each request is conditional
	}{
		{"of the document", "", nil, []bool{true}},
		{"of the document, in another form", "HTTP://user:secret@example.com/a/..#top", nil, []bool{true}},
		{"of the first hop", "", []string{old}, []bool{true, false}},
		{"of the last hop", old, []string{old}, []bool{false, true}},
		{"of a hop between", other, []string{other, old}, []bool{false, true, false}},
		{"of a hop that has gone", other, []string{old}, []bool{false, false}},
		{"of no URL", "::", nil, []bool{false}},
	} {
		w := &web{redirects: map[string]string{}}
		from := first
		for _, to := range tt.via {
			w.redirects[from] = to
			from = to
		}
		doc := w.get(t, new(fetch.Client), fetch.Request{
			URL: first, Validators: fetch.Validators{URL: tt.url, ETag: `"1"`, LastModified: "Mon, 06 May 2024 07:08:09 GMT"},
		})
		var got []bool
		for _, r := range w.requests {
			if r.Header.Get("If-None-Match") == "" != (r.Header.Get("If-Modified-Since") == "") {
				t.Errorf("%s: one validator without the other in %v", tt.name, r.Header)
			}
			got = append(got, r.Header.Get("If-None-Match") != "")
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: conditional requests %v, want %v", tt.name, got, tt.want)
		}
		if doc.Validators.URL != doc.URL.String() || doc.URL.String() != from {
			t.Errorf("%s: validators of %q, want %q", tt.name, doc.Validators.URL, from)
		}
	}
}

// A 304 to a request that was not conditional is no document.
func TestValidators_NotModifiedUnasked(t *testing.T) {
	for name, v := range map[string]fetch.Validators{
		"none": {}, "only a URL": {URL: "http://a.test/"}, "of another URL": {URL: "http://a.test/old.xml", ETag: `"1"`},
	} {
		c := &fetch.Client{Transport: statuses("", http.StatusNotModified)}
		_, err := c.Get(t.Context(), fetch.Request{URL: "http://a.test/", Validators: v})
		var e *fetch.Error
		if !errors.Is(err, fetch.ErrStatus) || !errors.As(err, &e) || e.Status != http.StatusNotModified {
			t.Errorf("%s: %v, want %v with 304", name, err, fetch.ErrStatus)
		}
	}
}

// Apache adds a suffix to the ETag of what it compresses, and does not know it in a request.
func TestValidators_ApacheSuffix(t *testing.T) {
	for tag, want := range map[string]string{
		`"1-gzip"`: `"1-gzip", "1"`, `W/"1-gzip"`: `W/"1-gzip", W/"1"`, `"1-br"`: `"1-br"`, `"gzip"`: `"gzip"`,
	} {
		w := new(web)
		w.get(t, new(fetch.Client), fetch.Request{
			URL: "http://example.com/", Validators: fetch.Validators{ETag: tag},
		})
		if got := w.requests[0].Header.Get("If-None-Match"); got != want {
			t.Errorf("ETag %s: If-None-Match %s, want %s", tag, got, want)
		}
	}
}

// A validator that a server would refuse in a request is left out.
func TestValidators_TooLong(t *testing.T) {
	for size, want := range map[int]int{1 << 10: 1 << 10, 1<<10 + 1: 0} {
		tag := strings.Repeat("e", size)
		c := &fetch.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
			resp := answer(r, http.StatusOK, "body")
			resp.Header.Set("ETag", tag)
			resp.Header.Set("Last-Modified", tag)
			return resp, nil
		})}
		doc, err := c.Get(t.Context(), fetch.Request{URL: "http://a.test/"})
		if err != nil {
			t.Fatal(err)
		}
		doc.Body.Close()
		if len(doc.ETag) != want || len(doc.LastModified) != want {
			t.Errorf("of %d bytes: %d and %d are kept, want %d",
				size, len(doc.ETag), len(doc.LastModified), want)
		}
	}
}

// A response is as fresh as one of its Cache-Control lines says, or its Expires by its Date.
func TestDocument_Fresh(t *testing.T) {
	for _, test := range []struct {
		header http.Header
		want   time.Duration
	}{
		{nil, 0},
		{http.Header{"Cache-Control": {"public", "Max-Age=60"}}, time.Minute},
		{http.Header{"Cache-Control": {"public, max-age=60"}}, time.Minute},
		{http.Header{"Cache-Control": {"max-age=0"},
			"Expires": {"Mon, 06 May 2024 07:09:08 GMT"}}, 0},
		{http.Header{"Date": {"Mon, 06 May 2024 07:08:08 GMT"},
			"Expires": {"Mon, 06 May 2024 07:09:08 GMT"}}, time.Minute},
		{http.Header{"Expires": {"Mon, 06 May 2024 07:09:08 GMT"}}, 0},
		{http.Header{"Expires": {"0"}}, 0},
	} {
		if got := (&fetch.Document{Header: test.header}).Fresh(); got != test.want {
			t.Errorf("%v: %v, want %v", test.header, got, test.want)
		}
	}
}
