package xmlscan

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/input"
)

var kindNames = [...]string{"eof", "start", "end", "text", "cdata", "comment", "pi", "declaration"}

// tokens returns the tokens of a document, one per line, with problems in between.
func tokens(r io.Reader) string {
	var out, problems strings.Builder
	in := input.Open(r, nil)
	defer in.Close()
	s := NewScanner(in,
		func(p sitemap.Problem) { fmt.Fprintf(&problems, "! %s at %d\n", p.Code, p.Pos.Offset) })
	var text string
	flush := func() {
		if text != "" {
			fmt.Fprintf(&out, "text %q\n", text)
		}
		text = ""
	}
	for {
		kind := s.Next()
		if kind == Text {
			text += string(s.Raw())
			continue
		}
		flush()
		out.WriteString(problems.String())
		problems.Reset()
		switch kind {
		case EOF:
			if len(s.Raw()) > 0 {
				fmt.Fprintf(&out, "rest %q\n", s.Raw())
			}
			return out.String()
		case StartTag:
			attrs := strings.TrimSuffix(string(s.Raw()[1+len(s.Name()):]), ">")
			if s.Empty {
				attrs = strings.TrimSuffix(attrs, "/")
			}
			fmt.Fprintf(&out, "start %s %q empty=%v cut=%v\n", s.Name(), attrs, s.Empty, s.Cut)
		case EndTag:
			fmt.Fprintf(&out, "end %s cut=%v\n", s.Name(), s.Cut)
		case CDATA:
			fmt.Fprintf(&out, "cdata %q\n", s.Data)
		default:
			fmt.Fprintf(&out, "%s %q\n", kindNames[kind], s.Raw())
		}
	}
}

