package output

import (
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
)

// A urlRow is a URL in a Parquet file.
type urlRow struct {
	Loc              string         `parquet:"loc"`
	Kind             string         `parquet:"kind,dict"`
	LastMod          time.Time      `parquet:"lastmod,optional,timestamp(microsecond)"`
	LastModPrecision *string        `parquet:"lastmod_precision,optional,dict"`
	LastModOffset    *int32         `parquet:"lastmod_offset,optional"`
	Published        time.Time      `parquet:"published,optional,timestamp(microsecond)"`
	ChangeFreq       *string        `parquet:"changefreq,optional,dict"`
	Priority         *float64       `parquet:"priority,optional"`
	Sitemap          string         `parquet:"sitemap,dict"`
	Trust            *string        `parquet:"trust,optional,dict"`
	OnSite           *bool          `parquet:"on_site,optional"`
	Target           string         `parquet:"target,dict"`
	Fetched          time.Time      `parquet:"fetched,optional,timestamp(microsecond)"`
	Change           *string        `parquet:"change,optional,dict"`
	Images           []urlImage     `parquet:"images,list"`
	Videos           []urlVideo     `parquet:"videos,list"`
	News             []urlNews      `parquet:"news,list"`
	Alternates       []urlAlternate `parquet:"alternates,list"`
}

type urlImage struct {
	Loc     string  `parquet:"loc"`
	Caption *string `parquet:"caption,optional"`
	Title   *string `parquet:"title,optional"`
}

type urlVideo struct {
	ThumbnailLoc *string  `parquet:"thumbnail_loc,optional"`
	Title        *string  `parquet:"title,optional"`
	Description  *string  `parquet:"description,optional"`
	ContentLoc   *string  `parquet:"content_loc,optional"`
	PlayerLoc    *string  `parquet:"player_loc,optional"`
	Duration     *int64   `parquet:"duration,optional"`
	Tags         []string `parquet:"tags,list"`
}

type urlNews struct {
	Name     *string    `parquet:"publication_name,optional"`
	Language *string    `parquet:"publication_language,optional"`
	Date     *time.Time `parquet:"publication_date,optional,timestamp(microsecond)"`
	Title    *string    `parquet:"title,optional"`
}

type urlAlternate struct {
	Hreflang string  `parquet:"hreflang"`
	Href     string  `parquet:"href"`
	Rel      *string `parquet:"rel,optional"`
	Media    *string `parquet:"media,optional"`
}

func appendURL(rows []urlRow, r *batch.URL) []urlRow {
	row := urlRow{
		Loc: r.Loc, Kind: r.Kind.String(), LastMod: r.LastMod.Start(),
		LastModPrecision: precisionOf(r.LastMod), LastModOffset: offsetOf(r.LastMod),
		Published: r.Published.Start(), ChangeFreq: nonZero(r.ChangeFreq.String()),
		Priority: orNull(r.Priority), Sitemap: r.Sitemap, Trust: nonZero(r.Trust.String()),
		Target: r.Target, Fetched: r.Fetched, Change: nonZero(string(r.Change)),
	}
	if r.Trust != 0 {
		row.OnSite = new(r.OnSite)
	}
	row.extensions(extensionsOf(r))
	return append(rows, row)
}

func (row *urlRow) extensions(x *sitemap.Extensions) {
	for _, i := range x.Images {
		row.Images = append(row.Images, urlImage{i.Loc, nonZero(i.Caption), nonZero(i.Title)})
	}
	for _, v := range x.Videos {
		row.Videos = append(row.Videos, urlVideo{
			nonZero(v.ThumbnailLoc), nonZero(v.Title), nonZero(v.Description), nonZero(v.ContentLoc),
			nonZero(v.Player.Loc), orNull(v.Duration), v.Tags,
		})
	}
	for _, n := range x.News {
		row.News = append(row.News, urlNews{
			nonZero(n.PublicationName), nonZero(n.PublicationLanguage),
			nonZero(n.PublicationDate.Start()), nonZero(n.Title),
		})
	}
	for _, a := range x.Alternates {
		row.Alternates = append(row.Alternates, urlAlternate{
			a.Hreflang, a.Href, nonZero(a.Rel), nonZero(a.Media),
		})
	}
}

// orNull returns nil for a value that is not set.
func orNull[T any](o sitemap.Optional[T]) *T {
	if v, ok := o.Get(); ok {
		return &v
	}
	return nil
}

// nonZero returns nil for a zero value. Columns of strings or numbers that may be null need it:
// parquet-go takes some of their zero values for null, but not all. Times in the structs of a list
// need it too: there parquet-go takes each time.Time that may be null for null.
func nonZero[T comparable](value T) *T {
	if value == *new(T) {
		return nil
	}
	return &value
}

// precisionOf returns how precise a time is, nil if there is none. Seconds that were not listed are
// :00, as in [sitemap.Time.String].
func precisionOf(t sitemap.Time) *string {
	if digits := t.Precision().Digits(); digits > 0 {
		return nonZero([...]string{"millisecond", "microsecond", "nanosecond"}[(digits-1)/3])
	}
	return nonZero([...]string{"", "year", "month", "day", "second", "second"}[t.Precision()])
}

// offsetOf returns the offset of a time from UTC in minutes, nil if it is not known.
func offsetOf(t sitemap.Time) *int32 {
	if t.Precision() < sitemap.Minute || t.ZoneAssumed() {
		return nil
	}
	_, seconds := t.Start().Zone()
	return new(int32(seconds / 60))
}

