// Package document holds the code that packages parse, feed and text share while they read one
// document.
//
// The files, each building on those before it:
//
//	base.go    reads xml:base
//	once.go    makes a sequence a single-use one
//	kind.go    recognizes kinds of text, HTML and binary data
//	prolog.go  reports what stands before the root
//	sniff.go   detects the format
//	tally.go   counts entries and their lastmods
//	sink.go    takes entries and problems
//	source.go  opens a document
//	end.go     checks the part after the root element
//	fields.go  reads dates, changefreq and priority
//	listen.go  Listener, which receives elements as they are written
package document

import (
	"bytes"
	"math"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/chars"
	"github.com/seed-322c453a/sitemap/internal/input"
	"github.com/seed-322c453a/sitemap/internal/location"
	"github.com/seed-322c453a/sitemap/internal/xmlchar"
	"github.com/seed-322c453a/sitemap/internal/xmlscan"
)

// A Sink takes the entries and problems of one document. It is not safe for concurrent use.
type Sink struct {
	Resolver location.Resolver
	Recent   location.Recent // the document's locations
	report   func(sitemap.Problem)
	yield    func(sitemap.Entry, error) bool
	max      int64
	tally    *Tally
	stopped  bool
	listed   bool // there were entries, dropped ones included
	err      error
	more     []string        // locations in one element with that of the entry
	unknown  map[string]bool // elements that were reported as unknown
	strayEnd int64           // offset of the end of the stray text that was reported last
}

// NewSink returns a sink that passes entries to yield and problems to o.Report. It counts the
// entries in t.
func NewSink(o *sitemap.Options, t *Tally, yield func(sitemap.Entry, error) bool) *Sink {
	return &Sink{
		tally:    t,
		Resolver: location.Resolver{Base: o.Base},
		report:   o.Report,
		yield:    yield,
		max:      maxEntries(o.Limits),
	}
}

// maxEntries returns the limit of entries. It is the largest int64 if there is no limit.
func maxEntries(l sitemap.Limits) int64 {
	switch {
	case l.Entries < 0:
		return math.MaxInt64
	case l.Entries == 0:
		return 10 * sitemap.ProtocolEntries
	}
	return int64(l.Entries)
}

// Emit yields an entry, which the caller may then reuse. It returns false if no more entries are
// wanted, because the consumer stopped or the limit is reached.
func (s *Sink) Emit(e *sitemap.Entry) bool {
	if n := s.tally.Entries; s.stopped ||
		(n == s.max || n == sitemap.ProtocolEntries) && !s.admit(e.Pos) {
		return false
	}
	s.tally.Add(e)
	if !s.yield(*e, nil) {
		s.stopped = true
	}
	if len(s.more) > 0 {
		e.Loc, s.more = s.more[0], s.more[1:]
		return s.Emit(e)
	}
	return !s.stopped
}

// admit reports whether one more entry, at pos, is wanted, when a limit is reached.
func (s *Sink) admit(pos sitemap.Position) bool {
	if s.tally.Entries == s.max {
		s.Fail(&sitemap.ParseError{Pos: pos, Err: sitemap.ErrTooManyEntries})
		return false
	}
	s.Problem(sitemap.TooManyEntries, pos, "", nil)
	return true
}

// Count returns the number of entries that were yielded.
func (s *Sink) Count() int64 { return s.tally.Entries }

// Report returns the function that takes problems. It may be nil.
func (s *Sink) Report() func(sitemap.Problem) { return s.report }

// Stopped reports whether no more entries are wanted.
func (s *Sink) Stopped() bool { return s.stopped }

// Fail ends the document with an error, unless an earlier one did.
func (s *Sink) Fail(err error) {
	if s.err == nil {
		s.err = err
	}
	if err != nil {
		s.stopped = true
	}
}

// Finish yields the error that the document ended with, if any and if the consumer has not stopped.
// Err is an error that is reported after all others.
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
		s.report(sitemap.Problem{Code: code, Pos: pos, Field: field,
			Text: string(chars.Excerpt(text))})
	}
}

