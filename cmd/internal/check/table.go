package check

import (
	"cmp"
	"encoding/csv"
	"os"
	"strconv"
	"strings"

	"github.com/seed-322c453a/sitemap/audit"
)

// A pageTable writes a row for each page that was to be judged.
type pageTable struct {
	file *os.File // nil if no table is wanted
	csv  *csv.Writer
}

// openTable starts the table with this name, or none if it is empty.
func openTable(name string) (t pageTable, err error) {
	if name == "" {
		return t, nil
	}
	if t.file, err = os.Create(name); err == nil {
		t.csv = csv.NewWriter(t.file)
		t.csv.Write([]string{"url", "status", "final_url", "findings", "not_judged"})
	}
	return t, err
}

func (t *pageTable) row(p *audit.PageResult) {
	if t.file == nil {
		return
	}
	status := ""
	if p.Status != 0 {
		status = strconv.Itoa(p.Status)
	}
	codes := make([]string, len(p.Codes))
	for i, code := range p.Codes {
		codes[i] = string(code)
	}
	t.csv.Write([]string{p.Loc, status, p.FinalURL, strings.Join(codes, " "), p.Reason})
}

func (t *pageTable) close() error {
	if t.file == nil {
		return nil
	}
	t.csv.Flush()
	return cmp.Or(t.csv.Error(), t.file.Close())
}
