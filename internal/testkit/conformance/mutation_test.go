package conformance

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// A draft is a urlset or sitemapindex about to be written, with one mutation.
type draft struct {
	rnd   *rand.Rand
	index bool
	// The parts that a mutation may change.
	before, after string // around the root element
	root          string // its name
	rootAttrs     string
	entries       []*draftEntry
	rewrite       func(doc []byte) []byte // applied last, or nil
}

type draftEntry struct {
	name, attrs string
	fields      []field
}

type field struct{ name, attrs, text string }

func (e *draftEntry) at(name string) int {
	return slices.IndexFunc(e.fields, func(f field) bool { return f.name == name })
}

// set sets the text of a field. A new field is added at its place in the schema's order.
func (e *draftEntry) set(name, text string) {
	if i := e.at(name); i >= 0 {
		e.fields[i].text = text
		return
	}
	rank := func(name string) int {
		return slices.Index([]string{"loc", "lastmod", "changefreq", "priority"}, name)
	}
	i := slices.IndexFunc(e.fields, func(f field) bool { return rank(f.name) > rank(name) })
	if i < 0 {
		i = len(e.fields)
	}
	e.fields = slices.Insert(e.fields, i, field{name: name, text: text})
}

const protocolNS = "http://www.sitemaps.org/schemas/sitemap/0.9"

func pick[T any](rnd *rand.Rand, list ...T) T { return list[rnd.IntN(len(list))] }

// newDraft returns a valid document of one to three entries.
func newDraft(rnd *rand.Rand) *draft {
	d := &draft{rnd: rnd, index: rnd.IntN(3) == 0, root: "urlset", rootAttrs: ` xmlns="` +
		protocolNS + `"`}
	entry := "url"
	if d.index {
		d.root, entry = "sitemapindex", "sitemap"
	}
	d.before = pick(rnd, "", `<?xml version="1.0" encoding="UTF-8"?>`+"\n", `<?xml version='1.0'?>`)
	for i := range 1 + rnd.IntN(3) {
		e := &draftEntry{name: entry}
		e.set("loc", fmt.Sprintf("http://www.example.com/%d%s", i,
			pick(rnd, "", "/", "/page.html", "/?a=1&amp;b=2", "/caf%C3%A9", "/&#x63;&#97;fé")))
		if rnd.IntN(2) == 0 {
			e.set("lastmod", pick(rnd, "2024-05-06", "2024-05-06T07:08:09Z",
				"2024-05-06T07:08:09.5+02:00", " 2024-05-06\n"))
		}
		if !d.index && rnd.IntN(2) == 0 {
			e.set("changefreq", pick(rnd, "always", "hourly", "daily", "weekly", "monthly",
				"yearly", "never"))
		}
		if !d.index && rnd.IntN(2) == 0 {
			e.set("priority", pick(rnd, "0.0", "0.5", "1.0", "1", "0", "0.75", " 0.5 "))
		}
		d.entries = append(d.entries, e)
	}
	return d
}

func (d *draft) one() *draftEntry { return d.entries[d.rnd.IntN(len(d.entries))] }

// bytes writes the document.
func (d *draft) bytes() []byte {
	var b bytes.Buffer
	gap := pick(d.rnd, "", "\n", "\r\n\t")
	fmt.Fprintf(&b, "%s<%s%s>%s", d.before, d.root, d.rootAttrs, gap)
	for _, e := range d.entries {
		fmt.Fprintf(&b, "<%s%s>%s", e.name, e.attrs, gap)
		for _, f := range e.fields {
			if f.name == "" {
				b.WriteString(f.text + gap)
				continue
			}
			fmt.Fprintf(&b, "<%s%s>%s</%s>%s", f.name, f.attrs, f.text, f.name, gap)
		}
		fmt.Fprintf(&b, "</%s>%s", e.name, gap)
	}
	fmt.Fprintf(&b, "</%s>%s", d.root, d.after)
	if d.rewrite != nil {
		return d.rewrite(b.Bytes())
	}
	return b.Bytes()
}

// A mutation changes one thing in a draft.
type mutation struct {
	name  string
	apply func(d *draft)
}

