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

// An indexNow is an engine, and the hosts that serve their keys.
type indexNow struct {
	*httptest.Server
	asked, got []string
	statuses   []int             // of the next requests, then 200
	keys       map[string]string // by host; otherwise the right one
}

func newIndexNow(t *testing.T) *indexNow {
	n := &indexNow{keys: map[string]string{}}
	n.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if host, ok := strings.CutSuffix(r.URL.Path, "/12345678.txt"); ok {
			host = strings.Trim(host, "/")
			n.asked = append(n.asked, host+r.Header.Get("X-Secret"))
			if key, ok := n.keys[host]; ok {
				io.WriteString(w, key)
			} else {
				io.WriteString(w, "\ufeff12345678\r\n")
			}
			return
		}
		var body struct {
			Host, Key string
			URLs      []string `json:"urlList"`
		}
		text, _ := io.ReadAll(r.Body)
		if err := json.Unmarshal(text, &body); err != nil || r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json; charset=utf-8" {
			t.Errorf("%s %s: %v", r.Method, text, err)
		}
		if len(n.statuses) > 0 {
			defer w.WriteHeader(n.statuses[0])
			n.statuses = n.statuses[1:]
		}
		n.got = append(n.got, r.Header.Get("X-Secret")+fmt.Sprintf("%s %s %d %s", body.Host, body.Key, len(body.URLs), strings.Join(body.URLs[:min(3, len(body.URLs))], " ")))
	}))
	t.Cleanup(n.Close)
	return n
}

// submit runs the command on changes.
func (n *indexNow) submit(t *testing.T, in string, flags ...string) result {
	n.asked, n.got = nil, nil
	args := []string{"submit", "--indexnow", "12345678", "--endpoint", n.URL, "--allow-private", "--retry-wait", "1ms"}
	for _, origin := range []string{"https://a.example", "https://b.example", "http://a.example"} {
		scheme, host, _ := strings.Cut(origin, "://")
		args = append(args, "--map", origin+"="+n.URL+"/"+scheme+"/"+host)
	}
	return runWith(t, strings.NewReader(in), append(append(args, flags...), "-")...)
}

// IndexNow gets what was added, changed, moved or removed, 10,000 URLs a request, host by host.
func TestSubmitIndexNow(t *testing.T) {
	n := newIndexNow(t)
	long := "https://a.example/" + strings.Repeat("a", 40<<10)
	var many strings.Builder
	for i := range 10_001 {
		fmt.Fprintf(&many, "+ https://a.example/%d\n", i)
	}
	for _, test := range []struct{ in, want, asked string }{
		{"+ https://a.example/1\n- https://a.example/2\n~ https://b.example/3  none → 2026-01-01\n> https://a.example/4  s → t\n",
			"a.example 12345678 2 https://a.example/1 https://a.example/2, b.example 12345678 1 https://b.example/3", "https/a.example, https/b.example"},
		{`{"change":"added","loc":"https://a.example/1"}` + "\n" + `{"change":"removed","loc":"https://a.example/2"}` + "\n",
			"a.example 12345678 2 https://a.example/1 https://a.example/2", "https/a.example"},
		{"> https://a.example/1  http://a.example/1 → https://a.example/1\n",
			"a.example 12345678 2 https://a.example/1 http://a.example/1", "https/a.example"},
		{`{"change":"moved","loc":"https://a.example/1","old_loc":"https://a.example/1/"}`,
			"a.example 12345678 2 https://a.example/1 https://a.example/1/", "https/a.example"},
		{"change,loc,old_loc\nchanged,https://a.example/1,\nmoved,https://a.example/2,\nmoved,https://a.example/3/,https://a.example/3\n",
			"a.example 12345678 3 https://a.example/1 https://a.example/3/ https://a.example/3", "https/a.example"},
		{"http://a.example/1\n", "a.example 12345678 1 http://a.example/1", "http/a.example"},
		{"! failing https://a.example/s\n- https://a.example/1\n", "a.example 12345678 1 https://a.example/1", "https/a.example"},
		{`{"event":"failing","sitemap":"https://a.example/s"}` + "\n" + `{"event":"removed","loc":"https://a.example/1"}`,
			"a.example 12345678 1 https://a.example/1", "https/a.example"},
		{string(mustGzip(t, "+ https://a.example/1\n")), "a.example 12345678 1 https://a.example/1", "https/a.example"},
		{"\ufeff- https://a.example/1\r\n", "a.example 12345678 1 https://a.example/1", "https/a.example"},
		{"> " + long + "1  " + long + "2 → " + long + "1\n", "a.example 12345678 2 " + long + "1 " + long + "2", "https/a.example"},
		{many.String(), "a.example 12345678 10000 https://a.example/0 https://a.example/1 https://a.example/2, a.example 12345678 1 https://a.example/10000", "https/a.example"},
	} {
		r := n.submit(t, test.in)
		if got, asked := strings.Join(n.got, ", "), strings.Join(n.asked, ", "); got != test.want || asked != test.asked || r.status != cli.ExitOK {
			t.Errorf("%.80s: status %d, sent %q, asked %q, %s",
				test.in, r.status, got, asked, r.err)
		}
	}
	runArgs(t, "submit", "--indexnow", "12345678", writeFile(t, "c", "text\n")).want(t, cli.ExitFailed, "", "c: line 2: not a sitemap: text without a URL")
	n.submit(t, "> https://a.example/1  https://a.example/s1 → https://a.example/s2\n").want(t, cli.ExitOK, "", "nothing was added, changed or removed")
	n.submit(t, "https://a.example/1\nftp://a.example/2\na.example/3\n").want(t, cli.ExitOK, n.URL+": 200 OK\n", "1 bad_scheme", "1 junk_line")
	r := n.submit(t, "+ https://a.example/1\n", "--dry-run")
	r.want(t, cli.ExitOK, "GET https://a.example/12345678.txt\nPOST "+n.URL+"\n"+`{"host":"a.example","key":"12345678","urlList":["https://a.example/1"]}`+"\n")
	if len(n.got)+len(n.asked) > 0 {
		t.Errorf("a dry run sent %q, %q", n.got, n.asked)
	}
}

