package feed

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/document"
	"github.com/seed-322c453a/sitemap/internal/extension"
	"github.com/seed-322c453a/sitemap/internal/testkit/gen/gendoc"
)

// outcome returns the entries and problems of a feed, and checks invariants of all entries.
func outcome(t *testing.T, doc io.Reader, contentType string) string {
	t.Helper()
	var b strings.Builder
	o := &sitemap.Options{
		Base:        &url.URL{Scheme: "http", Host: "www.example.com", Path: "/feed"},
		ContentType: contentType,
		Report: func(p sitemap.Problem) {
			fmt.Fprintf(&b, "%v %v %q %q %v\n", p.Code, p.Pos, p.Field, p.Text, p.Dropped)
		},
	}
	in, _ := document.Open(doc, o)
	defer in.Close()
	if err := sniffFeed(in.Reader, o.Report); err != nil {
		return err.Error()
	}
	offset := int64(-1)
	d := newDecoder(in, o, func(e sitemap.Entry, err error) bool {
		if err != nil {
			fmt.Fprintf(&b, "%v\n", err)
			return false
		}
		if _, err := e.URL(); err != nil {
			t.Errorf("URL of %q: %v", e.Loc, err)
		}
		if e.Pos.Offset < offset {
			t.Errorf("%q: offset %d comes before %d", e.Loc, e.Pos.Offset, offset)
		}
		offset = e.Pos.Offset
		ext, err := json.Marshal(e.Extensions)
		fmt.Fprintf(&b, "%v %s %v %v %s %v\n", e.Pos, e.Loc, e.LastMod, e.Published, ext, err)
		return true
	})
	d.read()
	return b.String()
}

func documents(t testing.TB) map[string][]byte {
	docs := map[string][]byte{}
	for _, dir := range []string{"rss", "atom"} {
		paths, err := filepath.Glob("../testdata/" + dir + "/*.xml")
		if err != nil || len(paths) == 0 {
			t.Fatalf("no documents in %s: %v", dir, err)
		}
		for _, path := range paths {
			doc, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			docs[path] = doc
		}
	}
	return docs
}

// sameByByte fails the test unless a feed reads the same in one piece and byte by byte, where the
// window ends in the middle of elements.
func sameByByte(t *testing.T, doc []byte, contentType string) (read string) {
	t.Helper()
	read = outcome(t, bytes.NewReader(doc), contentType)
	byByte := outcome(t, iotest.OneByteReader(bytes.NewReader(doc)), contentType)
	if read != byByte {
		t.Errorf("in one piece\n%s\nbyte by byte\n%s", read, byByte)
	}
	return read
}

func TestEntries_ByByte(t *testing.T) {
	docs := documents(t)
	docs["generated rss"] = gendoc.Bytes(gendoc.RSS, 20)
	docs["generated atom"] = gendoc.Bytes(gendoc.Atom, 50)
	for name, doc := range docs {
		t.Run(name, func(t *testing.T) { sameByByte(t, doc, "") })
	}
	for _, doc := range unusualFeeds() {
		sameByByte(t, doc, "")
	}
}

// unusual are items of nearly the usual shape.
var unusual = []string{
	"<title>a & b</title><link>http://a.example/1</link>",
	"<title>]]></title><description>\x01\xff</description><link>http://a.example/1</link>",
	"<title><![CDATA[x]]></title><title>b</title><category><b>c</b></category><link>http://a.example/1</link>",
	"<link>http://a.example/1</link><link>http://a.example/2\xff</link>",
	"<a:link xmlns:a=\"http://www.w3.org/2005/Atom\" href=\"http://a.example/1\"/><link>http://a.example/2</link>",
	"<link>http://a.example/?a&amp;b</link>", "<link>http://a.example/?a&b</link>",
	"<link> /1 </link>", "<link>\v http://a.example/1\u00a0</link>", "<link></link>",
	"<link>1</link",
	"<link>http://a.example/1</link><pubDate>Mon, 06 May 2024 07:08:09 -0000</pubDate>",
	"<link>http://a.example/1</link><pubDate>Mon, 06 May 2024 07:08:60 GMT</pubDate>",
	"<link>http://a.example/1</link><pubDate>Mon, 06 May 2024 07:08:09 GMT </pubDate><pubDate>Tue, 07 May 2024 07:08:09 GMT</pubDate>",
	"<link>http://a.example/1</link><pubDate>Mon, 06 May 2024 07:08:09 GMT</pubDate><pubDate>Tue, 07 May 2024 07:08:09 GMT</pubDate>",
	"<link>http://a.example/1</link><pubDate></pubDate><pubDate>2024-05-06</pubDate>",
	`<guid isPermaLink="false">http://a.example/1</guid>`, `<guid isPermaLink="false">x</guid><title>http://a.example/1</title>`, `<guid isPermaLink="false"><link>http://a.example/1</link>`,
	"<content:encoded><![CDATA[<p>a</p>]]></content:encoded><link>http://a.example/1</link>",
	"<content:encoded>a <link>http://a.example/2</link></content:encoded><link>http://a.example/1</link>",
	"<content:encoded><![CDATA[<![CDATA[a]]></content:encoded><link>http://a.example/1</link>",
	"<link>http://a.example/1</link><content:encoded><![CDATA[\x01\xff]]> </content:encoded>",
	"<link>http://a.example/1</link><content:encoded><![CDATA[\x01\xff]]></content:encoded>",
	"<title>a</title  ><link>http://a.example/1</link >",
	"<TITLE>a</TITLE><link>http://a.example/1</LINK>",
}

