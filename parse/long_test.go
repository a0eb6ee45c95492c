package parse_test

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/input"
	"github.com/seed-322c453a/sitemap/internal/testkit/gen/gendoc"
	"github.com/seed-322c453a/sitemap/parse"
)

func TestEntries_Limits(t *testing.T) {
	doc := gendoc.Bytes(gendoc.URLSet, 100)
	n := 0
	var last error
	for _, err := range parse.Entries(bytes.NewReader(doc),
		&sitemap.Options{Limits: sitemap.Limits{Entries: 60}}) {
		if last = err; err == nil {
			n++
		}
	}
	if n != 60 || !errors.Is(last, sitemap.ErrTooManyEntries) {
		t.Errorf("%d entries, then %v; want 60", n, last)
	}
	n = 0
	for _, err := range parse.Entries(bytes.NewReader(doc),
		&sitemap.Options{Limits: sitemap.Limits{Bytes: int64(len(doc) / 2)}}) {
		if last = err; err == nil {
			n++
		}
	}
	if n < 40 || n > 60 || !errors.Is(last, sitemap.ErrTooLarge) {
		t.Errorf("%d entries of half the document, then %v", n, last)
	}
}

// Texts are longer than the part of them that is kept.
func TestEntries_Long(t *testing.T) {
	space := strings.Repeat(" ", 65_520)
	for _, test := range []struct{ name, entry, want, codes string }{
		{"space before a loc", "<url><loc>" + space + "http://a.example/long-name</loc></url>",
			"long-name c", ""},
		{"space around a loc", "<url><loc>" + space + "http://a.example/long-name" + space + space +
			"</loc></url>", "long-name c", ""},
		{"space in a loc", "<url><loc>http://a.example/b" + space + space + "b</loc></url>", "c",
			"loc_too_long"},
		{"a loc", "<url><loc>http://a.example/" + strings.Repeat("x", 70_000) + "</loc></url>", "c",
			"loc_too_long"},
		{"bare text", "<url>http://a.example/" + strings.Repeat("x", 3000) + "<!-- -->" +
			strings.Repeat("y", 3000) + "</url>", "c", "loc_too_long"},
		{"an instruction", "<?x <url><loc>http://a.example/hidden</loc></url> ?>", "c", ""},
		{"a long instruction with entries", "<?x " +
			strings.Repeat("<url><loc>http://a.example/hidden</loc></url>", 1_000) + "?>", "c", ""},
		{"a long instruction", "<?x " + strings.Repeat("c", 5_000) + "?>", "c", ""},
		{"a long instruction in a loc", "<url><loc>http://a.example/<?x " +
			strings.Repeat("c>", 5_000) + "?>b</loc></url>", "b c", ""},
		{"many open instructions", "<url>" + strings.Repeat("<?x ", 5_000) +
			"<loc>http://a.example/b</loc></url>", "b c", strings.Repeat("mismatched_tag ", 4_999) +
			"mismatched_tag"},
		{"an undeclared prefix of an attribute",
			"<url s:a='1' xml:lang='de'><loc s:b='2'>http://a.example/b</loc></url>", "b c",
			"undeclared_prefix"},
		{"a declared prefix of an attribute",
			"<url xmlns:s='urn:s' s:a='1'><loc s:b='http://b.example/'>http://a.example/b</loc></url>", "b c", ""},
		{"an undeclared prefix", "<s:url><s:loc>http://a.example/b</s:loc></s:url>", "b c",
			"undeclared_prefix"},
		{"bare text beside elements", "<url>http://a.example/b <lastmod>2024</lastmod> junk</url>",
			"b c", "stray_text text_as_loc"},
		{"a section as bare text", "<url><![CDATA[http://a.example/b?x=1&amp;y=2]]></url>",
			"b?x=1&amp;y=2 c", "text_as_loc double_escaped"},
	} {
		got, codes, err := locs(strings.NewReader(head + test.entry +
			"<url><loc>http://a.example/c</loc></url>" + foot))
		if got != test.want || codes != test.codes || err != nil {
			t.Errorf("%s: %.80q, %q, %v; want %q, %q", test.name, got, codes, err, test.want,
				test.codes)
		}
	}
}