// values returns a mutation that sets one field to one of some values.
func values(name, fieldName string, list ...string) mutation {
	return mutation{name, func(d *draft) {
		if d.index && (fieldName == "changefreq" || fieldName == "priority") {
			return // an index has no such field: no mutation
		}
		d.one().set(fieldName, pick(d.rnd, list...))
	}}
}

// inLoc returns a mutation that inserts one of some strings into a loc.
func inLoc(name string, list ...string) mutation {
	return mutation{name, func(d *draft) {
		e := d.one()
		e.set("loc", e.fields[e.at("loc")].text+"/"+pick(d.rnd, list...)+"x")
	}}
}

// around returns a mutation of the prolog or epilog.
func around(name string, before bool, list ...string) mutation {
	return mutation{name, func(d *draft) {
		s := pick(d.rnd, list...)
		if before {
			d.before = strings.ReplaceAll(s, "%", d.before)
		} else {
			d.after += s
		}
	}}
}

// bytesAt returns a mutation of the document's bytes at a random place.
func bytesAt(name string, f func(rnd *rand.Rand, doc []byte, i int) []byte) mutation {
	return mutation{name, func(d *draft) {
		d.rewrite = func(doc []byte) []byte { return f(d.rnd, doc, d.rnd.IntN(len(doc))) }
	}}
}

// extra returns a mutation that adds a field at a random place of an entry.
func extra(name string, list ...field) mutation {
	return mutation{name, func(d *draft) {
		e := d.one()
		e.fields = slices.Insert(e.fields, d.rnd.IntN(len(e.fields)+1), pick(d.rnd, list...))
	}}
}