// unusualFeeds returns feeds with unusual items.
func unusualFeeds() (docs [][]byte) {
	for _, root := range []string{`<rss version="2.0">`,
		`<rss xmlns:content="http://purl.org/rss/1.0/modules/content/">`,
		`<rss xmlns:content="urn:other">`, `<rss xmlns="urn:other">`,
		`<rss xmlns="http://www.w3.org/2005/Atom">`} {
		item := "<item><title>a</title><link>http://a.example/0</link></item>"
		all := item + "<item>" + strings.Join(unusual, "</item>"+item+"<item>") + "</item>" + item
		docs = append(docs, []byte(root+"<channel>"+all+"</channel></rss>"))
	}
	return docs
}

// foreign has elements of other namespaces whose tags occur again in another shape, with another
// meaning of their prefix, or in great number.
const foreign = `<rss xmlns:a="urn:1" xmlns:b="urn:b" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel>
<item><link>http://a.example/1</link><a:x>1</a:x><b:x> 2 </b:x><content:x>none</content:x></item>
<item><link>http://a.example/2</link><a:x>3</a:x><a:x> 4
</a:x><a:x></a:x><a:x/><b:x>5</b:x><A:x>6</A:x><a:xy>7</a:xy><a:x y="1">8</a:x></item>
<item><link>http://a.example/3</link><a:x>R&amp;B</a:x><a:x><![CDATA[9]]></a:x><a:x>é</a:x><a:x>10<i/></a:x><a:x >11</a:x><a:x>12</a:x ></item>
<item><link>http://a.example/4</link><a:x>R & B</a:x><a:x>]]></a:x></item>
<item><link>http://a.example/5</link><a:1>1</a:1><a:2>2</a:2><a:c>3</a:c><a:d>4</a:d><a:e>5</a:e><a:f>6</a:f><a:x>7</a:x><a:c>8</a:c></item>
<item><link>http://a.example/6</link><a:x>13</a:x></item>
</channel>
<channel xmlns:a="urn:2"><item><link>http://a.example/7</link><a:x>14</a:x><b:x>15</b:x></item>
<item xmlns:a="urn:3"><link>http://a.example/8</link><a:x>16</a:x></item>
<item><link>http://a.example/9</link><a:x>17</a:x></item></channel>
<channel><item><link>http://a.example/10</link><a:x>18</a:x><a:x>18</channel><item><link>http://a.example/11</link><a:x>19</a:x></item></rss>`

func TestEntries_Foreign(t *testing.T) {
	many := "<item><link>http://a.example/</link>" +
		strings.Repeat("<a:x>1</a:x>", extension.MaxElements+1) + "</item>"
	long := "<item><link>http://a.example/</link>" +
		strings.Repeat("<a:x>"+strings.Repeat("x", extension.MaxOtherText/8)+"</a:x>", 9) +
		"</item>"
	for _, doc := range []string{foreign,
		strings.Replace(foreign, "<channel>", "<channel>"+many+long+many, 1)} {
		read := sameByByte(t, []byte(doc), "")
		for _, want := range []string{`{"space":"urn:1","name":"x","text":"13"}`,
			`{"space":"urn:2","name":"x","text":"14"}`, `{"space":"urn:3","name":"x","text":"16"}`,
			`{"space":"urn:2","name":"x","text":"17"}`} {
			if !strings.Contains(read, want) {
				t.Errorf("%s is missing in\n%s", want, read)
			}
		}
	}
}

// A scribbler reads a document and uses the rest of the buffer as scratch space, as an io.Reader
// may.
type scribbler struct {
	doc     string
	scratch string
	full    []int // offsets where a read ended that filled the buffer
	at      int
}

func (s *scribbler) Read(p []byte) (int, error) {
	n := copy(p, s.doc[s.at:])
	s.at += n
	if n == len(p) {
		s.full = append(s.full, s.at)
	}
	if n > 0 {
		return n, nil
	}
	for i := 0; s.scratch != "" && i < len(p); i++ {
		p[i] = s.scratch[i%len(s.scratch)]
	}
	return 0, io.EOF
}

// If the document ends, the old bytes in the window are not read.
func TestEntries_EndsAfterFullRead(t *testing.T) {
	item := func(i, size int) string {
		return fmt.Sprintf("<item><link>http://a.example/%08d</link><title>%s</title></item>", i,
			strings.Repeat("x", size))
	}
	var doc strings.Builder
	doc.WriteString(`<?xml version="1.0" encoding="utf-8"?><rss version="2.0"><channel>`)
	for i := range 60 {
		doc.WriteString(item(i, 3900))
	}
	locs := func(s *scribbler) (all string) {
		for e := range Entries(s, nil) {
			all += e.Loc + "\n"
		}
		return all
	}
	whole := &scribbler{doc: doc.String()}
	if locs(whole); len(whole.full) < 3 {
		t.Fatalf("%d full reads", len(whole.full))
	}
	for _, end := range whole.full {
		cut := doc.String()[:end]
		want := locs(&scribbler{doc: cut})
		other := item(77777777, 10)
		for i := range other {
			if got := locs(&scribbler{doc: cut, scratch: other[i:] + other[:i]}); got != want {
				t.Fatalf("ended at %d: got\n%swant\n%s", end, got, want)
			}
		}
	}
}

func FuzzEntries(f *testing.F) {
	for _, doc := range documents(f) {
		f.Add(doc, "")
	}
	for _, doc := range unusualFeeds() {
		f.Add(doc, "")
	}
	f.Add([]byte(foreign), "")
	f.Add(gendoc.Bytes(gendoc.RSS, 2), "text/xml; charset=iso-8859-1")
	f.Add(gendoc.Bytes(gendoc.Atom, 2), "application/atom+xml; charset=utf-16")
	f.Fuzz(func(t *testing.T, doc []byte, contentType string) {
		sameByByte(t, doc, contentType)
	})
}
