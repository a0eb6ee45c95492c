package target

import (
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"net/url"
	"os"
	"path"
	"strings"

	"github.com/seed-322c453a/sitemap/audit"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/internal/location"
)

// IsDir reports whether name is a folder.
func IsDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// A Folder is a site in a folder, or the part of a site below a path.
type Folder struct {
	Target  Target           // the site, or a sitemap of it
	Path    string           // of the top of the folder on the site, such as /project/
	Client  *discover.Client // answers the requests to the site from the folder
	sitemap string           // a sitemap in the folder, or ""
	root    *os.Root
	host    string
}

// Prepare makes the client of the folder read as c does, and a walk look for sitemaps where the
// folder may have them, unless o says where.
func (f *Folder) Prepare(c *discover.Client, o *discover.Options) {
	to, like := f.Client.Fetch, c.Fetch
	to.UserAgent, to.RobotsAgent, to.MaxBytes = like.UserAgent, like.RobotsAgent, like.MaxBytes
	if o.KnownPaths == nil {
		o.KnownPaths = f.knownPaths()
	}
}

// Files returns the files of the folder.
func (f *Folder) Files() fs.FS { return f.root.FS() }

// Close closes the folder.
func (f *Folder) Close() error { return f.root.Close() }

// locate returns where on the site the top of the folder is if a path of the site is one of its
// files, and the name of that file.
func (f *Folder) locate(sitePath string) (top, name string, ok bool) {
	top, name = "/", strings.TrimPrefix(path.Clean("/"+sitePath), "/")
	for name != "" {
		if info, err := fs.Stat(f.Files(), name); err == nil && !info.IsDir() {
			return top, name, true
		}
		first, rest, _ := strings.Cut(name, "/")
		top, name = top+first+"/", rest
	}
	return "", "", false
}

// knownPaths returns where a walk looks for sitemaps.
func (f *Folder) knownPaths() []string {
	paths := []string{f.Path + f.sitemap}
	if f.sitemap == "" {
		paths = nil
	}
	for _, known := range discover.DefaultKnownPaths() {
		paths = append(paths, f.Path+strings.TrimPrefix(known, "/"))
	}
	return paths
}

// FileAt returns the name of the file that is at a URL of the site.
func (f *Folder) FileAt(u *url.URL) (name string, ok bool) {
	inside, ok := strings.CutPrefix(u.Path, f.Path)
	if !ok || HostOf(u.String()) != f.host {
		return "", false
	}
	return audit.FileOf(f.Files(), inside)
}

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

// RoundTrip answers a request to the site as a server of static files does: /a is the file a,
// a.html or a/index.html.
func (f *Folder) RoundTrip(r *http.Request) (*http.Response, error) {
	if HostOf(r.URL.String()) != f.host {
		return nil, fmt.Errorf("%s is not in the folder", r.URL.Host)
	}
	resp := &http.Response{
		Status: "404 Not Found", StatusCode: http.StatusNotFound, Proto: "HTTP/1.1", ProtoMajor: 1,
		ProtoMinor: 1, Header: http.Header{}, Body: http.NoBody, Request: r,
	}
	name, ok := f.FileAt(r.URL)
	if !ok {
		return resp, nil
	}
	file, err := f.root.Open(name)
	if err != nil {
		return nil, err
	}
	resp.Status, resp.StatusCode, resp.Body, resp.ContentLength = "200 OK", http.StatusOK, file, -1
	if media := mime.TypeByExtension(path.Ext(name)); media != "" {
		resp.Header.Set("Content-Type", media)
	}
	return resp, nil
}
