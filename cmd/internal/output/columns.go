package output

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/internal/jsonl"
)

// text returns a column of URLs.
func text(name string, value func(r *batch.URL) string) column[batch.URL] {
	return column[batch.URL]{
		name: name, text: func(b []byte, r *batch.URL) []byte { return append(b, value(r)...) },
	}
}

func moment(name string, value func(r *batch.URL) sitemap.Time) column[batch.URL] {
	return column[batch.URL]{
		name: name, text: func(b []byte, r *batch.URL) []byte { return value(r).AppendTo(b) },
	}
}

// nested returns a column that holds a list of extensions.
func nested[T any](name string, list func(x *sitemap.Extensions) []T) column[batch.URL] {
	return column[batch.URL]{
		name: name, isJSON: true, isList: true, extended: true,
		text: func(b []byte, r *batch.URL) []byte {
			if l := list(extensionsOf(r)); len(l) > 0 {
				b = append(b, jsonl.Marshal(l)...)
			}
			return b
		},
	}
}

// flat returns a column that flattens extensions.
func flat(name string, value func(x *sitemap.Extensions) string) column[batch.URL] {
	c := text(name, func(r *batch.URL) string { return value(extensionsOf(r)) })
	c.extended = true
	return c
}

// extensionsOf returns the extensions of a URL, empty if it has none.
func extensionsOf(r *batch.URL) *sitemap.Extensions { return cmp.Or(r.Extensions, &noExtensions) }

var noExtensions sitemap.Extensions

// columns are all columns. Those from image to hreflang flatten extensions: the first image, the
// news, and the alternates as "en=https://example.com/en de=https://example.com/de".
var columns = []column[batch.URL]{
	text("loc", func(r *batch.URL) string { return r.Loc }),
	text("kind", func(r *batch.URL) string { return r.Kind.String() }),
	moment("lastmod", func(r *batch.URL) sitemap.Time { return r.LastMod }),
	moment("published", func(r *batch.URL) sitemap.Time { return r.Published }),
	{name: "zone_assumed", isJSON: true, text: func(b []byte, r *batch.URL) []byte {
		return appendTrue(b, r.LastMod.ZoneAssumed() || r.Published.ZoneAssumed())
	}},
	text("changefreq", func(r *batch.URL) string { return r.ChangeFreq.String() }),
	{name: "priority", isJSON: true, text: func(b []byte, r *batch.URL) []byte {
		if p, ok := r.Priority.Get(); ok {
			b = strconv.AppendFloat(b, p, 'f', -1, 64)
		}
		return b
	}},
	text("sitemap", func(r *batch.URL) string { return r.Sitemap }),
	text("trust", func(r *batch.URL) string { return r.Trust.String() }),
	{name: "on_site", isJSON: true, text: func(b []byte, r *batch.URL) []byte {
		if r.Trust != 0 {
			b = strconv.AppendBool(b, r.OnSite)
		}
		return b
	}},
	text("target", func(r *batch.URL) string { return r.Target }),
	{name: "fetched", text: func(b []byte, r *batch.URL) []byte {
		if !r.Fetched.IsZero() {
			b = r.Fetched.AppendFormat(b, time.RFC3339)
		}
		return b
	}},
	text("change", func(r *batch.URL) string { return string(r.Change) }),
	flat("image", func(x *sitemap.Extensions) string {
		if len(x.Images) == 0 {
			return ""
		}
		return x.Images[0].Loc
	}),
	ofNews("news_name", func(n *sitemap.News) string { return n.PublicationName }),
	ofNews("news_language", func(n *sitemap.News) string { return n.PublicationLanguage }),
	ofNews("news_date", func(n *sitemap.News) string { return n.PublicationDate.String() }),
	ofNews("news_title", func(n *sitemap.News) string { return n.Title }),
	flat("hreflang", hreflang),
	nested("images", func(x *sitemap.Extensions) []sitemap.Image { return x.Images }),
	nested("videos", func(x *sitemap.Extensions) []sitemap.Video { return x.Videos }),
	nested("alternates", func(x *sitemap.Extensions) []sitemap.Alternate { return x.Alternates }),
	nested("news", func(x *sitemap.Extensions) []sitemap.News { return x.News }),
	{name: "mobile", isJSON: true, extended: true, text: func(b []byte, r *batch.URL) []byte {
		return appendTrue(b, extensionsOf(r).Mobile)
	}},
	nested("pagemap", func(x *sitemap.Extensions) []sitemap.DataObject { return x.PageMap }),
	nested("other", func(x *sitemap.Extensions) []sitemap.Element { return x.Other }),
}

