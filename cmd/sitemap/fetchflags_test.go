package main

import (
	"encoding/pem"
	"io"
	"log"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
)

// A preview stands for the public site, whose URLs are printed.
func TestMapFlag(t *testing.T) {
	s := newTestSite(t, map[string]string{
		"/robots.txt":  "Sitemap: https://www.example.com/index.xml\n",
		"/index.xml":   index("https://www.example.com/a.xml"),
		"/a.xml":       urlset("https://www.example.com/1", "HOST/2"),
		"/en/site.xml": urlset("https://en.example.com/site/1"),
	})
	args := []string{
		"urls", "--map", "https://www.example.com=" + s.URL, "--map", "https://en.example.com/=" + s.URL + "/en/",
	}
	runArgs(t, append(args, "https://www.example.com")...).want(t, cli.ExitOK, "https://www.example.com/1\n", "untrusted")
	runArgs(t, append(args, "https://en.example.com/site.xml")...).want(t, cli.ExitOK, "https://en.example.com/site/1\n")
	runArgs(t, append(args, "www.example.com", s.URL)...).want(t, cli.ExitFailed, "https://www.example.com/1\n", "is not public")
}

// A server with a certificate of its own is reached by --connect-to.
func TestConnectToFlag(t *testing.T) {
	s := &testSite{docs: map[string]string{"/sitemap.xml": urlset("https://example.com/1")}}
	s.Server = httptest.NewUnstartedServer(s)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	defer s.Close()
	block := &pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}
	file := writeFile(t, "ca.pem", string(pem.EncodeToMemory(block)))
	args := []string{"urls", "--connect-to", "example.com:443:" + s.Listener.Addr().String(), "https://example.com/sitemap.xml"}
	runArgs(t, args...).want(t, cli.ExitFailed, "", "certificate")
	runArgs(t, append(args, "--cacert", file)...).want(t, cli.ExitOK, "https://example.com/1\n")
	runArgs(t, append(args, "--insecure")...).want(t, cli.ExitOK, "https://example.com/1\n")
}

func TestFetchFlags(t *testing.T) {
	for _, args := range []string{
		"--connect-to a:1:b", "--connect-to a:1:b:c", "--connect-to ::1:80:a:80", "--map https://a.example",
		"--map a.example=http://localhost", "--map https://a.example=http://u:secret@localhost",
		"--map https://a.example/?a=http://localhost", "--delay -1s", "--proxy ftp://a", "--cacert ./none",
		"--cacert " + writeFile(t, "empty.pem", "-----BEGIN CERTIFICATE-----"),
	} {
		flag, _, _ := strings.Cut(args, " ")
		r := runArgs(t,
			append([]string{"urls", "https://example.com/"}, strings.Fields(args)...)...)
		r.want(t, cli.ExitUsage, "", flag)
		if strings.Contains(r.err, "secret") {
			t.Errorf("%s: reported %q", args, r.err)
		}
	}
}
