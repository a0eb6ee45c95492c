package fetch_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/seed-322c453a/sitemap/fetch"
)

// A roundTripper answers requests without a network.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// answer returns a response; header alternates names and values.
func answer(r *http.Request, status int, body string, header ...string) *http.Response {
	h := http.Header{}
	for i := 0; i < len(header); i += 2 {
		h.Add(header[i], header[i+1])
	}
	return &http.Response{
		Status: http.StatusText(status), StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: h, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)), Request: r,
	}
}

// A web redirects as its map says, records what it is asked, and answers anything
// else with a document.
type web struct {
	redirects map[string]string
	mu        sync.Mutex
	requests  []*http.Request
}

func (w *web) RoundTrip(r *http.Request) (*http.Response, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.requests = append(w.requests, r)
	if to, ok := w.redirects[r.URL.String()]; ok {
		return answer(r, http.StatusMovedPermanently, "moved", "Location", to), nil
	}
	return answer(r, http.StatusOK, "ok"), nil
}

// get gets a document of w and closes it.
func (w *web) get(t *testing.T, c *fetch.Client, req fetch.Request) *fetch.Document {
	t.Helper()
	c.Transport = w
	doc, err := c.Get(t.Context(), req)
	if err != nil {
		t.Fatalf("Get(%s): %v", req.URL, err)
	}
	doc.Body.Close()
	return doc
}

func TestRedirects(t *testing.T) {
	const start = "http://example.com/a/b?q"
	for _, tt := range []struct{ location, want string }{
		{"http://www.example.com/x", "http://www.example.com/x"},
		{"HTTPS://WWW.Example.Com/X", "https://www.example.com/X"},
		{"https://example.com:443/x", "https://example.com:443/x"},
		{"/x", "http://example.com/x"},
		{"x", "http://example.com/a/x"},
		{"../x", "http://example.com/x"},
		{"?r", "http://example.com/a/b?r"},
		{"//www.example.com/x", "http://www.example.com/x"},
		{" /x ", "http://example.com/x"},
		{"/x#fragment", "http://example.com/x"},
		{"/x y", "http://example.com/x%20y"},
		{"http://example.com/100%/x", "http://example.com/100%25/x"},
		{"HTTP://example.com/100%", "http://example.com/100%25"},
		{"HTTPS://www.example.com/100%?a=b c", "https://www.example.com/100%25?a=b%20c"},
		{"/é", "http://example.com/%C3%A9"},
		{"/\xe9", "http://example.com/%E9"},
		{"http://bücher.example/", "http://xn--bcher-kva.example/"},
		{"http://user:secret@example.com/x", "http://example.com/x"},
	} {
		w := &web{redirects: map[string]string{start: tt.location}}
		doc := w.get(t, new(fetch.Client), fetch.Request{URL: start + "#top"})
		if got := doc.URL.String(); got != tt.want {
			t.Errorf("Location %q: URL %q, want %q", tt.location, got, tt.want)
		}
		if want := []fetch.Hop{{start, 301}}; !reflect.DeepEqual(doc.Hops, want) {
			t.Errorf("Location %q: Hops %v, want %v", tt.location, doc.Hops, want)
		}
	}
}

// TestDotSegments: the requested path has no dot segments, and is otherwise as given.
func TestDotSegments(t *testing.T) {
	for _, tt := range []struct{ path, want string }{
		{"/a/../b", "/b"},
		{"/a/./b/..", "/a/"},
		{"/../../x?y=/../z", "/x?y=/../z"},
		{"/a/%2e%2E/.%2e/%2e/b", "/b"},
		{"/a//../b", "/a/b"},
		{"/users/bob/x%2Fy%2Fz/../../../t.xml", "/t.xml"},
		{"/a/x%2f..%2f..%2Fb/../t.xml", "/a/t.xml"},
		{"/%61/./..x/%2e.x/a%2eb/.../%c3%a9%2f", "/%61/..x/%2e.x/a%2eb/.../%c3%a9%2f"},
	} {
		w := &web{redirects: map[string]string{"http://example.com/from": "http://example.com" + tt.path}}
		for _, start := range []string{"http://example.com" + tt.path, "http://example.com/from"} {
			doc := w.get(t, new(fetch.Client), fetch.Request{URL: start})
			sent := w.requests[len(w.requests)-1].URL.RequestURI()
			if sent != tt.want || doc.URL.String() != "http://example.com"+tt.want {
				t.Errorf("%s: asked for %s, URL %s, want %s", start, sent, doc.URL, tt.want)
			}
		}
	}
}

