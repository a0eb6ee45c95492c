package main

import (
	"encoding/csv"
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
)

func TestStats(t *testing.T) {
	file := writeFile(t, "s.xml", `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
<url><loc>http://example.com/</loc><lastmod>2026-11-01</lastmod></url>
<url><loc>http://example.com/a/1</loc><lastmod>2026-11-01</lastmod></url>
<url><loc>http://example.com/a/2?b=c/d</loc><lastmod>2026-10-01T12:00:00Z</lastmod><image:image><image:loc>http://example.com/1.png</image:loc></image:image></url>
<url><loc>http://shop.example.com/a/b/3</loc></url></urlset>`)
	runArgs(t, "stats", file).want(t, cli.ExitOK, strings.ReplaceAll(`FILE: 4 URLs

by host:
             3   75.0 %  example.com
             1   25.0 %  shop.example.com

by directory:
             3   75.0 %  /a/
             1   25.0 %  /

by month:
             1   25.0 %  2026-10
             2   50.0 %  2026-11
             1   25.0 %  none

by sitemap:
             4  100.0 %  FILE

by extension:
             1   25.0 %  images

by lastmod:
             3   75.0 %  with a lastmod
             2   50.0 %  equal to the first
             2   50.0 %  without a time of day
`, "FILE", file))
	r := runArgs(t, "stats", "--format", "jsonl", file)
	if !strings.HasPrefix(r.out, `{"type":"total","target":"`+file+`","urls":4,"percent":100}`+"\n") || !strings.Contains(r.out, `{"type":"directory","target":"`+file+`","name":"/a/","urls":3,"percent":75}`) {
		t.Error(r.out)
	}
	rows, err := csv.NewReader(strings.NewReader(runArgs(t, "stats", "--format", "csv", file).out)).ReadAll()
	if err != nil || strings.Join(rows[0], " ") != "target kind name urls percent" || strings.Join(rows[2], " ") != file+" host example.com 3 75" {
		t.Errorf("%q, %v", rows, err)
	}
	runArgs(t, "stats", "--format", "parquet", file).want(t, cli.ExitUsage, "", `--format: want text, jsonl or csv, not parquet`)
}

// Percents are rounded, and a fragment is no part of a host or directory.
func TestStats_Rounding(t *testing.T) {
	file := writeFile(t, "s.txt", "http://example.com/a/1\nhttp://example.com/a/#/b/\nhttp://example.com#c/d/\n")
	r := runArgs(t, "stats", "--format", "csv", file)
	r.want(t, cli.ExitOK, strings.ReplaceAll(`target,kind,name,urls,percent
FILE,total,,3,100
FILE,host,example.com,3,100
FILE,directory,/a/,2,66.7
FILE,directory,/,1,33.3
FILE,month,none,3,100
FILE,sitemap,FILE,3,100
FILE,lastmod,with a lastmod,0,0
`, "FILE", file))
}

// Of a target that could not be read no number is printed, but of one without URLs that is 0.
func TestStats_Unread(t *testing.T) {
	cut := writeFile(t, "cut.xml", `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url>`)
	empty := writeFile(t, "empty.xml", `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"></urlset>`)
	runArgs(t, "stats", "-q", "--format", "csv", cut, "./none", empty).want(t, cli.ExitFailed,
		"target,kind,name,urls,percent\n"+empty+",total,,0,100\n", "document ends too early", "no such file")
}
