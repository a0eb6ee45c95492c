package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
)

// IndexNow gets what was added or changed, 10,000 URLs a request, host by host.
func TestSubmitIndexNow(t *testing.T) {
	var got []string
	status := http.StatusOK
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Host, Key string
			URLs      []string `json:"urlList"`
		}
		text, _ := io.ReadAll(r.Body)
		if err := json.Unmarshal(text, &body); err != nil || r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json; charset=utf-8" {
			t.Errorf("%s %s: %v", r.Method, text, err)
		}
		got = append(got, fmt.Sprintf("%s %s %d %s", body.Host, body.Key, len(body.URLs), body.URLs[0]))
		w.WriteHeader(status)
	}))
	defer s.Close()
	var many strings.Builder
	for i := range 10_001 {
		fmt.Fprintf(&many, "+ https://a.example/%d\n", i)
	}
	for _, test := range []struct{ in, want string }{
		{"+ https://a.example/1\n- https://a.example/2\n~ https://b.example/3  none → 2026-01-01\n> https://a.example/4  s → t\n",
			"a.example 12345678 1 https://a.example/1, b.example 12345678 1 https://b.example/3"},
		{`{"change":"added","loc":"https://a.example/1"}` + "\n" + `{"change":"removed","loc":"https://a.example/2"}` + "\n", "a.example 12345678 1 https://a.example/1"},
		{"change,loc\nchanged,https://a.example/1\nmoved,https://a.example/2\n", "a.example 12345678 1 https://a.example/1"},
		{"https://a.example/1\n", "a.example 12345678 1 https://a.example/1"},
		{many.String(), "a.example 12345678 10000 https://a.example/0, a.example 12345678 1 https://a.example/10000"},
	} {
		got = nil
		r := runWith(t, strings.NewReader(test.in), "submit", "--indexnow", "12345678", "--endpoint", s.URL, "-")
		if strings.Join(got, ", ") != test.want || r.status != cli.ExitOK {
			t.Errorf("%.80s: status %d, sent %q, %s", test.in, r.status, got, r.err)
		}
	}
	for _, in := range []string{
		"! failing https://a.example/s\n- https://a.example/1\n",
		`{"event":"failing","sitemap":"https://a.example/s"}` + "\n" + `{"event":"removed","loc":"https://a.example/1"}`,
	} {
		got = nil
		r := runWith(t, strings.NewReader(in), "submit", "--indexnow", "12345678", "--endpoint", s.URL, "--removed", "-")
		if strings.Join(got, ", ") != "a.example 12345678 1 https://a.example/1" || r.status != cli.ExitOK {
			t.Errorf("removed: %s: status %d, sent %q, %s", in, r.status, got, r.err)
		}
	}
	got = nil
	r := runWith(t, strings.NewReader("+ https://a.example/1\n"), "submit", "--indexnow", "12345678", "--endpoint", s.URL, "--dry-run", "-")
	r.want(t, cli.ExitOK, "POST "+s.URL+"\n"+`{"host":"a.example","key":"12345678","urlList":["https://a.example/1"]}`+"\n")
	if len(got) > 0 {
		t.Errorf("a dry run sent %q", got)
	}
	status = http.StatusForbidden
	runWith(t, strings.NewReader("+ https://a.example/1\n"), "submit", "--indexnow", "12345678", "--endpoint", s.URL, "-").want(t, cli.ExitFailed, "", "403 Forbidden: the key is not served")
	runWith(t, strings.NewReader("- https://a.example/1\n"), "submit", "--indexnow", "12345678", "-").want(t, cli.ExitOK, "", "nothing was added or changed")
}

func TestSubmitPing(t *testing.T) {
	var asked string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { asked = r.URL.String() }))
	defer s.Close()
	runArgs(t, "submit", "--ping", s.URL+"/ping?a=b", "https://example.com/s.xml?x=1").want(t, cli.ExitOK, s.URL+"/ping?a=b&sitemap=https%3A%2F%2Fexample.com%2Fs.xml%3Fx%3D1: 200 OK\n")
	if asked != "/ping?a=b&sitemap=https%3A%2F%2Fexample.com%2Fs.xml%3Fx%3D1" {
		t.Error(asked)
	}
	for args, want := range map[string]string{
		"submit x":                  "want either --indexnow KEY or --ping URL",
		"submit --indexnow short x": "a key has 8 to 128",
		"submit --ping none x":      "--ping: want an http or https URL",
	} {
		runArgs(t, strings.Fields(args)...).want(t, cli.ExitUsage, "", want)
	}
}