func TestMaxRedirects(t *testing.T) {
	w := &web{redirects: map[string]string{}}
	for i := range 20 {
		w.redirects[fmt.Sprintf("http://example.com/%d", i)] = fmt.Sprintf("/%d", i+1)
	}
	for _, tt := range []struct{ most, follows int }{{0, 10}, {5, 5}, {-1, 0}, {1, 1}} {
		c := &fetch.Client{Transport: w}
		_, err := c.Get(t.Context(), fetch.Request{URL: fmt.Sprintf("http://example.com/%d", 20-tt.follows-1), MaxRedirects: tt.most})
		var e *fetch.Error
		if !errors.Is(err, fetch.ErrRedirect) || !errors.As(err, &e) || len(e.Hops) != tt.follows {
			t.Errorf("MaxRedirects %d: %v, want %v after %d",
				tt.most, err, fetch.ErrRedirect, tt.follows)
		}
		doc := w.get(t, c, fetch.Request{URL: fmt.Sprintf("http://example.com/%d", 20-tt.follows), MaxRedirects: tt.most})
		if len(doc.Hops) != tt.follows {
			t.Errorf("MaxRedirects %d: %d hops, want %d", tt.most, len(doc.Hops), tt.follows)
		}
	}
}

// TestSecrets follows redirects and reports which requests carried what the caller meant for the
// first host.
func TestSecrets(t *testing.T) {
	const start = "http://example.com/"
	for _, tt := range []struct {
		name string
		via  []string // locations, in turn
		want []bool   // whether each carries the secrets
	}{
		{"same host", []string{"http://example.com/x"}, []bool{true, true}},
		{"to https", []string{"https://example.com/x"}, []bool{true, true}},
		{"back to http", []string{"https://example.com/x", "http://example.com/y"}, []bool{true, true, false}},
		{"another host", []string{"http://example.org/x"}, []bool{true, false}},
		{"subdomain", []string{"http://www.example.com/x"}, []bool{true, false}},
		{"parent domain", []string{"http://com/x"}, []bool{true, false}},
		{"there and back", []string{"http://example.org/x", "http://example.com/y"}, []bool{true, false, false}},
		{"letter case", []string{"http://EXAMPLE.com/x"}, []bool{true, true}},
	} {
		w := &web{redirects: map[string]string{}}
		from := start
		for _, to := range tt.via {
			w.redirects[from] = strings.Replace(to, "://", "://evil:trap@", 1)
			from = strings.ToLower(to)
		}
		for _, req := range []fetch.Request{
			{URL: "http://user:secret@example.com/"},
			{URL: start, Origins: []string{"http://example.org/", "http://user:secret@EXAMPLE.com:80/x"}},
			{URL: start, Header: http.Header{"Authorization": {"Bearer secret"}}},
			{URL: start, Header: http.Header{"cookie": {"secret"}}},
			{URL: start, Header: http.Header{"X-Api-Key": {"secret"}}},
		} {
			header := withField(req.Header, "Accept-Language", "de")
			ofRequest, ofClient := req, req
			ofRequest.Header, ofClient.Header = header, nil
			for _, x := range []struct {
				c   *fetch.Client
				req fetch.Request
			}{{new(fetch.Client), ofRequest}, {&fetch.Client{Header: header}, ofClient}} {
				if got := w.carried(t, x.c, x.req); !reflect.DeepEqual(got, tt.want) {
					t.Errorf("%s: %v, client's %v: carried secrets %v, want %v",
						tt.name, x.req.Header, x.c.Header, got, tt.want)
				}
			}
		}
	}
}

// carried returns which requests for a document carry secrets. All are to have the harmless field.
func (w *web) carried(t *testing.T, c *fetch.Client, req fetch.Request) (secrets []bool) {
	w.requests = nil
	w.get(t, c, req)
	for _, r := range w.requests {
		secrets = append(secrets, carriesSecret(r))
		if r.Header.Get("Accept-Language") != "de" {
			t.Errorf("%s: Accept-Language was dropped", r.URL)
		}
		if r.URL.User != nil {
			t.Errorf("%s: userinfo in the URL of a request", r.URL)
		}
	}
	return secrets
}

func withField(h http.Header, name, value string) http.Header {
	h = h.Clone()
	if h == nil {
		h = http.Header{}
	}
	h.Set(name, value)
	return h
}

func carriesSecret(r *http.Request) bool {
	user, password, ok := r.BasicAuth()
	return ok && user == "user" && password == "secret" ||
		r.Header.Get("Authorization") == "Bearer secret" ||
		r.Header.Get("Cookie") == "secret" || r.Header.Get("X-Api-Key") == "secret"
}