// appendTrue appends true, or nothing.
func appendTrue(b []byte, is bool) []byte {
	if is {
		b = append(b, "true"...)
	}
	return b
}

func ofNews(name string, value func(n *sitemap.News) string) column[batch.URL] {
	return flat(name, func(x *sitemap.Extensions) string {
		if len(x.News) == 0 {
			return ""
		}
		return value(&x.News[0])
	})
}

// hreflang returns the alternates, "code=URL" each.
func hreflang(x *sitemap.Extensions) string {
	var list []string
	for _, a := range x.Alternates {
		if a.Hreflang != "" {
			list = append(list, a.Hreflang+"="+a.Href)
		}
	}
	return strings.Join(list, " ")
}

// The columns of CSV: of a file, and those that a walk adds.
var (
	fileColumns = "loc,kind,lastmod,changefreq,priority"
	walkColumns = ",sitemap,trust,on_site,target,fetched"
	flatColumns = ",image,news_name,news_language,news_date,news_title,hreflang"
)

// FormatOf returns the lines that the flags ask for, in text, csv or jsonl: see [NewPrinter].
func FormatOf(p *cli.PrintFlags, walked, withChange bool) (*Format, error) {
	switch p.Format {
	case "csv":
		return csvFormat(p, walked, withChange)
	case "jsonl":
		if p.Fields == "" {
			appendTo := func(b []byte, r *batch.URL) []byte { return r.AppendTo(b) }
			return &Format{Append: appendTo}, nil
		}
		picked, err := pick(columns, p.Fields)
		return &Format{Append: rowsAs(p, picked)}, err
	}
	if p.Fields != "" {
		return nil, errors.New("--fields: format text has only URLs; want --format csv, jsonl or " +
			"parquet")
	}
	return &Format{Append: appendText}, nil
}

// csvFormat returns the format of CSV.
func csvFormat(p *cli.PrintFlags, walked, withChange bool) (*Format, error) {
	fields := p.Fields
	if fields == "" {
		fields = fileColumns
		if walked {
			fields += walkColumns
		}
		if withChange {
			fields += ",change"
		}
		fields += flatColumns
	}
	picked, err := pick(columns, fields)
	for _, c := range picked {
		if c.isList {
			return nil, fmt.Errorf("--fields: %s is a list, which csv cannot hold", c.name)
		}
	}
	return &Format{Header: header(picked), Append: rowsAs(p, picked)}, err
}

// hasExtended reports whether one of the fields is from extensions. Names that only Parquet has are
// not.
func hasExtended(fields string) bool {
	for name := range strings.SplitSeq(fields, ",") {
		name = strings.TrimSpace(name)
		if slices.ContainsFunc(columns, func(c column[batch.URL]) bool {
			return c.extended && c.name == name
		}) {
			return true
		}
	}
	return false
}

// A column is a field of rows that --fields may pick. A row without a value has an empty cell in
// CSV, and lacks the field in jsonl.
type column[R any] struct {
	name     string
	text     func(b []byte, r *R) []byte // appends the value
	isJSON   bool                        // the text is a number, a boolean or a list
	isList   bool                        // which csv cannot hold
	required bool                        // jsonl has it even if it is empty
	extended bool                        // its values are from extensions
}

