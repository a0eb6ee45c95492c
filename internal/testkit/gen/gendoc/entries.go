package gendoc

import (
	"math/rand/v2"
	"strconv"
	"time"
)

// A maker appends entries to b.
type maker struct {
	b   []byte
	rnd *rand.Rand
}

// s appends strings.
func (m *maker) s(parts ...string) {
	for _, p := range parts {
		m.b = append(m.b, p...)
	}
}

// d appends n, at least width digits wide.
func (m *maker) d(n, width int) {
	var digits [20]byte
	t := strconv.AppendInt(digits[:0], int64(n), 10)
	for i := len(t); i < width; i++ {
		m.b = append(m.b, '0')
	}
	m.b = append(m.b, t...)
}

// one returns one of list.
func (m *maker) one(list []string) string { return list[m.rnd.IntN(len(list))] }

var (
	sections = []string{"catalogue", "furniture", "garden", "kitchen", "lighting", "magazine",
		"offers", "outdoor", "seasonal", "workshop"}
	words = []string{"adjustable", "bench", "blue", "ceramic", "classic", "compact", "cotton",
		"folding", "handmade", "large", "light",
		"natural", "oak", "round", "set", "small", "steel", "table", "vintage", "white"}
	frequencies = []string{"always", "hourly", "daily", "weekly", "monthly", "yearly", "never"}
	languages   = []string{"en", "de", "fr", "it", "es", "pt-BR", "ja", "x-default"}
	prose       = []string{"A quiet place to sit, ", "made of solid wood ",
		"and finished by hand. ", "Delivered within a week ", "to most of Europe; ",
		"returned free of charge. ", "Read <b>more</b> about it ",
		"in our <a href=\"/journal/\">journal</a> ", "& on the label: ",
		"40 × 60 cm, café au lait. "}
)

// page appends the URL of page i, about 90 bytes long; amp separates parameters.
// One in twenty has two parameters.
func (m *maker) page(i int, amp string) {
	m.s("https://www.example.com/", m.one(sections), "/", m.one(sections), "/", m.one(words), "-",
		m.one(words), "-", m.one(words), "-", m.one(words), "-")
	m.d(i, 7)
	m.s("/index.html")
	if m.rnd.IntN(20) == 0 {
		m.s("?colour=", m.one(words), amp, "size=")
		m.d(m.rnd.IntN(60), 1)
	}
}

// date appends a W3C datetime in one of five layouts.
func (m *maker) date() {
	m.d(2015+m.rnd.IntN(10), 4)
	m.s("-")
	m.d(1+m.rnd.IntN(12), 2)
	m.s("-")
	m.d(1+m.rnd.IntN(28), 2)
	layout := m.rnd.IntN(100)
	if layout < 30 {
		return
	}
	m.s("T")
	m.d(m.rnd.IntN(24), 2)
	m.s(":")
	m.d(m.rnd.IntN(60), 2)
	if layout >= 32 {
		m.s(":")
		m.d(m.rnd.IntN(60), 2)
	}
	switch {
	case layout < 70:
		m.s("+02:00")
	case layout < 90:
		m.s("Z")
	default:
		m.s(".")
		m.d(m.rnd.IntN(1000), 3)
		m.s("Z")
	}
}

// A style is a way to write a urlset.
type style struct {
	nl, indent, prefix string
	cdata, problems    bool
}

func (st *style) url(m *maker, i int) {
	bad := -1
	if st.problems && i%100 == 50 {
		bad = i / 100 % 5
	}
	m.s(st.indent, "<", st.prefix, "url>", st.nl, st.indent, st.indent, "<", st.prefix, "loc>")
	if st.cdata {
		m.s("<![CDATA[")
		m.page(i, "&")
		m.s("]]>")
	} else {
		m.page(i, "&amp;")
	}
	switch bad {
	case 0:
		m.s("#50%")
	case 1:
		m.s("#a&b")
	}
	m.s("</", st.prefix, "loc>", st.nl, st.indent, st.indent, "<", st.prefix, "lastmod>")
	if bad == 2 {
		m.s("yesterday")
	} else {
		m.date()
	}
	m.s("</", st.prefix, "lastmod>", st.nl, st.indent, st.indent, "<", st.prefix, "changefreq>")
	if bad == 3 {
		m.s("often")
	} else {
		m.s(m.one(frequencies))
	}
	m.s("</", st.prefix, "changefreq>", st.nl, st.indent, st.indent, "<", st.prefix, "priority>")
	if bad == 4 {
		m.s("high")
	} else {
		m.s("0.")
		m.d(m.rnd.IntN(10), 1)
	}
	m.s("</", st.prefix, "priority>", st.nl, st.indent, "</", st.prefix, "url>", st.nl)
}

