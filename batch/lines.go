package batch

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/discover/trust"
	"github.com/seed-322c453a/sitemap/internal/jsonl"
)

// A Line is one line of a part. One of the first four fields is set. "sitemap urls --format jsonl"
// prints such lines too.
type Line struct {
	URL      *URL
	Document *Document
	Target   *Target
	Finding  *Finding
	Text     []byte // the line with its line break
}

// about returns the target that a line is about, and the counts of this line alone.
func (l *Line) about() (target string, c Counts) {
	var failure *Error
	switch {
	case l.URL != nil:
		target, c.URLs = l.URL.Target, 1
	case l.Document != nil:
		target, failure = l.Document.Target, l.Document.Error
		c.Untrusted, c.URLs = l.Document.Untrusted, l.Document.URLs
		if l.Document.Skipped == "" {
			c.Documents = 1
		}
	case l.Target != nil:
		target, failure = l.Target.Target, l.Target.Error
	case l.Finding != nil:
		target = l.Finding.Target
		switch l.Finding.Severity {
		case sitemap.SeverityError:
			c.Errors = 1
		case sitemap.SeverityWarning:
			c.Warnings = 1
		default:
			c.Infos = 1
		}
	}
	if failure != nil {
		c.Failed, c.Cause = 1, failure.Code
	}
	return target, c
}

// A Document is a sitemap that was requested or skipped, whether or not it could be read. Its line
// follows those of its pages and findings.
type Document struct {
	Target  string `json:"target"`
	Sitemap string `json:"sitemap"`       // its location
	URL     string `json:"url,omitempty"` // the one that answered, if it is not Sitemap
	Status  int    `json:"status,omitempty"`
	// ContentType, LastModified and ETag are as served.
	ContentType  string           `json:"content_type,omitempty"`
	LastModified string           `json:"last_modified,omitempty"`
	ETag         string           `json:"etag,omitempty"`
	Format       sitemap.Format   `json:"format,omitempty"`
	Bytes        int64            `json:"bytes,omitempty"` // decoded
	Entries      int64            `json:"entries"`
	URLs         int64            `json:"urls,omitempty"`      // pages without lines, of an audit
	LastMod      sitemap.Time     `json:"lastmod,omitzero"`    // as its index lists it
	Referrer     string           `json:"referrer,omitempty"`  // the index that lists it
	Robots       string           `json:"robots,omitempty"`    // the robots.txt that names it
	Trust        trust.Level      `json:"trust,omitempty"`     // the strongest of its grants
	Untrusted    int64            `json:"untrusted,omitempty"` // pages that were left out
	Fetched      time.Time        `json:"fetched,omitzero"`
	Skipped      discover.Skipped `json:"skipped,omitempty"`
	Error        *Error           `json:"error,omitempty"`
}

// A Target is a target that could not be read.
type Target struct {
	Target string `json:"target"`
	Error  *Error `json:"error"`
}

// A Finding is a place where a rule of an audit is broken; see package audit.
type Finding struct {
	Code     sitemap.Code     `json:"code"`
	Severity sitemap.Severity `json:"severity"`
	Sitemap  string           `json:"sitemap"`
	Line     int              `json:"line"`
	Column   int              `json:"column"`
	Loc      string           `json:"loc"`
	Text     string           `json:"text"`
	Message  string           `json:"message"`
	Fix      string           `json:"fix"`
	Dropped  bool             `json:"dropped"`
	Target   string           `json:"target"`
}

// Abandoned is the code of a target whose task was handed out five times and never ended.
const Abandoned sitemap.Code = "abandoned"

// An Error says why something could not be read.
type Error struct {
	Code    sitemap.Code `json:"code"` // as audit.CodeOf returns it, or [Abandoned]
	Message string       `json:"message"`
	// Offset is the decoded byte from which damaged gzip makes the entries doubtful.
	Offset *int64 `json:"offset,omitempty"`
}

// errorOf returns an error of the document or target with this name, nil if err is nil.
func errorOf(name string, err error) *Error { return (*Error)(jsonl.ErrorOf(name, err)) }

// version is the number of the format of parts. It is raised when a field changes its meaning for
// older versions; new types and fields do not raise it.
const version = 1

// A header is the first line of a part. The last line has the Time and the Counts.
type header struct {
	Version int `json:"version"`
	Stored
	Counts *Counts `json:"counts,omitempty"` // nil
}

func (h *header) check() error {
	if h.Version > version {
		return fmt.Errorf("format %d of parts: a newer version of this module wrote it", h.Version)
	}
	return nil
}

// Types of lines. A line without a type is a URL.
const (
	typePart     = "part" // the first line of a part: its version, run and domain
	typeEnd      = "end"  // the last line: its counts
	typeDocument = "document"
	typeTarget   = "target"
	typeFinding  = "finding"
)

// Lines reads the lines of a part: JSON objects, each with a "type" unless it is a [URL]. It leaves
// out lines of unknown types, and lines about the part itself, such as the first and the last. The
// error, if any, is the last element.
func Lines(r io.Reader) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		in := bufio.NewReaderSize(r, 64<<10)
		for n := 1; ; n++ {
			text, err := in.ReadBytes('\n')
			if err == io.EOF && len(text) == 0 {
				return
			}
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			var l Line
			if err == nil {
				l, err = parseLine(text)
			}
			if err != nil {
				yield(Line{}, fmt.Errorf("batch: line %d: %w", n, err))
				return
			}
			if l.Text != nil && !yield(l, nil) {
				return
			}
		}
	}
}

// ReadPart yields the lines of a part; see [Lines]. If there is none, the error matches
// fs.ErrNotExist. If it cannot be read to its end, the error matches [ErrDamaged] and names it.
func ReadPart(ctx context.Context, s Sink, part Stored) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		in, err := s.Open(ctx, part)
		if err != nil {
			yield(Line{}, err)
			return
		}
		defer in.Close()
		for l, err := range Lines(in) {
			if err != nil {
				name := cmp.Or(part.Path, part.Domain+" in run "+part.Run)
				err = cmp.Or(ctx.Err(), fmt.Errorf("%s: %w: %w", name, ErrDamaged, err))
			}
			if !yield(l, err) {
				return
			}
		}
	}
}

var typeField = []byte(`{"type":"`)

// typeOf returns the type of a line, which is its first field; "" is a URL.
func typeOf(line []byte) string {
	rest, ok := bytes.CutPrefix(line, typeField)
	if !ok {
		return ""
	}
	name, _, _ := bytes.Cut(rest, []byte{'"'})
	return string(name)
}

// parseLine reads a line. Its Text is nil if it is about the part or of an unknown type.
func parseLine(text []byte) (l Line, err error) {
	l.Text = text
	switch typeOf(text) {
	case "":
		l.URL, err = parseURL(text)
	case typeDocument:
		err = json.Unmarshal(text, &l.Document)
	case typeTarget:
		err = json.Unmarshal(text, &l.Target)
	case typeFinding:
		err = json.Unmarshal(text, &l.Finding)
	case typePart:
		l.Text = nil
		var first header
		if err = json.Unmarshal(text, &first); err == nil {
			err = first.check()
		}
	default:
		l.Text = nil
	}
	return l, err
}

// typed returns the line of a value.
func typed(kind string, v any) []byte {
	return fmt.Appendf(nil, "%s%s\",%s\n", typeField, kind, jsonl.Marshal(v)[1:])
}
