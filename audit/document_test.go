package audit_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/audit"
)

// Columns are right wherever the place is: in a document on one line that is longer than any
// window, with characters of several bytes, with each kind of line end, and compressed.
func TestDocument_Columns(t *testing.T) {
	for _, end := range []string{"", "\n", "\r\n", "\r"} {
		var b strings.Builder
		b.WriteString(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + end)
		for i := range 5_000 {
			extra := ""
			if i%250 == 7 {
				extra = "<lastmod>«bad»</lastmod>"
			}
			if i%3 == 0 {
				extra += `<priority>1</priority><!-- é世 -->`
			}
			fmt.Fprintf(&b, "<url><loc>http://example.com/%d</loc>%s</url>%s", i, extra, end)
		}
		b.WriteString("</urlset>")
		text := b.String()
		for _, doc := range []string{text, string(packed([]byte(text)))} {
			found, err := collect(
				audit.Document(source("s.xml", []byte(doc)), &audit.Options{Excerpts: true}),
			)
			n := 0
			for _, f := range found {
				if f.Code != "bad_lastmod" {
					continue
				}
				n++
				before := strings.ReplaceAll(text[:f.Pos.Offset], "\r\n", "\n")
				before = strings.ReplaceAll(before, "\r", "\n")
				line := before[strings.LastIndexByte(before, '\n')+1:]
				if wantLine, column := strings.Count(before, "\n")+1, utf8.RuneCountInString(line)+1; f.Pos.Line != wantLine ||
					f.Column != column {
					t.Fatalf(
						"%q: offset %d is %d:%d, want %d:%d",
						end,
						f.Pos.Offset,
						f.Pos.Line,
						f.Column,
						wantLine,
						column,
					)
				}
				if at := f.Excerpt.Text[f.Excerpt.Caret:]; !strings.HasPrefix(at, "<lastmod>") ||
					!utf8.ValidString(f.Excerpt.Text) {
					t.Fatalf("%q: caret at %q of %q", end, at, f.Excerpt.Text)
				}
			}
			if n != 20 || err != nil {
				t.Errorf("%q: %d findings, %v", end, n, err)
			}
		}
	}
}

// The elements of each entry are judged, wherever the windows cut the document, and however long an
// entry is.
func TestDocument_Windows(t *testing.T) {
	for _, size := range []int{10, 1_000, 30_000, 200_000} {
		var b strings.Builder
		b.WriteString(
			`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">`,
		)
		n := 2_000_000 / (size + 200)
		for i := range n {
			fmt.Fprintf(
				&b,
				"\n<url><loc>http://example.com/%d</loc><image:image><image:caption>%s</image:caption></image:image></url>",
				i,
				strings.Repeat("x", size),
			)
			if i%5 == 0 {
				b.WriteString("<!--" + strings.Repeat("<url>", size%20_000/5) + "-->")
			}
		}
		b.WriteString("</urlset>")
		found, err := collect(audit.Document(source("s.xml", []byte(b.String())), nil))
		images := 0
		for _, f := range found {
			if f.Code == "image_missing_loc" &&
				f.Loc == fmt.Sprintf("http://example.com/%d", images) {
				images++
			}
		}
		if images != n || err != nil {
			t.Errorf("entries of %d bytes: %d of %d images, %v", size, images, n, err)
		}
	}
}

// A caller that has seen enough ends the audit.
func TestDocument_Break(t *testing.T) {
	text, n := []byte(strings.Repeat("junk\n", 100)), 0
	for range audit.Document(source("s.txt", text), nil) {
		if n++; n == 3 {
			break
		}
	}
	if n != 3 {
		t.Errorf("%d findings", n)
	}
}

func TestDocument_OpenFails(t *testing.T) {
	want := errors.New("gone")
	src := audit.Source{Name: "s.xml", Open: func() (io.ReadCloser, error) { return nil, want }}
	if found, err := collect(audit.Document(src, nil)); !errors.Is(err, want) || len(found) > 0 {
		t.Errorf("%v, %v", found, err)
	}
}

