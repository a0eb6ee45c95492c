package input

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"golang.org/x/text/encoding"
)

// Text in step is unchanged, with any characters.
func TestAligner_LeavesText(t *testing.T) {
	for _, text := range []string{
		"<loc>http://example.com/" + strings.Repeat("一", 50) + "</loc>",
		"<loc>" + strings.Repeat("㰀", outOfStep-1) + "</loc>", strings.Repeat("愀戀挀", 20),
		"地図マップ 한국어 \U0001f600 é",
	} {
		for name, e := range map[string]encoding.Encoding{"utf-16le": le16, "utf-16be": be16,
			"utf-32le": le32, "utf-32be": be32} {
			for shape, r := range shapes(in(t, e, "<a>"+text)) {
				got, err := io.ReadAll(decoder(r, charsetChoice{name: name, encoding: e}))
				if string(got) != "<a>"+text || err != nil {
					t.Errorf("%s, %s: got %q, %v", name, shape, got, err)
				}
			}
		}
	}
}

// shapes returns readers of s in pieces of several sizes.
func shapes(s string) map[string]io.Reader {
	return map[string]io.Reader{
		"whole": strings.NewReader(s), "halves": iotest.HalfReader(strings.NewReader(s)),
		"bytes": iotest.OneByteReader(strings.NewReader(s)),
	}
}

// The text after a lost or inserted byte is read, and the place is invalid.
func TestAligner_FindsBack(t *testing.T) {
	before, after := strings.Repeat("<loc>http://example.com/地図</loc>\n", 300),
		strings.Repeat("<loc>http://example.com/図</loc>\n", 300)
	for name, e := range map[string]encoding.Encoding{"utf-16le": le16, "utf-16be": be16,
		"utf-32le": le32, "utf-32be": be32} {
		for what, mend := range map[string]func(s string) string{
			"a byte less":  func(s string) string { return s[1:] },
			"a byte more":  func(s string) string { return "\x00" + s },
			"another more": func(s string) string { return "x" + s },
		} {
			doc := in(t, e, before) + mend(in(t, e, "地図<x>"+after))
			for shape, r := range shapes(doc) {
				got, err := io.ReadAll(decoder(r, charsetChoice{name: name, encoding: e}))
				if s := string(got); err != nil || !strings.HasPrefix(s, before) ||
					!strings.HasSuffix(s, after) || strings.Count(s, "\xff") == 0 {
					t.Errorf("%s, %s, %s: got %.100q, %v", name, what, shape,
						strings.TrimPrefix(s, before), err)
				}
			}
		}
	}
}
