package report

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/audit"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/cmd/internal/findings"
	"github.com/seed-322c453a/sitemap/cmd/internal/stats"
	"github.com/seed-322c453a/sitemap/internal/pattern"
)

//go:embed page.html
var page string

//go:embed style.css
var style string

//go:embed script.js
var script string

// pageTemplate is parsed when a report is written: it would slow down the start of every command.
var pageTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Funcs(template.FuncMap{
		"number":   cli.Thousands,
		"plural":   cli.Plural[int64],
		"place":    func(f audit.Finding) string { return findings.Location(&f) },
		"caret":    caret,
		"size":     cli.Size,
		"seconds":  func(d time.Duration) string { return fmt.Sprintf("%.3f s", d.Seconds()) },
		"px":       func(f float64) string { return strconv.FormatFloat(f, 'f', 2, 64) },
		"isLink":   link().MatchString,
		"readable": readable,
		"longest":  longest,
	}).Parse(page))
})

// link matches what may be a link.
var link = pattern.Of(`^https?://`)

// A view is the data of the template.
type view struct {
	Host, Target, Date string
	Policy             string // Content-Security-Policy
	Style              template.CSS
	Script             template.JS
	Failures           []string
	Totals             findings.Totals
	Groups             []*group
	Changes            *comparison
	Sitemaps           sitemapSection
	Pages              pageSection
	Fetches            fetchSection
}

// A sitemapSection shows the documents that were audited.
type sitemapSection struct {
	Read, Indexes, Unread int64
	Width, Height         int // of the treemap
	Tiles                 []tile
	Rows                  []*auditedDocument
	More                  int // documents that have no row
	Classes               map[string]int64
	Sizes, Statuses       []bar
}

// A pageSection shows the pages that sitemaps list.
type pageSection struct {
	Count, Dated               int64
	Months, Directories, Hosts []bar
}

// maxRows is how many documents have a row: the worst, then the largest.
const maxRows = 5000

// ErrNothing means that nothing could be read, so that there is nothing to draw.
var ErrNothing = errors.New("no page is written: nothing could be read")

// End prints the page. It prints nothing and returns [ErrNothing] if nothing could be read.
func (r *Report) End(t findings.Totals) error {
	if !r.read {
		return ErrNothing
	}
	host, _ := stats.Split(r.target)
	v := &view{
		Host:   cmp.Or(host, r.target), // a file has no host
		Target: r.target,
		Date:   time.Now().UTC().Format("2 January 2006, 15:04 UTC"),
		Style:  template.CSS(style), Script: template.JS(script), Policy: policy(), Totals: t,
		Failures: r.failures, Changes: r.changes(),
	}
	v.Groups = slices.SortedFunc(maps.Values(r.groups), func(a, b *group) int {
		return cmp.Or(cmp.Compare(b.Severity, a.Severity), cmp.Compare(b.Count, a.Count),
			cmp.Compare(a.Code, b.Code))
	})
	v.addSitemaps(r.documents)
	v.Pages = pageSection{r.pages, r.dated, latest(r.months), top(r.directories), top(r.hosts)}
	var text bytes.Buffer
	if err := pageTemplate().Execute(&text, v); err != nil {
		return err
	}
	_, err := r.w.Write([]byte(cli.Harmless(text.String(), "\n\t")))
	return err
}

// addSitemaps adds the documents that were audited.
func (v *view) addSitemaps(documents []*auditedDocument) {
	s := &v.Sitemaps
	s.Width, s.Height, s.Classes = treemapWidth, treemapHeight, map[string]int64{}
	for _, d := range documents {
		switch {
		case d.Summary == nil:
			continue
		case d.Format == sitemap.SitemapIndex:
			s.Indexes++
		case d.Format == sitemap.UnknownFormat:
			s.Unread++
		default:
			s.Read++
		}
		s.Rows = append(s.Rows, d)
		s.Classes[d.Class()]++
	}
	v.Fetches = waterfall(s.Rows)
	s.Sizes, s.Statuses = sizes(s.Rows), statuses(s.Rows)
	slices.SortStableFunc(s.Rows, func(a, b *auditedDocument) int {
		return cmp.Or(cmp.Compare(a.rank(), b.rank()), cmp.Compare(b.Entries, a.Entries))
	})
	s.More = max(0, len(s.Rows)-maxRows)
	s.Rows = s.Rows[:len(s.Rows)-s.More]
	s.Tiles = treemap(s.Rows)
}

// policy returns the Content-Security-Policy: the page's own style and script, and nothing else.
func policy() string {
	source := func(s string) string {
		sum := sha256.Sum256([]byte(s))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return "default-src 'none'; script-src " + source(script) + "; style-src " + source(style) +
		"; base-uri 'none'; form-action 'none'"
}

// caret returns the excerpt of a finding in three pieces: before the place, the character there,
// and the rest.
func caret(f audit.Finding) []string {
	text, at := f.Excerpt.Text, f.Excerpt.Caret
	if text == "" || at >= len(text) {
		return nil
	}
	_, n := utf8.DecodeRuneInString(text[at:])
	return []string{text[:at], text[at : at+n], text[at+n:]}
}

// Summary returns the summary of the rule.
func (g *group) Summary() string {
	rule, _ := audit.RuleOf(g.Code)
	return cmp.Or(rule.Summary, string(g.Code))
}
