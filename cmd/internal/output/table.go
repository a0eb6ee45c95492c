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

// A Table prints values of S as rows, in csv, jsonl or Parquet. Its columns are the fields of R, or
// some of them, by the names in their tags. A column that is optional may lack a value: then its
// cell is empty in csv, and null in Parquet, and jsonl lacks the field.
type Table[S, R any] struct {
	format  string
	rowsOf  func(rows []R, s *S) []R // appends those of s
	columns []column[R]
	schema  *parquet.Schema // of some of the columns, nil for all
	append  func(b []byte, r *R) []byte
	out     *Writer
	rows    []R // that were not written yet
	line    []byte
	parquet *parquet.GenericWriter[R]
	written bool // at least one row
}

// newTable returns a table in the format of the flags, with the columns of --fields.
func newTable[S, R any](
	flags *cli.PrintFlags, rowsOf func([]R, *S) []R,
) (t *Table[S, R], err error) {
	t = &Table[S, R]{format: flags.Format, rowsOf: rowsOf}
	if !slices.Contains([]string{"csv", "jsonl", "parquet"}, t.format) {
		return nil, fmt.Errorf("want --format csv, jsonl or parquet for a table, not %s", t.format)
	}
	fields := map[string]reflect.StructField{}
	for field := range reflect.TypeFor[R]().Fields() {
		c := columnOf[R](field)
		t.columns = append(t.columns, c)
		fields[c.name] = field
	}
	if flags.Fields != "" {
		if t.columns, err = pick(t.columns, flags.Fields); err != nil {
			return nil, err
		}
		var picked []reflect.StructField
		for _, c := range t.columns {
			picked = append(picked, fields[c.name])
		}
		t.schema = parquet.SchemaOf(reflect.New(reflect.StructOf(picked)).Interface())
	}
	t.append = rowsAs(flags, t.columns)
	return t, nil
}

// columnOf returns the column of a field. Numbers and lists are JSON.
func columnOf[R any](field reflect.StructField) column[R] {
	name, rest, _ := strings.Cut(field.Tag.Get("parquet"), ",")
	c := column[R]{name: name, required: !strings.Contains(rest, "optional")}
	c.isJSON = field.Type != reflect.TypeFor[string]() && field.Type != reflect.TypeFor[time.Time]()
	c.text = func(b []byte, r *R) []byte {
		v := reflect.ValueOf(r).Elem().FieldByIndex(field.Index)
		if !c.required && v.IsZero() {
			return b
		}
		switch v := v.Interface().(type) {
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

// rowGroup is how many rows of Parquet are in memory.
const rowGroup = 50_000

// Begin makes out the output.
func (t *Table[S, R]) Begin(out *Writer) {
	t.out = out
	switch t.format {
	case "csv":
		out.Begin(header(t.columns))
	case "parquet":
		options := []parquet.WriterOption{
			parquet.MaxRowsPerRowGroup(rowGroup), parquet.Compression(&parquet.Zstd),
			parquet.KeyValueMetadata("sitemap.version", out.app.Version),
			parquet.KeyValueMetadata("sitemap.command", out.app.CommandLine),
			parquet.KeyValueMetadata("sitemap.begun", time.Now().UTC().Format(time.RFC3339)),
		}
		if t.schema != nil {
			options = append(options, t.schema)
		}
		t.parquet = parquet.NewGenericWriter[R](out, options...)
	}
}

// batchSize is how many rows Parquet takes at once.
const batchSize = 256

// Print prints the rows of s. Those of Parquet wait until they are many.
func (t *Table[S, R]) Print(s *S) error {
	t.rows = t.rowsOf(t.rows, s)
	if t.parquet != nil && len(t.rows) < batchSize {
		return nil
	}
	return t.flush()
}

func (t *Table[S, R]) flush() (err error) {
	if t.parquet != nil {
		_, err = t.parquet.Write(t.rows)
	} else {
		for i := range t.rows {
			t.line = t.append(t.line[:0], &t.rows[i])
			_, err = t.out.Write(t.line)
		}
	}
	t.written = t.written || len(t.rows) > 0
	clear(t.rows)
	t.rows = t.rows[:0]
	return err
}

// End ends the table.
func (t *Table[S, R]) End() error {
	err := t.flush()
	if t.parquet != nil {
		err = cmp.Or(err, t.parquet.Close())
	}
	if !t.written {
		t.out.EndHead()
	}
	return err
}
