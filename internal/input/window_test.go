package input

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/seed-322c453a/sitemap"
)

// lineOf returns the line of the byte at offset, from the whole document.
func lineOf(doc string, offset int) int {
	doc = strings.ReplaceAll(doc[:offset]+"\x00"+doc[offset:], "\r\n", "\n ")
	before, _, _ := strings.Cut(doc, "\x00")
	return 1 + strings.Count(before, "\n") + strings.Count(before, "\r")
}

// columnOf returns the column of doc[at], in bytes.
func columnOf(doc string, at int) int {
	return at - strings.LastIndexAny(doc[:at], "\r\n")
}

func TestPosition(t *testing.T) {
	for _, doc := range []string{
		strings.Repeat("abc\n", 8_000),
		strings.Repeat("abc\r\n", 8_000),
		strings.Repeat("abc\r", 8_000),
		strings.Repeat("a\rb\nc\r\nd\r\r\n\n\r", 3_000),
	} {
		for name, wrap := range map[string]func(io.Reader) io.Reader{
			"whole": func(r io.Reader) io.Reader { return r }, "half": iotest.HalfReader,
			"with error": iotest.DataErrReader,
		} {
			in := Open(wrap(strings.NewReader(doc)), &sitemap.Options{})
			rnd := rand.New(rand.NewPCG(1, 2))
			for at := 0; at < len(doc); {
				if len(in.Window()) < 2_000 {
					in.More()
				}
				n := rnd.IntN(min(1_000, len(in.Window())-1) + 1)
				// Not between CR and LF, where the line is undefined.
				if at+n > 0 && at+n < len(doc) && doc[at+n-1] != '\r' && rnd.IntN(8) == 0 {
					want := sitemap.Position{
						Offset: int64(at + n), Line: lineOf(doc, at+n), Column: columnOf(doc, at+n),
					}
					if got := in.Position(n); got != want {
						t.Fatalf("%s %.10q: Position = %+v, want %+v", name, doc, got, want)
					}
				}
				n = max(1, n/2)
				in.Advance(n)
				at += n
			}
			in.Close()
		}
	}
}

// A CR ends a line also right before the end of the document, or before its limit.
func TestPosition_LastCR(t *testing.T) {
	for _, test := range []struct {
		doc   string
		limit int64
		want  int
	}{
		{"a\rb\r", 0, 3}, {"a\r", 0, 2}, {"a\r\n", 0, 2}, {"a\nb", 0, 2}, {"\r", 0, 2}, {"a", 0, 1},
		{"a\n\r", 0, 3},
		{"a\rb", 2, 2}, {"a\r\n", 2, 1}, {"a\r\rb", 2, 2},
	} {
		for name, r := range map[string]io.Reader{
			"whole":        strings.NewReader(test.doc),
			"byte by byte": iotest.OneByteReader(strings.NewReader(test.doc)),
			"with error":   iotest.DataErrReader(strings.NewReader(test.doc)),
		} {
			in := Open(r, &sitemap.Options{Limits: sitemap.Limits{Bytes: test.limit}})
			for in.Position(len(in.Window())); in.More(); in.Position(len(in.Window())) {
			}
			if got := in.Position(len(in.Window())).Line; got != test.want {
				t.Errorf("%s: %q of %d bytes ends on line %d, want %d", name, test.doc, test.limit,
					got, test.want)
			}
			if start := in.Position(0); start.Line != 1 {
				t.Errorf("%s: %q starts on line %d", name, test.doc, start.Line)
			}
			in.Close()
		}
	}
}

func TestReader_Read(t *testing.T) {
	doc := strings.Repeat("0123456789\n", 30_000)
	in := Open(iotest.OneByteReader(strings.NewReader(doc)), nil)
	defer in.Close()
	got, err := io.ReadAll(in)
	if string(got) != doc || err != nil {
		t.Errorf("read %d bytes, %v; want %d", len(got), err, len(doc))
	}
	if in.Offset() != int64(len(doc)) || in.Bytes() != int64(len(doc)) {
		t.Errorf("Offset = %d, Bytes = %d, want %d", in.Offset(), in.Bytes(), len(doc))
	}
	if in.Encoding() != "utf-8" {
		t.Errorf("Encoding = %q", in.Encoding())
	}
}

func TestReader_WindowGrows(t *testing.T) {
	doc := strings.Repeat("x", 3*MaxWindow)
	in := Open(strings.NewReader(doc), &sitemap.Options{})
	defer in.Close()
	for in.More() {
		if w := in.Window(); !bytes.Equal(w[len(w):len(w)+Padding], make([]byte, Padding)) {
			t.Fatal("the window is not followed by zero bytes")
		}
	}
	if n := len(in.Window()); n != MaxWindow {
		t.Errorf("the window grew to %d, want %d", n, MaxWindow)
	}
	if in.Err() != nil {
		t.Errorf("Err = %v", in.Err())
	}
}

