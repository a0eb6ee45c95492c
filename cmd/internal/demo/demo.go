// Package demo is the command sitemap demo, a tour that needs no network.
package demo

import (
	"bytes"
	"compress/gzip"
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-322c453a/sitemap/cmd/internal/check"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/cmd/internal/output"
	"github.com/seed-322c453a/sitemap/cmd/internal/tree"
	"github.com/seed-322c453a/sitemap/cmd/internal/urls"
	"github.com/seed-322c453a/sitemap/cmd/internal/watch"
)

// expected is what the demo prints.
//
//go:embed expected.txt
var expected []byte

// Command returns the command sitemap demo.
func Command(a *cli.App) *cobra.Command {
	return cli.Command("demo", cli.Exactly(0, "demo takes no arguments"),
		func(cmd *cobra.Command, args []string) error {
			var text bytes.Buffer
			err := run(cmd.Context(), &text)
			if err == nil && !bytes.Equal(text.Bytes(), expected) {
				err = errors.New("the demo is not as expected: its sites or the command have " +
					"changed")
			}
			out := output.New(a)
			out.Write(text.Bytes())
			return out.Finish(err)
		})
}

// run serves the sites of the demo, runs commands on them, and prints what they print.
func run(ctx context.Context, to io.Writer) error {
	transport, stop, err := serve()
	if err != nil {
		return err
	}
	defer stop()
	a := cli.NewApp(ctx, nil, to, io.Discard)
	a.Transport = transport
	fmt.Fprint(to, "Two sites are served from loopback, www.example.com and www.example.org.\n")
	for _, step := range []struct {
		title, args string
		command     *cobra.Command
	}{
		{"The sitemaps that robots.txt names, and those that an index lists", "", tree.Command(a)},
		{"The URLs, each with its sitemap and the trust that entitles the sitemap to list it",
			"--format csv --fields loc,lastmod,sitemap,trust", urls.Command(a)},
		{"What a search engine would refuse, misread or ignore, where, and how to fix it",
			"--disable lastmod_coverage,lastmod_stale", check.Command(a)},
	} {
		args := append(strings.Fields(step.args), "http://www.example.com/")
		line := step.command.Name() + " " + strings.Join(args, " ")
		fmt.Fprintf(to, "\n%s:\n\n$ sitemap %s\n", step.title, line)
		step.command.SetArgs(args)
		if err := step.command.ExecuteContext(ctx); err != nil {
			return err
		}
	}
	return watchSite(ctx, to)
}

// watchSite watches a third site while it changes. Time is short: each sitemap is due at once.
func watchSite(ctx context.Context, to io.Writer) error {
	const line = "watch --once --state watch.db www.example.net"
	dir, err := os.MkdirTemp("", "sitemap-demo")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	fmt.Fprint(to, "\nWhat changes on a third site, www.example.net, from run to run:\n")
	for _, scene := range []struct{ title, pages string }{
		{"the first run remembers its pages", "/ /news/1 /news/2"},
		{"it publishes a page", "/ /news/1 /news/2 /news/3"},
		{"a page vanishes", "/ /news/2 /news/3"},
	} {
		fmt.Fprintf(to, "\n$ sitemap %s    # %s\n", line, scene.title)
		a := cli.NewApp(ctx, nil, to, io.Discard)
		a.Transport = listing(strings.Fields(scene.pages))
		cmd := watch.Command(a)
		cmd.SetArgs([]string{"--once", "--state", filepath.Join(dir, "watch.db"), "--min", "1ns",
			"--max", "1ns", "www.example.net"})
		if err := cmd.ExecuteContext(ctx); err != nil {
			return err
		}
	}
	return nil
}

// A listing answers for a site whose text sitemap lists these paths.
type listing []string

func (l listing) RoundTrip(r *http.Request) (*http.Response, error) {
	text := "Sitemap: /sitemap.txt"
	if r.URL.Path != "/robots.txt" {
		text = ""
		for _, path := range l {
			text += "https://www.example.net" + path + "\n"
		}
	}
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{}, Request: r,
		Body: io.NopCloser(strings.NewReader(text)),
	}, nil
}

// sites holds the sites of the demo, each in a folder named like its host.
//
//go:embed www.example.com www.example.org
var sites embed.FS

// serve serves the sites of the demo from loopback. It returns a transport that finds all hosts
// there, and a function that ends both.
func serve() (transport *http.Transport, stop func(), err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, nil, err
	}
	server := &http.Server{Handler: http.HandlerFunc(serveDocument)}
	go server.Serve(l)
	proxy := &url.URL{Scheme: "http", Host: l.Addr().String()}
	transport = &http.Transport{Proxy: http.ProxyURL(proxy)}
	return transport, func() { transport.CloseIdleConnections(); server.Close() }, nil
}

// serveDocument serves a file: name.gz is the file name, compressed.
func serveDocument(w http.ResponseWriter, r *http.Request) {
	name, compressed := strings.CutSuffix(path.Join(r.Host, r.URL.Path), ".gz")
	text, err := sites.ReadFile(name)
	switch {
	case err != nil:
		http.NotFound(w, r)
	case compressed:
		zw := gzip.NewWriter(w)
		zw.Write(text)
		zw.Close()
	default:
		w.Write(text)
	}
}
