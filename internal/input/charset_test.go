package input

import (
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
	"golang.org/x/text/transform"

	"github.com/seed-322c453a/sitemap"
)

// in encodes s.
func in(t testing.TB, e encoding.Encoding, s string) string {
	t.Helper()
	out, err := e.NewEncoder().String(s)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

var (
	le16 = unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	be16 = unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	le32 = utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM)
	be32 = utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM)
)

type charsetCase struct {
	name        string
	in          string
	contentType string
	more        bool // in is the start of a longer document
	want        string
	text        string // in as UTF-8
	fallback    bool
	refused     string
}

func charsetCases(t testing.TB) []charsetCase {
	const (
		cafe  = "<loc>http://example.com/café</loc>"
		ascii = "<loc>http://example.com/plain</loc>"
		maps  = "<loc>http://example.com/地図マップ</loc>"
		card  = "<loc>http://example.com/карта</loc>"
	)
	decl := func(label string) string { return `<?xml version="1.0" encoding="` + label + `"?>` }
	w1252, w1251 := in(t, charmap.Windows1252, cafe), in(t, charmap.Windows1251, card)
	return []charsetCase{
		{name: "empty", want: "utf-8"},
		{name: "ASCII", in: ascii, want: "utf-8", text: ascii},
		{name: "UTF-8", in: cafe, want: "utf-8", text: cafe},
		{name: "UTF-8 cut at the end of the prefix", in: "caf\xc3", more: true, want: "utf-8", text: "caf\xc3"},
		{name: "UTF-8 cut at the end", in: "caf\xc3", want: "windows-1252", text: "cafÃ", fallback: true},
		{name: "not UTF-8", in: w1252, want: "windows-1252", text: cafe, fallback: true},

		// Byte order marks.
		{name: "UTF-8 mark", in: "\ufeff" + cafe, want: "utf-8", text: cafe},
		{name: "UTF-8 mark only", in: "\ufeff", want: "utf-8"},
		{name: "UTF-16LE mark", in: in(t, le16, "\ufeff"+maps), want: "utf-16le", text: maps},
		{name: "UTF-16BE mark", in: in(t, be16, "\ufeff"+maps), want: "utf-16be", text: maps},
		{name: "UTF-32LE mark", in: in(t, le32, "\ufeff"+maps), want: "utf-32le", text: maps},
		{name: "UTF-32BE mark", in: in(t, be32, "\ufeff"+maps), want: "utf-32be", text: maps},
		{name: "UTF-16 mark only", in: "\xff\xfe", want: "utf-16le"},
		{name: "UTF-16 mark and declaration", in: in(t, be16, "\ufeff"+decl("UTF-16")+maps), want: "utf-16be", text: decl("UTF-16") + maps},
		{name: "UTF-16 mark and content type", in: in(t, be16, "\ufeff"+maps), contentType: "text/xml; charset=utf-16", want: "utf-16be", text: maps},
		{name: "UTF-32 mark and declaration", in: in(t, be32, "\ufeff"+decl("UTF-32")+maps), want: "utf-32be", text: decl("UTF-32") + maps},
		{name: "UTF-16 mark against declaration", in: in(t, le16, "\ufeff"+decl("UTF-8")+maps), want: "utf-16le", text: decl("UTF-8") + maps, fallback: true, refused: "UTF-8"},
		{name: "UTF-8 mark against content type", in: "\ufeff" + cafe, contentType: "text/xml; charset=ISO-8859-1", want: "utf-8", text: cafe, fallback: true, refused: "ISO-8859-1"},
		{name: "UTF-8 mark against declaration", in: "\ufeff" + decl("utf-16") + cafe, want: "utf-8", text: decl("utf-16") + cafe, fallback: true, refused: "utf-16"},
		{name: "UTF-16 odd byte at the end", in: in(t, le16, "\ufeff"+ascii) + "<", want: "utf-16le", text: ascii + "\xff"},
		{name: "UTF-16 lone surrogate", in: in(t, le16, "\ufeff<a>") + "\x00\xd8" + in(t, le16, "</a>"), want: "utf-16le", text: "<a>\xff</a>"},
		{name: "UTF-16 U+FFFD", in: in(t, le16, "\ufeff<a>\ufffd</a>"), want: "utf-16le", text: "<a>\ufffd</a>"},
		{name: "UTF-16LE, not all ASCII", in: in(t, le16, "# é\nhttp://example.com/"), want: "utf-16le", text: "# é\nhttp://example.com/"},

		// NULs tell UTF-16 and UTF-32 without a mark.
		{name: "UTF-16LE", in: in(t, le16, maps), want: "utf-16le", text: maps},
		{name: "UTF-16BE", in: in(t, be16, maps), want: "utf-16be", text: maps},
		{name: "UTF-32LE", in: in(t, le32, maps), want: "utf-32le", text: maps},
		{name: "UTF-32BE", in: in(t, be32, maps), want: "utf-32be", text: maps},
		{name: "UTF-16LE after white space", in: in(t, le16, "\r\n "+maps), want: "utf-16le", text: "\r\n " + maps},
		{name: "UTF-16LE text", in: in(t, le16, "http://example.com/é\n"), want: "utf-16le", text: "http://example.com/é\n"},
		{name: "UTF-16BE declared", in: in(t, be16, decl("utf-16")+maps), want: "utf-16be", text: decl("utf-16") + maps},
		{name: "UTF-16BE declared as UTF-8", in: in(t, be16, decl("utf-8")+maps), want: "utf-16be", text: decl("utf-8") + maps, fallback: true, refused: "utf-8"},
		{name: "NULs in UTF-8", in: "<\x00l\x00oc>", want: "utf-8", text: "<\x00l\x00oc>"},
		{name: "an MP4 file", in: "\x00\x00\x00\x18ftyp", want: "utf-8", text: "\x00\x00\x00\x18ftyp"},

		// Content type.
		{name: "content type", in: w1251, contentType: "application/xml; charset=windows-1251", want: "windows-1251", text: card},
		{name: "content type, quoted", in: in(t, japanese.ShiftJIS, maps), contentType: `text/xml;charset="Shift_JIS"`, want: "shift_jis", text: maps},
		{name: "content type, bad parameters", in: w1251, contentType: "text/xml; foo; charset = 'CP1251' ; charset=utf-8", want: "windows-1251", text: card},
		{name: "content type, no charset", in: cafe, contentType: "text/xml", want: "utf-8", text: cafe},
		{name: "content type, empty charset", in: cafe, contentType: "text/xml; charset=", want: "utf-8", text: cafe},
		{name: "content type of a single byte, UTF-8", in: decl("UTF-8") + cafe, contentType: "text/xml; charset=ISO-8859-1", want: "utf-8", text: decl("UTF-8") + cafe, fallback: true, refused: "ISO-8859-1"},
		{name: "content type unknown", in: decl("UTF-8") + cafe, contentType: "text/xml; charset=bogus", want: "utf-8", text: decl("UTF-8") + cafe, fallback: true, refused: "bogus"},
		{name: "content type unknown, declared", in: decl("windows-1251") + w1251, contentType: "text/xml; charset=bogus", want: "windows-1251", text: decl("windows-1251") + card, fallback: true, refused: "bogus"},
		{name: "content type before declaration", in: decl("ISO-8859-5") + w1251, contentType: "text/xml; charset=windows-1251", want: "windows-1251", text: decl("ISO-8859-5") + card},
		{name: "content type UTF-8, bytes not", in: w1252, contentType: "text/xml; charset=utf-8", want: "utf-8", text: w1252},
		{name: "content type UTF-8, bytes as declared", in: decl("windows-1251") + w1251, contentType: "text/xml; charset=utf-8", want: "windows-1251", text: decl("windows-1251") + card, fallback: true, refused: "utf-8"},
		{name: "content type UTF-16, ASCII", in: ascii, contentType: "text/xml; charset=utf-16", want: "utf-8", text: ascii, fallback: true, refused: "utf-16"},

		// XML declaration.
		{name: "declared", in: decl("ISO-8859-1") + w1252, want: "windows-1252", text: decl("ISO-8859-1") + cafe},
		{name: "declared UTF-8, bytes not", in: decl("UTF-8") + w1252, want: "utf-8", text: decl("UTF-8") + w1252},
		{name: "declared US-ASCII", in: decl("US-ASCII") + w1252, want: "windows-1252", text: decl("US-ASCII") + cafe, fallback: true, refused: "US-ASCII"},
		{name: "declared US-ASCII, UTF-8", in: decl("ascii") + cafe, want: "utf-8", text: decl("ascii") + cafe, fallback: true, refused: "ascii"},
		{name: "declared unknown", in: decl("x-fake") + ascii, want: "utf-8", text: decl("x-fake") + ascii, fallback: true, refused: "x-fake"},
		{name: "declared unknown, not UTF-8", in: decl("X-Fake") + w1252, want: "windows-1252", text: decl("X-Fake") + cafe, fallback: true, refused: "X-Fake"},
		{name: "declared empty", in: decl("") + cafe, want: "utf-8", text: decl("") + cafe, fallback: true},
		{name: "declared replacement", in: decl("ISO-2022-KR") + cafe, want: "utf-8", text: decl("ISO-2022-KR") + cafe, fallback: true, refused: "ISO-2022-KR"},
		{name: "declared UTF-16, UTF-8", in: decl("utf-16") + cafe, want: "utf-8", text: decl("utf-16") + cafe, fallback: true, refused: "utf-16"},
		{name: "declared UTF-16, not even UTF-8", in: decl("utf-16") + w1252, want: "windows-1252", text: decl("utf-16") + cafe, fallback: true, refused: "utf-16"},
		{name: "declared UTF-32, UTF-8", in: decl("UTF-32") + cafe, want: "utf-8", text: decl("UTF-32") + cafe, fallback: true, refused: "UTF-32"},
		{name: "declared a single byte, UTF-8", in: decl("windows-1250") + cafe, want: "utf-8", text: decl("windows-1250") + cafe, fallback: true, refused: "windows-1250"},
		{name: "declared two bytes, UTF-8", in: decl("GBK") + maps, want: "utf-8", text: decl("GBK") + maps, fallback: true, refused: "GBK"},
		{name: "declared two bytes, UTF-8 by accident", in: decl("GBK") + in(t, simplifiedchinese.GBK, "联通"), want: "gbk", text: decl("GBK") + "联通"},
		{name: "declared in 7 bits", in: in(t, japanese.ISO2022JP, decl("ISO-2022-JP")+maps), want: "iso-2022-jp", text: decl("ISO-2022-JP") + maps},
		{name: "declared in lower case and apostrophes", in: "<?xml version='1.0' encoding='utf8'?>" + cafe, want: "utf-8", text: "<?xml version='1.0' encoding='utf8'?>" + cafe},
		{name: "declared behind junk", in: "Warning\n" + decl("windows-1251") + w1251, want: "windows-1251", text: "Warning\n" + decl("windows-1251") + card},
		{name: "ASCII so far", in: decl("ISO-8859-1") + ascii, more: true, want: "windows-1252", text: decl("ISO-8859-1") + ascii},
	}
}

