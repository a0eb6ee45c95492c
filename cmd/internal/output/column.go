package output

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/internal/jsonl"
)

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
