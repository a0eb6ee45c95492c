package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/discover/robots"
	"github.com/seed-322c453a/sitemap/fetch"
	"github.com/seed-322c453a/sitemap/parse"
)

// folder audits the site in a folder. Without a name, the folder says whose it is.
func (x *auditing) folder(ctx context.Context, dir, name string) error {
	root, client, site, err := openFolder(dir, name)
	if err != nil {
		if errors.Is(err, errFolder) {
			x.targetFailed(err, "")
			return nil
		}
		return err
	}
	defer root.Close()
	t, err := parseTarget(site, x.flags.as)
	if err != nil {
		return err
	}
	client.Fetch.UserAgent = x.client.Fetch.UserAgent
	client.Fetch.RobotsAgent = x.client.Fetch.RobotsAgent
	client.Fetch.MaxBytes = x.flags.limit.bytes
	o := x.c.options
	o.Files = root.FS()
	x.dir = dir
	return x.site(ctx, t, client, o)
}

// openFolder returns a client that answers the requests to a site from a folder. Without a site, the
// folder says whose it is.
func openFolder(dir, site string) (*os.Root, *discover.Client, string, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil, "", err
	}
	if site == "" {
		site = siteOf(root.FS())
	}
	if site == "" {
		root.Close()
		return nil, nil, "", errFolder
	}
	files := &folderTransport{hostOf(site), http.NewFileTransportFS(root.FS())}
	return root, &discover.Client{Fetch: &fetch.Client{
		Transport: files, Retries: -1, AllowPrivateNetworks: true,
	}}, site, nil
}

// pathOf returns the path in the folder of a document, or its location if it is not there.
func (x *auditing) pathOf(loc string) string {
	u, err := url.Parse(loc)
	if err != nil {
		return loc
	}
	name := filepath.Join(x.dir, filepath.FromSlash(path.Clean("/"+u.Path)))
	if _, err := os.Stat(name); err != nil {
		return loc
	}
	return name
}

// errFolder means that nothing in a folder says whose it is.
var errFolder = errors.New(
	"neither a robots.txt with the whole URL of a sitemap nor a sitemap is " +
		"in the folder; name the site: --root DIR URL",
)

// hostOf returns the host of a target, without "www.".
func hostOf(site string) string {
	if !strings.Contains(site, "://") {
		site = "https://" + site
	}
	u, err := url.Parse(site)
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(strings.ToLower(u.Host), "www.")
}

// A folderTransport answers the requests to one host from a folder.
type folderTransport struct {
	host  string
	files http.RoundTripper
}

func (f *folderTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if hostOf(r.URL.String()) != f.host {
		return nil, fmt.Errorf("%s is not in the folder", r.URL.Host)
	}
	return f.files.RoundTrip(r)
}

// siteOf returns the site whose files are in a folder: that of the first Sitemap line of its
// robots.txt, else that of the first URL in a sitemap at a known path, or "".
func siteOf(files fs.FS) string {
	if f, err := files.Open("robots.txt"); err == nil {
		defer f.Close()
		if r, _ := robots.Parse(f, nil); r != nil && len(r.Sitemaps) > 0 {
			return originOf(r.Sitemaps[0].Loc)
		}
	}
	for _, name := range discover.DefaultKnownPaths() {
		f, err := files.Open(strings.TrimPrefix(name, "/"))
		if err != nil {
			continue
		}
		defer f.Close()
		for e, err := range parse.Entries(f, nil) {
			if err != nil {
				break
			}
			return originOf(e.Loc)
		}
	}
	return ""
}

func originOf(loc string) string {
	u, err := sitemap.ParseLoc(loc)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host + "/"
}
