// Package export reads the output of sitemap urls, sitemap diff and sitemap watch, in each format.
package export

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/input"
	"github.com/seed-322c453a/sitemap/parse"
)

// A URL is a URL in a listing.
type URL struct {
	Loc     string `json:"loc"`
	LastMod string `json:"lastmod"`
	Sitemap string `json:"sitemap"`
	OldLoc  string `json:"old_loc"` // in what diff has printed
	Change  string `json:"change"`  // in what diff, or urls --all, has printed
}

// Fields says which fields all URLs of a listing may have.
type Fields struct{ LastMod, Sitemap bool }

// With returns the fields that both have.
func (h Fields) With(other Fields) Fields {
	return Fields{h.LastMod && other.LastMod, h.Sitemap && other.Sitemap}
}

// Text returns the text of a listing.
func Text(r io.Reader) *bufio.Reader { return bufio.NewReaderSize(input.NewText(r), bufferSize) }

const bufferSize = 64 << 10

// Read reads the output of sitemap urls, or a sitemap. It calls dropped with each problem of a
// sitemap that costs an entry, and with the lines of a list that are not URLs.
func Read(r io.Reader, has *Fields, dropped func(sitemap.Problem), put func(URL)) error {
	b := Text(r)
	start, _ := b.Peek(bufferSize)
	var comma rune
	if bytes.HasPrefix(start, []byte("sep=")) { // Excel's name of the separator
		name, _ := b.ReadSlice('\n')
		comma = separatorOf(name)
		start, _ = b.Peek(bufferSize)
	}
	line, rest, _ := bytes.Cut(bytes.TrimLeft(start, "\r\n"), []byte("\n"))
	comma = cmp.Or(comma, separatorOf(line))
	header, headerErr := newCSV(bytes.NewReader(line), comma).Read()
	columns := columnsOf(header)
	hasLoc := headerErr == nil && locColumn(columns) != ""
	switch {
	case bytes.HasPrefix(start, []byte("PAR1")):
		return errors.New("a Parquet file; want an export in text, jsonl or csv")
	case bytes.HasPrefix(bytes.TrimSpace(start), []byte("{")):
		return readJSONL(b, has, put)
	case hasLoc && bytes.ContainsRune(bytes.TrimSpace(line), '\r'):
		return errors.New("lines that end in a carriage return alone; want line feeds")
	case hasLoc:
		return readCSV(newCSV(b, comma), columns, has, put)
	case isTable(line, rest, comma):
		return errors.New("a table without a column loc, URL, Address, page or Top pages")
	}
	err := readDocument(b, has, dropped, put)
	if errors.Is(err, sitemap.ErrEmpty) {
		return nil // an export without URLs
	}
	return err
}

// readDocument reads a sitemap or a list of URLs, which has no lastmods.
func readDocument(
	r io.Reader, has *Fields, dropped func(sitemap.Problem), put func(URL),
) error {
	o := &sitemap.Options{SkipExtensions: true, Limits: sitemap.Limits{Bytes: -1, Entries: -1}}
	o.Report = func(p sitemap.Problem) {
		if p.Dropped || p.Code == sitemap.JunkLine {
			dropped(p)
		}
	}
	doc, err := parse.NewReader(r, o)
	if err != nil {
		return err
	}
	has.LastMod = doc.Format() != sitemap.Text
	for e, err := range doc.Entries() {
		if err != nil {
			return err
		}
		put(URL{Loc: e.Loc, LastMod: e.LastMod.String()})
	}
	return nil
}

// readJSONL reads an export in jsonl. A field that its first lines lack is not compared if all
// lines lack it.
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

// readCSV reads an export in CSV with these columns, from its header on.
func readCSV(c *csv.Reader, columns map[string]int, has *Fields, put func(URL)) error {
	locName := locColumn(columns)
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
		loc := strings.TrimSpace(cell(row, locName))
		if loc == "" || strings.ToLower(loc) == locName {
			continue // an empty cell, or a header: files that were joined have several
		}
		put(URL{
			Loc: loc, LastMod: cell(row, "lastmod"), Sitemap: cell(row, "sitemap"),
			OldLoc: cell(row, "old_loc"), Change: cell(row, "change"),
		})
	}
}

// isTable reports whether a line is the header of a table with URLs, and no part of a document.
func isTable(line, rest []byte, comma rune) bool {
	row, _, _ := bytes.Cut(rest, []byte("\n"))
	return bytes.ContainsRune(line, comma) && !bytes.ContainsAny(line, "/<#[") &&
		bytes.ContainsRune(row, comma) && bytes.Contains(row, []byte("://"))
}

// separators may separate columns.
const separators = ",;\t|"

// separatorOf returns the first separator in a line, or 0.
func separatorOf(line []byte) rune {
	if i := bytes.IndexAny(line, separators); i >= 0 {
		return rune(line[i])
	}
	return 0
}

// newCSV returns a reader of CSV whose columns are separated by comma, unless that is 0.
func newCSV(r io.Reader, comma rune) *csv.Reader {
	c := csv.NewReader(r)
	c.Comma = cmp.Or(comma, c.Comma)
	c.FieldsPerRecord, c.ReuseRecord = -1, true
	return c
}

// columnsOf returns the columns of a header by their names in lower case.
func columnsOf(header []string) map[string]int {
	columns := map[string]int{}
	for i, name := range slices.Backward(header) {
		columns[strings.ToLower(strings.TrimSpace(name))] = i
	}
	return columns
}

// locColumn returns the name of the column of the URLs: that of this command, or one that other
// programs give it. It returns "" if there is no such column.
func locColumn(columns map[string]int) string {
	for _, name := range []string{"loc", "url", "address", "page", "top pages"} {
		if _, ok := columns[name]; ok {
			return name
		}
	}
	return ""
}
