package target

import (
	"errors"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"os"
	"path"
	"strings"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/audit"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/discover/robots"
	"github.com/seed-322c453a/sitemap/fetch"
	"github.com/seed-322c453a/sitemap/internal/location"
	"github.com/seed-322c453a/sitemap/parse"
)

// IsDir reports whether name is a folder.
func IsDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// OpenFolder returns a client that answers the requests to a site from a folder. Without a site, the
// folder says whose it is.
func OpenFolder(dir, site string) (*os.Root, *discover.Client, string, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil, "", err
	}
	if site == "" {
		site = siteOf(root.FS())
	}
	if site == "" {
		root.Close()
		return nil, nil, "", ErrFolder
	}
	files := &folderTransport{HostOf(site), root.FS()}
	return root, &discover.Client{Fetch: &fetch.Client{
		Transport: files, Retries: -1, AllowPrivateNetworks: true,
	}}, site, nil
}

// ErrFolder means that nothing in a folder says whose it is.
var ErrFolder = errors.New(
	"neither a robots.txt with the whole URL of a sitemap nor a sitemap is " +
		"in the folder; name the site: --root DIR URL",
)

// HostOf returns the host of a target in the form that is compared, without "www.".
func HostOf(site string) string {
	if !strings.Contains(site, "://") {
		site = "https://" + site
	}
	origin, _, err := location.ParseOrigin(site)
	if err != nil {
		return site
	}
	return strings.TrimPrefix(origin.Host, "www.")
}

// A folderTransport answers the requests to one host from a folder, as a server of static files
// does: /a is the file a, a.html or a/index.html.
type folderTransport struct {
	host  string
	files fs.FS
}

func (t *folderTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if HostOf(r.URL.String()) != t.host {
		return nil, fmt.Errorf("%s is not in the folder", r.URL.Host)
	}
	resp := &http.Response{
		Status: "404 Not Found", StatusCode: http.StatusNotFound, Proto: "HTTP/1.1", ProtoMajor: 1,
		ProtoMinor: 1, Header: http.Header{}, Body: http.NoBody, Request: r,
	}
	name, ok := audit.FileOf(t.files, r.URL.Path)
	if !ok {
		return resp, nil
	}
	f, err := t.files.Open(name)
	if err != nil {
		return nil, err
	}
	resp.Status, resp.StatusCode, resp.Body, resp.ContentLength = "200 OK", http.StatusOK, f, -1
	if media := mime.TypeByExtension(path.Ext(name)); media != "" {
		resp.Header.Set("Content-Type", media)
	}
	return resp, nil
}

// siteOf returns the site whose files are in a folder: that of the first Sitemap line of its
// robots.txt, else that of the first URL in a sitemap at its top, or "".
func siteOf(files fs.FS) string {
	if f, err := files.Open("robots.txt"); err == nil {
		defer f.Close()
		r, _ := robots.Parse(f, nil)
		for i := 0; r != nil && i < len(r.Sitemaps); i++ {
			if site := originOf(r.Sitemaps[i].Loc); site != "" {
				return site
			}
		}
	}
	names := discover.DefaultKnownPaths()
	for _, pattern := range []string{"*.xml", "*.xml.gz", "*.txt", "*.txt.gz"} {
		more, _ := fs.Glob(files, pattern)
		names = append(names, more...)
	}
	for _, name := range names {
		if site := siteOfSitemap(files, strings.TrimPrefix(name, "/")); site != "" {
			return site
		}
	}
	return ""
}

// siteOfSitemap returns the site of the first URL in a file, or "".
func siteOfSitemap(files fs.FS, name string) string {
	f, err := files.Open(name)
	if err != nil || name == "robots.txt" {
		return ""
	}
	defer f.Close()
	for e, err := range parse.Entries(f, nil) {
		if err != nil {
			return ""
		}
		return originOf(e.Loc)
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
