package input

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
)

// transcode reads s through the choice's decoder, if it needs one. The Gunzip before it hides
// pauses.
func transcode(t testing.TB, s string, choice charsetChoice,
	wrap func(io.Reader) io.Reader) string {
	t.Helper()
	if choice.encoding == nil {
		return s[choice.bom:]
	}
	out, err := io.ReadAll(decoder(newGunzip(wrap(strings.NewReader(s))), choice))
	if err != nil {
		t.Errorf("err = %v", err)
	}
	return string(out)
}

// A charset that is declared for ASCII is assumed until other bytes refute it.
func TestDecoder_Late(t *testing.T) {
	ascii := document(20 << 10)
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
				choice := sniffCharset([]byte(ascii[:1000]), false, "text/xml; charset=ISO-8859-1")
				if choice.name != "windows-1252" || choice.fallback || !choice.late {
					t.Fatalf("choice = %+v", choice)
				}
				d := decoder(newGunzip(r.wrap(strings.NewReader(c.in))), choice)
				got, err := io.ReadAll(d)
				if string(got) != c.want || err != nil {
					t.Errorf("read %d bytes, %v; want %d", len(got), err, len(c.want))
				}
				label, _, refuted := d.(*lateDecoder).Refuted()
				if refuted != c.refuted || label != "ISO-8859-1" {
					t.Errorf("Refuted() = %q, %t; want %t", label, refuted, c.refuted)
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
		{charsetChoice{name: "windows-1252", encoding: charmap.Windows1252, late: true},
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
		"iso-2022-jp": {"a\x1b$BF|\x80\xff\x1b(B\x1b(Xb", "a日\x80\xff\xff(Xb"},
		"csiso2022jp": {"\x1b$BF|F\x1b(Ba\x1b$BF|\nb", "日\xffa日\nb"},
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

// A missing escape sequence back to ASCII in ISO-2022-JP is detected, but text stays text.
func TestDecoder_JISFindsBack(t *testing.T) {
	choice, _ := lookup("iso-2022-jp")
	for _, c := range []struct{ in, want string }{
		{"<a>\x1b$BF|K\\</a><b>x</b>", "<a>日本\xff</a><b>x</b>"},
		{"<a>\x1b$BF|K\\F</image:title><b>x</b>", "<a>日本\xffF</image:title><b>x</b>"},
		{"<a><![CDATA[\x1b$BF|K\\]]></a><b>x</b>", "<a><![CDATA[日本\xff]]></a><b>x</b>"},
		{"<a><![CDATA[\x1b(I1]]></a>", "<a><![CDATA[ｱ\xff]]></a>"},
		{"\x1b(I1<a>", "ｱｼ\xffa>"},
		{"\x1b$B<hC<<V>&\x1b(B", "取端車商"},
	} {
		for _, wrap := range []func(io.Reader) io.Reader{func(r io.Reader) io.Reader { return r },
			iotest.OneByteReader} {
			if got := transcode(t, c.in, choice, wrap); got != c.want {
				t.Errorf("%q is read as %q, want %q", c.in, got, c.want)
			}
		}
	}
	var text strings.Builder
	for lead := rune(0x4e00); lead < 0xa000; lead++ {
		if s, err := japanese.ISO2022JP.NewEncoder().String(string(lead)); err == nil &&
			len(s) > 1 {
			text.WriteRune(lead)
		}
	}
	if got := transcode(t, in(t, japanese.ISO2022JP, text.String()), choice,
		iotest.HalfReader); got != text.String() {
		t.Error("kanji are not read as what they are")
	}
}

// A label of ASCII is refuted by any other byte, however late it comes.
func TestDecoder_LateASCII(t *testing.T) {
	ascii := strings.Repeat("<url></url>\n", 10_000)
	choice := sniffCharset([]byte(ascii[:1000]), false, "text/xml; charset=us-ascii")
	d := decoder(strings.NewReader(ascii+"caf\xe9"), choice)
	got, err := io.ReadAll(d)
	if string(got) != ascii+"caf\xe9" || err != nil {
		t.Errorf("read %d bytes, %v", len(got), err)
	}
	if late, ok := d.(*lateDecoder); !ok || !late.refuted {
		t.Errorf("%+v is not refuted", choice)
	}
}