func TestScanner(t *testing.T) {
	for _, test := range []struct{ name, in, want string }{
		{"tags", `<a b="c" d='e'>x</a ><f/><g h/>`,
			"start a \" b=\\\"c\\\" d='e'\" empty=false cut=false\ntext \"x\"\nend a cut=false\nstart f \"\" empty=true cut=false\n! mismatched_tag at 25\nstart g \" h\" empty=true cut=false\n"},
		{"gt in a value", `<a b="x>y" c='>'>z`,
			"start a \" b=\\\"x>y\\\" c='>'\" empty=false cut=false\ntext \"z\"\n"},
		{"quote that opens no value", `<a ">x<b c="d>y</b>`,
			"! mismatched_tag at 0\nstart a \" \\\"\" empty=false cut=false\ntext \"x\"\n! mismatched_tag at 6\nstart b \" c=\\\"d\" empty=false cut=false\ntext \"y\"\nend b cut=false\n"},
		{"start tag without end", `<a<b>x</b</c>`,
			"! mismatched_tag at 0\nstart a \"\" empty=false cut=true\nstart b \"\" empty=false cut=false\ntext \"x\"\n! mismatched_tag at 6\nend b cut=true\nend c cut=false\n"},
		{"lt that starts no name", `a < b <1 </ x`,
			"text \"a < b <1 </ x\"\n! mismatched_tag at 2\n! mismatched_tag at 6\n! mismatched_tag at 9\n"},
		{"comment", `<!-- <url> -- --><a>`,
			"! mismatched_tag at 0\ncomment \"<!-- <url> -- -->\"\nstart a \"\" empty=false cut=false\n"},
		{"comment that another one follows", `<!-- x <a/><!-- y -->`,
			"! mismatched_tag at 0\ncomment \"<!--\"\ntext \" x \"\nstart a \"\" empty=true cut=false\ncomment \"<!-- y -->\"\n"},
		{"comment never closed", `<!-- x <a/>`,
			"! mismatched_tag at 0\ncomment \"<!--\"\ntext \" x \"\nstart a \"\" empty=true cut=false\n"},
		{"cdata", `<a><![CDATA[x]]y>&<b>]]></a>`,
			"start a \"\" empty=false cut=false\ncdata \"x]]y>&<b>\"\nend a cut=false\n"},
		{"cdata that its element closes", `<a><![CDATA[x</a><a><![CDATA[y]]></a>`,
			"start a \"\" empty=false cut=false\n! mismatched_tag at 3\ncdata \"x\"\nend a cut=false\nstart a \"\" empty=false cut=false\ncdata \"y\"\nend a cut=false\n"},
		{"cdata that the next one of its element closes", `<a><![CDATA[x<c><a><![CDATA[y]]></a>`,
			"start a \"\" empty=false cut=false\n! mismatched_tag at 3\ncdata \"x\"\nstart c \"\" empty=false cut=false\nstart a \"\" empty=false cut=false\ncdata \"y\"\nend a cut=false\n"},
		{"cdata behind an element", `<a></a><![CDATA[x<b/><![CDATA[y]]>`,
			"start a \"\" empty=false cut=false\nend a cut=false\n! mismatched_tag at 7\ncdata \"x\"\nstart b \"\" empty=true cut=false\ncdata \"y\"\n"},
		{"cdata with the start of one inside", `<a><![CDATA[x<![CDATA[y]]></a>`,
			"start a \"\" empty=false cut=false\ncdata \"x<![CDATA[y\"\nend a cut=false\n"},
		{"space before an end tag's name", `<a>x</ a></
 b c>y</ >z`,
			"start a \"\" empty=false cut=false\ntext \"x\"\n! mismatched_tag at 4\nend a cut=false\n! mismatched_tag at 9\nend b cut=false\ntext \"y</ >z\"\n! mismatched_tag at 18\n"},
		{"cdata never closed", `<a><![CDATA[x<b/>`,
			"start a \"\" empty=false cut=false\n! mismatched_tag at 3\ncdata \"x\"\nstart b \"\" empty=true cut=false\n"},
		{"instruction", `<?xml version="1.0"?><?a <b> ?><c>`,
			"pi \"<?xml version=\\\"1.0\\\"?>\"\npi \"<?a <b> ?>\"\nstart c \"\" empty=false cut=false\n"},
		{"instruction never closed", `<?a <b>x<?c?>`,
			"! mismatched_tag at 0\npi \"<?a \"\nstart b \"\" empty=false cut=false\ntext \"x\"\npi \"<?c?>\"\n"},
		{"doctype", `<!DOCTYPE a [ <!ENTITY b "]>"> <!-- ' --> ]><a>`,
			"declaration \"<!DOCTYPE a [ <!ENTITY b \\\"]>\\\"> <!-- ' --> ]>\"\nstart a \"\" empty=false cut=false\n"},
		{"doctype never closed", `<!DOCTYPE a "b"<a c="d">`,
			"! mismatched_tag at 0\ndeclaration \"<!DOCTYPE a \\\"b\\\"\"\nstart a \" c=\\\"d\\\"\" empty=false cut=false\n"},
		{"doctype whose subset is never closed", `<!DOCTYPE a [ <!ENTITY b "c"><a><![CDATA[]]>`,
			"! mismatched_tag at 0\ndeclaration \"<!DOCTYPE a [ \"\n! mismatched_tag at 14\ndeclaration \"<!ENTITY b \\\"c\\\">\"\nstart a \"\" empty=false cut=false\ncdata \"\"\n"},
		{"references", `a&amp;b &c=1 &eacute; &nope; &#x41; &#1;`,
			"text \"a&amp;b &c=1 &eacute; &nope; &#x41; &#1;\"\n! raw_ampersand at 8\n! undeclared_entity at 13\n! control_char at 36\n"},
		{"references of each kind twice", `&b &c &d; &e; &#1; &#2;`,
			"text \"&b &c &d; &e; &#1; &#2;\"\n! raw_ampersand at 0\n! undeclared_entity at 6\n! control_char at 14\n"},
		{"control characters", "a\x01b\x00", "text \"a\\x01b\\x00\"\n! control_char at 1\n"},
		{"the document's end in a reference", `<a>&b x&#3`,
			"start a \"\" empty=false cut=false\ntext \"&b x&#3\"\n! raw_ampersand at 3\n"},
		{"the document's end in another", `<a>x&am`,
			"start a \"\" empty=false cut=false\ntext \"x&am\"\n! raw_ampersand at 4\n"},
		{"the document's end in a tag", `<a><b c="`,
			"start a \"\" empty=false cut=false\nrest \"<b c=\\\"\"\n"},
		{"the document's end in an end tag", `<a>x</a`,
			"start a \"\" empty=false cut=false\ntext \"x\"\nrest \"</a\"\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := tokens(strings.NewReader(test.in)); got != test.want {
				t.Errorf("got\n%swant\n%s", got, test.want)
			}
			if got := tokens(iotest.OneByteReader(strings.NewReader(test.in))); got != test.want {
				t.Errorf("byte by byte: got\n%swant\n%s", got, test.want)
			}
		})
	}
}

