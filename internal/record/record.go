// Package record turns what a format's reader finds into entries and problems:
// what is the same for all formats.
package record

import (
	"bytes"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/datetime"
	"github.com/seed-322c453a/sitemap/internal/location"
	"github.com/seed-322c453a/sitemap/internal/tally"
	"github.com/seed-322c453a/sitemap/internal/xmlscan"
)

// A Sink takes the entries and problems of one document. It is not safe for
// concurrent use.
type Sink struct {
	Resolver location.Resolver
	Recent   location.Recent // the document's locations
	report   func(sitemap.Problem)
	yield    func(sitemap.Entry, error) bool
	max      int64
	tally    *tally.Tally
	stopped  bool
	listed   bool // entries were listed, dropped ones included
	err      error
	decoded  []byte // scratch for a location with references
}

// NewSink returns a sink that hands entries to yield and problems to o.Report. It
// counts them in t, or, if that is nil, in a tally of its own.
func NewSink(o *sitemap.Options, t *tally.Tally, yield func(sitemap.Entry, error) bool) *Sink {
	if t == nil {
		t = tally.New()
	}
	return &Sink{
		tally:    t,
		Resolver: location.Resolver{Base: o.Base},
		report:   o.Report,
		yield:    yield,
		max:      o.Limits.MaxEntries(),
	}
}

// Emit hands an entry on, which is the sink's no longer than the call. It returns false
// if no more are wanted: because the consumer stopped, or because there are more than
// the limit.
func (s *Sink) Emit(e *sitemap.Entry) bool {
	if !s.admit(e.Pos) {
		return false
	}
	s.tally.Add(e)
	if !s.yield(*e, nil) {
		s.stopped = true
	}
	return !s.stopped
}

// EmitLine is Emit for a location that nothing else is known of. It is built where yield
// has it, and not copied there, which would wait until it is written: that is a tenth of
// the time of a line.
func (s *Sink) EmitLine(loc string, pos sitemap.Position) bool {
	if !s.admit(pos) {
		return false
	}
	s.tally.Entries++
	if !s.yield(sitemap.Entry{Loc: loc, Pos: pos}, nil) {
		s.stopped = true
	}
	return !s.stopped
}

// admit reports whether one more entry is wanted, which is at pos.
func (s *Sink) admit(pos sitemap.Position) bool {
	switch {
	case s.stopped:
		return false
	case s.tally.Entries == s.max:
		s.Fail(&sitemap.ParseError{Pos: pos, Err: sitemap.ErrTooManyEntries})
		return false
	case s.tally.Entries == sitemap.ProtocolEntries:
		s.Problem(sitemap.TooManyEntries, pos, "", nil)
	}
	return true
}

// Count is how many entries were handed on.
func (s *Sink) Count() int64 { return s.tally.Entries }

// Report returns the function that problems go to, which may be nil.
func (s *Sink) Report() func(sitemap.Problem) { return s.report }

// Stopped reports whether no more entries are wanted.
func (s *Sink) Stopped() bool { return s.stopped }

// Fail ends the document with an error, unless one ended it before.
func (s *Sink) Fail(err error) {
	if s.err == nil {
		s.err = err
	}
	if err != nil {
		s.stopped = true
	}
}

// Finish hands on the error that the document ended with, if any and if the
// consumer is still there. Err is one that comes after all others.
func (s *Sink) Finish(err error) {
	if s.err == nil && !s.stopped {
		s.err = err
	}
	if s.err != nil {
		s.tally.Err = s.err
		s.yield(sitemap.Entry{}, s.err)
	}
}

// Problem reports a problem.
func (s *Sink) Problem(code sitemap.Code, pos sitemap.Position, field string, text []byte) {
	if s.report != nil {
		s.report(sitemap.Problem{Code: code, Pos: pos, Field: field, Text: xmlscan.Excerpt(text)})
	}
}

// Drop reports a problem for which an entry is dropped.
func (s *Sink) Drop(code sitemap.Code, pos sitemap.Position, field string, text []byte) {
	s.listed = true
	if s.report != nil {
		s.report(sitemap.Problem{Code: code, Pos: pos, Field: field, Text: xmlscan.Excerpt(text), Dropped: true})
	}
}

// Listed reports whether the document listed anything, dropped entries included.
func (s *Sink) Listed() bool { return s.listed || s.tally.Entries > 0 }

// LineLoc cleans a location from text, reporting what is odd about it; ok is
// false if its entry is to be dropped.
func (s *Sink) LineLoc(raw []byte, pos sitemap.Position) (loc string, ok bool) {
	if location.Plain(raw) {
		return string(raw), true
	}
	loc, codes, drop := s.Resolver.Clean(raw)
	for _, c := range codes {
		s.Problem(c, pos, "", raw)
	}
	if drop != 0 {
		s.Drop(drop, pos, "", raw)
	}
	return loc, drop == 0
}

// Loc cleans a location from XML, reporting what is odd about it; ok is false if
// its entry is to be dropped. What bytes XML forbids the scanner has reported.
func (s *Sink) Loc(raw []byte, pos sitemap.Position, field string) (loc string, ok bool) {
	if location.Plain(raw) {
		return string(raw), true
	}
	loc, codes, drop := s.Resolver.Clean(raw)
	for _, c := range codes {
		if c != sitemap.InvalidUTF8 && (c != sitemap.ControlChar || !xmlscan.HasForbidden(raw)) {
			s.Problem(c, pos, field, raw)
		}
	}
	if drop != 0 {
		s.Drop(drop, pos, field, raw)
	}
	return loc, drop == 0
}

// QuickLoc is Loc for what stands in the window, with its references or, as section says,
// in a CDATA section. It is not ok where there may be something to report.
func (s *Sink) QuickLoc(raw []byte, section bool) (loc string, ok bool) {
	plain := !section && s.Recent.PlainXML(raw)
	if !plain && !section && bytes.IndexByte(raw, '&') >= 0 {
		if !xmlscan.Predefined(raw) {
			return "", false
		}
		s.decoded = xmlscan.Decode(s.decoded[:0], raw)
		raw = s.decoded
	}
	if plain || s.Recent.Plain(raw) {
		return string(raw), true
	}
	if bytes.Contains(raw, []byte("]]>")) || bytes.Contains(raw, []byte("\xef\xbf")) {
		return "", false
	}
	loc, codes, drop := s.Resolver.Clean(raw)
	return loc, len(codes) == 0 && drop == 0
}

// W3CTime reads a W3C datetime, reporting what is odd about it, that it is empty too.
func (s *Sink) W3CTime(raw []byte, pos sitemap.Position, field string) sitemap.Time {
	return s.time(datetime.ParseW3C, raw, pos, field)
}

// RFC822Time reads a date of RSS.
func (s *Sink) RFC822Time(raw []byte, pos sitemap.Position, field string) sitemap.Time {
	return s.time(datetime.ParseRFC822, raw, pos, field)
}

func (s *Sink) time(parse func([]byte) (sitemap.Time, []sitemap.Code), raw []byte, pos sitemap.Position, field string) sitemap.Time {
	if len(bytes.TrimSpace(raw)) == 0 {
		s.Problem(sitemap.BadLastMod, pos, field, nil)
		return sitemap.Time{}
	}
	t, codes := parse(withoutForbidden(raw))
	for _, c := range codes {
		s.Problem(c, pos, field, raw)
	}
	return t
}
