package audit

import (
	"cmp"
	"io"
	"io/fs"
	"net/url"
	"slices"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
)

// Options are the options of one audit. A nil *Options is a zero Options.
type Options struct {
	// Time is when the documents count as read, for the rules about the future and about age. The
	// zero Time is now.
	Time time.Time
	// Limits bound the document of [Document] and [Pages]. Those of a walk are in Walk.
	Limits sitemap.Limits
	// Only, if it is not empty, holds the codes of the rules that are judged.
	Only []sitemap.Code
	// Disable holds the codes of rules that are not judged.
	Disable []sitemap.Code
	// Excerpts adds the line around its place to each finding in a document.
	Excerpts bool

	// Agent is the product token of the crawler whose rules in robots.txt and on pages count. If
	// empty, it is "Googlebot".
	Agent string
	// Walk are the options of the walk. Its callbacks are called as in any walk; Done follows the
	// findings in the document.
	Walk discover.Options
	// Page, if set, is called with each page that the walk yields, or that the document of [Pages]
	// lists.
	Page func(*discover.URL)
	// Store, if set, keeps the lastmods of sitemaps for the next audit, and the pages that were
	// judged before an audit was stopped. Walks may use the same Store: their keys differ.
	Store discover.Store
	// Files, if set, holds the pages of the site, each under its path: the audit reports pages that
	// have no file.
	Files fs.FS
	// FilesPath is the path of the top of Files on the site, such as /project/. If empty, it is /.
	// Other pages are not compared with Files.
	FilesPath string
	// Pages is how many pages are fetched and judged. 0 means none, a negative number all. The
	// sample is spread evenly over the sitemaps. It stays the same as long as they do.
	Pages int
	// Seed chooses the sample: each number draws a different one.
	Seed uint64
	// Judged, if set, is called with each page of the sample, after its findings.
	Judged func(PageResult)
	// TempDir is the folder in which the URLs of large sites are sorted. If empty, it is a
	// temporary folder of the system that is on a disk, not in memory.
	TempDir string
}

// A PageResult is the outcome for one page of the sample.
type PageResult struct {
	Loc      string
	Status   int            // of the last response, 0 without one
	FinalURL string         // the URL that answered
	Codes    []sitemap.Code // of its findings
	// Reason says why the page was not judged. It is empty if it was.
	Reason string
}

func (o *Options) now() time.Time {
	if o.Time.IsZero() {
		return time.Now()
	}
	return o.Time
}

func (o *Options) agent() string { return cmp.Or(o.Agent, "Googlebot") }

// wants reports whether one of the rules is judged.
func (o *Options) wants(codes ...sitemap.Code) bool {
	return slices.ContainsFunc(codes, func(code sitemap.Code) bool {
		return (len(o.Only) == 0 || slices.Contains(o.Only, code)) &&
			!slices.Contains(o.Disable, code)
	})
}

// A Source is a document to audit.
type Source struct {
	// Name is the name of the document in findings: its location, or the name of a file.
	Name string
	// Open returns a reader of the document from its start. The audit closes it.
	Open func() (io.ReadCloser, error)
	// Base is the location of the document. Relative locations are resolved against it, and pages
	// that a sitemap there may not list are findings.
	Base *url.URL
	// ContentType is the media type that the document was served with, if any, and Encoding its
	// Content-Encoding.
	ContentType, Encoding string
	// Date is when the document was served, or zero if that is not known.
	Date time.Time
	// Done, if set, is called when the document has been read, after its findings.
	Done func(sitemap.Summary)
}