// The prolog is longer than a window.
func TestEntries_LongProlog(t *testing.T) {
	const root = "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'"
	times := func(s string) string {
		return strings.Repeat(s, (input.MaxWindow+input.MaxWindow/2)/len(s))
	}
	for _, test := range []struct{ name, before, root, codes string }{
		{"blanks", times("\n"), root, ""},
		{"blanks before the declaration", times(" \n") + "<?xml version='1.0'?>", root,
			"leading_whitespace"},
		{"comments", "<?xml version='1.0'?>" + times("<!-- about this document -->\n"), root, ""},
		{"comments before the declaration", times("<!-- c -->") + "<?xml version='1.0'?>", root,
			"mismatched_tag"},
		{"instructions", "<?xml version='1.0'?>" + times("<?about this document?>"), root, ""},
		{"a DOCTYPE before blanks", "<!DOCTYPE urlset>" + times("\t"), root, "doctype"},
		{"a comment of half a window at the window's end, with a declaration in it",
			"<?xml version='1.0'?>" + times("<!-- c -->") +
				"<!--<?xml version='1.0'?><!DOCTYPE html><html>" +
				strings.Repeat("x", input.MaxWindow/3) + "-->", root, ""},
		{"a comment of more than a window, with a document in it",
			"<?xml version='1.0'?><!--" + times(root+"><url><loc>http://a.example/no</loc></url>") +
				"-->", root, ""},
		{"an instruction of half a window, with a document in it", "<?xml version='1.0'?><?x " + root +
			">" + strings.Repeat("<url><loc>http://a.example/no</loc></url>", 10_000) + "?>", root, ""},
		{"an instruction of more than a window", "<?xml version='1.0'?><?x " + times("y") + "?>",
			root, ""},
		{"a root", "", root + " a='" + times("x") + "'", "mismatched_tag stray_text"},
		{"a root of many attributes", "", root + times(" b='y'"), "mismatched_tag stray_text"},
	} {
		doc := test.before + test.root + "><url><loc>http://a.example/a</loc></url>" + foot
		for name, r := range map[string]io.Reader{"whole": strings.NewReader(doc),
			"in halves": iotest.HalfReader(strings.NewReader(doc))} {
			got, codes, err := locs(r)
			if got != "a" || codes != test.codes || err != nil {
				t.Errorf("%s, %s: %q, %q, %v; want %q", test.name, name, got, codes, err,
					test.codes)
			}
		}
	}
	got, codes, err := locs(strings.NewReader(times("\n") + "http://a.example/a\n"))
	if got != "a" || codes != "" || err != nil {
		t.Errorf("text: %q, %q, %v", got, codes, err)
	}
	for doc, want := range map[string]error{
		"<?xml version='1.0'?>" + times("\n"): sitemap.ErrTruncated,
		// nothing closes the comment
		"<?xml version='1.0'?><!--<?xml version='1.0'?>" + times("x"): sitemap.ErrTruncated,
	} {
		if got, _, err := locs(strings.NewReader(doc)); got != "" || !errors.Is(err, want) {
			t.Errorf("%.50q...: %q, %v; want %v", doc, got, err, want)
		}
	}
	if got, _, err := locs(strings.NewReader(times("\n"))); got != "" ||
		!errors.Is(err, sitemap.ErrEmpty) {
		t.Errorf("blanks alone: %q, %v", got, err)
	}
}