func TestReader_Limits(t *testing.T) {
	var problems []sitemap.Code
	report := func(p sitemap.Problem) { problems = append(problems, p.Code) }
	for _, test := range []struct {
		size, limit int64
		want        error
		problems    int
	}{
		{1000, 1000, nil, 0},
		{1001, 1000, sitemap.ErrTooLarge, 0},
		{200_000, 100_000, sitemap.ErrTooLarge, 0},
		{sitemap.ProtocolBytes + 1, 0, nil, 1},
		{sitemap.ProtocolBytes, 0, nil, 0},
		{200_000, -1, nil, 0},
	} {
		problems = nil
		in := Open(io.LimitReader(zeros{}, test.size),
			&sitemap.Options{Limits: sitemap.Limits{Bytes: test.limit}, Report: report})
		n, err := io.Copy(io.Discard, in)
		if !errors.Is(err, test.want) || (err == nil) != (test.want == nil) {
			t.Errorf("%d of %d: %v, want %v", test.size, test.limit, err, test.want)
		}
		if want := min(test.size, max(test.limit, 0)); test.want != nil && n != want {
			t.Errorf("%d of %d: read %d before the error, want %d", test.size, test.limit, n, want)
		}
		if len(problems) != test.problems {
			t.Errorf("%d of %d: problems %v", test.size, test.limit, problems)
		}
		in.Close()
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0'
	}
	return len(p), nil
}

func TestReader_SourceError(t *testing.T) {
	broken := errors.New("broken")
	in := Open(io.MultiReader(strings.NewReader("abc"), iotest.ErrReader(broken)), nil)
	defer in.Close()
	got, err := io.ReadAll(in)
	if string(got) != "abc" || err != broken {
		t.Errorf("read %q, %v", got, err)
	}
	var pe *sitemap.ParseError
	if errors.As(in.Err(), &pe) {
		t.Error("the source's error is a ParseError")
	}
}

func TestReader_NoProgress(t *testing.T) {
	in := Open(readerFunc(func([]byte) (int, error) { return 0, nil }), nil)
	defer in.Close()
	if _, err := io.ReadAll(in); err != io.ErrNoProgress {
		t.Errorf("err = %v", err)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestReader_Close(t *testing.T) {
	in := Open(strings.NewReader("abc"), nil)
	in.Close()
	in.Close()
	if in.More() || len(in.Window()) != 0 || in.Bytes() != 3 || in.Err() == nil {
		t.Errorf("closed: window %q, %d bytes, %v", in.Window(), in.Bytes(), in.Err())
	}
}

// Bytes that precede the detection of a charset do not count as lines.
func TestPosition_Transcoded(t *testing.T) {
	for doc, want := range map[string]int{"http://a.com/\xe9\r": 1, "http://a.com/\xe9\rx": 2,
		"http://a.com/\xe9\r\nx": 2} {
		in := Open(strings.NewReader(doc), nil)
		if got := in.Position(len(in.Window())); got.Line != want {
			t.Errorf("%q ends on line %d, want %d", doc, got.Line, want)
		}
		in.Close()
	}
}

// Limits.Bytes counts bytes of UTF-8, without a byte order mark.
func TestReader_LimitDecoded(t *testing.T) {
	text := strings.Repeat("http://a.example/\n", 50)
	for _, doc := range []string{text, "\ufeff" + text, encoded16(t, text),
		encoded16(t, "\ufeff"+text)} {
		for limit, want := range map[int]error{len(text): nil, len(text) - 1: sitemap.ErrTooLarge} {
			in := Open(strings.NewReader(doc),
				&sitemap.Options{Limits: sitemap.Limits{Bytes: int64(limit)}})
			got, err := io.ReadAll(in)
			if string(got) != text[:limit] || !errors.Is(err, want) ||
				(err == nil) != (want == nil) {
				t.Errorf("%.8q of limit %d: read %d bytes, %v", doc, limit, len(got), err)
			}
			in.Close()
		}
	}
}

func encoded16(t *testing.T, s string) string { return in(t, le16, s) }

// The position of a problem does not depend on the size of reads.
func TestReader_ProblemPositions(t *testing.T) {
	line := strings.Repeat("x", 999) + "\n"
	lines := func() io.Reader { return io.LimitReader(&repeated{text: line}, sitemap.ProtocolBytes+1) }
	junk := gz(t, line+line) + "junk"
	for _, test := range []struct {
		doc  func() io.Reader
		want sitemap.Problem
	}{
		{lines, sitemap.Problem{Code: sitemap.TooLarge,
			Pos: sitemap.Position{Offset: sitemap.ProtocolBytes,
				Line: sitemap.ProtocolBytes/len(line) + 1, Column: sitemap.ProtocolBytes%len(line) + 1}}},
		{func() io.Reader { return strings.NewReader(junk) }, sitemap.Problem{Code: sitemap.GzipTrailingJunk,
			Pos: sitemap.Position{Offset: 2000, Line: 3, Column: 1}}},
	} {
		for name, wrap := range map[string]func(io.Reader) io.Reader{
			"whole": func(r io.Reader) io.Reader { return r }, "half": iotest.HalfReader,
		} {
			var got []sitemap.Problem
			in := Open(wrap(test.doc()),
				&sitemap.Options{Report: func(p sitemap.Problem) { got = append(got, p) }})
			if _, err := io.Copy(io.Discard, in); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if len(got) != 1 || got[0] != test.want {
				t.Errorf("%s: %+v, want %+v", name, got, test.want)
			}
			in.Close()
		}
	}
}

// repeated is a text again and again.
type repeated struct{ text, rest string }

func (r *repeated) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if r.rest == "" {
			r.rest = r.text
		}
		m := copy(p[n:], r.rest)
		n, r.rest = n+m, r.rest[m:]
	}
	return n, nil
}

