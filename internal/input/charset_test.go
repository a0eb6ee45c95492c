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
		{name: "UTF-8 cut at the end of the prefix", in: "caf\xc3", more: true, want: "utf-8",
			text: "caf\xc3"},
		{name: "UTF-8 cut at the end", in: "caf\xc3", want: "windows-1252", text: "cafÃ",
			fallback: true},
		{name: "not UTF-8", in: w1252, want: "windows-1252", text: cafe, fallback: true},

		// Byte order marks.
		{name: "UTF-8 mark", in: "\ufeff" + cafe, want: "utf-8", text: cafe},
		{name: "UTF-8 mark only", in: "\ufeff", want: "utf-8"},
		{name: "UTF-16LE mark", in: in(t, le16, "\ufeff"+maps), want: "utf-16le", text: maps},
		{name: "UTF-16BE mark", in: in(t, be16, "\ufeff"+maps), want: "utf-16be", text: maps},
		{name: "UTF-32LE mark", in: in(t, le32, "\ufeff"+maps), want: "utf-32le", text: maps},
		{name: "UTF-32BE mark", in: in(t, be32, "\ufeff"+maps), want: "utf-32be", text: maps},
		{name: "UTF-16 mark only", in: "\xff\xfe", want: "utf-16le"},
		{name: "UTF-16 mark and declaration", in: in(t, be16, "\ufeff"+decl("UTF-16")+maps),
			want: "utf-16be", text: decl("UTF-16") + maps},
		{name: "UTF-16 mark and content type", in: in(t, be16, "\ufeff"+maps),
			contentType: "text/xml; charset=utf-16", want: "utf-16be", text: maps},
		{name: "UTF-32 mark and declaration", in: in(t, be32, "\ufeff"+decl("UTF-32")+maps),
			want: "utf-32be", text: decl("UTF-32") + maps},
		{name: "UTF-16 mark against declaration", in: in(t, le16, "\ufeff"+decl("UTF-8")+maps),
			want: "utf-16le", text: decl("UTF-8") + maps, fallback: true, refused: "UTF-8"},
		{name: "UTF-8 mark against content type", in: "\ufeff" + cafe,
			contentType: "text/xml; charset=ISO-8859-1", want: "utf-8", text: cafe, fallback: true,
			refused: "ISO-8859-1"},
		{name: "UTF-8 mark against declaration", in: "\ufeff" + decl("utf-16") + cafe,
			want: "utf-8", text: decl("utf-16") + cafe, fallback: true, refused: "utf-16"},
		{name: "UTF-16 odd byte at the end", in: in(t, le16, "\ufeff"+ascii) + "<",
			want: "utf-16le", text: ascii + "\xff"},
		{name: "UTF-16 lone surrogate", in: in(t, le16, "\ufeff<a>") + "\x00\xd8" +
			in(t, le16, "</a>"), want: "utf-16le", text: "<a>\xff</a>"},
		{name: "UTF-16 U+FFFD", in: in(t, le16, "\ufeff<a>\ufffd</a>"), want: "utf-16le",
			text: "<a>\ufffd</a>"},
		{name: "UTF-16LE, not all ASCII", in: in(t, le16, "# é\nhttp://example.com/"),
			want: "utf-16le", text: "# é\nhttp://example.com/"},

		// NULs identify UTF-16 and UTF-32 without a mark.
		{name: "UTF-16LE", in: in(t, le16, maps), want: "utf-16le", text: maps},
		{name: "UTF-16BE", in: in(t, be16, maps), want: "utf-16be", text: maps},
		{name: "UTF-32LE", in: in(t, le32, maps), want: "utf-32le", text: maps},
		{name: "UTF-32BE", in: in(t, be32, maps), want: "utf-32be", text: maps},
		{name: "UTF-16LE after white space", in: in(t, le16, "\r\n "+maps), want: "utf-16le",
			text: "\r\n " + maps},
		{name: "UTF-16LE text", in: in(t, le16, "http://example.com/é\n"), want: "utf-16le",
			text: "http://example.com/é\n"},
		{name: "UTF-16BE declared", in: in(t, be16, decl("utf-16")+maps), want: "utf-16be",
			text: decl("utf-16") + maps},
		{name: "UTF-16BE declared as UTF-8", in: in(t, be16, decl("utf-8")+maps), want: "utf-16be",
			text: decl("utf-8") + maps, fallback: true, refused: "utf-8"},
		{name: "NULs in UTF-8", in: "<\x00l\x00oc>", want: "utf-8", text: "<\x00l\x00oc>"},
		{name: "an MP4 file", in: "\x00\x00\x00\x18ftyp", want: "utf-8",
			text: "\x00\x00\x00\x18ftyp"},

		// Content type.
		{name: "content type", in: w1251, contentType: "application/xml; charset=windows-1251",
			want: "windows-1251", text: card},
		{name: "content type, quoted", in: in(t, japanese.ShiftJIS, maps),
			contentType: `text/xml;charset="Shift_JIS"`, want: "shift_jis", text: maps},
		{name: "content type, bad parameters", in: w1251,
			contentType: "text/xml; foo; charset = 'CP1251' ; charset=utf-8", want: "windows-1251",
			text: card},
		{name: "content type, no charset", in: cafe, contentType: "text/xml", want: "utf-8",
			text: cafe},
		{name: "content type, empty charset", in: cafe, contentType: "text/xml; charset=",
			want: "utf-8", text: cafe},
		{name: "content type of a single byte, UTF-8", in: decl("UTF-8") + cafe,
			contentType: "text/xml; charset=ISO-8859-1", want: "utf-8", text: decl("UTF-8") + cafe,
			fallback: true, refused: "ISO-8859-1"},
		{name: "content type unknown", in: decl("UTF-8") + cafe,
			contentType: "text/xml; charset=bogus", want: "utf-8", text: decl("UTF-8") + cafe,
			fallback: true, refused: "bogus"},
		{name: "content type unknown, declared", in: decl("windows-1251") + w1251,
			contentType: "text/xml; charset=bogus", want: "windows-1251",
			text: decl("windows-1251") + card, fallback: true, refused: "bogus"},
		{name: "content type before declaration", in: decl("ISO-8859-5") + w1251,
			contentType: "text/xml; charset=windows-1251", want: "windows-1251",
			text: decl("ISO-8859-5") + card},
		{name: "content type UTF-8, bytes not", in: w1252, contentType: "text/xml; charset=utf-8",
			want: "utf-8", text: w1252},
		{name: "content type UTF-8, bytes as declared", in: decl("windows-1251") + w1251,
			contentType: "text/xml; charset=utf-8", want: "windows-1251",
			text: decl("windows-1251") + card, fallback: true, refused: "utf-8"},
		{name: "content type UTF-16, ASCII", in: ascii, contentType: "text/xml; charset=utf-16",
			want: "utf-8", text: ascii, fallback: true, refused: "utf-16"},

		// XML declaration.
		{name: "declared", in: decl("ISO-8859-1") + w1252, want: "windows-1252",
			text: decl("ISO-8859-1") + cafe},
		{name: "declared UTF-8, bytes not", in: decl("UTF-8") + w1252, want: "utf-8",
			text: decl("UTF-8") + w1252},
		{name: "declared US-ASCII", in: decl("US-ASCII") + w1252, want: "windows-1252",
			text: decl("US-ASCII") + cafe, fallback: true, refused: "US-ASCII"},
		{name: "declared US-ASCII, UTF-8", in: decl("ascii") + cafe, want: "utf-8",
			text: decl("ascii") + cafe, fallback: true, refused: "ascii"},
		{name: "declared unknown", in: decl("x-fake") + ascii, want: "utf-8", text: decl("x-fake") +
			ascii, fallback: true, refused: "x-fake"},
		{name: "declared unknown, not UTF-8", in: decl("X-Fake") + w1252, want: "windows-1252",
			text: decl("X-Fake") + cafe, fallback: true, refused: "X-Fake"},
		{name: "declared empty", in: decl("") + cafe, want: "utf-8", text: decl("") + cafe,
			fallback: true},
		{name: "declared replacement", in: decl("ISO-2022-KR") + cafe, want: "utf-8",
			text: decl("ISO-2022-KR") + cafe, fallback: true, refused: "ISO-2022-KR"},
		{name: "declared UTF-16, UTF-8", in: decl("utf-16") + cafe, want: "utf-8",
			text: decl("utf-16") + cafe, fallback: true, refused: "utf-16"},
		{name: "declared UTF-16, not even UTF-8", in: decl("utf-16") + w1252, want: "windows-1252",
			text: decl("utf-16") + cafe, fallback: true, refused: "utf-16"},
		{name: "declared UTF-32, UTF-8", in: decl("UTF-32") + cafe, want: "utf-8",
			text: decl("UTF-32") + cafe, fallback: true, refused: "UTF-32"},
		{name: "declared a single byte, UTF-8", in: decl("windows-1250") + cafe, want: "utf-8",
			text: decl("windows-1250") + cafe, fallback: true, refused: "windows-1250"},
		{name: "declared two bytes, UTF-8", in: decl("GBK") + maps, want: "utf-8",
			text: decl("GBK") + maps, fallback: true, refused: "GBK"},
		{name: "declared two bytes, one character of UTF-8", in: decl("GBK") + "图", want: "utf-8",
			text: decl("GBK") + "图", fallback: true, refused: "GBK"},
		{name: "declared two bytes", in: decl("GBK") + in(t, simplifiedchinese.GBK, "图"),
			want: "gbk", text: decl("GBK") + "图"},
		{name: "declared in 7 bits", in: in(t, japanese.ISO2022JP, decl("ISO-2022-JP")+maps),
			want: "iso-2022-jp", text: decl("ISO-2022-JP") + maps},
		{name: "declared in 7 bits, UTF-8", in: decl("ISO-2022-JP") + maps, want: "utf-8",
			text: decl("ISO-2022-JP") + maps, fallback: true, refused: "ISO-2022-JP"},
		{name: "declared in lower case and apostrophes",
			in: "<?xml version='1.0' encoding='utf8'?>" + cafe, want: "utf-8",
			text: "<?xml version='1.0' encoding='utf8'?>" + cafe},
		{name: "declared after junk", in: "Warning\n" + decl("windows-1251") + w1251,
			want: "windows-1251", text: "Warning\n" + decl("windows-1251") + card},
		{name: "ASCII so far", in: decl("ISO-8859-1") + ascii, more: true, want: "windows-1252",
			text: decl("ISO-8859-1") + ascii},
	}
}