func TestSniffCharset(t *testing.T) {
	for _, c := range charsetCases(t) {
		t.Run(c.name, func(t *testing.T) {
			got := sniffCharset([]byte(c.in), !c.more, c.contentType)
			if got.name != c.want || got.fallback != c.fallback || got.refused != c.refused {
				t.Errorf("%s, fallback %t, refused %q; want %s, %t, %q",
					got.name, got.fallback, got.refused, c.want, c.fallback, c.refused)
			}
			if (got.encoding == nil) != (got.name == "utf-8") {
				t.Errorf("encoding = %v for %s", got.encoding, got.name)
			}
			for _, r := range readers {
				if text := transcode(t, c.in, got, r.wrap); text != c.text {
					t.Errorf("%s: %q, want %q", r.name, text, c.text)
				}
			}
		})
	}
}

// transcode reads s through the choice's decoder, if it needs one. The gunzip
// before it keeps pauses away.
func transcode(t testing.TB, s string, choice charsetChoice, wrap func(io.Reader) io.Reader) string {
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

// Every label of the WHATWG Encoding standard is known, but for the encodings that
// it replaces.
func TestLookup(t *testing.T) {
	for label, want := range map[string]string{
		"UTF8": "utf-8", " utf-8 ": "utf-8", "unicode-1-1-utf-8": "utf-8", "cp866": "ibm866",
		"latin2": "iso-8859-2", "ISO-8859-8-I": "iso-8859-8-i", "koi8-ru": "koi8-u", "mac": "macintosh",
		"TIS-620": "windows-874", "cp1250": "windows-1250", "x-cp1251": "windows-1251", "ASCII": "windows-1252",
		"latin5": "windows-1254", "x-mac-ukrainian": "x-mac-cyrillic", "gb2312": "gbk", "GB18030": "gb18030",
		"big5-hkscs": "big5", "x-euc-jp": "euc-jp", "csiso2022jp": "iso-2022-jp", "ms_kanji": "shift_jis",
		"ks_c_5601-1987": "euc-kr", "ucs-2": "utf-16le", "unicodefffe": "utf-16be", "x-user-defined": "x-user-defined",
		"utf-32": "utf-32le", "UTF-32BE": "utf-32be",
		"CP936": "gbk", "windows-936": "gbk", "ms949": "euc-kr", "cp949": "euc-kr", "cp932": "shift_jis", "CP950": "big5",
		"ISO8859_5": "iso-8859-5", "EUC_JP": "euc-jp", "utf_8": "utf-8", "utf_16": "utf-16le", "IBM437": "ibm437", "csPC850Multilingual": "cspc850multilingual",
		"IBM037": "", "cp": "", "_": "", "s-932": "", "949": "", "cp367": "", "ISO646-US": "", "csASCII": "", "us_ascii": "windows-1252",
		"hz-gb-2312": "", "iso-2022-kr": "", "iso-2022-cn": "", "replacement": "", "utf-7": "", "": "", "ebcdic": "",
	} {
		got, ok := lookup(label)
		if ok != (want != "") || ok && got.name != want {
			t.Errorf("lookup(%q) = %q, %t; want %q", label, got.name, ok, want)
		}
	}
}

func TestXMLEncoding(t *testing.T) {
	for _, c := range []struct {
		in, want string
		ok       bool
	}{
		{`<?xml version="1.0" encoding="UTF-8"?>`, "UTF-8", true},
		{`<?xml version='1.0' encoding='x'?>`, "x", true},
		{`<?XML VERSION="1.0" ENCODING="Big5"?>`, "Big5", true},
		{"<?xml\n\tversion = \"1.0\"\r\n encoding\t=\n\"x\" ?>", "x", true},
		{`<?xml encoding="x"?>`, "x", true},
		{`<?xml version="1.0"encoding="x"?>`, "x", true},
		{`<?xml version=1.0 encoding=x?>`, "x", true},
		{`<?xml version=1.0 encoding=x standalone=yes?>`, "x", true},
		{`<?xml version="1.0" encoding=" x "?>`, "x", true},
		{`<?xml version="1.0" encoding="x>`, "x", true},
		{`<?xml version="1.0" encoding="x" standalone="yes"?>`, "x", true},
		{`<?xml version="1.0" encoding=""?>`, "", true},
		{`<?xml version="1.0" encoding=?>`, "", true},
		{"\xe9\x00junk <?xml version=\"1.0\" encoding=\"x\"?>", "x", true},
		{`<?xml version="1.0"?>`, "", false},
		{`<?xml version="1.0"?><a encoding="x">`, "", false},
		{`<?xml version="1.0" myencoding="x"?>`, "", false},
		{`<?xml-stylesheet encoding="x"?>`, "", false},
		{`<?xmlencoding="x"?>`, "", false},
		{`<?xml version="1.0" encoding`, "", false},
		{`<?xml`, "", false},
		{`encoding="x"`, "", false},
		{``, "", false},
		{strings.Repeat(" ", declarationWindow) + `<?xml encoding="x"?>`, "", false},
	} {
		if got, ok := xmlEncoding([]byte(c.in)); got != c.want || ok != c.ok {
			t.Errorf("xmlEncoding(%q) = %q, %t; want %q, %t", c.in, got, ok, c.want, c.ok)
		}
	}
}

// A charset that is declared for ASCII is believed until other bytes refute it.
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
		{"cut at the window's end", ascii + strings.Repeat("é", lateWindow), ascii + strings.Repeat("é", lateWindow), true},
		{"cut at the window's end, odd", ascii + "é" + "a" + strings.Repeat("é", lateWindow), ascii + "é" + "a" + strings.Repeat("é", lateWindow), true},
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

// The end of the source comes through, with all that came before.
func TestDecoder_Errors(t *testing.T) {
	text := strings.Repeat("<loc>é</loc>", 2000)
	for _, c := range []struct {
		choice charsetChoice
		in     string
	}{
		{charsetChoice{name: "utf-16le", encoding: le16}, in(t, le16, text)},
		{charsetChoice{name: "windows-1252", encoding: charmap.Windows1252}, in(t, charmap.Windows1252, text)},
		{charsetChoice{name: "windows-1252", encoding: charmap.Windows1252, late: true}, in(t, charmap.Windows1252, text)},
	} {
		d := decoder(io.MultiReader(strings.NewReader(c.in), iotest.ErrReader(io.ErrUnexpectedEOF)), c.choice)
		got, err := io.ReadAll(d)
		if string(got) != text || err != io.ErrUnexpectedEOF {
			t.Errorf("%s: read %d bytes, %v; want %d, %v", c.choice.name, len(got), err, len(text), io.ErrUnexpectedEOF)
		}
	}
}

// without returns the characters of b other than U+FFFD.
func without(b []byte) string {
	return strings.ReplaceAll(strings.ToValidUTF8(string(b), ""), "\ufffd", "")
}

// What a charset does not have is known for that, with what stands around it unharmed.
func TestDecoder_Invalid(t *testing.T) {
	for label, c := range map[string]struct{ in, want string }{
		"gbk": {"a\x81<b", "a\x81<b"}, "gb18030": {"a\xff<\x841\xa47", "a\xff<\ufffd"}, "shift_jis": {"a\x81<\x82\xa0", "a\x81<あ"},
		"euc-jp": {"a\x81<", "a\x81<"}, "big5": {"a\x81<\xa4\x40", "a\x81<一"}, "euc-kr": {"\x81\xff<", "\x81\xff<"}, "windows-1253": {"\xd2\x9a", "\xff\x9a"}, "iso-8859-8": {"\xd7\x97", "\xff\x97"},
		"windows-1251": {"\x98\xe9", "\x98й"}, "windows-1252": {"\x81\xe9", "\x81é"}, "iso-8859-2": {"\xb1", "ą"},
		"iso-2022-jp": {"a\x1b$BF|\x80\xff\x1b(B\x1b(Xb", "a日\x80\xff\xff(Xb"}, "csiso2022jp": {"\x1b$BF|F\x1b(Ba\x1b$BF|\nb", "日\xffa日\nb"},
		"utf-16be": {"\x00<\xd8\x00\x00z", "<\xffz"}, "utf-32le": {"<\x00\x00\x00\x00\x11\x22\x33", "<\xff"},
	} {
		choice, ok := lookup(label)
		if got := transcode(t, c.in, choice, func(r io.Reader) io.Reader { return r }); !ok || got != c.want {
			t.Errorf("%s: %q is read as %q, want %q", label, c.in, got, c.want)
		}
	}
}

// Where the way back to ASCII is missing in ISO-2022-JP, it is found, but text stays text.
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
		for _, wrap := range []func(io.Reader) io.Reader{func(r io.Reader) io.Reader { return r }, iotest.OneByteReader} {
			if got := transcode(t, c.in, choice, wrap); got != c.want {
				t.Errorf("%q is read as %q, want %q", c.in, got, c.want)
			}
		}
	}
	var text strings.Builder
	for lead := rune(0x4e00); lead < 0xa000; lead++ {
		if s, err := japanese.ISO2022JP.NewEncoder().String(string(lead)); err == nil && len(s) > 1 {
			text.WriteRune(lead)
		}
	}
	if got := transcode(t, in(t, japanese.ISO2022JP, text.String()), choice, iotest.HalfReader); got != text.String() {
		t.Error("kanji are not read as what they are")
	}
}