func (m *maker) extended(i int) {
	m.s("<url>\n<loc>")
	m.page(i, "&amp;")
	m.s("</loc>\n<lastmod>")
	m.date()
	m.s("</lastmod>\n")
	for range 4 + m.rnd.IntN(4) {
		m.s("<xhtml:link rel=\"alternate\" hreflang=\"", m.one(languages), "\" href=\"")
		m.page(i, "&amp;")
		m.s("\"/>\n")
	}
	for range m.rnd.IntN(4) {
		m.s("<image:image>\n<image:loc>https://cdn.example.com/images/originals/large/",
			m.one(sections), "/")
		m.d(m.rnd.IntN(1e9), 9)
		m.s(".jpg</image:loc>\n<image:title><![CDATA[", m.one(words), " & ", m.one(words),
			"]]></image:title>\n</image:image>\n")
	}
	if m.rnd.IntN(5) == 0 {
		m.s("<news:news>\n<news:publication>\n<news:name>The Example</news:name>\n",
			"<news:language>en</news:language>\n</news:publication>\n<news:publication_date>")
		m.date()
		m.s("</news:publication_date>\n<news:title>The ", m.one(words), " ", m.one(words), " of ",
			m.one(sections), "</news:title>\n</news:news>\n")
	}
	m.s("</url>\n")
}

func (m *maker) sitemap(i int) {
	m.s("<sitemap>\n<loc>https://www.example.com/sitemaps/", m.one(sections), "/", m.one(words),
		"-", m.one(words), "-")
	m.d(i, 7)
	m.s(".xml.gz</loc>\n<lastmod>")
	m.date()
	m.s("</lastmod>\n</sitemap>\n")
}

func (m *maker) line(i int) {
	m.page(i, "&")
	m.s("\n")
}

// body appends about n bytes of HTML.
func (m *maker) body(n int) {
	for end := len(m.b) + n; len(m.b) < end; {
		m.s("<p>", m.one(prose), m.one(prose), m.one(prose), m.one(prose), "</p>\n")
	}
}

func (m *maker) title() {
	m.s("<title>The ", m.one(words), " ", m.one(words), " &amp; the ", m.one(words),
		" one</title>\n")
}

func (m *maker) item(i int) {
	m.s("<item>\n")
	m.title()
	m.s("<link>")
	m.page(i, "&amp;")
	m.s("</link>\n<guid isPermaLink=\"false\">tag:example.com,2015:")
	m.d(i, 7)
	m.s("</guid>\n<dc:creator>Example</dc:creator>\n<pubDate>")
	t := time.Date(2015+m.rnd.IntN(10), time.January, 1+m.rnd.IntN(365), m.rnd.IntN(24),
		m.rnd.IntN(60), m.rnd.IntN(60), 0, time.UTC)
	m.b = t.AppendFormat(m.b, time.RFC1123Z)
	m.s("</pubDate>\n<category>", m.one(sections), "</category>\n<description>", m.one(words),
		" and ", m.one(words), "</description>\n<content:encoded><![CDATA[")
	m.body(2200)
	m.s("]]></content:encoded>\n</item>\n")
}

func (m *maker) atomEntry(i int) {
	m.s("<entry>\n")
	m.title()
	m.s("<id>tag:example.com,2015:")
	m.d(i, 7)
	m.s("</id>\n<link rel=\"alternate\" type=\"text/html\" href=\"")
	m.page(i, "&amp;")
	m.s("\"/>\n<published>2014-01-02T03:04:05Z</published>\n<updated>")
	m.d(2015+m.rnd.IntN(10), 4)
	m.s("-05-06T")
	m.d(m.rnd.IntN(24), 2)
	m.s(":08:09Z</updated>\n<content type=\"html\"><![CDATA[")
	m.body(400)
	m.s("]]></content>\n</entry>\n")
}