// TestCredentialsOfOrigins sends the user names of the caller's origins to these
// only, and a URL's own before them.
func TestCredentialsOfOrigins(t *testing.T) {
	origins := []string{"https://example.com/", "https://user:secret@example.com/robots.txt", "https://other:pw@example.com/"}
	for url, want := range map[string]string{
		"https://example.com/x":      "user:secret",
		"https://example.com:443/x":  "user:secret",
		"https://own:pw@example.com": "own:pw",
		"https://own@example.com":    "own:",
		"http://example.com/x":       "",
		"https://www.example.com/x":  "",
		"https://example.org/x":      "",
	} {
		w := new(web)
		w.get(t, new(fetch.Client), fetch.Request{URL: url, Origins: origins})
		got := ""
		if user, password, ok := w.requests[0].BasicAuth(); ok {
			got = user + ":" + password
		}
		if got != want {
			t.Errorf("%s: sent %q, want %q", url, got, want)
		}
	}
}

// TestSecretsOfOrigins sends secrets only where the caller's origins are.
func TestSecretsOfOrigins(t *testing.T) {
	for _, tt := range []struct {
		url     string
		origins []string
		want    bool
	}{
		{"https://example.com/x", nil, true},
		{"https://example.com/x", []string{"https://example.com"}, true},
		{"https://example.com/x", []string{"http://example.com/robots.txt"}, true},
		{"http://example.com/x", []string{"https://example.com/"}, false},
		{"https://cdn.example.com/x", []string{"https://example.com/"}, false},
		{"https://cdn.example.com/x", []string{"https://example.com/", "https://cdn.example.com/"}, true},
	} {
		w := new(web)
		w.get(t, new(fetch.Client), fetch.Request{URL: tt.url, Origins: tt.origins, Header: http.Header{"X-Api-Key": {"secret"}}})
		if got := carriesSecret(w.requests[0]); got != tt.want {
			t.Errorf("%s of %q: secret sent %t, want %t", tt.url, tt.origins, got, tt.want)
		}
	}
}

func TestHeader(t *testing.T) {
	w := new(web)
	req := fetch.Request{
		URL:        "http://example.com/",
		Validators: fetch.Validators{ETag: `W/"1"`, LastModified: "Mon, 06 May 2024 07:08:09 GMT"},
		Header: http.Header{
			"Accept-Encoding": {"br"}, "Range": {"bytes=0-1"}, "If-None-Match": {"*"}, "accept-language": {"de", "en"},
		},
	}
	c := &fetch.Client{UserAgent: "crawler/1 (me@example.com)", Header: http.Header{"Accept-Language": {"fr"}, "from": {"me@example.com"}}}
	w.get(t, c, req)
	want := http.Header{
		"Accept":            {"*/*"},
		"Accept-Encoding":   {"gzip"},
		"Accept-Language":   {"de", "en"},
		"From":              {"me@example.com"},
		"If-None-Match":     {`W/"1"`},
		"If-Modified-Since": {"Mon, 06 May 2024 07:08:09 GMT"},
		"User-Agent":        {"crawler/1 (me@example.com)"},
	}
	if got := w.requests[0].Header; !reflect.DeepEqual(got, want) {
		t.Errorf("header %v, want %v", got, want)
	}
	if req.Header.Get("Range") == "" {
		t.Error("the caller's header was changed")
	}
	w.get(t, new(fetch.Client), fetch.Request{URL: "http://example.com/"})
	if got := w.requests[1].UserAgent(); !strings.HasPrefix(got, "sitemap") || !strings.Contains(got, "+https://") {
		t.Errorf("default User-Agent %q, want the product and an address", got)
	}
}

func TestBadRequests(t *testing.T) {
	const ok = "http://user:secret@example.com/"
	for _, tt := range []struct {
		req   fetch.Request
		agent string
		want  error
	}{
		{fetch.Request{URL: ""}, "", fetch.ErrRequest},
		{fetch.Request{URL: "/sitemap.xml"}, "", fetch.ErrRequest},
		{fetch.Request{URL: "http://user:secret@[x/"}, "", fetch.ErrRequest},
		{fetch.Request{URL: "http://user:secret@exa mple.com/"}, "", fetch.ErrRequest},
		{fetch.Request{URL: "ftp://user:secret@example.com/"}, "", fetch.ErrRefused},
		{fetch.Request{URL: "http://user:secret@example.com:99/", Origins: []string{"http://example.com/"}}, "", fetch.ErrRefused},
		{fetch.Request{URL: ok, Header: http.Header{"X y": {"1"}}}, "", fetch.ErrRequest},
		{fetch.Request{URL: ok, Header: http.Header{"X-Y": {"1\r\nZ: 2"}}}, "", fetch.ErrRequest},
		{fetch.Request{URL: ok, Validators: fetch.Validators{ETag: "\"\n\""}}, "", fetch.ErrRequest},
		{fetch.Request{URL: ok}, "a\nb", fetch.ErrRequest},
		{fetch.Request{URL: ok}, "a\x00b", fetch.ErrRequest},
	} {
		w := new(web)
		c := &fetch.Client{Transport: w, UserAgent: tt.agent}
		_, err := c.Get(t.Context(), tt.req)
		var e *fetch.Error
		if !errors.Is(err, tt.want) || !errors.As(err, &e) || e.Attempts != 0 || e.Temporary() || len(w.requests) != 0 {
			t.Errorf("Get(%+v) as %q: %v after %d requests, want %v before any",
				tt.req, tt.agent, err, len(w.requests), tt.want)
		}
		if strings.Contains(err.Error(), "secret") {
			t.Errorf("Get(%+v): the error tells the password: %v", tt.req, err)
		}
	}
	var ue *url.Error
	if _, err := new(fetch.Client).Get(t.Context(), fetch.Request{URL: "/sitemap.xml"}); !errors.As(err, &ue) {
		t.Errorf("%v, want a *url.Error within", err)
	}
}