// An alternateRow is a version of a page in one language.
type alternateRow struct {
	Loc      string  `parquet:"loc"`
	Hreflang *string `parquet:"hreflang,optional,dict"`
	Href     string  `parquet:"href"`
	Rel      *string `parquet:"rel,optional,dict"`
	Media    *string `parquet:"media,optional,dict"`
	Sitemap  *string `parquet:"sitemap,optional,dict"`
	Target   *string `parquet:"target,optional,dict"`
}

func appendAlternates(rows []alternateRow, r *batch.URL) []alternateRow {
	for _, a := range extensionsOf(r).Alternates {
		rows = append(rows, alternateRow{
			r.Loc, nonZero(a.Hreflang), a.Href, nonZero(a.Rel), nonZero(a.Media),
			nonZero(r.Sitemap), nonZero(r.Target),
		})
	}
	return rows
}

// An imageRow is an image on a page.
type imageRow struct {
	Loc         string  `parquet:"loc"`
	Image       string  `parquet:"image"`
	Caption     *string `parquet:"caption,optional"`
	Title       *string `parquet:"title,optional"`
	GeoLocation *string `parquet:"geo_location,optional,dict"`
	License     *string `parquet:"license,optional,dict"`
	Sitemap     *string `parquet:"sitemap,optional,dict"`
	Target      *string `parquet:"target,optional,dict"`
}

func appendImages(rows []imageRow, r *batch.URL) []imageRow {
	for _, i := range extensionsOf(r).Images {
		rows = append(rows, imageRow{
			r.Loc, i.Loc, nonZero(i.Caption), nonZero(i.Title), nonZero(i.GeoLocation),
			nonZero(i.License), nonZero(r.Sitemap), nonZero(r.Target),
		})
	}
	return rows
}

// A videoRow is a video on a page.
type videoRow struct {
	Loc             string    `parquet:"loc"`
	ThumbnailLoc    *string   `parquet:"thumbnail_loc,optional"`
	Title           *string   `parquet:"title,optional"`
	Description     *string   `parquet:"description,optional"`
	ContentLoc      *string   `parquet:"content_loc,optional"`
	PlayerLoc       *string   `parquet:"player_loc,optional"`
	Duration        *int64    `parquet:"duration,optional"`
	PublicationDate time.Time `parquet:"publication_date,optional,timestamp(microsecond)"`
	DatePrecision   *string   `parquet:"publication_date_precision,optional,dict"`
	Sitemap         *string   `parquet:"sitemap,optional,dict"`
	Target          *string   `parquet:"target,optional,dict"`
}

func appendVideos(rows []videoRow, r *batch.URL) []videoRow {
	for _, v := range extensionsOf(r).Videos {
		rows = append(rows, videoRow{
			r.Loc, nonZero(v.ThumbnailLoc), nonZero(v.Title), nonZero(v.Description),
			nonZero(v.ContentLoc), nonZero(v.Player.Loc), orNull(v.Duration),
			v.PublicationDate.Start(), precisionOf(v.PublicationDate), nonZero(r.Sitemap),
			nonZero(r.Target),
		})
	}
	return rows
}

// A documentRow is a document in a table.
type documentRow struct {
	Target           string    `parquet:"target,dict"`
	Sitemap          string    `parquet:"sitemap"`
	URL              *string   `parquet:"url,optional"`
	Status           *int32    `parquet:"status,optional"`
	ContentType      *string   `parquet:"content_type,optional,dict"`
	Format           *string   `parquet:"format,optional,dict"`
	Bytes            int64     `parquet:"bytes"`
	Entries          int64     `parquet:"entries"`
	LastMod          time.Time `parquet:"lastmod,optional,timestamp(microsecond)"`
	LastModPrecision *string   `parquet:"lastmod_precision,optional,dict"`
	LastModOffset    *int32    `parquet:"lastmod_offset,optional"`
	LastModified     *string   `parquet:"last_modified,optional"`
	ETag             *string   `parquet:"etag,optional"`
	Referrer         *string   `parquet:"referrer,optional,dict"`
	Robots           *string   `parquet:"robots,optional,dict"`
	Trust            *string   `parquet:"trust,optional,dict"`
	Untrusted        int64     `parquet:"untrusted"`
	Fetched          time.Time `parquet:"fetched,optional,timestamp(microsecond)"`
	Skipped          *string   `parquet:"skipped,optional,dict"`
	ErrorCode        *string   `parquet:"error_code,optional,dict"`
	Error            *string   `parquet:"error,optional"`
}

// NewDocuments returns the table of documents in the format of the flags.
func NewDocuments(flags *cli.PrintFlags) (Printer[batch.Document], error) {
	return NewTable(flags, appendDocument)
}

func appendDocument(rows []documentRow, d *batch.Document) []documentRow {
	row := documentRow{
		Target: d.Target, Sitemap: d.Sitemap, URL: nonZero(d.URL), Status: nonZero(int32(d.Status)),
		ContentType: nonZero(d.ContentType), Format: nonZero(d.Format.String()), Bytes: d.Bytes,
		Entries: d.Entries, LastMod: d.LastMod.Start(), LastModPrecision: precisionOf(d.LastMod),
		LastModOffset: offsetOf(d.LastMod), LastModified: nonZero(d.LastModified),
		ETag: nonZero(d.ETag), Referrer: nonZero(d.Referrer), Robots: nonZero(d.Robots),
		Trust: nonZero(d.Trust.String()), Untrusted: d.Untrusted, Fetched: d.Fetched,
		Skipped: nonZero(string(d.Skipped)),
	}
	if d.Error != nil {
		row.ErrorCode, row.Error = nonZero(string(d.Error.Code)), nonZero(d.Error.Message)
	}
	return append(rows, row)
}
