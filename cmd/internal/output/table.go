package output

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/internal/jsonl"
)

// A Table prints rows as csv, jsonl or Parquet. Its columns are the fields of R, or some of them, by
// the names in their tags. A column that is optional may lack a value: then its cell is empty in csv,
// and null in Parquet, and jsonl lacks the field.
type Table[R any] struct {
	format  string
	rowsOf  func(rows []R, r *batch.URL) []R // appends those of a URL
	columns []tableColumn
	picked  bool // not all columns
	out     *Writer
	rows    []R // that were not written yet
	line    []byte
	parquet *parquet.GenericWriter[R]
	written bool // at least one row
}

// A tableColumn is a field of a row.
type tableColumn struct {
	reflect.StructField
	name     string
	optional bool
}

// newTable returns a table in the format of the flags, with the columns of --fields.
func newTable[R any](
	flags *cli.PrintFlags, rowsOf func([]R, *batch.URL) []R,
) (*Table[R], error) {
	t := &Table[R]{format: flags.Format, rowsOf: rowsOf, picked: flags.Fields != ""}
	if !slices.Contains([]string{"csv", "jsonl", "parquet"}, t.format) {
		return nil, fmt.Errorf("--format %s: a table is printed as csv, jsonl or parquet", t.format)
	}
	var all []string
	for field := range reflect.TypeFor[R]().Fields() {
		name, rest, _ := strings.Cut(field.Tag.Get("parquet"), ",")
		t.columns = append(t.columns, tableColumn{field, name, strings.Contains(rest, "optional")})
		all = append(all, name)
	}
	if !t.picked {
		return t, nil
	}
	var picked []tableColumn
	for name := range strings.SplitSeq(flags.Fields, ",") {
		i := slices.Index(all, strings.TrimSpace(name))
		if i < 0 {
			return nil, fmt.Errorf("--fields: unknown field %q: want %s", name, strings.Join(all, ", "))
		}
		picked = append(picked, t.columns[i])
	}
	t.columns = picked
	return t, nil
}

// rowGroup is how many rows of Parquet are in memory.
const rowGroup = 50_000

// Begin makes out the output.
func (t *Table[R]) Begin(out *Writer) {
	t.out = out
	switch t.format {
	case "csv":
		var names []string
		for _, c := range t.columns {
			names = append(names, c.name)
		}
		out.Begin(strings.Join(names, ",") + "\n")
	case "parquet":
		options := []parquet.WriterOption{
			parquet.MaxRowsPerRowGroup(rowGroup), parquet.Compression(&parquet.Zstd),
			parquet.KeyValueMetadata("sitemap.version", out.app.Version),
			parquet.KeyValueMetadata("sitemap.command", out.app.CommandLine),
			parquet.KeyValueMetadata("sitemap.begun", time.Now().UTC().Format(time.RFC3339)),
		}
		if t.picked {
			options = append(options, t.schema())
		}
		t.parquet = parquet.NewGenericWriter[R](out, options...)
	}
}

// schema returns the schema of some of the columns.
func (t *Table[R]) schema() *parquet.Schema {
	var fields []reflect.StructField
	for _, c := range t.columns {
		fields = append(fields, c.StructField)
	}
	return parquet.SchemaOf(reflect.New(reflect.StructOf(fields)).Interface())
}

// Print prints the rows of a URL.
func (t *Table[R]) Print(r *batch.URL) error {
	t.rows = t.rowsOf(t.rows, r)
	return t.write()
}

// batchSize is how many rows Parquet takes at once.
const batchSize = 256

// write writes the rows. Those of Parquet wait until they are many.
func (t *Table[R]) write() error {
	if len(t.rows) == 0 || t.parquet != nil && len(t.rows) < batchSize {
		return nil
	}
	return t.flush()
}

func (t *Table[R]) flush() (err error) {
	if t.parquet != nil {
		_, err = t.parquet.Write(t.rows)
	} else {
		for i := range t.rows {
			t.line = t.appendRow(t.line[:0], reflect.ValueOf(&t.rows[i]).Elem())
			_, err = t.out.Write(t.line)
		}
	}
	t.written = t.written || len(t.rows) > 0
	clear(t.rows)
	t.rows = t.rows[:0]
	return err
}

// appendRow appends a row of csv or an object of jsonl.
func (t *Table[R]) appendRow(b []byte, row reflect.Value) []byte {
	if t.format == "csv" {
		cells := make([]string, len(t.columns))
		for i, c := range t.columns {
			cells[i], _ = c.text(row)
		}
		return AppendRow(b, cells...)
	}
	b = append(b, '{')
	start := len(b)
	for _, c := range t.columns {
		text, isJSON := c.text(row)
		if text == "" && c.optional {
			continue
		}
		if len(b) > start {
			b = append(b, ',')
		}
		b = append(append(append(b, '"'), c.name...), `":`...)
		if isJSON {
			b = append(b, text...)
		} else {
			b = jsonl.AppendString(b, text)
		}
	}
	return append(b, '}', '\n')
}

// text returns the value of a column, "" if there is none. Numbers and lists are JSON.
func (c *tableColumn) text(row reflect.Value) (text string, isJSON bool) {
	v := row.FieldByIndex(c.Index)
	if c.optional && v.IsZero() {
		return "", false
	}
	switch v := v.Interface().(type) {
	case string:
		return v, false
	case time.Time:
		return v.UTC().Format(time.RFC3339Nano), false
	default:
		return string(jsonl.Marshal(v)), true
	}
}

// End ends the table.
func (t *Table[R]) End() error {
	err := t.flush()
	if t.parquet != nil {
		err = cmp.Or(err, t.parquet.Close())
	}
	if !t.written {
		t.out.endHead()
	}
	return err
}