// A host that is refused, or that does not serve the key, stops no other host. Temporary failures
// are retried.
func TestSubmitIndexNow_Refused(t *testing.T) {
	n := newIndexNow(t)
	const changes = "+ https://a.example/1\n+ https://b.example/1\n+ none\n"
	n.statuses = []int{http.StatusForbidden}
	n.submit(t, changes).want(t, cli.ExitFailed, n.URL+": 200 OK\n", "a.example: ", "403 Forbidden: the key is not served")
	if len(n.got) != 2 {
		t.Errorf("sent %q", n.got)
	}
	n.keys["https/a.example"] = "another"
	n.submit(t, changes).want(t, cli.ExitFailed, n.URL+": 200 OK\n", "https://a.example/12345678.txt holds another text than the key")
	if want := "b.example 12345678 1 https://b.example/1"; strings.Join(n.got, ", ") != want {
		t.Errorf("sent %q", n.got)
	}
	n.statuses = []int{http.StatusServiceUnavailable, http.StatusTooManyRequests}
	n.submit(t, "+ https://b.example/1\n").want(t, cli.ExitOK, n.URL+": 200 OK\n")
	if len(n.got) != 3 {
		t.Errorf("sent %q", n.got)
	}
	n.statuses = []int{http.StatusServiceUnavailable}
	n.submit(t, "+ https://b.example/1\n", "--retries", "0").want(t, cli.ExitFailed, "", "status 503")
}

// A secret goes to the engine, and not to the hosts in the list.
func TestSubmitIndexNow_Header(t *testing.T) {
	n := newIndexNow(t)
	n.submit(t, "+ https://a.example/1\n", "-H", "X-Secret: (secret)").want(t, cli.ExitOK, n.URL+": 200 OK\n")
	if asked, got := n.asked[0], n.got[0]; asked != "https/a.example" || !strings.HasPrefix(got, "(secret)a.example") {
		t.Errorf("asked %s, sent %s", asked, got)
	}
}

func TestSubmitPing(t *testing.T) {
	var asked string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { asked = r.URL.String() }))
	defer s.Close()
	runArgs(t, "submit", "--allow-private", "--ping", s.URL+"/ping?a=b", "https://user:(secret)@example.com/s.xml?x=1").want(t, cli.ExitOK, s.URL+"/ping?a=b&sitemap=https%3A%2F%2Fexample.com%2Fs.xml%3Fx%3D1: 200 OK\n")
	if asked != "/ping?a=b&sitemap=https%3A%2F%2Fexample.com%2Fs.xml%3Fx%3D1" {
		t.Error(asked)
	}
	runArgs(t, "submit", "--ping", s.URL, "https://example.com/s.xml").want(t, cli.ExitFailed, "", "sitemap: "+s.URL+"?sitemap=https%3A%2F%2Fexample.com%2Fs.xml: refused: ")
	for args, want := range map[string]string{
		"submit --indexnow 12345678 --key-location /k.txt x": `--key-location: "/k.txt": want an http or https URL`,
		"submit x":                  "want either --indexnow KEY or --ping URL",
		"submit --indexnow short x": "a key has 8 to 128",
		"submit --ping none x":      `--ping: "none": want an http or https URL`,
		"submit --ping ftp://a.example/ https://a.example/s": `--ping: "ftp://a.example/": want an http or https URL`,
		"submit --indexnow 12345678 --endpoint a.example x":  `--endpoint: "a.example": want an http or https URL`,
		"submit --ping http://a.example/ x":                  `--ping: want the URL of a sitemap, not "x"`,
		"submit --indexnow 12345678 https://a.example/s.xml": "want a FILE; sitemap urls prints the URLs of a sitemap",
	} {
		runArgs(t, strings.Fields(args)...).want(t, cli.ExitUsage, "", want)
	}
}
