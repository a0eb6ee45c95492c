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
)

// The codes of a folder.
const (
	PageMissingFile sitemap.Code = "page_missing_file"
	PageNotListed   sitemap.Code = "page_not_listed"
)

var _ = register(
	Rule{Code: PageMissingFile, Severity: failure, Source: googleStatus,
		Summary: "a page that has no file in the folder of the site",
		Why:     "The server will answer with status 404, so search engines cannot index the page.",
		Fix: "Add the file, or remove the page from the sitemap. For /a/ it is a/index.html, for /a also " +
			"a.html."},
	Rule{Code: PageNotListed, Severity: warning, Source: protocolSubmit,
		Summary: "a page in the folder of the site that no sitemap lists",
		Why:     "Search engines find it by links only, if at all.",
		Fix:     "List the page, or keep it out of the index with a robots meta tag if that is meant."},
)

// fileRules compare the pages of a site with the files of a folder.
type fileRules struct {
	*siteJudge
	listed map[string]bool // files of pages that sitemaps list
}

func newFileRules(s *siteJudge) *fileRules { return &fileRules{s, map[string]bool{}} }

// add reports a page that has no file.
func (f *fileRules) add(e *sitemap.Entry, at func() place) {
	if f.o.Files == nil {
		return
	}
	target, err := e.URL()
	if err != nil {
		return
	}
	name, ok := FileOf(f.o.Files, target.Path)
	if ok {
		f.listed[name] = true
		return
	}
	f.report(of(PageMissingFile), at(), e.Loc, "no file for %s", quoted(target.Path))
}

// isMissing reports whether a page has no file in the folder.
func (f *fileRules) isMissing(u *url.URL) bool {
	if f.o.Files == nil {
		return false
	}
	_, ok := FileOf(f.o.Files, u.Path)
	return !ok
}

// end reports pages in the folder that no sitemap lists.
func (f *fileRules) end() {
	if f.o.Files == nil || len(f.listed) == 0 || !f.o.wants(PageNotListed) {
		return
	}
	n, first := 0, ""
	fs.WalkDir(f.o.Files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && f.isPage(name) {
			if n++; n <= maxHabit {
				f.report(of(PageNotListed), place{sitemap: f.name}, name, "no sitemap lists the page %s",
					quoted(name))
			}
			first = cmp.Or(first, name)
		}
		return nil
	})
	if n > maxHabit {
		f.report(of(PageNotListed), place{sitemap: f.name}, first, "no sitemap lists %d more pages", n-maxHabit)
	}
}

// isPage reports whether a file is a page for search engines that is not listed.
func (f *fileRules) isPage(name string) bool {
	base := path.Base(name)
	ext := path.Ext(base)
	isError := strings.HasPrefix(base, "404") || strings.HasPrefix(base, "50")
	if ext != ".html" && ext != ".htm" || f.listed[name] || isError || strings.HasPrefix(base, "google") ||
		strings.HasPrefix(base, "_") {
		return false
	}
	file, err := f.o.Files.Open(name)
	if err != nil {
		return false
	}
	defer file.Close()
	text, _ := io.ReadAll(io.LimitReader(file, maxPage))
	h := readHead(text, f.o.agent())
	isOther := func(canonical string) bool { return !f.isSelf(canonical, name) }
	return noIndex(h.robots) == "" && h.refresh == "" && !slices.ContainsFunc(h.canonicals, isOther)
}

// isSelf reports whether a canonical URL leads to a file.
func (f *fileRules) isSelf(canonical, name string) bool {
	u, err := url.Parse(canonical)
	if err != nil {
		return true
	}
	file, ok := FileOf(f.o.Files, u.Path)
	return !ok || file == name
}

// FileOf returns the name of the file that holds a page in a folder: for /a it is a, a.html or
// a/index.html. It is safe for concurrent use if files is.
func FileOf(files fs.FS, pagePath string) (name string, ok bool) {
	name = strings.TrimPrefix(path.Clean("/"+pagePath), "/")
	for _, candidate := range []string{name, name + ".html", path.Join(name, "index.html")} {
		info, err := fs.Stat(files, cmp.Or(candidate, "."))
		if err == nil && !info.IsDir() {
			return candidate, true
		}
	}
	return "", false
}
