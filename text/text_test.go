package text_test

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/gen/gendoc"
	"github.com/seed-322c453a/sitemap/internal/golden"
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