func TestScanner_ManyOpeners(t *testing.T) {
	// The end of each opener is searched for once, not once for each opener before it.
	for _, opener := range []string{"<!--", "<![CDATA[", "<?x ", "<a b=\"", "<!DOCTYPE ["} {
		doc := strings.Repeat(opener, 4<<20/len(opener))
		in := input.Open(strings.NewReader(doc), nil)
		s := NewScanner(in, nil)
		for s.Next() != EOF {
		}
		if in.Bytes() != int64(len(doc)) {
			t.Errorf("%s: read %d bytes", opener, in.Bytes())
		}
		in.Close()
	}
}

// Valid text longer than the window is cut between characters, and nothing is reported.
func TestLongText(t *testing.T) {
	for _, char := range []string{"x", "é", "語", "😀"} {
		for ascii := range 4 {
			want := strings.Repeat("x", ascii) + strings.Repeat(char, 300_000/len(char))
			in := input.Open(strings.NewReader(`<?xml version="1.0" encoding="UTF-8"?><a>`+want+"</a>"), nil)
			s := NewScanner(in, func(p sitemap.Problem) {
				t.Errorf("%d %q…: %v at %v", ascii, char, p.Code, p.Pos)
			})
			var got strings.Builder
			pieces := 0
			for s.Next() != EOF {
				if s.Kind == Text {
					got.Write(s.Raw())
					pieces++
				}
			}
			if got.String() != want || pieces < 2 {
				t.Errorf("%d %q…: %d bytes in %d pieces, want %d", ascii, char, got.Len(), pieces,
					len(want))
			}
			in.Close()
		}
	}
}

func FuzzScanner(f *testing.F) {
	f.Add([]byte(`<?xml version="1.0"?><urlset><url><loc>http://a/&amp;</loc><!-- c --><![CDATA[d]]></url></urlset>`))
	f.Add([]byte(`<!DOCTYPE a [<!ENTITY b "c">]><a b="<" c='>'/><!-- <!-- --><![CDATA[ ]]`))
	f.Add([]byte("<a\x00>\xff&#x0;</a"))
	f.Fuzz(func(t *testing.T, doc []byte) {
		in := input.Open(strings.NewReader(string(doc)), nil)
		defer in.Close()
		s := NewScanner(in, func(p sitemap.Problem) {
			if p.Pos.Line < 1 {
				t.Errorf("problem in line %d", p.Pos.Line)
			}
		})
		at := in.Offset()
		for s.Next() != EOF {
			if len(s.Raw()) == 0 {
				t.Fatal("empty token")
			}
			if in.Offset() < at {
				t.Fatal("offset went back")
			}
			at = in.Offset() + int64(len(s.Raw()))
		}
		if got := in.Offset() + int64(len(s.Raw())); got != in.Bytes() {
			t.Errorf("tokens end at %d of %d", got, in.Bytes())
		}
	})
}

// Sections that close nothing cost no more time for each byte, the more there are.
func TestScanner_SectionsInSections(t *testing.T) {
	for _, text := range []string{"<![CDATA[<![CDATA[]]>", "<![CDATA[", "<![CDATA[<d>"} {
		doc := "<d>" + strings.Repeat(text, 1<<20/len(text)) + "]]></d>"
		in := input.Open(strings.NewReader(doc), nil)
		s := NewScanner(in, nil)
		for s.Next() != EOF {
		}
		in.Close()
		if most := int64(maxLooked + lookedPerByte*len(doc) + 2*maxLook); s.looked > most {
			t.Errorf("%s: searched %d bytes, at most %d", text, s.looked, most)
		}
	}
}
