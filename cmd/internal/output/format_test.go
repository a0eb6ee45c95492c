package output

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/discover/trust"
	"github.com/seed-322c453a/sitemap/internal/jsonl"
)

func mustTime(t *testing.T, s string) sitemap.Time {
	t.Helper()
	v, err := sitemap.ParseTime(s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func fullRecord(t *testing.T) *batch.URL {
	return &batch.URL{
		Entry: sitemap.Entry{
			Loc:        `http://example.com/?a=1&b=<2>,"ü"`,
			LastMod:    mustTime(t, "2024-05-06T07:08:09.120+02:00"),
			Published:  mustTime(t, "2024-05"),
			ChangeFreq: sitemap.Daily,
			Priority:   sitemap.Some(0.8),
			Extensions: &sitemap.Extensions{
				Images:     []sitemap.Image{{Loc: "http://example.com/1.jpg", Title: "a & b <c>"}},
				Alternates: []sitemap.Alternate{{Rel: "alternate", Hreflang: "de", Href: "http://example.com/de"}},
				Mobile:     true,
			},
		},
		Sitemap: "http://example.com/sitemap.xml",
		Trust:   trust.Robots,
		OnSite:  true,
		Target:  "example.com",
		Fetched: time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC),
	}
}

func TestFormats(t *testing.T) {
	bare := &batch.URL{Entry: sitemap.Entry{Loc: "http://example.com/", Kind: sitemap.Sitemap, Priority: sitemap.Some(1.0)}}
	tests := []struct {
		format string
		fields string
		walked bool
		r      *batch.URL
		want   string
	}{
		{"text", "", true, fullRecord(t), `http://example.com/?a=1&b=<2>,"ü"` + "\n"},
		{"jsonl", "", true, fullRecord(t), `{"loc":"http://example.com/?a=1&b=<2>,\"ü\"","kind":"page","lastmod":"2024-05-06T07:08:09.120+02:00","published":"2024-05",` +
			`"changefreq":"daily","priority":0.8,"sitemap":"http://example.com/sitemap.xml","trust":"robots","on_site":true,"target":"example.com","fetched":"2026-11-23T12:00:00Z",` +
			`"images":[{"loc":"http://example.com/1.jpg","title":"a & b <c>"}],"alternates":[{"rel":"alternate","hreflang":"de","href":"http://example.com/de"}],"mobile":true}` + "\n"},
		{"jsonl", "", false, &batch.URL{Entry: sitemap.Entry{Loc: "x", LastMod: mustTime(t, "2024-05-06T07:08:09Z").AssumeZone()}},
			`{"loc":"x","kind":"page","lastmod":"2024-05-06T07:08:09Z","zone_assumed":true}` + "\n"},
		{"jsonl", "", false, &batch.URL{Entry: sitemap.Entry{Loc: "x", LastMod: mustTime(t, "2024"), Published: mustTime(t, "2023-05-06T07:08Z").AssumeZone()}},
			`{"loc":"x","kind":"page","lastmod":"2024","published":"2023-05-06T07:08:00Z","zone_assumed":true}` + "\n"},
		{"jsonl", "", false, bare, `{"loc":"http://example.com/","kind":"sitemap","priority":1}` + "\n"},
		{"jsonl", "", true, &batch.URL{Entry: sitemap.Entry{Loc: "x", Extensions: &sitemap.Extensions{}}, Trust: trust.Location}, `{"loc":"x","kind":"page","trust":"location","on_site":false}` + "\n"},
		{"csv", "", true, fullRecord(t), "loc,kind,lastmod,changefreq,priority,sitemap,trust,on_site,target,fetched,image,news_name,news_language,news_date,news_title,hreflang\n" +
			`"http://example.com/?a=1&b=<2>,""ü""",page,2024-05-06T07:08:09.120+02:00,daily,0.8,http://example.com/sitemap.xml,robots,true,example.com,2026-11-23T12:00:00Z,http://example.com/1.jpg,,,,,de=http://example.com/de` + "\n"},
		{"csv", "", false, bare, "loc,kind,lastmod,changefreq,priority,image,news_name,news_language,news_date,news_title,hreflang\nhttp://example.com/,sitemap,,,1,,,,,,\n"},
		{"csv", "loc, image,on_site", true, fullRecord(t), "loc,image,on_site\n" + `"http://example.com/?a=1&b=<2>,""ü""",http://example.com/1.jpg,true` + "\n"},
		{"csv", "images,loc", false, &batch.URL{Entry: sitemap.Entry{Loc: "x", Extensions: &sitemap.Extensions{Images: []sitemap.Image{{Loc: "y"}}}}}, "images,loc\n" + `"[{""loc"":""y""}]",x` + "\n"},
		{"csv", "mobile,zone_assumed", true, fullRecord(t), "mobile,zone_assumed\ntrue,\n"},
		{"jsonl", "loc,mobile,zone_assumed", false, &batch.URL{Entry: sitemap.Entry{Loc: "x", LastMod: mustTime(t, "2024-05-06T07:08:09Z").AssumeZone()}}, `{"loc":"x","zone_assumed":true}` + "\n"},
		{"jsonl", "priority,images,news,trust", true, fullRecord(t), `{"priority":0.8,"images":[{"loc":"http://example.com/1.jpg","title":"a & b <c>"}],"trust":"robots"}` + "\n"},
	}
	for _, tt := range tests {
		f, err := urlLines(&cli.PrintFlags{Format: tt.format, Fields: tt.fields}, tt.walked, false)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(f.Append([]byte(f.Header), tt.r)); got != tt.want {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.format, got, tt.want)
		}
	}
}