// pick returns the columns with these names.
func pick[R any](columns []column[R], names string) ([]column[R], error) {
	var picked []column[R]
	for name := range strings.SplitSeq(names, ",") {
		name = strings.TrimSpace(name)
		i := slices.IndexFunc(columns, func(c column[R]) bool { return c.name == name })
		if i < 0 {
			return nil, fmt.Errorf("--fields: unknown field %q: want %s", name,
				strings.Join(namesOf(columns), ", "))
		}
		if slices.Contains(namesOf(picked), name) {
			return nil, fmt.Errorf("--fields: %s is named twice", name)
		}
		picked = append(picked, columns[i])
	}
	return picked, nil
}

func namesOf[R any](columns []column[R]) []string {
	var names []string
	for _, c := range columns {
		names = append(names, c.name)
	}
	return names
}

// header returns the first line of CSV.
func header[R any](columns []column[R]) string { return strings.Join(namesOf(columns), ",") + "\n" }

// rowsAs returns a function that appends a row in csv or jsonl.
func rowsAs[R any](p *cli.PrintFlags, columns []column[R]) func(b []byte, r *R) []byte {
	if p.Format == "csv" {
		return func(b []byte, r *R) []byte { return appendCells(b, r, columns, p.Raw) }
	}
	return func(b []byte, r *R) []byte { return appendObject(b, r, columns) }
}

// appendCells appends a row of CSV. Unless isRaw is set, all cells but numbers are text to
// spreadsheets.
func appendCells[R any](b []byte, r *R, columns []column[R], isRaw bool) []byte {
	for i, c := range columns {
		if i > 0 {
			b = append(b, ',')
		}
		b = endCell(c.text(b, r), len(b), isRaw || c.isJSON)
	}
	return append(b, '\n')
}

// appendObject appends a row as an object of JSON.
func appendObject[R any](b []byte, r *R, columns []column[R]) []byte {
	b = append(b, '{')
	start := len(b)
	for _, c := range columns {
		value := c.text(nil, r)
		if len(value) == 0 && !c.required {
			continue
		}
		if len(b) > start {
			b = append(b, ',')
		}
		b = append(append(append(b, '"'), c.name...), `":`...)
		if c.isJSON {
			b = append(b, value...)
		} else {
			b = jsonl.AppendString(b, string(value))
		}
	}
	return append(b, '}', '\n')
}

// A Printer prints URLs: a [*Format], a table or a [*Sample].
type Printer interface {
	Begin(out *Writer)
	Print(r *batch.URL) error // r may be changed afterwards
	End() error
}

// A Format prints URLs, each as a line. Append appends the line of a URL to b.
type Format struct {
	Header string
	Append func(b []byte, r *batch.URL) []byte
	out    *Writer
	line   []byte
}

// Begin makes out the output, and prints the header unless there is something in it.
func (f *Format) Begin(out *Writer) {
	if f.out = out; out.Length == 0 {
		out.Begin(f.Header)
	}
}

// Print prints a URL.
func (f *Format) Print(r *batch.URL) error {
	f.line = f.Append(f.line[:0], r)
	_, err := f.out.Write(f.line)
	return err
}

// End does nothing.
func (f *Format) End() error { return nil }

func appendText(b []byte, r *batch.URL) []byte { return append(append(b, r.Loc...), '\n') }

// AppendRow appends a row of CSV. Unless isRaw is set, spreadsheets take its cells for text, not
// for formulas.
func AppendRow(b []byte, isRaw bool, cells ...string) []byte {
	for i, cell := range cells {
		if i > 0 {
			b = append(b, ',')
		}
		b = endCell(append(b, cell...), len(b), isRaw)
	}
	return append(b, '\n')
}

// endCell makes the text from start on a cell of CSV (RFC 4180, section 2). Unless isRaw is set, it
// gets an apostrophe if a spreadsheet may take it for a formula.
func endCell(b []byte, start int, isRaw bool) []byte {
	if !isRaw && len(b) > start && strings.IndexByte("=+-@\t\r", b[start]) >= 0 {
		b = slices.Insert(b, start, '\'')
	}
	if bytes.ContainsAny(b[start:], ",\"\r\n") {
		quoted := strings.ReplaceAll(string(b[start:]), `"`, `""`)
		b = append(append(append(b[:start], '"'), quoted...), '"')
	}
	return b
}