// A read returns little while little is unread. Otherwise it returns enough that examining the
// window again does not become quadratic.
func TestReader_MoreOfTinyReads(t *testing.T) {
	doc := `<?xml version="1.0" encoding="utf-8"?>` + strings.Repeat("x", 200_000)
	in := Open(iotest.OneByteReader(strings.NewReader(doc)), nil)
	defer in.Close()
	looks := 0
	for {
		before := len(in.Window())
		if !in.More() {
			break
		}
		looks++
		if added := len(in.Window()) - before; before <= manyUnread && added != 1 {
			t.Fatalf("More added %d bytes to %d", added, before)
		}
	}
	if len(in.Window()) != len(doc) || in.Err() != nil {
		t.Errorf("%d bytes in the window, %v; want %d", len(in.Window()), in.Err(), len(doc))
	}
	if most := manyUnread + 50; looks > most {
		t.Errorf("More was called %d times, want at most %d", looks, most)
	}
}

// Bytes that are not text are not reported as invalid UTF-8.
func TestReader_Media(t *testing.T) {
	for doc, want := range map[string]int{"\x89PNG\r\n\x1a\n\x00\x00\xff": 0,
		"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n": 0, "caf\xe9": 1} {
		got := 0
		in := Open(strings.NewReader(doc),
			&sitemap.Options{Report: func(sitemap.Problem) { got++ }})
		in.Close()
		if got != want {
			t.Errorf("%q: %d problems, want %d", doc, got, want)
		}
	}
}

// The position of damaged gzip is the start of the member that is damaged, whose bytes are read.
func TestReader_DamagedMember(t *testing.T) {
	line := strings.Repeat("x", 99) + "\n"
	short, long := strings.Repeat(line, 3), strings.Repeat(line, 2000)
	damage := func(s string) string { return flip(gz(t, s), -8) }
	for _, test := range []struct {
		name, doc, want string
		pos             sitemap.Position
	}{
		{"one member", damage(short), short, sitemap.Position{Line: 1}},
		{"long", damage(long), long, sitemap.Position{Line: 1}},
		{"second member", gz(t, short) + damage(short), short + short,
			sitemap.Position{Offset: 300, Line: 4, Column: 1}},
		{"after the window", gz(t, long) + damage(long), long + long,
			sitemap.Position{Offset: 200_000, Line: 2001, Column: 1}},
		{"after empty members", gz(t, short) + gz(t, "") + damage(short), short + short,
			sitemap.Position{Offset: 300, Line: 4, Column: 1}},
		{"no block", gz(t, short) + gz(t, short)[:10] + "\xff\xff\xff\xff", short,
			sitemap.Position{Offset: 300, Line: 4, Column: 1}},
		{"byte order mark", gz(t, "\ufeff"+short) + damage(short), short + short,
			sitemap.Position{Offset: 300, Line: 4, Column: 1}},
		{"two layers", gz(t, gz(t, short)+damage(short)), short + short,
			sitemap.Position{Offset: 300, Line: 4, Column: 1}},
		{"outer layer", gz(t, gz(t, short)) + flip(gz(t, gz(t, short)), -8), short + short,
			sitemap.Position{Offset: 300, Line: 4, Column: 1}},
		{"UTF-16", gz(t, encoded16(t, short)) + damage(encoded16(t, short)), short + short,
			sitemap.Position{Line: 1}},
	} {
		for _, r := range readers {
			in := Open(r.wrap(strings.NewReader(test.doc)), nil)
			got, err := io.ReadAll(in)
			var pe *sitemap.ParseError
			if string(got) != test.want || !errors.As(err, &pe) || pe.Err != sitemap.ErrGzip ||
				pe.Pos != test.pos {
				t.Errorf("%s, %s: read %d bytes, %+v; want %d, at %+v", test.name, r.name,
					len(got), err, len(test.want), test.pos)
			}
			in.Close()
		}
	}
}
