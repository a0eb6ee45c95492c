package target

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"net/url"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/audit"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/discover/robots"
	"github.com/seed-322c453a/sitemap/fetch"
	"github.com/seed-322c453a/sitemap/internal/location"
	"github.com/seed-322c453a/sitemap/internal/siteurl"
	"github.com/seed-322c453a/sitemap/parse"
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

// Files returns the files of the folder.
func (f *Folder) Files() fs.FS { return f.root.FS() }

// Close closes the folder.
func (f *Folder) Close() error { return f.root.Close() }

// locate returns where on the site the top of the folder is if a path of the site is one of its
// files, and the name of that file. Otherwise top is /.
func (f *Folder) locate(sitePath string) (top, name string, ok bool) {
	top, name = "/", strings.TrimPrefix(path.Clean("/"+sitePath), "/")
	for name != "" {
		if info, err := fs.Stat(f.Files(), name); err == nil && !info.IsDir() {
			return top, name, true
		}
		first, rest, _ := strings.Cut(name, "/")
		top, name = top+first+"/", rest
	}
	return "/", "", false
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
	if !ok || hostOf(u) != f.host {
		return "", false
	}
	return audit.FileOf(f.Files(), inside)
}

// hostOf returns the host of a URL in the form that is compared, without "www.", or "".
func hostOf(u *url.URL) string {
	origin, _ := location.OriginOf(u)
	return strings.TrimPrefix(origin.Host, "www.")
}

// RoundTrip answers a request to the site as a server of static files does: /a is the file a,
// a.html or a/index.html.
func (f *Folder) RoundTrip(r *http.Request) (*http.Response, error) {
	if hostOf(r.URL) != f.host {
		return nil, fmt.Errorf("%s is not in the folder", r.URL.Host)
	}
	resp := &http.Response{
		StatusCode: http.StatusNotFound, Header: http.Header{}, Body: http.NoBody, Request: r,
	}
	name, ok := f.FileAt(r.URL)
	if !ok {
		return resp, nil
	}
	file, err := f.root.Open(name)
	if err != nil {
		return nil, err
	}
	resp.StatusCode, resp.Body, resp.ContentLength = http.StatusOK, file, -1
	if media := mime.TypeByExtension(path.Ext(name)); media != "" {
		resp.Header.Set("Content-Type", media)
	}
	return resp, nil
}

// A noDelay does not keep the Crawl-delay of a robots.txt, since no server is asked.
type noDelay struct{ fetch.HostLimiter }

func (*noDelay) SetDelay(*url.URL, time.Duration) {}

// OpenFolder opens the folder of a site, or of a sitemap of it, for a walk with these options. If
// at is empty, files in the folder name the site. The client of the folder has the user agents and
// the limit of bytes of like. If o does not say where to look for sitemaps, OpenFolder sets that to
// where the folder may have them.
func OpenFolder(dir, at string, like *fetch.Client, o *discover.Options) (*Folder, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	f := &Folder{root: root}
	if at == "" {
		err = f.find()
	} else {
		err = f.set(at)
	}
	if err != nil {
		root.Close()
		return nil, err
	}
	f.Target.Given = dir
	f.Client = &discover.Client{Fetch: &fetch.Client{
		Transport: f, Limiter: &noDelay{}, Retries: -1, AllowPrivateNetworks: true,
		UserAgent: like.UserAgent, RobotsAgent: like.RobotsAgent, MaxBytes: like.MaxBytes,
	}}
	if o.KnownPaths == nil {
		o.KnownPaths = f.knownPaths()
	}
	return f, nil
}

// ErrFolder means that no file in a folder names its site.
var ErrFolder = errors.New(
	"the folder does not say which site it is: it has neither a robots.txt with the complete URL " +
		"of a sitemap nor a sitemap",
)

// A RelativeError means that no file in a folder names its site, since all locations in its sitemap
// are relative, or the sitemap cannot be read.
type RelativeError struct{ Sitemap string }

func (e *RelativeError) Error() string {
	return "the folder does not say which site it is: no location in " + e.Sitemap +
		" is a complete URL"
}

