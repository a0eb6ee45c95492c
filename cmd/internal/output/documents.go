package output

import (
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/seed-322c453a/sitemap/batch"
)

// A documentRow is a document in a table. Times are in UTC.
type documentRow struct {
	Target       string     `parquet:"target,dict"`
	Sitemap      string     `parquet:"sitemap"`
	URL          *string    `parquet:"url,optional"`
	Status       *int32     `parquet:"status,optional"`
	ContentType  *string    `parquet:"content_type,optional,dict"`
	Format       *string    `parquet:"format,optional,dict"`
	Bytes        int64      `parquet:"bytes"`
	Entries      int64      `parquet:"entries"`
	LastMod      *time.Time `parquet:"lastmod,optional,timestamp(microsecond)"`
	LastModified *string    `parquet:"last_modified,optional"`
	ETag         *string    `parquet:"etag,optional"`
	Referrer     *string    `parquet:"referrer,optional,dict"`
	Robots       *string    `parquet:"robots,optional,dict"`
	Trust        *string    `parquet:"trust,optional,dict"`
	Untrusted    int64      `parquet:"untrusted"`
	Fetched      *time.Time `parquet:"fetched,optional,timestamp(microsecond)"`
	Skipped      *string    `parquet:"skipped,optional,dict"`
	ErrorCode    *string    `parquet:"error_code,optional,dict"`
	Error        *string    `parquet:"error,optional"`
}

func documentRowOf(d *batch.Document) documentRow {
	row := documentRow{
		Target: d.Target, Sitemap: d.Sitemap, URL: orNull(d.URL), ContentType: orNull(d.ContentType),
		Format: orNull(d.Format), Bytes: d.Bytes, Entries: d.Entries, LastMod: timeOf(d.LastMod),
		LastModified: orNull(d.LastModified), ETag: orNull(d.ETag), Referrer: orNull(d.Referrer),
		Robots: orNull(d.Robots), Trust: orNull(d.Trust), Untrusted: d.Untrusted,
		Skipped: orNull(string(d.Skipped)),
	}
	if d.Status > 0 {
		status := int32(d.Status)
		row.Status = &status
	}
	if !d.Fetched.IsZero() {
		row.Fetched = &d.Fetched
	}
	if d.Error != nil {
		row.ErrorCode, row.Error = &d.Error.Code, &d.Error.Message
	}
	return row
}

// DocumentHeader returns the header of documents as CSV. The columns are those of Parquet.
func DocumentHeader() string {
	var names []string
	for field := range reflect.TypeFor[documentRow]().Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("parquet"), ",")
		names = append(names, name)
	}
	return strings.Join(names, ",") + "\n"
}

// AppendDocument appends a row of CSV.
func AppendDocument(b []byte, d *batch.Document) []byte {
	status, fetched, code, message := "", "", "", ""
	if d.Status > 0 {
		status = strconv.Itoa(d.Status)
	}
	if !d.Fetched.IsZero() {
		fetched = d.Fetched.Format(time.RFC3339)
	}
	if d.Error != nil {
		code, message = d.Error.Code, d.Error.Message
	}
	return AppendRow(b, d.Target, d.Sitemap, d.URL, status, d.ContentType, d.Format,
		strconv.FormatInt(d.Bytes, 10), strconv.FormatInt(d.Entries, 10), d.LastMod.String(),
		d.LastModified, d.ETag, d.Referrer, d.Robots, d.Trust, strconv.FormatInt(d.Untrusted, 10),
		fetched, string(d.Skipped), code, message)
}

// A DocumentParquet writes documents as rows of a Parquet file.
type DocumentParquet struct {
	w *parquet.GenericWriter[documentRow]
}

// NewDocumentParquet returns a writer to out.
func NewDocumentParquet(out *Writer) *DocumentParquet {
	return &DocumentParquet{parquet.NewGenericWriter[documentRow](out,
		parquet.MaxRowsPerRowGroup(rowGroup), parquet.Compression(&parquet.Zstd))}
}

// Write writes a document.
func (p *DocumentParquet) Write(d *batch.Document) error {
	_, err := p.w.Write([]documentRow{documentRowOf(d)})
	return err
}

// Close ends the file.
func (p *DocumentParquet) Close() error { return p.w.Close() }