// A label of ASCII alone is wrong of any other byte, however late that comes.
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

// A content type of UTF-8 does not hide the XML declaration, however late the first byte comes
// that is not UTF-8.
func TestOpen_LateDeclaration(t *testing.T) {
	for _, c := range []struct{ label, in, want, encoding, problems string }{
		{"ibm866", "\x8a\xa0\xe0\xe2\xa0", "Карта", "ibm866", "encoding_fallback utf-8"},
		{"ISO-8859-1", "caf\xe9", "café", "windows-1252", "encoding_fallback utf-8"},
		{"windows-1251", "карта", "карта", "utf-8", ""},
		{"utf-16", "caf\xe9", "caf\xe9", "", ""},
		{"us-ascii", "caf\xe9", "café", "windows-1252", "encoding_fallback utf-8"},
		{"iso-2022-jp", "caf\xe9", "caf\xe9", "utf-8", ""},
	} {
		for _, padding := range []int{0, 1000, 70_000, 200_000} {
			if c.label == "utf-16" || c.label == "iso-2022-jp" {
				padding = 200_000
			}
			doc := `<?xml version="1.0" encoding="` + c.label + `"?>` + strings.Repeat("<a/>\n", padding/5) + "<loc>http://a.example/" + c.in + "</loc>"
			var problems []string
			in := Open(strings.NewReader(doc), &sitemap.Options{ContentType: "text/xml; charset=utf-8", Report: func(p sitemap.Problem) {
				problems = append(problems, p.Code.String()+" "+p.Text)
			}})
			got, err := io.ReadAll(in)
			if err != nil || !strings.HasSuffix(string(got), "/"+c.want+"</loc>") || strings.Join(problems, "|") != c.problems || c.encoding != "" && in.Encoding() != c.encoding {
				t.Errorf("%s behind %d bytes: %q, %v, %s, %q", c.label, padding, got[len(got)-30:], err, in.Encoding(), problems)
			}
			in.Close()
		}
	}
}

