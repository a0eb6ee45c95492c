package fetch_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap/fetch"
)

func TestClient_Map(t *testing.T) {
	for _, tt := range []struct{ url, want string }{
		{"https://www.example.com", "http://root.test/"},
		{"https://WWW.example.com:443/", "http://root.test/"},
		{"https://www.example.com/a%2Fb?q=%20#c", "http://root.test/a%2Fb?q=%20"},
		{"https://www.example.com/docs", "http://docs.test:81/v1"},
		{"https://www.example.com/docs/", "http://docs.test:81/v1/"},
		{"https://www.example.com/docs/a?b", "http://docs.test:81/v1/a?b"},
		{"https://www.example.com/docsearch", "http://root.test/docsearch"},
		{"https://www.example.com/docs/../a", "http://root.test/a"},
		{"http://www.example.com/a", "http://www.example.com/a"},
		{"https://example.com/a", "https://example.com/a"},
		{"https://example.org/en/a", "https://staging.example.org/a"},
		{"https://example.org/a", "https://example.org/a"},
	} {
		w := &web{}
		c := &fetch.Client{Limiter: &countingLimiter{}, Map: map[string]string{
			"https://www.example.com:443/": "http://root.test",
			"https://www.example.com/docs": "http://docs.test:81/v1/",
			"https://example.org/en/":      "https://staging.example.org",
		}}
		doc := w.get(t, c, fetch.Request{URL: tt.url})
		if got := w.requests[0].URL.String(); got != tt.want && got+"/" != tt.want {
			t.Errorf("%s: requested %s, want %s", tt.url, got, tt.want)
		}
		if host := doc.URL.Host; strings.HasSuffix(host, ".test") {
			t.Errorf("%s: document of %s", tt.url, doc.URL)
		}
	}
}

func TestClient_MapRedirects(t *testing.T) {
	w := &web{redirects: map[string]string{
		"http://preview.test/base/relative":   "/base/1#top",
		"http://preview.test/base/1":          "2?q",
		"http://preview.test/base/2?q":        "http://preview.test/base/3",
		"http://preview.test/base/3":          "https://www.example.com/4",
		"http://preview.test/base/4":          "http://preview.test:80/b/5",
		"http://preview.test/b/5":             "https://elsewhere.test/",
		"http://preview.test/base/outside":    "/other",
		"https://elsewhere.test/to/preview":   "http://preview.test/base/6",
		"http://preview.test/base/unreadable": "https://www.example.com/100%",
	}}
	for from, want := range map[string][]string{
		"https://www.example.com/relative": {
			"https://www.example.com/1", "https://www.example.com/2?q", "https://www.example.com/3",
			"https://www.example.com/4", "https://b.example.com/5", "https://elsewhere.test/",
		},
		"https://www.example.com/outside":    {"http://preview.test/other"},
		"https://elsewhere.test/to/preview":  {"http://preview.test/base/6"},
		"https://www.example.com/unreadable": {"https://www.example.com/100%25"},
	} {
		c := &fetch.Client{Limiter: &countingLimiter{}, Map: map[string]string{
			"https://www.example.com": "http://preview.test/base",
			"https://b.example.com":   "http://preview.test/b",
		}}
		doc := w.get(t, c, fetch.Request{URL: from})
		var got []string
		for _, hop := range doc.Hops {
			got = append(got, hop.URL)
		}
		if got = append(got, doc.URL.String()); !reflect.DeepEqual(got[1:], want) {
			t.Errorf("%s: led to\n%q, want\n%q", from, got[1:], want)
		}
	}
}

// Secrets go to the server that stands for their origin.
func TestClient_MapSecrets(t *testing.T) {
	w := &web{}
	c := &fetch.Client{
		Limiter: &countingLimiter{}, Header: http.Header{"Cookie": {"a=b"}},
		Map: map[string]string{"https://example.com": "http://preview.test:3000"},
	}
	w.get(t, c, fetch.Request{URL: "https://user:secret@example.com/"})
	r := w.requests[0]
	user, password, _ := r.BasicAuth()
	if r.Header.Get("Cookie") != "a=b" || user != "user" || password != "secret" {
		t.Errorf("header %v, want the cookie and the credentials", r.Header)
	}
	if r.Host != "" && r.Host != "preview.test:3000" {
		t.Errorf("Host %q, want that of the preview", r.Host)
	}
}

// Only what is mapped may connect to a private server, whatever connections to it are open.
func TestClient_MapKeepsGuard(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/private" {
			http.Redirect(w, r, "http://10.0.0.1/", http.StatusFound)
			return
		}
		echo(w, r)
	}))
	defer s.Close()
	addr := s.Listener.Addr().String()
	local := strings.Replace(s.URL, "127.0.0.1", "localhost", 1)
	c := publicClient(t)
	c.Map = map[string]string{"https://www.example.com": s.URL, "https://example.com": local}
	for range 2 {
		if got := body(t, c, "https://www.example.com/a"); got != addr+"/a" {
			t.Errorf("body %q, want that for %s", got, addr)
		}
		body(t, c, "https://example.com/")
		wantRefused(t, c, s.URL+"/a", local+"/a", "https://www.example.com/private")
	}
}

func TestClient_MapFails(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(echo))
	s.Close()
	c := publicClient(t)
	c.Map = map[string]string{"https://example.com": s.URL}
	_, err := c.Get(t.Context(), fetch.Request{URL: "https://example.com/a"})
	var e *fetch.Error
	if !errors.Is(err, fetch.ErrConnect) || !errors.As(err, &e) || e.URL != "https://example.com/a" {
		t.Errorf("error %v, want %v of https://example.com/a", err, fetch.ErrConnect)
	}
}

func TestClient_BadNetwork(t *testing.T) {
	for _, c := range []*fetch.Client{
		{Map: map[string]string{"example.com": "http://localhost"}},
		{Map: map[string]string{"https://example.com": "localhost:3000"}},
		{Map: map[string]string{"https://example.com": "http://user:secret@localhost"}},
		{Map: map[string]string{"https://example.com/?a": "http://localhost"}},
		{ConnectTo: map[string]string{"example.com": "localhost:80"}},
		{ConnectTo: map[string]string{"example.com:80": "localhost"}},
	} {
		_, err := c.Get(t.Context(), fetch.Request{URL: "https://example.com/"})
		if !errors.Is(err, fetch.ErrRequest) || strings.Contains(err.Error(), "secret") {
			t.Errorf("Map %v, ConnectTo %v: %v, want %v", c.Map, c.ConnectTo, err, fetch.ErrRequest)
		}
	}
}

// A wrapper is around the checks, not in place of them.
func TestClient_WrapKeepsGuard(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(echo))
	defer s.Close()
	var seen []string
	c := publicClient(t)
	c.Map = map[string]string{"https://example.com": s.URL}
	c.Wrap = func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			seen = append(seen, r.URL.String())
			return next.RoundTrip(r)
		})
	}
	local := strings.Replace(s.URL, "127.0.0.1", "localhost", 1) + "/"
	wantRefused(t, c, local)
	body(t, c, "https://example.com/a")
	if want := []string{local, s.URL + "/a"}; !reflect.DeepEqual(seen, want) {
		t.Errorf("the wrapper saw %q, want %q", seen, want)
	}
}
