package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/fetch"
)

const (
	maxPage   = 1 << 20 // bytes of a page that are read
	pageAhead = 16      // pages that are requested before their turn
	pageDelay = 24 * time.Hour
)

// A pages fetches pages and judges them, in order.
type pages struct {
	site    *site
	fetch   *fetch.Client
	pending []chan judged
	memory  pageMemory

	mu    sync.Mutex
	blank map[string]*blankPage // by origin
}

// A blankPage is what a host answers for a path that it does not have.
type blankPage struct {
	once sync.Once
	sum  [sha256.Size]byte
	ok   bool // it is answered with success
}

func newPages(s *site) *pages {
	p := &pages{site: s, fetch: s.client.Fetch, blank: map[string]*blankPage{}}
	if p.fetch == nil {
		p.fetch = new(fetch.Client)
	}
	p.memory = newPageMemory(s)
	return p
}

// A judged is a page with what is wrong with it.
type judged struct {
	loc   string
	found []Finding
	known bool // it was judged before the audit was stopped, or could not be judged
}

// add requests a page, and emits the findings of those before it that are ready.
func (p *pages) add(page sampled) {
	if p.site.ended {
		return
	}
	ready := make(chan judged, 1)
	p.pending = append(p.pending, ready)
	go func() { ready <- p.judge(page) }()
	if len(p.pending) > pageAhead {
		p.take()
	}
}

// take emits the findings of the next page.
func (p *pages) take() {
	next := <-p.pending[0]
	p.pending = p.pending[1:]
	for _, f := range next.found {
		p.site.emit(f)
	}
	if !next.known && p.site.ctx.Err() == nil {
		p.memory.put(next.loc, next.found)
	}
}

// end emits the findings of all pages.
func (p *pages) end() {
	for len(p.pending) > 0 {
		p.take()
	}
	if p.site.ctx.Err() == nil {
		p.memory.finish()
	}
}

// judge returns what is wrong with a page.
func (p *pages) judge(page sampled) judged {
	if found, ok := p.memory.get(page.loc); ok {
		return judged{page.loc, found, true}
	}
	j := judgment{pages: p, page: page}
	u, err := sitemap.ParseLoc(page.loc)
	if err != nil || !p.mayFetch(u) {
		return judged{loc: page.loc, known: true}
	}
	doc, err := p.get(page.loc)
	if err != nil {
		j.failed(err)
	} else {
		j.document(doc)
		doc.Body.Close()
	}
	return judged{loc: page.loc, found: j.found}
}

// get fetches a page.
func (p *pages) get(loc string) (*fetch.Document, error) {
	req := fetch.Request{URL: loc, MaxBytes: maxPage, Origins: []string{p.site.named}}
	return p.fetch.Get(p.site.ctx, req)
}

// mayFetch reports whether robots.txt allows us to fetch a page.
func (p *pages) mayFetch(u *url.URL) bool {
	robots, err := p.site.client.Robots(p.site.ctx, u.Scheme+"://"+u.Host)
	return err != nil || robots.Allowed(p.fetch.RobotsToken(), u)
}

// A judgment collects what is wrong with one page.
type judgment struct {
	*pages
	page  sampled
	found []Finding
}

func (j *judgment) find(code sitemap.Code, text, message string, args ...any) {
	f := Finding{Code: code, Loc: j.page.loc, Text: text, Message: fmt.Sprintf(message, args...),
		Sitemap: j.page.place.sitemap, Pos: j.page.place.pos, Column: j.page.place.column}
	j.found = append(j.found, f)
}

// failed judges a page that did not come.
func (j *judgment) failed(err error) {
	var e *fetch.Error
	errors.As(err, &e)
	switch {
	case j.site.ctx.Err() != nil || e == nil:
	case errors.Is(err, fetch.ErrTimeout), errors.Is(err, fetch.ErrHostDown):
		j.find("page_timeout", "", "the page does not answer in time")
	case e.Status == http.StatusNotFound || e.Status == http.StatusGone:
		j.find(
			"page_not_found",
			fmt.Sprint(e.Status),
			"the page is answered with status %d",
			e.Status,
		)
	case e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden:
		j.find(
			"page_forbidden",
			fmt.Sprint(e.Status),
			"the page is answered with status %d",
			e.Status,
		)
	case errors.Is(err, fetch.ErrStatus):
		j.find("page_error", fmt.Sprint(e.Status), "the page is answered with status %d", e.Status)
	default:
		j.find("page_error", "", "the page cannot be fetched: %v", e.Err)
	}
	if e != nil {
		j.redirects(e.Hops, e.URL)
	}
}

