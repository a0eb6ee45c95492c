package output

import (
	"time"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
)

// A documentRow is a document in a table.
type documentRow struct {
	Target           string    `parquet:"target,dict"`
	Sitemap          string    `parquet:"sitemap"`
	URL              string    `parquet:"url,optional"`
	Status           int32     `parquet:"status,optional"`
	ContentType      string    `parquet:"content_type,optional,dict"`
	Format           string    `parquet:"format,optional,dict"`
	Bytes            int64     `parquet:"bytes"`
	Entries          int64     `parquet:"entries"`
	LastMod          time.Time `parquet:"lastmod,optional,timestamp(microsecond)"`
	LastModPrecision string    `parquet:"lastmod_precision,optional,dict"`
	LastModOffset    *int32    `parquet:"lastmod_offset,optional"`
	LastModified     string    `parquet:"last_modified,optional"`
	ETag             string    `parquet:"etag,optional"`
	Referrer         string    `parquet:"referrer,optional,dict"`
	Robots           string    `parquet:"robots,optional,dict"`
	Trust            string    `parquet:"trust,optional,dict"`
	Untrusted        int64     `parquet:"untrusted"`
	Fetched          time.Time `parquet:"fetched,optional,timestamp(microsecond)"`
	Skipped          string    `parquet:"skipped,optional,dict"`
	ErrorCode        string    `parquet:"error_code,optional,dict"`
	Error            string    `parquet:"error,optional"`
}

// Documents prints documents as a table.
type Documents struct{ *Table[documentRow] }

// NewDocuments returns a table of documents in the format of the flags.
func NewDocuments(flags *cli.PrintFlags) (*Documents, error) {
	t, err := newTable[documentRow](flags, nil)
	return &Documents{t}, err
}

// Print prints a document.
func (t *Documents) Print(d *batch.Document) error {
	row := documentRow{
		Target: d.Target, Sitemap: d.Sitemap, URL: d.URL, Status: int32(d.Status),
		ContentType: d.ContentType, Format: d.Format.String(), Bytes: d.Bytes, Entries: d.Entries,
		LastMod: d.LastMod.Start(), LastModPrecision: precisionOf(d.LastMod),
		LastModOffset: offsetOf(d.LastMod), LastModified: d.LastModified, ETag: d.ETag,
		Referrer: d.Referrer, Robots: d.Robots, Trust: d.Trust.String(), Untrusted: d.Untrusted,
		Fetched: d.Fetched, Skipped: string(d.Skipped),
	}
	if d.Error != nil {
		row.ErrorCode, row.Error = string(d.Error.Code), d.Error.Message
	}
	t.rows = append(t.rows, row)
	return t.write()
}
