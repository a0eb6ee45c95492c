package audit

import (
	"bytes"
	"cmp"
	"errors"
	"hash/maphash"
	"io"
	"math/rand/v2"
	"net/url"
	"strconv"
	"sync"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover/robots"
	"github.com/seed-322c453a/sitemap/fetch"
)

const pageAhead = 16 // pages that are requested before their turn

// A pageAuditor fetches pages and judges them, in order.
type pageAuditor struct {
	site    *siteJudge
	files   *fileRules
	fetch   *fetch.Client
	pending []chan *judgment
	memory  pageMemory

	blank sync.Map // of functions that return the digests of a page that does not exist, by origin
}

func newPageAuditor(s *siteJudge, f *fileRules) *pageAuditor {
	client := cmp.Or(s.client.Fetch, new(fetch.Client))
	return &pageAuditor{site: s, files: f, fetch: client, memory: newPageMemory(s)}
}

// add requests a page, and emits the findings of those before it that are ready.
func (p *pageAuditor) add(page sampled) {
	if p.site.stopped {
		return
	}
	ready := make(chan *judgment, 1)
	p.pending = append(p.pending, ready)
	j := newJudgment(p.site.o, page, p.site.robots(page.loc))
	go func() {
		defer func() { ready <- j }() // also if the transport ends the goroutine
		p.judge(j)
	}()
	if len(p.pending) > pageAhead {
		p.take()
	}
}

// take emits the findings of the next page.
func (p *pageAuditor) take() {
	next := <-p.pending[0]
	p.pending = p.pending[1:]
	for _, f := range next.Found {
		p.site.found(f)
	}
	if p.site.ctx.Err() != nil {
		return
	}
	if !next.known && next.Reason == "" {
		p.memory.put(&next.judgedPage)
	}
	if p.site.o.Judged != nil {
		p.site.o.Judged(next.PageResult)
	}
}

// end emits the findings of all pages.
func (p *pageAuditor) end() {
	for len(p.pending) > 0 {
		p.take()
	}
	if p.site.ctx.Err() == nil {
		p.memory.finish()
	}
}

// judge judges a page.
func (p *pageAuditor) judge(j *judgment) {
	if p.memory.get(&j.judgedPage) {
		return
	}
	u, err := sitemap.ParseLoc(j.Loc)
	if err != nil {
		j.Reason = "it is not a URL"
	} else if _, hasFile := p.files.fileOf(u); !hasFile {
		j.Reason = "it has no file"
	} else if !p.mayFetch(j.robots, u) {
		j.Reason = "robots.txt does not allow it, or cannot be fetched"
	} else {
		p.request(j)
	}
}

// request fetches a page and judges the response.
func (p *pageAuditor) request(j *judgment) {
	doc, body, err := p.get(j.Loc)
	if doc == nil {
		if e, ok := errors.AsType[*fetch.Error](err); ok && p.site.ctx.Err() == nil {
			j.Status, j.FinalURL = e.Status, e.URL
			j.failed(e)
		}
		return
	}
	j.Status, j.FinalURL = doc.Status, doc.URL.String()
	if err != nil {
		j.find(of(PageError), "", "the page breaks off")
		return
	}
	if len(doc.Hops) == 0 && saysChallenge(doc.Header) {
		j.bad(of(PageForbidden).fixedBy(letIn), "", "this client was asked for proof of a human")
		return
	}
	j.document(doc, body)
	isHome := doc.URL.RequestURI() == "/" // which many servers send for paths that do not exist
	if len(doc.Hops) == 0 && !isHome && p.isBlank(doc, body, j.robots) {
		j.bad(of(PageSoft404), "",
			"the page has the body that its host gives for a path that does not exist")
	}
}

// get fetches a page and reads its start. If the body breaks off, get returns the document with an
// error.
func (p *pageAuditor) get(loc string) (*fetch.Document, []byte, error) {
	req := fetch.Request{URL: loc, MaxBytes: maxPage, Origins: p.site.named}
	doc, err := p.fetch.Get(p.site.ctx, req)
	if err != nil {
		return nil, nil, err
	}
	defer doc.Body.Close()
	body, err := io.ReadAll(doc.Body)
	if errors.Is(err, sitemap.ErrTooLarge) {
		err = nil
	}
	return doc, body, err
}

// mayFetch reports whether a robots.txt allows us to fetch a page. A robots.txt that cannot be
// fetched is nil and allows nothing (RFC 9309, section 2.3.1.4).
func (p *pageAuditor) mayFetch(file *robots.File, u *url.URL) bool {
	return file != nil && file.Allowed(p.fetch.RobotsToken(), u)
}

// isBlank reports whether a page has the body that its host serves for paths that do not exist.
func (p *pageAuditor) isBlank(doc *fetch.Document, body []byte, file *robots.File) bool {
	origin := doc.URL.Scheme + "://" + doc.URL.Host
	once, _ := p.blank.LoadOrStore(origin,
		sync.OnceValue(func() digests { return p.blankDigests(origin, file) }))
	blank := once.(func() digests)()
	page := digestsOf(body, doc.URL.Path)
	return blank.all == page.all || blank.pathless == page.pathless
}

// blankDigests returns the digests of a path that does not exist. If its status is not a success,
// it returns zeros, which match no page.
func (p *pageAuditor) blankDigests(origin string, file *robots.File) (none digests) {
	path := "/sitemap-check-" + strconv.FormatUint(rand.Uint64(), 16)
	if u, err := url.Parse(origin + path); err != nil || !p.mayFetch(file, u) {
		return none
	}
	doc, body, err := p.get(origin + path)
	if err != nil || len(doc.Hops) > 0 {
		return none
	}
	return digestsOf(body, path)
}

// A digests holds hashes of a body as it is, and without its own path. A short path, such as /b,
// may be part of something else in the body.
type digests struct{ all, pathless uint64 }

func digestsOf(body []byte, path string) digests {
	all := maphash.Bytes(seed, body)
	if len(path) > 1 {
		body = bytes.ReplaceAll(body, []byte(path), nil)
	}
	return digests{all, maphash.Bytes(seed, body)}
}
