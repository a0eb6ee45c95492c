package audit

import (
	"cmp"
	"io"
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/pattern"
)

// The codes of pages and files.
const (
	PageMissingFile sitemap.Code = "page_missing_file"
	PageNotListed   sitemap.Code = "page_not_listed"
)

var _ = register(
	rule(PageMissingFile, failure, googleStatus,
		"a page that has no file in the folder of the site",
		"The server will answer with status 404, so search engines cannot index the page.",
		"Add the file, or remove the page from the sitemap. For /a/ it is a/index.html, for /a "+
			"also a.html. If a server renders the pages, leave the rule out: --disable "+
			"page_missing_file."),
	rule(PageNotListed, warning, protocolSubmit,
		"a page in the folder of the site that no sitemap lists",
		"Search engines find it by links only, if at all.",
		"List the page in a sitemap that robots.txt or an index names, or keep it out of the index "+
			"with a robots meta tag if that is meant."),
)

// fileRules compare the pages of a site with the files of a folder. Pages without a file are held
// until a page with a file shows that the folder holds pages. If no page has a file, a server
// renders them, as for the folder public of a Next project.
type fileRules struct {
	*siteJudge
	listed  map[string]bool // files of pages that sitemaps list
	page    *url.URL        // the first of these pages
	isSite  bool            // one of these files is a page, not an asset
	held    []place
	missing int // how many pages have no file; only the first of them are held
}

// maxMissing bounds the pages that are held.
const maxMissing = 10_000

// add adds a page. It reports pages that have no file.
func (f *fileRules) add(e *sitemap.Entry, at func() place) {
	if f.o.Files == nil {
		return
	}
	target, err := e.URL()
	if err != nil {
		return
	}
	name, ok := f.fileOf(target)
	switch {
	case !ok:
		if f.missing++; f.missing <= maxMissing {
			f.held = append(f.held, at())
		}
	case name != "":
		f.listed[name] = true
		f.page = cmp.Or(f.page, target)
		f.isSite = f.isSite || !asset().MatchString(name)
	}
	if f.isSite {
		f.reportHeld()
	}
}

// reportHeld reports the pages that are held.
func (f *fileRules) reportHeld() {
	for _, at := range f.held {
		target, _ := sitemap.ParseLoc(at.loc) // add has parsed it
		f.report(of(PageMissingFile), at, at.loc, "no file for %s", quoted(cmp.Or(target.Path, "/")))
	}
	if more := f.missing - len(f.held); more > 0 {
		f.report(of(PageMissingFile), place{sitemap: f.name}, "", "no file for %d more pages", more)
	}
	f.held, f.missing = nil, 0
}

// fileOf returns the name of the file of a page, and whether there is one. It returns "", true if
// the page is not below the path of the folder, or there is no folder.
func (f *fileRules) fileOf(u *url.URL) (name string, ok bool) {
	top := cmp.Or(f.o.FilesPath, "/")
	inside, ok := strings.CutPrefix(cmp.Or(u.Path, "/")+"/", top)
	if !ok || f.o.Files == nil {
		return "", true
	}
	return FileOf(f.o.Files, strings.TrimSuffix(inside, "/"))
}

// end reports pages in the folder that no sitemap lists, and pages that a server renders.
func (f *fileRules) end() {
	if f.o.Files == nil {
		return
	}
	if len(f.listed) == 0 || !f.isSite && f.missing > 0 {
		f.noneHasFile()
		return
	}
	if f.isPart || !f.o.wants(PageNotListed) { // a sitemap that was not read may list it
		return
	}
	n, first := 0, ""
	f.eachPage(func(name string) {
		if f.listed[name] || !f.isIndexed(name) {
			return
		}
		if n++; n <= maxHabit {
			f.report(of(PageNotListed), place{sitemap: f.name}, name,
				"no sitemap lists the page %s", quoted(name))
		}
		first = cmp.Or(first, name)
	})
	if n > maxHabit {
		f.report(of(PageNotListed), place{sitemap: f.name}, first,
			"no sitemap lists %d more pages", n-maxHabit)
	}
}

// eachPage calls do with the name of each page in the folder.
func (f *fileRules) eachPage(do func(name string)) {
	fs.WalkDir(f.o.Files, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
		case entry.IsDir() && noFolder().MatchString(entry.Name()):
			return fs.SkipDir
		case !entry.IsDir() && isPageFile(name):
			do(name)
		}
		return nil
	})
}

// noneHasFile reports the pages if none of them has a file, apart from assets. If the folder has
// fewer others, a server renders those that sitemaps list.
func (f *fileRules) noneHasFile() {
	others := 0
	f.eachPage(func(string) { others++ })
	if f.missing <= others {
		f.reportHeld()
		return
	}
	f.report(of(PageMissingFile).with(info), f.held[0], "",
		"no file for %s: a server renders pages, or this is not the folder of the site",
		plural(f.missing, "page", "pages"))
}

// isPageFile reports whether the name of a file is that of a page, and not of an error page, a
// proof of ownership, a search page, a further page of a list, or the shell of an application.
func isPageFile(name string) bool {
	base := path.Base(name)
	ext := path.Ext(base)
	return (ext == ".html" || ext == ".htm") && !noPage().MatchString(base) &&
		!noPagePath().MatchString(name)
}

var (
	asset      = pattern.Of(`\.(pdf|txt|xml)$`)
	noFolder   = pattern.Of(`^([._].+|node_modules)$`)
	noPage     = pattern.Of(`^((404|50[0-9])\b|_|search\.html?$)|` + ownerProof)
	noPagePath = pattern.Of(`(^|/)page/?[0-9]+(/index)?\.html?$|^200\.html$`)
)

const ownerProof = `^((yandex|baidu_verify)_|(google|naver|pinterest-)[0-9a-f]+\.)`

// isIndexed reports whether search engines index a file as a page of its own.
func (f *fileRules) isIndexed(name string) bool {
	page := f.page.ResolveReference(&url.URL{Path: cmp.Or(f.o.FilesPath, "/") + name})
	if robots := f.robots(page.String()); robots != nil && !robots.Allowed(f.o.agent(), page) {
		return false
	}
	file, err := f.o.Files.Open(name)
	if err != nil {
		return false
	}
	defer file.Close()
	text, _ := io.ReadAll(io.LimitReader(file, maxPage))
	h := readHead(text, f.o.agent())
	isOther := func(canonical string) bool {
		u, err := page.Parse(canonical)
		return err == nil && !f.isFile(u, name)
	}
	return noIndex(h.robots) == "" && h.refresh == "" && !slices.ContainsFunc(h.canonicals, isOther)
}

// isFile reports whether a URL is that of a file.
func (f *fileRules) isFile(u *url.URL, name string) bool {
	bare := func(host string) string { return strings.TrimPrefix(host, "www.") }
	file, ok := f.fileOf(u)
	return ok && file == name && bare(u.Host) == bare(f.page.Host)
}

// FileOf returns the name of the file that holds a page in a folder: for /a it is a, a.html or
// a/index.html, and for /a/ the last of these that is there. It is safe for concurrent use if files
// is.
func FileOf(files fs.FS, pagePath string) (name string, ok bool) {
	name = strings.TrimPrefix(path.Clean("/"+pagePath), "/")
	candidates := []string{name, name + ".html", path.Join(name, "index.html")}
	if strings.HasSuffix(pagePath, "/") {
		slices.Reverse(candidates)
	}
	for _, candidate := range candidates {
		info, err := fs.Stat(files, cmp.Or(candidate, "."))
		if err == nil && !info.IsDir() {
			return candidate, true
		}
	}
	return "", false
}