// sniff chooses the charset of a document with this start.
func sniff(in string, atEOF bool, contentType string) charsetChoice {
	return sniffCharset([]byte(in), atEOF, declaredLabels([]byte(in), contentType))
}

func TestSniffCharset(t *testing.T) {
	for _, c := range charsetCases(t) {
		t.Run(c.name, func(t *testing.T) {
			got := sniff(c.in, !c.more, c.contentType)
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

// Every label of the WHATWG Encoding standard is known, except those of the replacement encoding.
func TestLookup(t *testing.T) {
	for label, want := range map[string]string{
		"UTF8": "utf-8", " utf-8 ": "utf-8", "unicode-1-1-utf-8": "utf-8", "cp866": "ibm866",
		"latin2": "iso-8859-2", "ISO-8859-8-I": "iso-8859-8-i", "koi8-ru": "koi8-u",
		"mac":     "macintosh",
		"TIS-620": "windows-874", "cp1250": "windows-1250", "x-cp1251": "windows-1251",
		"ASCII":  "windows-1252",
		"latin5": "windows-1254", "x-mac-ukrainian": "x-mac-cyrillic", "gb2312": "gbk",
		"GB18030":    "gb18030",
		"big5-hkscs": "big5", "x-euc-jp": "euc-jp", "csiso2022jp": "iso-2022-jp",
		"ms_kanji":       "shift_jis",
		"ks_c_5601-1987": "euc-kr", "ucs-2": "utf-16le", "unicodefffe": "utf-16be",
		"x-user-defined": "x-user-defined",
		"utf-32":         "utf-32le", "UTF-32BE": "utf-32be",
		"CP936": "gbk", "ms949": "euc-kr", "cp949": "euc-kr",
		"cp932": "shift_jis", "CP950": "big5",
		"ISO8859_5": "iso-8859-5", "EUC_JP": "euc-jp", "utf_8": "utf-8", "utf_16": "utf-16le",
		"IBM437": "", "IBM037": "", "cp": "", "_": "", "s-932": "", "949": "", "us_ascii": "windows-1252",
		"hz-gb-2312": "", "iso-2022-kr": "", "iso-2022-cn": "", "replacement": "", "utf-7": "",
		"": "", "ebcdic": "",
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

// A content type of UTF-8 does not hide the XML declaration, however late the first byte is that is
// not UTF-8.
func TestOpen_LateDeclaration(t *testing.T) {
	for _, c := range []struct{ label, in, want, encoding, problems string }{
		{"ibm866", "\x8a\xa0\xe0\xe2\xa0", "Карта", "ibm866", "encoding_fallback utf-8"},
		{"ISO-8859-1", "caf\xe9", "café", "windows-1252", "encoding_fallback utf-8"},
		{"windows-1251", "карта", "карта", "utf-8", ""},
		{"utf-16", "caf\xe9", "caf\xe9", "", ""},
		{"us-ascii", "caf\xe9", "caf\xe9", "utf-8", ""},
		{"iso-2022-jp", "caf\xe9", "caf\xe9", "utf-8", ""},
	} {
		for _, padding := range []int{0, 1000, 70_000, 200_000} {
			if c.label == "utf-16" || c.label == "iso-2022-jp" {
				padding = 200_000
			}
			doc := `<?xml version="1.0" encoding="` + c.label + `"?>` +
				strings.Repeat("<a/>\n", padding/5) + "<loc>http://a.example/" + c.in + "</loc>"
			var problems []string
			in := Open(strings.NewReader(doc),
				&sitemap.Options{ContentType: "text/xml; charset=utf-8",
					Report: func(p sitemap.Problem) {
						problems = append(problems, string(p.Code)+" "+p.Text)
					}})
			got, err := io.ReadAll(in)
			if err != nil || !strings.HasSuffix(string(got), "/"+c.want+"</loc>") ||
				strings.Join(problems, "|") != c.problems || c.encoding != "" &&
				in.Encoding() != c.encoding {
				t.Errorf("%s after %d bytes: %q, %v, %s, %q", c.label, padding, got[len(got)-30:],
					err, in.Encoding(), problems)
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
			return // gzip is undone first
		}
		before := slices.Clone(in)
		c := sniff(string(in), atEOF, contentType)
		if string(in) != string(before) {
			t.Error("sniffCharset wrote to the prefix")
		}
		if c.bom > len(in) || c.name == "" || (c.encoding == nil) != (c.name == "utf-8") {
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
		// A decoder of x/text returns U+FFFD for invalid bytes.
		plain, err := c.encoding.NewDecoder().Bytes(in[c.bom:])
		if valid := without(plain); err == nil && c.wide() && valid != without([]byte(whole)) {
			t.Errorf("%s: %q, want %q", c.name, whole, valid)
		}
		if len(whole) > 6*len(in)+6 {
			t.Errorf("%s: %d bytes of %d", c.name, len(whole), len(in))
		}
	})
}