// A bad_extension that a rule of its own names is not reported again.
func TestDocument_NamesDefectsOnce(t *testing.T) {
	const head = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"><url><loc>https://www.example.com/</loc>`
	for body, want := range map[string]string{
		`<image:image></image:image>`:                                                           "image_missing_loc",
		`<image:image><image:loc>http://[</image:loc></image:image>`:                            "bad_extension",
		`<image:image></image:image><image:image><image:loc>http://[</image:loc></image:image>`: "bad_extension image_missing_loc",
	} {
		found, err := collect(
			audit.Document(source("s.xml", []byte(head+body+"</url></urlset>")), nil),
		)
		found = slices.DeleteFunc(
			found,
			func(f audit.Finding) bool { return f.Code == "lastmod_coverage" },
		)
		if got := strings.Trim(fmt.Sprint(codes(found)), "[]"); got != want || err != nil {
			t.Errorf("%s: %s, want %s, %v", body, got, want, err)
		}
	}
}

// One defect is one finding.
func TestDocument_SaysItOnce(t *testing.T) {
	const entry = `<url><loc>https://www.example.com/a</loc><lastmod>2026-11-01</lastmod></url>`
	const root, template = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`, "<url><loc>https://www.example.com/{{ x }}</loc></url>"
	for doc, want := range map[string]string{
		"<!DOCTYPE html><html><body>Home</body></html>":                                                                          "",
		`<data><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + entry + "</urlset></data>":                        "wrapped_root",
		`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + entry + "</urlset><p>x</p>":                             "junk_after_root",
		`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + strings.Replace(entry, "/a", "/a\n b", 1) + "</urlset>": "loc_whitespace",
		`<urlset xmlns="http://www.example.com/">` + entry + "</urlset>":                                                         "unknown_namespace",
		`<urlset xmlns=“http://www.sitemaps.org/schemas/sitemap/0.9”>` + entry + "</urlset>":                                     "smart_quotes",
		`<?xml version=“1.0” encoding=“UTF-8”?>` + root + entry + "</urlset>":                                                    "smart_quotes",
		root + "<sitemap><loc>https://www.example.com/sitemap.xml</loc></sitemap></urlset>":                                      "misplaced_element",
		root + entry + "<!-- x" + strings.ReplaceAll(entry, "/a", "/b") + " -></urlset>":                                         "mismatched_tag",
		root + template + template + "</urlset>":                                                                                 "bogus_loc",
		root + template + strings.Replace(template, "}}", "}}/a", 1) + "</urlset>":                                               "bogus_loc",
		root + strings.Replace(template, "{{ x }}", "${x}", 1) + "</urlset>":                                                     "bogus_loc",
	} {
		found, _ := collect(audit.Document(source("s.xml", []byte(doc)), &audit.Options{Time: testTime}))
		if got := strings.Trim(fmt.Sprint(codes(found)), "[]"); got != want || len(found) > 1 {
			t.Errorf("%s: %d findings %s, want %s", doc, len(found), got, want)
		}
	}
}

