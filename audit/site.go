package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/internal/document"
	"github.com/seed-322c453a/sitemap/internal/siteurl"
)

// Site audits the sitemaps of a site. It finds them as [discover.Client.URLs] does. It yields the
// findings in a document once that has been read, and those about the whole site at the end. The
// error of the walk, if any, is the last element, or that of ctx if it has ended. An error of the
// Store or of the disk follows those of documents in discover.WalkError.Errs.
//
//	for f, err := range audit.Site(ctx, &c, "https://example.com/", nil) {
//		if err != nil {
//			return err // what could not be read
//		}
//		fmt.Printf("%s:%d:%d: %s [%s]\n", f.Sitemap, f.Pos.Line, f.Column, f.Message, f.Code)
//	}
//
// Memory does not grow with the number of URLs: repetitions across documents are found by sorting
// on disk. A nil o is a zero Options. The sequence is a single-use iterator; the Client may serve
// other walks and audits at once.
func Site(ctx context.Context, c *discover.Client, site string,
	o *Options) iter.Seq2[Finding, error] {
	return auditWalk(ctx, c, o, []string{site}, func(ctx context.Context, w *discover.Options) walk {
		return c.URLs(ctx, site, w)
	})
}

// Sitemaps is like [Site], for sitemaps that the caller names and everything that they refer to.
func Sitemaps(ctx context.Context, c *discover.Client, from []*discover.Sitemap,
	o *Options) iter.Seq2[Finding, error] {
	var named []string
	for _, sm := range from {
		named = append(named, sm.Loc)
	}
	return auditWalk(ctx, c, o, named, func(ctx context.Context, w *discover.Options) walk {
		return c.Walk(ctx, from, w)
	})
}

// Pages is like [Document], and also fetches and judges up to [Options.Pages] of the pages. Their
// findings are last. The error is that of ctx if it has ended.
func Pages(ctx context.Context, c *discover.Client, src Source,
	o *Options) iter.Seq2[Finding, error] {
	name := src.Name
	if src.Base != nil {
		name = src.Base.String()
	}
	return siteSequence(ctx, c, o, []string{name}, func(s *siteAuditor) error {
		if s.o.Pages < 0 {
			s.sample.size = maxSample
		}
		d := newAuditor(src, s.reporter)
		sm := &discover.Sitemap{Loc: src.Name}
		d.listed = func(e *sitemap.Entry, _ *origin) {
			if e.Kind != sitemap.Page {
				return
			}
			if s.o.Page != nil {
				s.o.Page(&discover.URL{Entry: *e})
			}
			s.sample.add(sm, e, func() place { return d.field(e, document.Loc) })
		}
		err := d.run()
		s.pages()
		return err
	})
}

// siteSequence returns the findings of an audit that fetches, and the error of ctx, of the audit or
// of its Store.
func siteSequence(ctx context.Context, c *discover.Client, o *Options, named []string,
	audit func(*siteAuditor) error) iter.Seq2[Finding, error] {
	return sequence(o, func(r *reporter) error {
		inner, cancel := context.WithCancel(ctx)
		defer cancel()
		yield := r.found
		r.found = func(f Finding) {
			if yield(f); r.stopped {
				cancel()
			}
		}
		s := newSiteAuditor(inner, c, r, named)
		defer s.cross.close()
		err := audit(s)
		if w, ok := errors.AsType[*discover.WalkError](err); ok && s.lastErr != nil {
			w.Errs = append(w.Errs, s.lastErr)
		}
		return cmp.Or(ctx.Err(), err, s.lastErr)
	})
}

// A walk yields the pages of a site.
type walk = iter.Seq2[discover.URL, error]

// auditWalk audits the documents of the walk that start returns.
func auditWalk(ctx context.Context, c *discover.Client, o *Options, named []string,
	start func(context.Context, *discover.Options) walk) iter.Seq2[Finding, error] {
	return siteSequence(ctx, c, o, named, func(s *siteAuditor) error {
		for i, name := range named {
			if st, err := siteurl.Parse(name); err == nil {
				s.named[i] = st.Named() // also of a host without a scheme
			}
		}
		w := s.o.Walk
		w.Fetched, w.Report, w.Done = s.fetched, s.problem, s.done
		var err error
		for u, walkErr := range start(s.ctx, &w) {
			if walkErr != nil {
				err = walkErr
			} else if s.page(&u); s.stopped {
				return nil
			}
		}
		s.end(err)
		return err
	})
}

// end judges the site as a whole.
func (s *siteAuditor) end(err error) {
	s.failed(err, s.isChallenged)
	if s.ctx.Err() != nil {
		return
	}
	s.isPart = s.isPart || err != nil
	for _, judge := range s.seeds {
		judge()
	}
	s.loose.end(&s.siteJudge)
	site := cmp.Or(s.origin.Host, s.name)
	if s.o.Files != nil {
		site = "" // as its files say, which may have been written for a computer of a developer
	}
	s.origins.end(s.reporter, site, false)
	s.files.end()
	s.pages()
}

// pages judges the pages of the sample while the records of all pages are compared.
func (s *siteAuditor) pages() {
	pages := newPageAuditor(&s.siteJudge, s.files)
	for _, page := range s.sample.drawn() {
		pages.add(page)
	}
	if s.o.Pages < 0 {
		s.cross.each = pages.add
	}
	if err := s.cross.end(); err != nil {
		s.lastErr = fmt.Errorf("audit: URLs of different sitemaps were not compared: %w", err)
	}
	pages.end()
}
