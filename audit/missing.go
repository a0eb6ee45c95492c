package audit

import "github.com/seed-322c453a/sitemap"

// PageMissingFile is the code of entries without a file.
const PageMissingFile sitemap.Code = "page_missing_file"

var _ = register(
	Rule{Code: PageMissingFile, Severity: failure, Source: googleStatus,
		Summary: "a page that has no file in the folder of the site",
		Why:     "The server will answer with status 404, so search engines cannot index the page.",
		Fix: "Add the file, or remove the page from the sitemap. For /a/ it is a/index.html, for /a " +
			"also a.html. If a server renders the pages, leave the rule out: --disable page_missing_file."},
)

// missingFiles collects pages without a file until a page with a file shows that the folder holds
// pages. If no page has a file, a server renders them, as with the folder public of a Next project.
type missingFiles struct {
	*siteJudge
	held  []missingFile
	count int
	isAll bool // a page has a file
}

type missingFile struct {
	at   place
	path string
}

// maxMissing bounds the pages that are held.
const maxMissing = 10_000

// add adds a page.
func (m *missingFiles) add(at place, path string) {
	page := missingFile{at, path}
	if m.isAll {
		m.reportOne(page)
		return
	}
	if m.count++; m.count <= maxMissing {
		m.held = append(m.held, page)
	}
}

func (m *missingFiles) reportOne(page missingFile) {
	m.report(of(PageMissingFile), page.at, page.at.loc, "no file for %s", quoted(page.path))
}

// reportAll reports the pages that are held, and all that follow.
func (m *missingFiles) reportAll() {
	for _, page := range m.held {
		m.reportOne(page)
	}
	if more := m.count - len(m.held); more > 0 {
		m.report(of(PageMissingFile), place{sitemap: m.name}, "", "no file for %d more pages", more)
	}
	m.isAll, m.held, m.count = true, nil, 0
}

// end reports the pages if no page has a file in the folder. Pages is how many other pages the
// folder has. If they are fewer, a server renders the listed ones, and end reports nothing.
func (m *missingFiles) end(pages int) {
	if m.count <= pages {
		m.reportAll()
		return
	}
	m.report(of(PageMissingFile).with(info), m.held[0].at, "",
		"none of the %d pages has a file: a server renders them, or this is not their folder", m.count)
}