func FuzzCharset(f *testing.F) {
	for _, c := range charsetCases(f) {
		f.Add([]byte(c.in), c.contentType, !c.more)
	}
	f.Fuzz(func(t *testing.T, in []byte, contentType string, atEOF bool) {
		if strings.HasPrefix(string(in), "\x1f\x8b") {
			return // gzip, which is undone before
		}
		before := slices.Clone(in)
		c := sniffCharset(in, atEOF, contentType)
		if string(in) != string(before) {
			t.Error("sniffCharset wrote to the prefix")
		}
		if c.bom > len(in) || c.name == "" || (c.encoding == nil) != (c.name == "utf-8") || c.instead != nil && !c.late {
			t.Fatalf("choice = %+v", c)
		}
		if c.encoding == nil {
			return
		}
		whole := transcode(t, string(in), c, func(r io.Reader) io.Reader { return r })
		bytewise := transcode(t, string(in), c, iotest.OneByteReader)
		if whole != bytewise {
			t.Errorf("%s: %q at once, %q byte by byte", c.name, whole, bytewise)
		}
		// A decoder of x/text has U+FFFD for what is invalid.
		aligned := in[c.bom:]
		if c.wide() {
			aligned, _, _ = transform.Bytes(newAligner(c), aligned)
		}
		plain, err := c.encoding.NewDecoder().Bytes(aligned)
		if valid := without(plain); err == nil && c.wide() && valid != without([]byte(whole)) {
			t.Errorf("%s: %q, want %q", c.name, whole, valid)
		}
		if len(whole) > 6*len(in)+6 {
			t.Errorf("%s: %d bytes of %d", c.name, len(whole), len(in))
		}
	})
}