// redirects reports the redirects of a page, with each hop.
func (j *judgment) redirects(hops []fetch.Hop, final string) {
	if len(hops) == 0 {
		return
	}
	chain := make([]string, 0, len(hops))
	for _, h := range hops[1:] {
		chain = append(chain, h.URL)
	}
	j.find(
		"page_redirects",
		final,
		"the page redirects to %s",
		strings.Join(append(chain, final), ", then to "),
	)
}

// document judges a page that came.
func (j *judgment) document(doc *fetch.Document) {
	j.redirects(doc.Hops, doc.URL.String())
	body, err := io.ReadAll(doc.Body)
	if err != nil && !errors.Is(err, sitemap.ErrTooLarge) {
		j.find("page_error", "", "the page breaks off")
		return
	}
	var head head
	if media, _, _ := mime.ParseMediaType(doc.Header.Get("Content-Type")); strings.Contains(
		media,
		"html",
	) {
		head = readHead(body, j.site.o.agent())
	}
	agent := j.site.o.agent()
	if directive := noIndexHeader(doc.Header.Values("X-Robots-Tag"), agent); directive != "" {
		j.find(
			"page_noindex",
			directive,
			"the header X-Robots-Tag: %s keeps the page out of the index",
			directive,
		)
	} else if head.noIndex != "" {
		j.find("page_noindex", head.noIndex, "the page has a meta robots tag with %s", quoted(head.noIndex))
	}
	canonical := canonicalHeader(doc.Header.Values("Link"))
	if canonical == "" {
		canonical = head.canonical
	}
	if canonical != "" {
		if u, err := doc.URL.Parse(canonical); err == nil &&
			!sameURL(withoutFragment(u.String()), withoutFragment(j.page.loc)) {
			j.find(
				"page_canonical_elsewhere",
				u.String(),
				"the page names %s as its canonical URL",
				quoted(u.String()),
			)
		}
	}
	if len(doc.Hops) == 0 && j.isBlank(doc, body) {
		j.find(
			"page_soft_404",
			"",
			"the page has the body that its host gives for a path that does not exist",
		)
	}
	j.modified(doc.Header.Get("Last-Modified"), head.modified)
}

func withoutFragment(loc string) string {
	loc, _, _ = strings.Cut(loc, "#")
	return loc
}

// modified compares when a page says that it was modified with its lastmod.
func (j *judgment) modified(header, meta string) {
	lastMod := j.page.lastMod
	if lastMod.IsZero() {
		return
	}
	latest := lastMod.End().Add(pageDelay)
	if t, err := http.ParseTime(header); err == nil && t.After(latest) {
		j.find("page_lastmod_differs", header, "Last-Modified %q is later than the lastmod %q",
			header, lastMod)
	} else if t, err := time.Parse(time.RFC3339, meta); err == nil && t.After(latest) {
		j.find("page_lastmod_differs", meta, "article:modified_time %q is later than the lastmod %q",
			meta, lastMod)
	}
}

// isBlank reports whether a page has the body of a path that its host does not have.
func (j *judgment) isBlank(doc *fetch.Document, body []byte) bool {
	origin := doc.URL.Scheme + "://" + doc.URL.Host
	j.mu.Lock()
	b := j.blank[origin]
	if b == nil {
		b = new(blankPage)
		j.blank[origin] = b
	}
	j.mu.Unlock()
	b.once.Do(func() { j.fetchBlank(b, origin) })
	return b.ok && b.sum == digest(body, doc.URL.Path)
}

// fetchBlank fetches a path that does not exist.
func (p *pages) fetchBlank(b *blankPage, origin string) {
	var id [8]byte
	for i := range id {
		id[i] = byte(rand.IntN(256))
	}
	path := "/sitemap-check-" + hex.EncodeToString(id[:])
	if u, err := url.Parse(origin + path); err != nil || !p.mayFetch(u) {
		return
	}
	doc, err := p.get(origin + path)
	if err != nil {
		return
	}
	defer doc.Body.Close()
	body, err := io.ReadAll(doc.Body)
	b.ok = (err == nil || errors.Is(err, sitemap.ErrTooLarge)) && len(doc.Hops) == 0
	b.sum = digest(body, path)
}

// digest returns a digest of a body without the path of its own.
func digest(body []byte, path string) [sha256.Size]byte {
	if len(path) > 1 {
		body = bytes.ReplaceAll(body, []byte(path), nil)
	}
	return sha256.Sum256(body)
}
