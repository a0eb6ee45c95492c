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

// A column is a field of a record that --fields may pick. A record without a value has an empty cell
// in CSV, and lacks the field in jsonl.
type column struct {
	name   string
	text   func(b []byte, r *batch.URL) []byte // appends the value
	isJSON bool                                // the text is a number or a boolean
	nested func(x *sitemap.Extensions) any     // of jsonl only; text is nil

	extended bool // it comes from extensions
}

func text(name string, value func(r *batch.URL) string) column {
	return column{
		name: name, text: func(b []byte, r *batch.URL) []byte { return append(b, value(r)...) },
	}
}

func moment(name string, value func(r *batch.URL) sitemap.Time) column {
	return column{
		name: name, text: func(b []byte, r *batch.URL) []byte { return value(r).AppendTo(b) },
	}
}

func nested(name string, value func(x *sitemap.Extensions) any) column {
	return column{name: name, nested: value, extended: true}
}

// flat returns a column that flattens extensions.
func flat(name string, value func(x *sitemap.Extensions) string) column {
	c := text(name, func(r *batch.URL) string { return value(extensionsOf(r)) })
	c.extended = true
	return c
}

// extensionsOf returns the extensions of a URL, empty if it has none.
func extensionsOf(r *batch.URL) *sitemap.Extensions { return cmp.Or(r.Extensions, &noExtensions) }

var noExtensions sitemap.Extensions

// columns are all columns. Those from image to hreflang flatten extensions: the first image, the
// news, and the alternates as "en=https://example.com/en de=https://example.com/de".
var columns = []column{
	text("loc", func(r *batch.URL) string { return r.Loc }),
	text("kind", func(r *batch.URL) string { return r.Kind.String() }),
	moment("lastmod", func(r *batch.URL) sitemap.Time { return r.LastMod }),
	moment("published", func(r *batch.URL) sitemap.Time { return r.Published }),
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
	nested("images", func(x *sitemap.Extensions) any { return orNil(x.Images) }),
	nested("videos", func(x *sitemap.Extensions) any { return orNil(x.Videos) }),
	nested("alternates", func(x *sitemap.Extensions) any { return orNil(x.Alternates) }),
	nested("news", func(x *sitemap.Extensions) any { return orNil(x.News) }),
	nested("pagemap", func(x *sitemap.Extensions) any { return orNil(x.PageMap) }),
	nested("other", func(x *sitemap.Extensions) any { return orNil(x.Other) }),
}

func orNil[T any](list []T) any {
	if len(list) == 0 {
		return nil
	}
	return list
}

func ofNews(name string, value func(n *sitemap.News) string) column {
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

// pick returns the columns with these names.
func pick(names string) ([]column, error) {
	var picked []column
	for name := range strings.SplitSeq(names, ",") {
		name = strings.TrimSpace(name)
		i := slices.IndexFunc(columns, func(c column) bool { return c.name == name })
		if i < 0 {
			return nil, fmt.Errorf("--fields: unknown field %q: see 'sitemap help fields'", name)
		}
		picked = append(picked, columns[i])
	}
	return picked, nil
}

// FormatOf returns the lines that the flags ask for, in text, csv or jsonl: see [NewPrinter].
func FormatOf(p *cli.PrintFlags, walked, withChange bool) (*Format, error) {
	switch p.Format {
	case "csv":
		return csvFormat(p, walked, withChange)
	case "jsonl":
		if p.Fields == "" {
			return &Format{Append: func(b []byte, r *batch.URL) []byte { return r.AppendTo(b) }}, nil
		}
		picked, err := pick(p.Fields)
		return &Format{
			Append: func(b []byte, r *batch.URL) []byte { return appendPicked(b, r, picked) },
		}, err
	}
	if p.Fields != "" {
		return nil, errors.New("--fields: text has URLs alone; want another --format")
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
	picked, err := pick(fields)
	for _, c := range picked {
		if c.nested != nil {
			return nil, fmt.Errorf("--fields: %s is a list, which csv cannot hold", c.name)
		}
	}
	return &Format{Header: strings.ReplaceAll(fields, ", ", ",") + "\n", Append: csvRow(picked, p.Raw)}, err
}

// hasExtended reports whether one of the fields comes from extensions.
func hasExtended(fields string) bool {
	picked, _ := pick(fields)
	return slices.ContainsFunc(picked, func(c column) bool { return c.extended })
}

// csvRow returns a function that appends the row of a record. Unless isRaw is set, all cells but numbers
// are text to spreadsheets.
func csvRow(picked []column, isRaw bool) func(b []byte, r *batch.URL) []byte {
	return func(b []byte, r *batch.URL) []byte {
		for i, c := range picked {
			if i > 0 {
				b = append(b, ',')
			}
			start := len(b)
			b = c.text(b, r)
			if !isRaw && !c.isJSON && isFormula(b[start:]) {
				b = slices.Insert(b, start, '\'')
			}
			if bytes.ContainsAny(b[start:], special) {
				b = appendCell(b[:start], string(b[start:]))
			}
		}
		return append(b, '\n')
	}
}

// appendPicked appends a record with some of its fields as an object.
func appendPicked(b []byte, r *batch.URL, picked []column) []byte {
	b = append(b, '{')
	start := len(b)
	for _, c := range picked {
		var value []byte
		switch {
		case c.nested == nil:
			value = c.text(nil, r)
			if len(value) > 0 && !c.isJSON {
				value = jsonl.AppendString(nil, string(value))
			}
		default:
			if v := c.nested(extensionsOf(r)); v != nil {
				value = jsonl.Marshal(v)
			}
		}
		if len(value) == 0 {
			continue
		}
		if len(b) > start {
			b = append(b, ',')
		}
		b = append(append(append(append(b, '"'), c.name...), `":`...), value...)
	}
	return append(b, '}', '\n')
}
