package output

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/internal/jsonl"
)

// NewTable returns the printer of values of S as rows in csv, jsonl or Parquet, as the flags say.
// RowsOf appends those of s. Their columns are the fields of R, or those of --fields, by the names
// in their tags. A column that is optional may lack a value: then its cell is empty in csv, and null
// in Parquet, and jsonl lacks the field.
func NewTable[S, R any](flags *cli.PrintFlags, rowsOf func([]R, *S) []R) (Printer[S], error) {
	if !slices.Contains([]string{"csv", "jsonl", "parquet"}, flags.Format) {
		return nil, fmt.Errorf("want --format csv, jsonl or parquet for a table, not %s",
			flags.Format)
	}
	var columns []column[R]
	for field := range reflect.TypeFor[R]().Fields() {
		columns = append(columns, columnOf[R](field))
	}
	table := &parquetTable[S, R]{rowsOf: rowsOf}
	if flags.Fields != "" {
		var err error
		if columns, err = pick(columns, flags.Fields); err != nil {
			return nil, err
		}
		var picked []reflect.StructField
		for _, c := range columns {
			picked = append(picked, c.field)
		}
		table.schema = parquet.SchemaOf(reflect.New(reflect.StructOf(picked)).Interface())
	}
	if flags.Format == "parquet" {
		return table, nil
	}
	lines := linesOf(flags, columns)
	var rows []R
	return &Lines[S]{Header: lines.Header, Append: func(b []byte, s *S) []byte {
		rows = rowsOf(rows[:0], s)
		for i := range rows {
			b = lines.Append(b, &rows[i])
		}
		return b
	}}, nil
}

// columnOf returns the column of a field. Numbers and lists are JSON.
func columnOf[R any](field reflect.StructField) column[R] {
	name, rest, _ := strings.Cut(field.Tag.Get("parquet"), ",")
	c := column[R]{name: name, required: !strings.Contains(rest, "optional"), field: field}
	of := field.Type
	if of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	c.isJSON = of != reflect.TypeFor[string]() && of != reflect.TypeFor[time.Time]()
	c.text = func(b []byte, r *R) []byte {
		v := reflect.ValueOf(r).Elem().FieldByIndex(field.Index)
		if !c.required && v.IsZero() {
			return b
		}
		switch v := reflect.Indirect(v).Interface().(type) {
		case string:
			return append(b, v...)
		case time.Time:
			return v.UTC().AppendFormat(b, time.RFC3339Nano)
		default:
			return append(b, jsonl.Marshal(v)...)
		}
	}
	return c
}

// A parquetTable prints rows in Parquet.
type parquetTable[S, R any] struct {
	rowsOf func(rows []R, s *S) []R
	schema *parquet.Schema // of some of the columns, nil for all
	out    *Writer
	to     *parquet.GenericWriter[R]
	rows   []R  // that were not written yet
	isUsed bool // at least one row was written
}

// rowGroup is how many rows of Parquet are in memory.
const rowGroup = 50_000

// Begin makes out the output.
func (t *parquetTable[S, R]) Begin(out *Writer) {
	options := []parquet.WriterOption{
		parquet.MaxRowsPerRowGroup(rowGroup), parquet.Compression(&parquet.Zstd),
		parquet.KeyValueMetadata("sitemap.version", out.app.Version),
		parquet.KeyValueMetadata("sitemap.command", out.app.CommandLine),
		parquet.KeyValueMetadata("sitemap.begun", time.Now().UTC().Format(time.RFC3339)),
	}
	if t.schema != nil {
		options = append(options, t.schema)
	}
	t.out, t.to = out, parquet.NewGenericWriter[R](out, options...)
}

// batchSize is how many rows Parquet takes at once.
const batchSize = 256

// Print prints the rows of s when they are many.
func (t *parquetTable[S, R]) Print(s *S) error {
	t.rows = t.rowsOf(t.rows, s)
	if len(t.rows) < batchSize {
		return nil
	}
	return t.flush()
}

func (t *parquetTable[S, R]) flush() error {
	_, err := t.to.Write(t.rows)
	t.isUsed = t.isUsed || len(t.rows) > 0
	clear(t.rows)
	t.rows = t.rows[:0]
	return err
}

// End ends the table. Without rows, it counts as a head.
func (t *parquetTable[S, R]) End() error {
	err := cmp.Or(t.flush(), t.to.Close())
	if !t.isUsed {
		t.out.EndHead()
	}
	return err
}
