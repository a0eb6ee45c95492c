package input

import (
	"bufio"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"golang.org/x/text/encoding/charmap"
)

// transcode reads s through the choice's decoder. The Gunzip before it hides pauses.
func transcode(t testing.TB, s string, choice charsetChoice,
	wrap func(io.Reader) io.Reader) string {
	t.Helper()
	out, err := io.ReadAll(decoder(newGunzip(wrap(strings.NewReader(s[choice.bom:]))), choice))
	if err != nil {
		t.Errorf("err = %v", err)
	}
	return string(out)
}

// late returns a decoder of src that starts with this much ASCII.
func late(src io.Reader, ascii, contentType string) *lateDecoder {
	labels := declaredLabels([]byte(ascii), contentType)
	return &lateDecoder{buf: bufio.NewReaderSize(src, lateWindow), labels: labels,
		choice: sniffCharset([]byte(ascii), false, labels)}
}

// A charset that is declared for ASCII is assumed until other bytes refute it.
func TestDecoder_Late(t *testing.T) {
	ascii := document(20 << 10)
	ascii = ascii[strings.Index(ascii, "<urlset"):]
	for _, c := range []struct {
		name, in, want string
		refuted        bool
	}{
		{"ASCII", ascii, ascii, false},
		{"as declared", ascii + "caf\xe9" + ascii, ascii + "café" + ascii, false},
		{"UTF-8", ascii + "café" + ascii, ascii + "café" + ascii, true},
		{"UTF-8 at the end", ascii + "é", ascii + "é", true},
		{"cut at the end", ascii + "\xc3", ascii + "Ã", false},
		{"cut at the window's end", ascii + strings.Repeat("é", lateWindow), ascii +
			strings.Repeat("é", lateWindow), true},
		{"cut at the window's end, odd", ascii + "é" + "a" + strings.Repeat("é", lateWindow),
			ascii + "é" + "a" + strings.Repeat("é", lateWindow), true},
	} {
		for _, r := range readers {
			t.Run(c.name+"/"+r.name, func(t *testing.T) {
				d := late(newGunzip(r.wrap(strings.NewReader(c.in))), ascii[:1000],
					"text/xml; charset=ISO-8859-1")
				if d.choice.name != "windows-1252" || d.choice.fallback || !d.choice.late {
					t.Fatalf("choice = %+v", d.choice)
				}
				got, err := io.ReadAll(d)
				if string(got) != c.want || err != nil {
					t.Errorf("read %d bytes, %v; want %d", len(got), err, len(c.want))
				}
				if d.choice.fallback != c.refuted || c.refuted && d.choice.refused != "ISO-8859-1" {
					t.Errorf("choice = %+v; want it refuted: %t", d.choice, c.refuted)
				}
			})
		}
	}
}

// The error of the source is returned after all bytes that preceded it.
func TestDecoder_Errors(t *testing.T) {
	text := strings.Repeat("<loc>é</loc>", 2000)
	for _, c := range []struct {
		choice charsetChoice
		in     string
	}{
		{charsetChoice{name: "utf-16le", encoding: le16}, in(t, le16, text)},
		{charsetChoice{name: "windows-1252", encoding: charmap.Windows1252},
			in(t, charmap.Windows1252, text)},
	} {
		d := decoder(io.MultiReader(strings.NewReader(c.in), iotest.ErrReader(io.ErrUnexpectedEOF)),
			c.choice)
		got, err := io.ReadAll(d)
		if string(got) != text || err != io.ErrUnexpectedEOF {
			t.Errorf("%s: read %d bytes, %v; want %d, %v", c.choice.name, len(got), err, len(text),
				io.ErrUnexpectedEOF)
		}
	}
}

// The error of the source is returned after all bytes that preceded it, also before a decision.
func TestDecoder_LateError(t *testing.T) {
	for _, text := range []string{"<loc>", "<loc>é</loc>"} {
		d := late(io.MultiReader(strings.NewReader(in(t, charmap.Windows1252, text)),
			iotest.ErrReader(io.ErrUnexpectedEOF)), "<loc>", "text/xml; charset=ISO-8859-1")
		got, err := io.ReadAll(d)
		if string(got) != text || err != io.ErrUnexpectedEOF {
			t.Errorf("read %q, %v; want %q, %v", got, err, text, io.ErrUnexpectedEOF)
		}
	}
}

// without returns the characters of b other than U+FFFD.
func without(b []byte) string {
	return strings.ReplaceAll(strings.ToValidUTF8(string(b), ""), "\ufffd", "")
}

// Bytes that are invalid in a charset are reported, and their neighbors are unharmed.
func TestDecoder_Invalid(t *testing.T) {
	for label, c := range map[string]struct{ in, want string }{
		"gbk": {"a\x81<b", "a\x81<b"}, "gb18030": {"a\xff<\x841\xa47", "a\xff<\ufffd"},
		"shift_jis": {"a\x81<\x82\xa0", "a\x81<あ"},
		"euc-jp":    {"a\x81<", "a\x81<"}, "big5": {"a\x81<\xa4\x40", "a\x81<一"},
		"euc-kr": {"\x81\xff<", "\x81\xff<"}, "windows-1253": {"\xd2\x9a", "\xff\x9a"},
		"iso-8859-8":   {"\xd7\x97", "\xff\x97"},
		"windows-1251": {"\x98\xe9", "\x98й"}, "windows-1252": {"\x81\xe9", "\x81é"},
		"iso-8859-2":  {"\xb1", "ą"},
		"iso-2022-jp": {"a\x1b$BF|\x80\xff\x1b(B\x1b(Xb", "a日\xff\xff\xff(Xb"},
		"csiso2022jp": {"\x1b$BF|\x1b(Ba\x1b$BF|\nb", "日a日\nb"},
		"utf-16be":    {"\x00<\xd8\x00\x00z", "<\xffz"},
		"utf-32le":    {"<\x00\x00\x00\x00\x11\x22\x33", "<\xff"},
	} {
		choice, ok := lookup(label)
		if got := transcode(t, c.in, choice, func(r io.Reader) io.Reader { return r }); !ok ||
			got != c.want {
			t.Errorf("%s: %q is read as %q, want %q", label, c.in, got, c.want)
		}
	}
}

// A label of ASCII is refuted by any other byte, however late it is.
func TestDecoder_LateASCII(t *testing.T) {
	ascii := strings.Repeat("<url></url>\n", 10_000)
	d := late(strings.NewReader(ascii+"caf\xe9"), ascii[:1000], "text/xml; charset=us-ascii")
	got, err := io.ReadAll(d)
	if string(got) != ascii+"café" || err != nil || !d.choice.fallback {
		t.Errorf("read %d bytes, %v, %+v", len(got), err, d.choice)
	}
}