// A comment, section or instruction of more than 512 KiB is skipped up to its end. If the document
// ends first, the rest of it is lost.
func TestEntries_LongMarkup(t *testing.T) {
	const (
		url  = "<url><loc>http://a.example/no</loc></url>\n"
		a, b = "<url><loc>http://a.example/a</loc></url>", "<url><loc>http://a.example/b</loc></url>"
	)
	wraps := map[string]func(io.Reader) io.Reader{
		"whole": func(r io.Reader) io.Reader { return r }, "in halves": iotest.HalfReader}
	var doc bytes.Buffer
	for _, size := range []int{input.MaxWindow / 2, input.MaxWindow, 3 * input.MaxWindow} {
		urls := strings.Repeat(url, size/len(url)+1)
		for _, test := range []struct{ name, before, open, close, after, codes string }{
			{"comment", "", "<!--", "-->", "", ""},
			{"comment in a comment", "", "<!--<!--", "-->", "", ""},
			{"section", "<url><loc>http://a.example/s</loc><x:y xmlns:x='urn:x'>", "<![CDATA[", "]]>",
				"</x:y></url>", "bad_extension"},
			{"section in a section", "<url><loc>http://a.example/s</loc><x:y xmlns:x='urn:x'>",
				"<![CDATA[<![CDATA[", "]]>", "</x:y></url>", "bad_extension"},
			{"location", "<url><loc>http://a.example/", "<![CDATA[", "]]>", "</loc></url>",
				"loc_too_long"},
		} {
			entry := ""
			if strings.Contains(test.before, "/s<") {
				entry = "s "
			}
			doc.Reset()
			doc.WriteString(head + a + test.before + test.open)
			doc.WriteString(urls)
			open := doc.Len()
			doc.WriteString(test.close + test.after + b + foot)
			for name, wrap := range wraps {
				got, codes, err := locs(wrap(bytes.NewReader(doc.Bytes())))
				if got != "a "+entry+"b" || codes != test.codes || err != nil {
					t.Errorf("%s of %d bytes, %s: %.80q, %q, %v", test.name, size, name, got, codes,
						err)
				}
			}
			doc.Truncate(open)
			doc.WriteString(foot)
			for name, wrap := range wraps {
				got, codes, err := locs(wrap(bytes.NewReader(doc.Bytes())))
				if got != "a" && got != "a s" || !errors.Is(err, sitemap.ErrTruncated) {
					t.Errorf("open %s of %d bytes, %s: %.80q, %q, %v", test.name, size, name, got,
						codes, err)
				}
			}
		}
	}
	instruction := "<?x " + strings.Repeat("y>", input.MaxWindow)
	if got, codes, err := locs(strings.NewReader(head + a + instruction + "?>" + b +
		foot)); got != "a b" || codes != "" || err != nil {
		t.Errorf("instruction: %.80q, %q, %v", got, codes, err)
	}
	if got, _, err := locs(strings.NewReader(head + a + instruction)); got != "a" ||
		!errors.Is(err, sitemap.ErrTruncated) {
		t.Errorf("open instruction: %.80q, %v", got, err)
	}
}

// Junk follows the root; 64 KiB of it are read.
func TestEntries_Tail(t *testing.T) {
	for blanks, want := range map[int]string{0: "junk_after_root", 60_000: "junk_after_root",
		70_000: "", 200_000: ""} {
		got, codes, err := locs(strings.NewReader(head +
			"<url><loc>http://a.example/a</loc></url>" + foot + strings.Repeat(" ", blanks) +
			"junk"))
		if got != "a" || codes != want || err != nil {
			t.Errorf("%d blanks: %q, %q, %v", blanks, got, codes, err)
		}
	}
}

func TestEntries_Allocations(t *testing.T) {
	for kind, want := range map[string]float64{gendoc.URLSet: 1, gendoc.CRLF: 1, gendoc.Prefixed: 1,
		gendoc.CDATA: 1, gendoc.Index: 1, gendoc.Text: 1} {
		const n = 5_000
		doc := gendoc.Bytes(kind, n)
		got := testing.AllocsPerRun(3, func() {
			for range parse.Entries(bytes.NewReader(doc), nil) {
			}
		})
		if got > want*n+n/10 {
			t.Errorf("%s: %.0f allocations for %d entries, want %.0f an entry", kind, got, n, want)
		}
	}
}

// Long documents are written while they are read, and the live memory is measured meanwhile.
func TestEntries_Memory(t *testing.T) {
	for _, kind := range []string{gendoc.URLSet, gendoc.Text, gendoc.Extensions, gendoc.RSS} {
		n := map[string]int{gendoc.URLSet: 50_000, gendoc.Text: 50_000, gendoc.Extensions: 12_000,
			gendoc.RSS: 8_000}[kind]
		r, w := io.Pipe()
		go func() { w.CloseWithError(gendoc.Write(w, kind, n, 1)) }()
		var least, most uint64
		read := 0
		for _, err := range parse.Entries(r,
			&sitemap.Options{Limits: sitemap.Limits{Bytes: -1, Entries: -1}}) {
			if err != nil {
				t.Fatal(err)
			}
			if read++; read%(n/8) == 0 {
				runtime.GC()
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				if least == 0 || m.HeapAlloc < least {
					least = m.HeapAlloc
				}
				most = max(most, m.HeapAlloc)
			}
		}
		if read != n || most-least > 1<<20 {
			t.Errorf("%s: %d of %d entries; between %d and %d bytes are live", kind, read, n, least,
				most)
		}
	}
}