// A server chooses where its redirect leads, so that URL does not fill the message.
func TestLongRedirect(t *testing.T) {
	target := "http://example.com/" + strings.Repeat("x", 8_000)
	w := &web{redirects: map[string]string{"http://example.com/a": target, target: target}}
	_, err := (&fetch.Client{Transport: w}).Get(t.Context(), fetch.Request{URL: "http://example.com/a"})
	var e *fetch.Error
	if !errors.As(err, &e) || e.URL != target {
		t.Fatalf("%v, want an error with the whole URL", err)
	}
	if text := err.Error(); len(text) > 500 || !strings.Contains(text, "x…: too many redirects") {
		t.Errorf("a message of %d bytes: %.600s", len(text), text)
	}
}

func TestNotModified(t *testing.T) {
	s, c := newSite(t), newClient(t)
	doc, err := c.Get(t.Context(), fetch.Request{URL: s.fault("validators")})
	if err != nil {
		t.Fatal(err)
	}
	doc.Body.Close()
	if doc.NotModified || doc.ETag == "" || doc.LastModified == "" {
		t.Fatalf("first: %+v, want validators", doc)
	}
	for _, v := range []fetch.Validators{doc.Validators, {ETag: doc.ETag}, {LastModified: doc.LastModified}} {
		again, err := c.Get(t.Context(), fetch.Request{URL: s.fault("validators"), Validators: v})
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(again.Body)
		again.Body.Close()
		if !again.NotModified || again.Status != 304 || len(body) != 0 || err != nil {
			t.Errorf("with %+v: status %d, %d bytes, %v; want 304, none, nil",
				v, again.Status, len(body), err)
		}
		if again.Validators != doc.Validators {
			t.Errorf("with %+v: fetch.Validators %+v, want %+v",
				v, again.Validators, doc.Validators)
		}
	}
	changed, err := c.Get(t.Context(), fetch.Request{URL: s.fault("validators"), Validators: fetch.Validators{ETag: `"v0"`}})
	if err != nil {
		t.Fatal(err)
	}
	changed.Body.Close()
	if changed.NotModified || changed.Status != 200 {
		t.Errorf("with another ETag: status %d, want 200", changed.Status)
	}
	// A 304 need not repeat the validators: none of them, or one.
	dated := roundTripper(func(r *http.Request) (*http.Response, error) {
		resp := answer(r, 304, "")
		resp.Header.Set("Last-Modified", "Tue, 07 May 2024 07:08:09 GMT")
		return resp, nil
	})
	v := fetch.Validators{ETag: doc.ETag, LastModified: doc.LastModified}
	half, err := (&fetch.Client{Transport: dated}).Get(t.Context(), fetch.Request{URL: "http://example.com/", Validators: v})
	if err != nil || half.Validators != (fetch.Validators{URL: "http://example.com/", ETag: doc.ETag, LastModified: "Tue, 07 May 2024 07:08:09 GMT"}) {
		t.Errorf("304 with one validator: %+v, %v", half, err)
	}
	w := roundTripper(func(r *http.Request) (*http.Response, error) { return answer(r, 304, ""), nil })
	bare, err := (&fetch.Client{Transport: w}).Get(t.Context(), fetch.Request{URL: "http://example.com/", Validators: v})
	if v.URL = "http://example.com/"; err != nil || bare.Validators != v {
		t.Errorf("bare 304: %+v, %v; want the validators that were sent", bare, err)
	}
}

// TestNotModifiedEncoding: a 304 may name the encoding of the document that it does not have.
func TestNotModifiedEncoding(t *testing.T) {
	s, c := newSite(t), newClient(t)
	doc, err := c.Get(t.Context(), fetch.Request{URL: s.fault("status?code=304&encoding=br"), Validators: fetch.Validators{ETag: "\"v\""}})
	if err != nil {
		t.Fatal(err)
	}
	defer doc.Body.Close()
	if body, err := io.ReadAll(doc.Body); !doc.NotModified || len(body) > 0 || err != nil {
		t.Errorf("NotModified %t, %d bytes, %v", doc.NotModified, len(body), err)
	}
}
