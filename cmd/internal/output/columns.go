package output

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"reflect"
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

// ofNews returns a column of the first news.
func ofNews(name string, value func(n *sitemap.News) string) column[batch.URL] {
	return text(name, func(r *batch.URL) string {
		if news := extensionsOf(r).News; len(news) > 0 {
			return value(&news[0])
		}
		return ""
	})
}

// list returns a column that holds a list of extensions.
func list[T any](name string, of func(x *sitemap.Extensions) []T) column[batch.URL] {
	return column[batch.URL]{name: name, isJSON: true, text: func(b []byte, r *batch.URL) []byte {
		if l := of(extensionsOf(r)); len(l) > 0 {
			b = append(b, jsonl.Marshal(l)...)
		}
		return b
	}}
}

// extensionsOf returns the extensions of a URL, empty if it has none.
func extensionsOf(r *batch.URL) *sitemap.Extensions { return cmp.Or(r.Extensions, &noExtensions) }

var noExtensions sitemap.Extensions

// urlColumns are all columns of URLs.
var urlColumns = slices.Concat(plainColumns, extensionColumns)

var plainColumns = []column[batch.URL]{
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
}

// extensionColumns are the columns from extensions. Those up to hreflang flatten them: the first
// image, the news, and the alternates as "en=https://example.com/en de=https://example.com/de".
var extensionColumns = []column[batch.URL]{
	text("image", func(r *batch.URL) string {
		if images := extensionsOf(r).Images; len(images) > 0 {
			return images[0].Loc
		}
		return ""
	}),
	ofNews("news_name", func(n *sitemap.News) string { return n.PublicationName }),
	ofNews("news_language", func(n *sitemap.News) string { return n.PublicationLanguage }),
	ofNews("news_date", func(n *sitemap.News) string { return n.PublicationDate.String() }),
	ofNews("news_title", func(n *sitemap.News) string { return n.Title }),
	text("hreflang", hreflang),
	list("images", func(x *sitemap.Extensions) []sitemap.Image { return x.Images }),
	list("videos", func(x *sitemap.Extensions) []sitemap.Video { return x.Videos }),
	list("alternates", func(x *sitemap.Extensions) []sitemap.Alternate { return x.Alternates }),
	list("news", func(x *sitemap.Extensions) []sitemap.News { return x.News }),
	{name: "mobile", isJSON: true, text: func(b []byte, r *batch.URL) []byte {
		return appendTrue(b, extensionsOf(r).Mobile)
	}},
	list("pagemap", func(x *sitemap.Extensions) []sitemap.DataObject { return x.PageMap }),
	list("other", func(x *sitemap.Extensions) []sitemap.Element { return x.Other }),
}

// appendTrue appends true, or nothing.
func appendTrue(b []byte, is bool) []byte {
	if is {
		b = append(b, "true"...)
	}
	return b
}

// hreflang returns the alternates, "code=URL" each.
func hreflang(r *batch.URL) string {
	var list []string
	for _, a := range extensionsOf(r).Alternates {
		if a.Hreflang != "" {
			list = append(list, a.Hreflang+"="+a.Href)
		}
	}
	return strings.Join(list, " ")
}

// The columns of CSV: of a file, and those that a walk adds, and those from extensions.
const (
	fileColumns = "loc,kind,lastmod,changefreq,priority"
	walkColumns = ",sitemap,trust,on_site,target,fetched"
	flatColumns = ",image,news_name,news_language,news_date,news_title,hreflang"
)

// urlLines returns the lines that the flags ask for, in text, csv or jsonl: see [NewPrinter].
func urlLines(p *cli.PrintFlags, walked, withChange bool) (*Lines[batch.URL], error) {
	fields := p.Fields
	switch {
	case p.Format == "text" && fields != "":
		return nil, errors.New("--fields: format text has only URLs; want --format csv, jsonl or " +
			"parquet")
	case p.Format == "text":
		return &Lines[batch.URL]{Append: appendText}, nil
	case p.Format == "jsonl" && fields == "":
		all := func(b []byte, r *batch.URL) []byte { return r.AppendTo(b) }
		return &Lines[batch.URL]{Append: all}, nil
	case fields == "":
		fields = fileColumns
		if walked {
			fields += walkColumns
		}
		if withChange {
			fields += ",change"
		}
		fields += flatColumns
	}
	picked, err := pick(urlColumns, fields)
	return linesOf(p, picked), err
}

func appendText(b []byte, r *batch.URL) []byte { return append(append(b, r.Loc...), '\n') }

// WantsExtensions reports whether any printed field is from extensions.
func WantsExtensions(flags *cli.PrintFlags) bool {
	if flags.Rows != "" || flags.Fields == "" {
		return flags.Rows != "" || flags.Format != "text"
	}
	extended := namesOf(extensionColumns)
	return slices.ContainsFunc(strings.Split(flags.Fields, ","), func(name string) bool {
		return slices.Contains(extended, strings.TrimSpace(name))
	})
}

// A column is a field of rows that --fields may pick. A row without a value has an empty cell in
// CSV, and lacks the field in jsonl.
type column[R any] struct {
	name     string
	text     func(b []byte, r *R) []byte // appends the value
	isJSON   bool                        // the text is a number, a boolean or a list
	required bool                        // jsonl has it even if it is empty
	field    reflect.StructField         // of R, for tables
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

// linesOf returns the rows of these columns as lines of csv or jsonl.
func linesOf[R any](p *cli.PrintFlags, columns []column[R]) *Lines[R] {
	if p.Format == "jsonl" {
		return &Lines[R]{Append: func(b []byte, r *R) []byte { return appendObject(b, r, columns) }}
	}
	return &Lines[R]{
		Header: strings.Join(namesOf(columns), ",") + "\n",
		Append: func(b []byte, r *R) []byte { return appendCells(b, r, columns, p.Raw) },
	}
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

// A Printer prints values of S: [Lines], a table in Parquet, or a [*Sample].
type Printer[S any] interface {
	Begin(out *Writer)
	Print(s *S) error // s may be changed afterwards
	End() error
}

// Lines print values as lines. Append appends the lines of a value to b.
type Lines[S any] struct {
	Header string
	Append func(b []byte, s *S) []byte
	out    *Writer
	line   []byte
}

// Begin makes out the output, and prints the header unless there is something in it.
func (l *Lines[S]) Begin(out *Writer) {
	if l.out = out; out.Length == 0 {
		out.Begin(l.Header)
	}
}

// Print prints the lines of a value.
func (l *Lines[S]) Print(s *S) error {
	l.line = l.Append(l.line[:0], s)
	_, err := l.out.Write(l.line)
	return err
}

// End does nothing.
func (l *Lines[S]) End() error { return nil }

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
