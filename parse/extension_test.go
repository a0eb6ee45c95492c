package parse

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/seed-322c453a/sitemap"
)

// FuzzExtensions compares the short cut for extensions with the general reader.
func FuzzExtensions(f *testing.F) {
	paths, err := filepath.Glob("../testdata/extension/*.xml")
	if err != nil || len(paths) == 0 {
		f.Fatalf("no documents: %v", err)
	}
	for _, path := range paths {
		doc, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(doc)
	}
	f.Add([]byte(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" xmlns:xhtml="http://www.w3.org/1999/xhtml" xmlns:news="http://www.google.com/schemas/sitemap-news/0.9" xmlns:x="urn:x">
<url><loc>http://a.example/0</loc></url>
<url><loc>http://a.example/1</loc><xhtml:link rel="alternate" hreflang="de" href="http://a.example/d&#101;?a=1&amp;b=2"/><x:y>z</x:y><x:y><![CDATA[ ]]&]]></x:y></url>
<url><loc>http://a.example/2</loc><image:image><image:loc>http://a.example/é</image:loc><image:title><![CDATA[]]></image:title><image:caption>&lt;b&gt;</image:caption></image:image></url>
<url><loc>http://a.example/3</loc><news:news><news:publication><news:name>N</news:name><news:language>en</news:language></news:publication><news:publication_date>2024-05-06</news:publication_date><news:title> T </news:title><news:keywords>a,, b</news:keywords></news:news></url>
</urlset>`))
	f.Add([]byte(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">
<url><loc>http://a.example/0</loc></url>
<url><loc>http://a.example/1</loc><xhtml:link rel="alternate" hreflang="x-default" href="http://a.example/"/><xhtml:link rel="alternate" hreflang="" href="http://a.example/;a&lt;"/></url>
<url><loc>http://a.example/2</loc><xhtml:link rel="alternate" hreflang="de" href=" /é"/><xhtml:link rel="alternate" hreflang="de" href="<"/><xhtml:link rel="alternate" hreflang="de" href="http://a.example/]&" /></url>
<url><loc>http://a.example/3</loc>
  <xhtml:link hreflang='de' href='http://a.example/"'/>
  <xhtml:link hreflang='fr' href='http://a.example/fr'/> x <xhtml:link hreflang='es' href='http://a.example/es'/>
  <xhtml:link href="/en" media="a&amp;b" hreflang="en" rel="x"/><xhtml:link href="/é&amp;" hreflang="en"/><xhtml:link href="/" href="/"/><xhtml:link xmlns="" href="/"/>
  <xhtml:link hreflang='it' href='/'></xhtml:link><xhtml:link hreflang='' href=''/>
  <xhtml:link hreflang='it' href='http://a.example/it'/><xhtml:link hreflang='it' href='http://a.example/it' /></url>
</urlset>`))
	// The namespace of an empty element is not that of the entry after it.
	f.Add([]byte(`<urlset><x xmlns="urn:x"/><url><lo>x</lo></url></urlset>`))
	for _, binding := range []string{"", `xmlns:xhtml="urn:x"`,
		`xmlns:xhtml="http://www.sitemaps.org/schemas/sitemap/0.9"`,
		`xmlns:xhtml="http://www.w3.org/1999/xhtml/"`} {
		f.Add([]byte(`<urlset ` + binding + ` xmlns="http://www.w3.org/1999/xhtml"><url><loc>http://a.example/0</loc></url>
<url><loc>http://a.example/1</loc><xhtml:link rel="alternate" hreflang="de" href="http://a.example/de"/></url></urlset>`))
	}
	for _, attrs := range []string{`:a="1"`, `x:="1"`, `x:a:b="1"`, `x:1="1"`, `x:a="1" y:a="2"`,
		`x:a="1" x:b="2"`, `xml:lang="de" x:lang="de"`} {
		f.Add([]byte(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml" xmlns:x="urn:x" xmlns:y="urn:x">
<url><loc>http://a.example/0</loc></url>
<url><loc>http://a.example/1</loc>` + strings.Repeat(`<xhtml:link rel="alternate" href="http://a.example/de" `+attrs+`/>`, 2) + `</url></urlset>`))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		same(t, doc, sitemap.Options{})
		// Elements are read at once only if the window holds all of them.
		whole := readAs(bytes.NewReader(doc), false, sitemap.Options{})
		bytewise := readAs(iotest.OneByteReader(bytes.NewReader(doc)), false, sitemap.Options{})
		if !reflect.DeepEqual(whole, bytewise) {
			t.Errorf("byte by byte:\n%+v\nat once:\n%+v", bytewise, whole)
		}
	})
}
