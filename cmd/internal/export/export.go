// Package export reads what sitemap urls, sitemap diff and sitemap watch have printed, in each format.
package export

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/parse"
)

// An URL is a URL in a listing.
type URL struct {
	Loc     string `json:"loc"`
	LastMod string `json:"lastmod"`
	Sitemap string `json:"sitemap"`
	Change  string `json:"change"` // in what diff, or urls --all, has printed
}

// Fields says which fields all URLs of a listing may have.
type Fields struct{ LastMod, Sitemap bool }

// With returns the fields that both have.
func (h Fields) With(other Fields) Fields {
	return Fields{h.LastMod && other.LastMod, h.Sitemap && other.Sitemap}
}

// Read reads what sitemap urls has printed, or a sitemap.
func Read(r io.Reader, has *Fields, put func(URL)) error {
	b := bufio.NewReaderSize(r, 64<<10)
	if magic, _ := b.Peek(2); string(magic) == "\x1f\x8b" {
		z, err := gzip.NewReader(b)
		if err != nil {
			return err
		}
		b = bufio.NewReaderSize(z, 64<<10)
	}
	start, _ := b.Peek(4 << 10)
	start = bytes.TrimPrefix(start, []byte("\ufeff"))
	line, _, _ := bytes.Cut(start, []byte("\n"))
	switch {
	case bytes.HasPrefix(bytes.TrimSpace(start), []byte("{")):
		return readJSONL(b, has, put)
	case slices.Contains(strings.Split(strings.TrimSpace(string(line)), ","), "loc"):
		return readCSV(b, has, put)
	}
	has.LastMod = !isURL(line)
	o := &sitemap.Options{SkipExtensions: true, Limits: sitemap.Limits{Bytes: -1, Entries: -1}}
	for e, err := range parse.Entries(b, o) {
		if err != nil {
			if errors.Is(err, sitemap.ErrEmpty) {
				return nil // an export without URLs
			}
			return err
		}
		put(URL{Loc: e.Loc, LastMod: e.LastMod.String()})
	}
	return nil
}

func isURL(line []byte) bool {
	return bytes.HasPrefix(line, []byte("http://")) || bytes.HasPrefix(line, []byte("https://"))
}

// readJSONL reads an export in jsonl. What its first lines lack is not compared if all lack it.
func readJSONL(r io.Reader, has *Fields, put func(URL)) error {
	d := json.NewDecoder(r)
	for n := 1; ; n++ {
		var u struct {
			URL
			Event string `json:"event"` // in what watch has printed
		}
		switch err := d.Decode(&u); {
		case err == io.EOF:
			return nil
		case err != nil:
			return fmt.Errorf("object %d is no JSON of sitemap urls", n)
		case u.Loc == "" && u.Event != "":
			continue // about a sitemap
		case u.Loc == "":
			return fmt.Errorf("object %d has no loc", n)
		}
		has.LastMod = has.LastMod || u.LastMod != ""
		has.Sitemap = has.Sitemap || u.Sitemap != ""
		u.Change = cmp.Or(u.Change, u.Event)
		put(u.URL)
	}
}

// readCSV reads an export in CSV, with columns by the names in its header.
func readCSV(r io.Reader, has *Fields, put func(URL)) error {
	c := csv.NewReader(r)
	c.ReuseRecord, c.FieldsPerRecord = true, -1
	header, err := c.Read()
	if err != nil {
		return err
	}
	columns := map[string]int{}
	for i, name := range header {
		columns[strings.TrimSpace(strings.TrimPrefix(name, "\ufeff"))] = i
	}
	cell := func(row []string, name string) string {
		if i, ok := columns[name]; ok && i < len(row) {
			return strings.Clone(row[i])
		}
		return ""
	}
	_, has.LastMod = columns["lastmod"]
	_, has.Sitemap = columns["sitemap"]
	for {
		row, err := c.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if loc := cell(row, "loc"); loc != "" && loc != "loc" {
			put(URL{loc, cell(row, "lastmod"), cell(row, "sitemap"), cell(row, "change")})
		}
	}
}