// FuzzAppendString compares the strings appended with those that encoding/json reads.
func FuzzAppendString(f *testing.F) {
	for _, s := range []string{"", "a", "\"\\/\b\f\n\r\t\x00\x1f\x7f", "<>&", "ü\u2028😀", "\xff\xc3", "a\xffb\"c", "\xed\xa0\x80"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var got string
		if err := json.Unmarshal(jsonl.AppendString(nil, s), &got); err != nil {
			t.Fatalf("jsonl.AppendString(%q): %v", s, err)
		}
		if want := string([]rune(s)); got != want || utf8.ValidString(s) && got != s {
			t.Errorf("jsonl.AppendString(%q) is %q, want %q", s, got, want)
		}
	})
}

func FuzzAppendRow(f *testing.F) {
	for _, s := range []string{"", "a", "a,b", `"`, "a\nb", `a"b,c`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		row, err := csv.NewReader(bytes.NewReader(AppendRow(nil, true, "x", s))).Read()
		want := strings.ReplaceAll(s, "\r\n", "\n") // as encoding/csv reads it
		if err != nil || !reflect.DeepEqual(row, []string{"x", want}) {
			t.Errorf("AppendRow(%q) reads as %q, %v", s, row, err)
		}
	})
}

func TestRecordAllocations(t *testing.T) {
	r := fullRecord(t)
	r.Loc, r.Extensions = "http://example.com/?a=1&b=2", nil
	for _, name := range []string{"text", "jsonl", "csv"} {
		f, err := urlLines(&cli.PrintFlags{Format: name, Fields: ""}, true, false)
		if err != nil {
			t.Fatal(err)
		}
		b := make([]byte, 0, 4096)
		if n := testing.AllocsPerRun(100, func() { f.Append(b, r) }); n != 0 {
			t.Errorf("%s: %v allocations a record, want none", name, n)
		}
	}
}

func BenchmarkRecord(b *testing.B) {
	r := &batch.URL{Entry: sitemap.Entry{Loc: "https://www.example.com/category/product-name-0000001/index.html", ChangeFreq: sitemap.Daily, Priority: sitemap.Some(0.8)}}
	for _, name := range []string{"text", "jsonl", "csv"} {
		b.Run(name, func(b *testing.B) {
			f, err := urlLines(&cli.PrintFlags{Format: name, Fields: ""}, false, false)
			if err != nil {
				b.Fatal(err)
			}
			var line []byte
			b.ReportAllocs()
			for b.Loop() {
				line = f.Append(line[:0], r)
			}
			b.SetBytes(int64(len(line)))
		})
	}
}

// Cells that a spreadsheet takes for formulas get an apostrophe, unless they are wanted raw.
func TestFormat_Formulas(t *testing.T) {
	for _, test := range []struct {
		raw  bool
		want string
	}{{false, "http://example.com/,-1,'=1+1,'@x\n"}, {true, "http://example.com/,-1,=1+1,@x\n"}} {
		f, err := urlLines(&cli.PrintFlags{Format: "csv", Fields: "loc,priority,sitemap,target", Raw: test.raw}, true, false)
		if err != nil {
			t.Fatal(err)
		}
		r := batch.URL{Sitemap: "=1+1", Target: "@x"}
		r.Loc, r.Priority = "http://example.com/", sitemap.Some(-1.0)
		if got := string(f.Append(nil, &r)); got != test.want {
			t.Errorf("raw %t: %q, want %q", test.raw, got, test.want)
		}
	}
	if got := string(AppendRow(nil, false, "=a", "+a", "-a", "@a", "\ta", "\ra", "a=")); got != "'=a,'+a,'-a,'@a,'\ta,\"'\ra\",a=\n" {
		t.Errorf("%q", got)
	}
	table, err := NewTable(&cli.PrintFlags{Format: "csv", Raw: true}, appendImages)
	if err != nil {
		t.Fatal(err)
	}
	r := batch.URL{Entry: sitemap.Entry{Loc: "=x", Extensions: &sitemap.Extensions{Images: []sitemap.Image{{}}}}}
	if got := string(table.(*Lines[batch.URL]).Append(nil, &r)); got != "=x,,,,,,,\n" {
		t.Errorf("%q", got)
	}
}