// problems reports several problems of the same text.
func (s *Sink) problems(codes []sitemap.Code, pos sitemap.Position, field string, text []byte) {
	if s.report == nil || len(codes) == 0 {
		return
	}
	excerpt := string(chars.Excerpt(text))
	for _, c := range codes {
		s.report(sitemap.Problem{Code: c, Pos: pos, Field: field, Text: excerpt})
	}
}

// Drop reports a problem because of which an entry is dropped.
func (s *Sink) Drop(code sitemap.Code, pos sitemap.Position, field string, text []byte) {
	s.listed = true
	if s.report != nil {
		s.report(sitemap.Problem{Code: code, Pos: pos, Field: field,
			Text: string(chars.Excerpt(text)), Dropped: true})
	}
}

// Other keeps an element of another namespace.
func (s *Sink) Other(e sitemap.Element) { s.tally.Other = append(s.tally.Other, e) }

// Unknown reports an element that the schema does not have, once a name: with UnknownElement, or
// with ForeignElement and the prefix in its name.
func (s *Sink) Unknown(code sitemap.Code, in *input.Reader, name, raw []byte) {
	if s.report == nil || s.unknown[string(name)] || len(s.unknown) == maxUnknown {
		return
	}
	if s.unknown == nil {
		s.unknown = make(map[string]bool)
	}
	s.unknown[string(name)] = true
	s.Problem(code, in.Position(0), string(name), raw)
}

// maxUnknown is the number of names that are reported.
const maxUnknown = 100

// Stray reports the text at the start of the window, which is between entries. Long text comes in
// several tokens.
func (s *Sink) Stray(in *input.Reader, raw []byte) {
	if in.Offset() != s.strayEnd {
		blanks := len(raw) - len(bytes.TrimLeft(raw, " \t\r\n"))
		s.Problem(sitemap.StrayText, in.Position(blanks), "", xmlscan.TrimSpace(raw))
	}
	s.strayEnd = in.Offset() + int64(len(raw))
}

// Listed reports whether the document had entries, dropped ones included.
func (s *Sink) Listed() bool { return s.listed || s.tally.Entries > 0 }

// LineLoc cleans a location from text and reports its problems. It returns false if the entry is
// dropped.
func (s *Sink) LineLoc(raw []byte, pos sitemap.Position) (loc string, ok bool) {
	if s.Recent.Plain(raw) {
		return string(raw), true
	}
	loc, codes, drop := s.Resolver.Clean(raw)
	for _, c := range codes {
		s.Problem(c, pos, "", raw)
	}
	if drop != "" {
		s.Drop(drop, pos, "", raw)
	}
	return loc, drop == ""
}

// Loc cleans a location from XML and reports its problems, except bytes that XML forbids, which the
// scanner has reported. It returns false if the entry is dropped.
func (s *Sink) Loc(raw []byte, pos sitemap.Position, field string) (loc string, ok bool) {
	if s.Recent.Plain(raw) {
		return string(raw), true
	}
	if urls := location.Several(raw); len(urls) > 0 {
		s.Problem(sitemap.SeveralLocs, pos, field, raw)
		var locs []string
		for _, u := range urls {
			if loc, ok := s.one(u, pos, field); ok {
				locs = append(locs, loc)
			}
		}
		if len(locs) == 0 {
			return "", false
		}
		s.more = locs[1:]
		return locs[0], true
	}
	return s.one(raw, pos, field)
}

// one is Loc for one location.
func (s *Sink) one(raw []byte, pos sitemap.Position, field string) (loc string, ok bool) {
	loc, codes, drop := s.Resolver.Clean(raw)
	for _, c := range codes {
		if c != sitemap.InvalidUTF8 && (c != sitemap.ControlChar || !xmlchar.HasForbidden(raw)) {
			s.Problem(c, pos, field, raw)
		}
	}
	if drop != "" {
		s.Drop(drop, pos, field, raw)
	}
	return loc, drop == ""
}
