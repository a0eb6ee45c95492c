package export_test

import (
	"reflect"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/cmd/internal/export"
)

// longTitle is as long as the header of a wide table.
var longTitle = strings.Repeat("a title ", 1000)

// The column of the URLs is found by the names that other programs give it, in any letter case.
func TestRead_Columns(t *testing.T) {
	for text, want := range map[string]export.URL{
		"\ufeff\"Address\",\"Status Code\"\r\n\"https://a/1\",\"200\"\r\n": {Loc: "https://a/1"},
		"URL\nhttps://a/1\n":                                 {Loc: "https://a/1"},
		"id,url,lastmod\n1,https://a/1,2026-01-01\n":         {Loc: "https://a/1", LastMod: "2026-01-01"},
		"Address;Status\nhttps://a/1;200\n":                  {Loc: "https://a/1"},
		"Keyword\tURL\n\"a, b\"\thttps://a/1,2\n":            {Loc: "https://a/1,2"},
		"page,clicks\nhttps://a/1,3\n":                       {Loc: "https://a/1"},
		"Top pages,Clicks\nhttps://a/1,3\n":                  {Loc: "https://a/1"},
		"A list, of URLs\nhttps://a/1\n":                     {Loc: "https://a/1"},
		"sep=;\r\nURL;Status\r\nhttps://a/1;200\r\n":         {Loc: "https://a/1"},
		"sep=|\nURL|a, b\nhttps://a/1|2\n \n |3\n":           {Loc: "https://a/1"},
		"\r\n\nURL,Status\nhttps://a/1,200\n":                {Loc: "https://a/1"},
		"URL,Status\n https://a/1 ,200\n":                    {Loc: "https://a/1"},
		longTitle + ",URL\nx,https://a/1\n":                  {Loc: "https://a/1"},
		"Page,URL\nHome,https://a/1\nPage,URL\n":             {Loc: "https://a/1"},
		"change,loc,old_loc\nmoved,https://a/1,http://a/1":   {Loc: "https://a/1", OldLoc: "http://a/1", Change: "moved"},
		"https://a/1\n":                                      {Loc: "https://a/1"},
		utf16LE("loc,lastmod\r\nhttps://a/1,2026-01-01\r\n"): {Loc: "https://a/1", LastMod: "2026-01-01"},
		utf16LE("{\"loc\":\"https://a/1\"}\r\n"):             {Loc: "https://a/1"},
		utf16LE("<?xml version=\"1.0\" encoding=\"UTF-16\"?><urlset><url><loc>https://a/ü</loc></url></urlset>"): {Loc: "https://a/ü"},
	} {
		var got []export.URL
		var has export.Fields
		err := export.Read(strings.NewReader(text), &has, func(sitemap.Problem) {}, func(u export.URL) { got = append(got, u) })
		if err != nil || !reflect.DeepEqual(got, []export.URL{want}) {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
}

// The rows of a table whose column of URLs is unknown are not taken for URLs, and none are lost.
func TestRead_BadTables(t *testing.T) {
	for text, want := range map[string]string{
		"Landing,Clicks\nhttps://a/1,3\n": "without a column loc",
		"Clicks;Target\n3;https://a/1\n":  "without a column loc",
		"loc,lastmod\rhttps://a/1,2026\r": "carriage return",
	} {
		var has export.Fields
		err := export.Read(strings.NewReader(text), &has, nil, func(u export.URL) { t.Errorf("%+v", u) })
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// utf16LE returns text in UTF-16 with a byte order mark, as shells of Windows write it.
func utf16LE(text string) string {
	var b []byte
	for _, unit := range utf16.Encode([]rune("\ufeff" + text)) {
		b = append(b, byte(unit), byte(unit>>8))
	}
	return string(b)
}

// Only a list of URLs has no lastmods, however it begins.
func TestRead_LastMods(t *testing.T) {
	for text, want := range map[string]bool{
		"https://a/1\n": false, "\nhttps://a/1\n": false, "# URLs\nHTTPS://a/1\n": false,
		"<urlset><url><loc>https://a/1</loc></url></urlset>": true, "loc,lastmod\nhttps://a/1,\n": true,
	} {
		var has export.Fields
		n := 0
		err := export.Read(strings.NewReader(text), &has, func(sitemap.Problem) {}, func(export.URL) { n++ })
		if err != nil || n != 1 || has.LastMod != want {
			t.Errorf("%q: %d URLs, lastmods: %t, %v", text, n, has.LastMod, err)
		}
	}
}