var mutations = []mutation{
	{"none", func(*draft) {}},
	{"no loc", func(d *draft) { e := d.one(); e.fields = slices.Delete(e.fields, 0, 1) }},
	{"no entries", func(d *draft) { d.entries = nil }},
	{"order of children", func(d *draft) {
		e := d.one()
		e.set("lastmod", "2024-05-06")
		slices.Reverse(e.fields)
	}},
	{"repeated field", func(d *draft) {
		e := d.one()
		e.set("lastmod", "2024-05-06")
		e.fields = append(e.fields, e.fields[e.at("lastmod")])
	}},
	extra("second loc", field{name: "loc", text: "http://www.example.com/second"}),
	extra("foreign element", field{"x:y", ` xmlns:x="http://www.example.org/ns"`, "text"},
		field{"loc", ` xmlns="http://www.example.org/ns"`, "http://www.example.com/foreign"}),
	extra("unknown element", field{name: "author", text: "me"}),
	extra("undeclared prefix", field{name: "x:y", text: "text"}),
	extra("text in entry", field{text: "stray text"}),
	extra("entry in entry", field{name: "url", text: "<loc>http://www.example.com/inner</loc>"},
		field{name: "sitemap", text: "<loc>http://www.example.com/inner</loc>"}),
	extra("comment", field{text: "<!-- a comment -->"}, field{text: "<?pi data?>"}),
	extra("bad comment", field{text: "<!-- a -- b -->"}),
	{"other kind of entry", func(d *draft) {
		d.one().name = map[bool]string{true: "url", false: "sitemap"}[d.index]
	}},
	{"unknown entry", func(d *draft) { d.one().name = "page" }},
	{"other case", func(d *draft) { d.one().name = pick(d.rnd, "URL", "Url", "Sitemap") }},
	{"attribute", func(d *draft) { d.one().attrs = pick(d.rnd, ` id="1"`, ` xml:lang="en"`) }},
	{"attribute twice", func(d *draft) { d.one().attrs = ` xml:lang="en" xml:lang="de"` }},
	{"attribute without quotes", func(d *draft) { d.one().attrs = ` xml:lang=en` }},
	{"attribute without value", func(d *draft) { d.one().attrs = ` checked` }},
	{"attribute with a name that is none", func(d *draft) {
		d.one().attrs = pick(d.rnd, ` :a="1"`, ` a:="1"`, ` a:b:c="1"`, ` xmlns:1="urn:a"`,
			" \u00b7a=\"1\"", " \u00d7=\"1\"")
	}},
	{"attribute twice by its namespace",
		func(d *draft) { d.one().attrs = ` xmlns:a="urn:a" xmlns:b="urn:a" a:x="1" b:x="2"` }},
	{"declaration of a namespace that is none", func(d *draft) {
		d.one().attrs = pick(d.rnd, ` xmlns:a=""`, ` xmlns:xml="urn:a"`, ` xmlns:xmlns="urn:a"`,
			` xmlns:a="http://www.w3.org/XML/1998/namespace"`)
	}},
	{"no namespace", func(d *draft) { d.rootAttrs = "" }},
	{"other namespace", func(d *draft) { d.rootAttrs = ` xmlns="http://www.example.org/ns"` }},
	{"legacy namespace",
		func(d *draft) { d.rootAttrs = ` xmlns="http://www.google.com/schemas/sitemap/0.84"` }},
	{"namespace in blanks", func(d *draft) {
		d.rootAttrs = pick(d.rnd, ` xmlns=" http://www.sitemaps.org/schemas/sitemap/0.9"`,
			` xmlns="http://www.sitemaps.org/schemas/sitemap/0.9 "`)
	}},
	{"other version of the namespace",
		func(d *draft) { d.rootAttrs = ` xmlns="http://www.sitemaps.org/schemas/sitemap/1.0"` }},
	{"schema location", func(d *draft) {
		d.rootAttrs += ` xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="` + protocolNS + ` ` + protocolNS + `/sitemap.xsd"`
	}},
	values("empty loc", "loc", "", " \n ", "<![CDATA[]]>"),
	values("CDATA loc", "loc", "<![CDATA[http://www.example.com/?a=1&b=2]]>"),
	values("element in loc", "loc", "<b>http://www.example.com/b</b>"),
	values("short loc", "loc", "http://a.b/", "http://a.b"),
	values("long loc", "loc", "http://www.example.com/"+strings.Repeat("x", 2030),
		"http://www.example.com/"+strings.Repeat("x", 9000)),
	values("loc that is no absolute URL", "loc", "/relative/path.html", "www.example.com/abcdef",
		"index.html?abcdef", "//www.example.com/x"),
	values("loc of another scheme", "loc", "mailto:me@example.com", "ftp://ftp.example.com/",
		"javascript:alert(1)"),
	values("loc that is no URL", "loc", "None", "http:///no-host-here",
		"http://www.example.com:port/", "http://[::1/abcdef"),
	values("loc that anyURI has not", "loc", "http://www.example.com/[1]",
		"http://www.example.com/#a#b", "http://www.example.com:/abc",
		"https://https://www.example.com/"),
	values("loc in blanks", "loc", "\u00a0http://www.example.com/", "http://www.example.com/\u200b",
		"&#xFEFF;http://www.example.com/"),
	inLoc("space in loc", "a b", "a\nb"),
	inLoc("odd characters in loc", "{a}", "a|b", "a^b", "%%", "%zz", "a\\b", "\"a\""),
	inLoc("raw ampersand", "&", "&b=2", "&b ", "&&amp;"),
	inLoc("undeclared entity", "&nbsp;", "&copy;", "&unknown;"),
	inLoc("bad character reference", "&#0;", "&#x1F;", "&#xD800;", "&#;", "&#x110000;"),
	inLoc("control character", "\x01", "\x00", "\x1f"),
	inLoc("control character that XML allows", "\x7f", "\u0080", "&#x9F;"),
	inLoc("long reference", "&#"+strings.Repeat("0", 70)+"38;",
		"&#x"+strings.Repeat("0", 70)+"e9;"),
	inLoc("not UTF-8", "\xe9", "\xff", "\xc3", "\xed\xa0\x80"),
	inLoc("noncharacter", "\uffff", "\ufffe"),
	inLoc("raw <", "<", "a<b"),
	inLoc("]]>", "]]>"),
	inLoc("double escaped", "&amp;amp;"),
	values("bad date", "lastmod", "yesterday", "2024-02-30", "2024-13-01", "05/06/2024",
		"0000-00-00", "1715000000", "2024-05-06T25:00:00Z", "2024-05-06T07:08:09+99:00"),
	values("nonstandard date", "lastmod", "2024/05/06", "6 May 2024", "2024-05-06 07:08:09Z",
		"2024-05-06T07:08:09+0200", "2024-5-6", "Mon, 06 May 2024 07:08:09 GMT"),
	values("W3C date the schema lacks", "lastmod", "2024", "2024-05", "2024-05-06T07:08Z",
		"2024-05-06T07:08+02:00"),
	values("date only the schema has", "lastmod", "2024-05-06Z", "2024-05-06+02:00", "-2024-05-06",
		"12024-05-06", "2024-05-06T24:00:00Z"),
	values("date in a zone that is none", "lastmod", "2024-05-06T07:08:09+14:01",
		"2024-05-06T07:08:09-23:59", "9999-12-31T24:00:00Z"),
	values("element in a value", "lastmod", "2024-05-0<a>6</a>", "2024-05-06<a/>"),
	values("date without zone", "lastmod", "2024-05-06T07:08:09", "2024-05-06T07:08:09.25"),
	values("empty date", "lastmod", "", "  "),
	values("bad changefreq", "changefreq", "often", "", "daily,weekly", "1"),
	values("padded changefreq", "changefreq", " daily ", "daily\n"),
	values("changefreq in blanks", "changefreq", "\u00a0daily", "daily&#160;", "daily\u200b"),
	values("changefreq in another case", "changefreq", "Daily", "WEEKLY"),
	values("bad priority", "priority", "1.5", "-0.1", "high", "", "2", "NaN", "0.5.5"),
	values("nonstandard priority", "priority", "0,5", "1e0", "5e-1", "INF"),
	values("priority in blanks", "priority", "\u00a00.5", "0.5&#160;", "0.5\u200b"),
	values("odd decimal", "priority", ".5", "1.", "+0.5", "00.5", "-0.0", "0.50000000000000000000"),
	around("junk after root", false, "junk", "<a/>", "<urlset/>", "</urlset>", "&amp;", "\x00"),
	around("comment after root", false, "<!-- end -->", "\n\n", "<?pi?>"),
	around("bad comment after root", false, "<!-- a -- b -->", "<!-- \x01 -->", "<?pi \x01?>",
		"<!-- \xff -->"),
	around("instruction that is none", true, "%<?XML?>", "%<?Xml a?>", "<?XML version='1.0'?>"),
	around("blank before root", true, "%\u0085", "%\u00a0"),
	around("junk before root", true, "junk%", "%junk", "<a/>%"),
	around("white space before declaration", true, "\n<?xml version=\"1.0\"?>"),
	around("doctype", true, "%<!DOCTYPE urlset>", "%<!DOCTYPE urlset [<!ENTITY e \"text\">]>"),
	around("byte order mark", true, "\uFEFF%"),
	around("other version or encoding", true, `<?xml version="1.1"?>`,
		`<?xml version="1.0" encoding="us-ascii"?>`, `<?xml version="1.0" encoding="x-none"?>`),
	bytesAt("byte deleted",
		func(_ *rand.Rand, doc []byte, i int) []byte { return slices.Delete(doc, i, i+1) }),
	bytesAt("byte inserted", func(rnd *rand.Rand, doc []byte, i int) []byte {
		return slices.Insert(doc, i, pick(rnd, []byte("<>/&;\"'=!?-[]: \tabcURL09\x01\xff")...))
	}),
	bytesAt("byte doubled",
		func(_ *rand.Rand, doc []byte, i int) []byte { return slices.Insert(doc, i, doc[i]) }),
	bytesAt("cut", func(_ *rand.Rand, doc []byte, i int) []byte { return doc[:i] }),
	bytesAt("tag deleted", func(_ *rand.Rand, doc []byte, i int) []byte {
		from := bytes.LastIndexByte(doc[:i+1], '<')
		to := bytes.IndexByte(doc[i:], '>')
		if from < 0 || to < 0 {
			return doc[:0]
		}
		return slices.Delete(doc, from, i+to+1)
	}),
	bytesAt("end tags crossed", func(_ *rand.Rand, doc []byte, _ int) []byte {
		return bytes.Replace(doc, []byte("</loc>"), []byte("</lok>"), 1)
	}),
}

// generate returns document number i, which depends only on i, and its mutation.
func generate(i int) (doc []byte, m mutation, index bool) {
	rnd := rand.New(rand.NewPCG(20240506, uint64(i)))
	m = mutations[i%len(mutations)]
	d := newDraft(rnd)
	m.apply(d)
	return d.bytes(), m, d.index
}
