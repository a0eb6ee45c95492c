package text_test

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/testkit/gen/gendoc"
	"github.com/seed-322c453a/sitemap/internal/testkit/golden"
	"github.com/seed-322c453a/sitemap/text"
)

func TestEntries(t *testing.T) { golden.Run(t, "../testdata/text", text.Entries) }

func TestEntries_Empty(t *testing.T) {
	for _, doc := range []string{"", "\n\n", "\ufeff \r\n"} {
		for e, err := range text.Entries(strings.NewReader(doc), nil) {
			if !errors.Is(err, sitemap.ErrEmpty) {
				t.Errorf("%q: %v, %v", doc, e, err)
			}
		}
	}
}

// Lines that are no plain URLs share no block, for which ends of lines are searched.
func TestEntries_NoBlocks(t *testing.T) {
	doc := append([]byte("http://a.example/\n"), bytes.Repeat([]byte("\n"), 1<<20)...)
	allocs := testing.AllocsPerRun(1, func() {
		for range text.Entries(bytes.NewReader(doc), nil) {
		}
	})
	if allocs > 50 {
		t.Errorf("%v allocations for empty lines", allocs)
	}
}

func TestEntries_Break(t *testing.T) {
	n := 0
	for range text.Entries(bytes.NewReader(gendoc.Bytes(gendoc.Text, 100)), nil) {
		if n++; n == 3 {
			break
		}
	}
	if n != 3 {
		t.Errorf("%d entries after a break at the third", n)
	}
}

// The incomplete last unit of cut UTF-16 is reported and is not part of a URL.
func TestEntries_HalfUnit(t *testing.T) {
	doc := "\xff\xfe"
	for _, c := range "http://a.example/1\nhttp://a.example/" {
		doc += string(c) + "\x00"
	}
	var got []string
	report := func(p sitemap.Problem) { got = append(got, fmt.Sprint(p.Code, " ", p.Pos)) }
	for e, err := range text.Entries(strings.NewReader(doc+"2"), &sitemap.Options{Report: report}) {
		got = append(got, fmt.Sprint(e.Loc, " ", err))
	}
	want := "http://a.example/1 <nil>, invalid_utf8 {36 2 18}, http://a.example/ <nil>"
	if s := strings.Join(got, ", "); s != want {
		t.Errorf("got %q, want %q", s, want)
	}
}

func ExampleEntries() {
	doc := "https://www.example.com/a\n# a comment\nhttps://www.example.com/b\n"
	for e, err := range text.Entries(strings.NewReader(doc), nil) {
		if err != nil {
			fmt.Println(err)
			break
		}
		fmt.Println(e.Pos.Line, e.Loc)
	}
	// Output:
	// 1 https://www.example.com/a
	// 3 https://www.example.com/b
}

func FuzzEntries(f *testing.F) {
	f.Add([]byte("http://a.example/\nhttp://b.example/ x\r# c\r\n"))
	f.Add([]byte("\xff\xfeh\x00t\x00t\x00p\x00"))
	f.Add([]byte("http://a.example/\xff\x00\n//b\nftp://c"))
	base, err := url.Parse("http://www.example.com/")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		line := 0
		for e, err := range text.Entries(bytes.NewReader(doc), &sitemap.Options{Base: base}) {
			if err != nil {
				continue
			}
			if e.Pos.Line <= line {
				t.Errorf("line %d after line %d", e.Pos.Line, line)
			}
			line = e.Pos.Line
			if _, err := e.URL(); err != nil {
				t.Errorf("URL of %q: %v", e.Loc, err)
			}
		}
	})
}

// read returns the lines and locations of a text's entries, the codes of its problems, and its
// error.
func read(doc string) (string, error) {
	var out strings.Builder
	report := func(p sitemap.Problem) {
		fmt.Fprintf(&out, "%d %v %t\n", p.Pos.Line, p.Code, p.Dropped)
	}
	for e, err := range text.Entries(strings.NewReader(doc), &sitemap.Options{Report: report}) {
		if err != nil {
			return out.String(), err
		}
		fmt.Fprintf(&out, "%d %s\n", e.Pos.Line, e.Loc)
	}
	return out.String(), nil
}