// Extensions that the parser reads quickly are judged like others.
func TestDocument_QuickExtensions(t *testing.T) {
	const loc = "https://www.example.com/0"
	link := func(code, href string) string {
		return `<xhtml:link rel="alternate" hreflang="` + code + `" href="` + href + `"/>` + "\n"
	}
	image := func(parts string) string { return "<image:image>" + parts + "</image:image>\n" }
	const one = "<image:loc>https://www.example.com/i.jpg</image:loc>"
	sound := link("en", loc) + link("de", "https://www.example.com/de?a=1&amp;b=2")
	for _, body := range []string{
		sound, sound + image(one), image(one) + sound, sound + image(one) + link("de", loc),
		link("en", loc) + link("EN", loc+"/en") + link("x-default", loc) + link("X-Default", loc),
		link("en-UK", loc), link("en", "/0"), link("en", "x:y"), link("en", ""), link("en", loc) + link("fr", "//www.example.com/"),
		link("de", loc+"1") + link("fr", loc+"2") + link("it", loc+"3"), image(""), image("<image:loc>/i.jpg</image:loc>"),
		image(one + "<image:title>T</image:title>"), image(one + "<image:title/>"),
		image(one+"<image:title>T</image:title><image:caption>C</image:caption>") + sound, image(one + one + "<image:title>T</image:title>"),
		image("<image:title><![CDATA[T & T]]></image:title>" + one + "<image:license/>"), image("<!-- </ -->" + one + "<image:title>/></image:title>"),
		strings.Repeat(image(one), 1_001),
		image(one) + "<video:video></video:video>" + sound + link("en", loc), "<news:news></news:news>" + sound,
		sound + "<lastmod>2026-11-01</lastmod>" + link("de", loc) + "<priority>2</priority>",
		sound + `<xhtml:link rel="stylesheet" href="https://www.example.com/x.css"/>`,
		sound + `<xhtml:link rel="alternate" href="https://www.example.com/x"/>`,
		sound + `<xhtml:link hreflang="en-UK" href="https://www.example.com/x"/>`,
		sound + `<xhtml:link rel="alternate" hreflang="" href="https://www.example.com/x"/>`,
		sound + `<xhtml:link rel="alternate" href="https://www.example.com/x" hreflang="en-UK"/>` + link("DE", loc),
		sound + `<xhtml:link media=" href=" rel="alternate" href="https://www.example.com/x" hreflang="en-UK"/>`,
	} {
		said := func(start, before string) string {
			// The parser reads no first entry quickly.
			text := urlsetStart + "<url><loc>" + loc + "/first</loc>" + before + "</url>" + start + "\n<loc>" + loc + "</loc>\n" + body +
				"</url>" + urlsetEnd
			src := source("s.xml", []byte(text))
			src.Base, _ = url.Parse("https://www.example.com/s.xml")
			found, err := collect(audit.Document(src, &audit.Options{Time: testTime}))
			list := fmt.Sprintln(err)
			for _, f := range found {
				list += fmt.Sprintln(f.Code, f.Loc, f.Text, f.Message, f.Pos.Line, f.Column)
			}
			return list
		}
		for _, before := range []string{"", image(one + "<image:title>T</image:title>")} {
			if quick, slow := said("<url>", before), said("<url >", before); quick != slow {
				t.Errorf("%.300s:\n%s\nslowly\n%s", body, quick, slow)
			}
		}
	}
}

// Columns of links are right wherever the windows cut the document.
func TestDocument_LinkColumns(t *testing.T) {
	const second = `<xhtml:link rel="alternate" hreflang="DE" href="https://www.example.com/2"/>`
	text := entries(10_000, func(i int) string { return strings.Replace(second, "DE", "de", 1) + "é" + second })
	text = strings.ReplaceAll(strings.ReplaceAll(text, "é", "<!-- é -->"), "\n", "")
	const eighth = "</url><url><loc>https://www.example.com/8<"
	text = strings.Replace(text, eighth, "<!-- "+strings.Repeat("-x", 300_000)+" -->"+eighth, 1)
	o := &audit.Options{Only: []sitemap.Code{audit.HreflangRepeatedCode}}
	n, column, last := 0, 1, int64(0)
	for f, err := range audit.Document(source("s.xml", []byte(text)), o) {
		if err != nil {
			t.Fatal(err)
		}
		column += utf8.RuneCountInString(text[last:f.Pos.Offset])
		last = f.Pos.Offset
		if n++; f.Pos.Line != 1 || f.Column != column || !strings.HasPrefix(text[last:], second) {
			t.Fatalf("%d:%d is not column %d at %.60s", f.Pos.Line, f.Column, column, text[last:])
		}
	}
	if n < 100 {
		t.Errorf("%d findings", n)
	}
}

// A missing element is found at the place where it should be.
func TestDocument_NoEntriesIsAtTheRoot(t *testing.T) {
	const text = "<!-- ü -->\n <urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n\n</urlset>"
	found, err := collect(audit.Document(source("s.xml", []byte(text)), nil))
	if len(found) != 1 || found[0].Code != sitemap.NoEntries || found[0].Pos.Line != 2 || found[0].Column != 2 || err != nil {
		t.Errorf("%+v, %v", found, err)
	}
}

// packed returns text in gzip.
func packed(text []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(text)
	z.Close()
	return b.Bytes()
}
