package output

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/batch"
)

// A ParquetRow is a record in a Parquet file. Times are in UTC.
type ParquetRow struct {
	Loc        string             `parquet:"loc"`
	Kind       string             `parquet:"kind,dict"`
	LastMod    *time.Time         `parquet:"lastmod,optional,timestamp(microsecond)"`
	Published  *time.Time         `parquet:"published,optional,timestamp(microsecond)"`
	ChangeFreq *string            `parquet:"changefreq,optional,dict"`
	Priority   *float64           `parquet:"priority,optional"`
	Sitemap    string             `parquet:"sitemap,dict"`
	Trust      *string            `parquet:"trust,optional,dict"`
	OnSite     *bool              `parquet:"on_site,optional"`
	Target     string             `parquet:"target,dict"`
	Fetched    *time.Time         `parquet:"fetched,optional,timestamp(microsecond)"`
	Images     []parquetImage     `parquet:"images,list"`
	Videos     []parquetVideo     `parquet:"videos,list"`
	News       []parquetNews      `parquet:"news,list"`
	Alternates []parquetAlternate `parquet:"alternates,list"`
}

type parquetImage struct {
	Loc     string  `parquet:"loc"`
	Caption *string `parquet:"caption,optional"`
	Title   *string `parquet:"title,optional"`
}

type parquetVideo struct {
	ThumbnailLoc *string  `parquet:"thumbnail_loc,optional"`
	Title        *string  `parquet:"title,optional"`
	Description  *string  `parquet:"description,optional"`
	ContentLoc   *string  `parquet:"content_loc,optional"`
	PlayerLoc    *string  `parquet:"player_loc,optional"`
	Duration     *int64   `parquet:"duration,optional"`
	Tags         []string `parquet:"tags,list"`
}

type parquetNews struct {
	Name     *string    `parquet:"publication_name,optional"`
	Language *string    `parquet:"publication_language,optional"`
	Date     *time.Time `parquet:"publication_date,optional,timestamp(microsecond)"`
	Title    *string    `parquet:"title,optional"`
}

type parquetAlternate struct {
	Hreflang string  `parquet:"hreflang"`
	Href     string  `parquet:"href"`
	Rel      *string `parquet:"rel,optional"`
	Media    *string `parquet:"media,optional"`
}

// rowGroup is how many rows are in memory.
const rowGroup = 50_000

// A Parquet writes records as rows of a Parquet file.
type Parquet struct {
	w      *parquet.GenericWriter[any]
	fields []int // of parquetRow; nil: all
	picked reflect.Type
}

// NewParquet returns a writer to out. Fields, if it is not empty, picks the columns.
func NewParquet(out *Writer, fields string) (*Parquet, error) {
	row := reflect.TypeFor[ParquetRow]()
	p := &Parquet{}
	if fields != "" {
		var names []string
		var picked []reflect.StructField
		for i := range row.NumField() {
			name, _, _ := strings.Cut(row.Field(i).Tag.Get("parquet"), ",")
			names = append(names, name)
		}
		for name := range strings.SplitSeq(fields, ",") {
			i := slices.Index(names, strings.TrimSpace(name))
			if i < 0 {
				return nil, fmt.Errorf("--fields: unknown field %q: parquet has %s", name,
					strings.Join(names, ", "))
			}
			p.fields, picked = append(p.fields, i), append(picked, row.Field(i))
		}
		row = reflect.StructOf(picked)
	}
	p.picked = row
	schema := parquet.SchemaOf(reflect.New(row).Interface())
	if out != nil {
		p.w = parquet.NewGenericWriter[any](out, schema, parquet.MaxRowsPerRowGroup(rowGroup),
			parquet.Compression(&parquet.Zstd))
	}
	return p, nil
}

// Write writes rows.
func (p *Parquet) Write(rows []ParquetRow) error {
	for i := range rows {
		var row any = &rows[i]
		if p.fields != nil {
			picked := reflect.New(p.picked).Elem()
			for j, field := range p.fields {
				picked.Field(j).Set(reflect.ValueOf(&rows[i]).Elem().Field(field))
			}
			row = picked.Addr().Interface()
		}
		if _, err := p.w.Write([]any{row}); err != nil {
			return err
		}
	}
	return nil
}

// Close ends the file.
func (p *Parquet) Close() error { return p.w.Close() }

// RowOf returns the row of a record.
func RowOf(r *batch.URL) ParquetRow {
	row := ParquetRow{
		Loc: r.Loc, Kind: r.Kind.String(), LastMod: timeOf(r.LastMod), Published: timeOf(r.Published),
		ChangeFreq: orNull(r.ChangeFreq.String()), Sitemap: r.Sitemap, Trust: orNull(r.Trust), Target: r.Target,
	}
	if v, ok := r.Priority.Get(); ok {
		row.Priority = &v
	}
	if r.Trust != "" {
		onSite := r.OnSite
		row.OnSite = &onSite
	}
	if fetched := r.Fetched; !fetched.IsZero() {
		row.Fetched = &fetched
	}
	if r.Extensions != nil {
		row.extensions(r.Extensions)
	}
	return row
}

func (row *ParquetRow) extensions(x *sitemap.Extensions) {
	for _, i := range x.Images {
		row.Images = append(row.Images, parquetImage{i.Loc, orNull(i.Caption), orNull(i.Title)})
	}
	for _, v := range x.Videos {
		video := parquetVideo{ThumbnailLoc: orNull(v.ThumbnailLoc), Title: orNull(v.Title),
			Description: orNull(v.Description), ContentLoc: orNull(v.ContentLoc),
			PlayerLoc: orNull(v.Player.Loc), Tags: v.Tags}
		if d, ok := v.Duration.Get(); ok {
			video.Duration = &d
		}
		row.Videos = append(row.Videos, video)
	}
	for _, n := range x.News {
		row.News = append(row.News, parquetNews{orNull(n.PublicationName), orNull(n.PublicationLanguage),
			timeOf(n.PublicationDate), orNull(n.Title)})
	}
	for _, a := range x.Alternates {
		row.Alternates = append(row.Alternates,
			parquetAlternate{a.Hreflang, a.Href, orNull(a.Rel), orNull(a.Media)})
	}
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func timeOf(t sitemap.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	start := t.Start().UTC()
	return &start
}
