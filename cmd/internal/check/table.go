package check

import (
	"strconv"
	"strings"

	"github.com/seed-322c453a/sitemap/audit"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/cmd/internal/output"
)

// A pageTable writes a row for each page of the sample.
type pageTable struct {
	out *output.Writer // nil if no table is wanted
	raw bool           // cells are left as they are
}

// openTable starts the table with this name, or none if it is empty.
func openTable(a *cli.App, name string, raw bool) (t pageTable, err error) {
	t.raw = raw
	if name == "" {
		return t, nil
	}
	if t.out, err = output.Create(a, name); err == nil {
		t.out.Begin("url,status,final_url,findings,not_judged\n")
	}
	return t, err
}

func (t *pageTable) row(p *audit.PageResult) {
	if t.out == nil {
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
	t.out.Write(output.AppendRow(nil, t.raw, p.Loc, status, p.FinalURL, strings.Join(codes, " "), p.Reason))
}

// end ends the table of a command that ended with err.
func (t *pageTable) end(err error) error {
	if t.out == nil {
		return err
	}
	return t.out.Finish(err)
}