// A URL is yielded whole or not at all.
func TestEntries_LongLine(t *testing.T) {
	const max = 64 << 10
	spaces := func(n int) string { return strings.Repeat(" ", n) }
	for _, test := range []struct{ name, doc, want string }{
		{"URL behind spaces", spaces(max-20) +
			"http://example.com/page-long-name\nhttp://example.com/b",
			"1 http://example.com/page-long-name\n2 http://example.com/b\n"},
		{"URL behind more spaces", spaces(3*max+5) + "http://example.com/a\r\nhttp://example.com/b",
			"1 http://example.com/a\n2 http://example.com/b\n"},
		{"URL over the cut", "http://example.com/" + strings.Repeat("\x01", max-30) +
			"page-long-name\nhttp://example.com/b",
			"1 loc_too_long true\n2 http://example.com/b\n"},
		{"URL before the cut", "http://example.com/a" + spaces(max) + "x\rhttp://example.com/b",
			"1 http://example.com/a\n2 http://example.com/b\n"},
		{"spaces", spaces(max) + "\n" + spaces(2*max) + "\nhttp://example.com/c",
			"3 http://example.com/c\n"},
		{"no URL", strings.Repeat("x", 2*max) + "\nhttp://example.com/b",
			"1 junk_line false\n2 http://example.com/b\n"},
	} {
		if got, err := read(test.doc); got != test.want || err != nil {
			t.Errorf("%s: %q, %v; want %q", test.name, got, err, test.want)
		}
	}
}

func TestEntries_LineEnds(t *testing.T) {
	want := "1 http://example.com/1\n2 http://example.com/2\n4 http://example.com/3\n"
	for _, end := range []string{"\n", "\r\n", "\r"} {
		doc := "http://example.com/1" + end + "http://example.com/2" + end + end +
			"http://example.com/3"
		for _, doc := range []string{doc, doc + end} {
			if got, err := read(doc); got != want || err != nil {
				t.Errorf("%q: %q, %v", doc, got, err)
			}
		}
	}
	long := "http://example.com/" + strings.Repeat("x", 1000)
	got, err := read(long + "\r" + long + "\n" + long + "\r\n" + long)
	if want := "1 " + long + "\n2 " + long + "\n3 " + long + "\n4 " + long + "\n"; got != want ||
		err != nil {
		t.Errorf("lines of 1,019 bytes: %q, %v", got, err)
	}
}

// Lines have the same positions whether they are read in blocks or one by one.
func TestEntries_Positions(t *testing.T) {
	var doc, want strings.Builder
	offset := 0
	for i := range 500 {
		loc, end := fmt.Sprintf("http://example.com/%0*d", i, i), "\n"
		switch {
		case i%70 == 3:
			doc.WriteString("# a comment\n")
			offset += len("# a comment\n")
		case i%3 == 0:
			end = "\r\n"
		}
		fmt.Fprintf(&want, "%d:%d %s\n", 1+strings.Count(doc.String(), "\n"), offset, loc)
		doc.WriteString(loc + end)
		offset += len(loc + end)
	}
	var got strings.Builder
	for e, err := range text.Entries(strings.NewReader(doc.String()), nil) {
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&got, "%d:%d %s\n", e.Pos.Line, e.Pos.Offset, e.Loc)
	}
	if got.String() != want.String() {
		t.Errorf("got %.300q..., want %.300q...", got.String(), want.String())
	}
}

// Text whose URLs are all dropped is a sitemap without entries.
func TestEntries_NoURLs(t *testing.T) {
	for doc, want := range map[string]error{"ftp://example.com/a\n": nil,
		"# c\nmailto:a@example.com\n": sitemap.ErrNoURLs, "not found": sitemap.ErrNoURLs} {
		if _, err := read(doc); !errors.Is(err, want) || (err == nil) != (want == nil) {
			t.Errorf("%q: %v, want %v", doc, err, want)
		}
	}
}

// Without a base, a host without a scheme is one of https.
func TestEntries_NoScheme(t *testing.T) {
	got, err := read("www.example.com/a\n'example.com/b'\n/c\n")
	want := "1 scheme_assumed false\n1 https://www.example.com/a\n" +
		"2 scheme_assumed false\n2 junk_line false\n2 https://example.com/b\n3 junk_line false\n"
	if got != want || err != nil {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}
