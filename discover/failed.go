package discover

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/fetch"
)

// causes are what errors of documents are told by, the more special of two first.
var causes = []error{
	fetch.ErrRequest, fetch.ErrRefused, fetch.ErrRedirect, fetch.ErrStatus, fetch.ErrEncoding, fetch.ErrBusy, fetch.ErrSilent, fetch.ErrTimeout,
	fetch.ErrConnect, fetch.ErrNoResponse, fetch.ErrBody, fetch.ErrClosed,
	sitemap.ErrHTML, sitemap.ErrJSON, sitemap.ErrUnknownXML, sitemap.ErrBinary, sitemap.ErrNoURLs, sitemap.ErrNotSitemap,
	sitemap.ErrEmpty, sitemap.ErrTruncated, sitemap.ErrGzip, sitemap.ErrTooLarge, sitemap.ErrTooManyEntries,
}

// A failure is an error of a document as the journal keeps it.
type failure struct {
	Err    string `json:"err,omitempty"`
	Cause  string `json:"cause,omitempty"`  // the text of that of causes which it matches
	Status int    `json:"status,omitempty"` // of a *fetch.Error
	Line   int    `json:"line,omitempty"`   // of a *sitemap.ParseError, else 0
	Offset int64  `json:"offset,omitempty"`
	Retry  int64  `json:"retry,omitempty"` // when to try again, seconds since 1970
}

// causeOf returns that of causes which err matches, nil if it matches none.
func causeOf(err error) error {
	if i := slices.IndexFunc(causes, func(cause error) bool { return errors.Is(err, cause) }); i >= 0 {
		return causes[i]
	}
	return nil
}

// failureOf returns what is kept of err, which is not nil.
func failureOf(err error, now time.Time) failure {
	f := failure{Err: err.Error()}
	if cause := causeOf(err); cause != nil {
		f.Cause = cause.Error()
	}
	var fe *fetch.Error
	var pe *sitemap.ParseError
	switch {
	case errors.As(err, &fe):
		f.Err, f.Status = fmt.Sprint(fe.Err), fe.Status
		if fe.RetryAfter > 0 && !errors.Is(fe.Err, fetch.ErrSilent) { // which is our own
			f.Retry = now.Add(min(fe.RetryAfter, trustAge)).Unix()
		}
	case errors.As(err, &pe):
		f.Line, f.Offset = pe.Pos.Line, pe.Pos.Offset
	}
	return f
}

// error returns the error again, of the document at loc: a *fetch.Error without what it says of
// the way there, or a *sitemap.ParseError.
func (f *failure) error(loc string, now time.Time) error {
	i := slices.IndexFunc(causes, func(cause error) bool { return cause.Error() == f.Cause })
	switch {
	case i < 0:
		return errors.New(f.Err)
	case f.Line > 0:
		return &sitemap.ParseError{Pos: sitemap.Position{Offset: f.Offset, Line: f.Line}, Err: causes[i]}
	}
	after := max(0, time.Unix(f.Retry, 0).Sub(now))
	return &fetch.Error{URL: sitemap.Redact(loc), Status: f.Status, RetryAfter: after, Err: &recalled{f.Err, causes[i]}}
}

// isHeldBack reports whether the document is not to be asked for yet.
func (f *failure) isHeldBack(now time.Time) bool {
	left := time.Duration(f.Retry-now.Unix()) * time.Second
	return 0 < left && left <= trustAge
}

// heldBack adds to an error until when that is.
func (f *failure) heldBack(err error) error { return &heldBack{err, time.Unix(f.Retry, 0)} }

// A heldBack is the error of a document that is not asked for before a time.
type heldBack struct {
	err   error
	until time.Time
}

func (e *heldBack) Error() string {
	return fmt.Sprintf("%v; not asked for before %s", e.err, e.until.UTC().Format(time.RFC3339))
}

func (e *heldBack) Unwrap() error { return e.err }

// A recalled is the cause of an error that a State remembers.
type recalled struct {
	text  string
	cause error
}

func (r *recalled) Error() string { return r.text }

func (r *recalled) Unwrap() error { return r.cause }

// retell tells the failures of a walk that had come to its end before others of its plan were
// interrupted.
func (w *walk) retell() {
	documents, limits := w.state.failed()
	for _, l := range limits {
		w.failures.limit(l.What, l.Max, l.Left)
	}
	for _, e := range documents {
		if w.parent.Err() != nil {
			return
		}
		w.failures.add(e)
		sum := Summary{Skipped: ByResume, Err: e.Err}
		sum.answered(e.Err)
		w.done(&child{sm: e.Sitemap, plans: &plans{key: keyOf(e.Sitemap.Loc)}}, sum)
	}
}

// failed returns the documents that failed in a walk that had come to its end, and the limits that
// left others out.
func (r *run) failed() (documents []*DocumentError, limits []*LimitError) {
	s := r.s
	s.mu.Lock()
	defer s.mu.Unlock()
	begun := s.plan.begun(r.name)
	if begun == nil {
		return nil, nil
	}
	tell := func(loc string, f *failure) {
		documents = append(documents, &DocumentError{&Sitemap{Loc: loc}, f.error(loc, s.now())})
	}
	if f := begun.Found; f != nil {
		if f.Cut != nil {
			tell(f.Robots, f.Cut)
		}
		for _, m := range f.Missed {
			if e := s.of(m.Loc); e == nil || !e.readBy(begun.Run) {
				tell(m.Loc, &m.failure)
			}
		}
	}
	byURL := func(a, b *entry) int { return strings.Compare(a.URL, b.URL) }
	for _, e := range slices.SortedFunc(maps.Keys(s.failing[begun.Run]), byURL) {
		tell(e.location(), &e.failure)
	}
	return documents, s.plan.walks[r.name].limits
}
