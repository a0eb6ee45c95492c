package export_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap/cmd/internal/export"
)

// The column of the URLs is found by the names that other programs give it, in any letter case.
func TestRead_Columns(t *testing.T) {
	for text, want := range map[string]export.URL{
		"\ufeff\"Address\",\"Status Code\"\r\n\"https://a/1\",\"200\"\r\n": {Loc: "https://a/1"},
		"URL\nhttps://a/1\n":                               {Loc: "https://a/1"},
		"id,url,lastmod\n1,https://a/1,2026-01-01\n":       {Loc: "https://a/1", LastMod: "2026-01-01"},
		"Address;Status\nhttps://a/1;200\n":                {Loc: "https://a/1"},
		"Keyword\tURL\n\"a, b\"\thttps://a/1,2\n":          {Loc: "https://a/1,2"},
		"page,clicks\nhttps://a/1,3\n":                     {Loc: "https://a/1"},
		"Page,URL\nHome,https://a/1\nPage,URL\n":           {Loc: "https://a/1"},
		"change,loc,old_loc\nmoved,https://a/1,http://a/1": {Loc: "https://a/1", OldLoc: "http://a/1", Change: "moved"},
		"https://a/1\n":                                    {Loc: "https://a/1"},
	} {
		var got []export.URL
		var has export.Fields
		err := export.Read(strings.NewReader(text), &has, func(u export.URL) { got = append(got, u) })
		if err != nil || !reflect.DeepEqual(got, []export.URL{want}) {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
}