// set takes the site or the sitemap that the caller names. A path that is not that of a file in the
// folder, and has no suffix, is that of the top of the folder.
func (f *Folder) set(at string) error {
	site, siteErr := siteurl.Parse(at)
	t, err := Parse(at, "")
	if err = cmp.Or(err, siteErr); err != nil {
		return err
	}
	top, _, ok := f.locate(site.URL.Path)
	f.Target, f.Path, f.host = t, top, hostOf(site.URL)
	if sitePath := site.URL.Path; !ok && path.Ext(sitePath) == "" {
		f.Path = strings.TrimRight(sitePath, "/") + "/"
		f.Target.Kind = Site
	}
	return nil
}

// find identifies the site whose files are in the folder: by the first Sitemap line of its
// robots.txt, else by the URLs of a sitemap at its top.
func (f *Folder) find() error {
	if file, err := f.root.Open("robots.txt"); err == nil {
		defer file.Close()
		r, _ := robots.Parse(file, nil)
		for _, record := range r.Sitemaps {
			if u, err := sitemap.ParseLoc(record.Loc); err == nil {
				top, name, _ := f.locate(u.Path)
				f.found(u, top, name)
				return nil
			}
		}
	}
	relative := ""
	for _, name := range f.sitemaps() {
		locs, isSitemap := f.locs(name)
		if len(locs) > 0 {
			f.found(locs[0], f.topOf(locs), name)
			return nil
		}
		if isSitemap && relative == "" {
			relative = name
		}
	}
	if relative != "" {
		return &RelativeError{relative}
	}
	return ErrFolder
}

// found takes the site of a URL, with the top of the folder on it and a sitemap in the folder.
func (f *Folder) found(u *url.URL, top, name string) {
	f.Path, f.sitemap, f.host = top, name, hostOf(u)
	f.Target = Target{Kind: Site, Name: u.Scheme + "://" + u.Host + top}
}

// sitemaps returns the names of files at the top of the folder that may be sitemaps. Other text
// files are not, even if they list URLs.
func (f *Folder) sitemaps() []string {
	var names []string
	for _, known := range discover.DefaultKnownPaths() {
		names = append(names, strings.TrimPrefix(known, "/"))
	}
	for _, pattern := range []string{"*sitemap*.txt", "*sitemap*.txt.gz", "*.xml", "*.xml.gz"} {
		more, _ := fs.Glob(f.Files(), pattern)
		names = append(names, more...)
	}
	return names
}

// maxLocs is how many URLs of a sitemap are used to identify the site.
const maxLocs = 200

// locs returns the first URLs in a file that is a sitemap, or is named like one. It ignores feeds,
// whose URLs may be on any site.
func (f *Folder) locs(name string) (locs []*url.URL, isSitemap bool) {
	file, err := f.root.Open(name)
	if err != nil {
		return nil, false
	}
	defer file.Close()
	doc, err := parse.NewReader(file, nil)
	if err != nil {
		return nil, strings.Contains(name, "sitemap")
	}
	ofSitemap := []sitemap.Format{sitemap.URLSet, sitemap.SitemapIndex, sitemap.Text}
	if !slices.Contains(ofSitemap, doc.Summary().Format) {
		return nil, false
	}
	for e, err := range doc.Entries() {
		if err != nil || len(locs) == maxLocs {
			break
		}
		u, err := sitemap.ParseLoc(e.Loc)
		if err == nil && (len(locs) == 0 || u.Host == locs[0].Host) {
			locs = append(locs, u)
		}
	}
	return locs, true
}

// topOf returns where on the site the top of the folder is: where most of the URLs have files. That
// is / unless another place has more.
func (f *Folder) topOf(locs []*url.URL) string {
	best, most := "/", -1
	for top := "/"; ; {
		count := 0
		for _, u := range locs {
			if _, ok := (&Folder{root: f.root, Path: top, host: hostOf(u)}).FileAt(u); ok {
				count++
			}
		}
		if count > most {
			best, most = top, count
		}
		segment, _, ok := strings.Cut(strings.TrimPrefix(path.Clean("/"+locs[0].Path)+"/", top), "/")
		if !ok || segment == "" {
			return best
		}
		top += segment + "/"
	}
}
