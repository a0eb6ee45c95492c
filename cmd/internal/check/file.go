package check

import (
	"context"
	"io"
	"os"
	"path/filepath"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/audit"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/internal/tempfile"
	"github.com/seed-322c453a/sitemap/parse"
)

// file audits a file.
func (x *targetAudit) file(ctx context.Context) error {
	name := x.Target.Name
	open, closeFile, err := x.opener(name)
	var sum discover.Summary
	if err == nil {
		defer closeFile()
		x.Progress.Loc.Store(name)
		src := audit.Source{
			Name: cli.Redact(name), Open: open, Base: x.Walker.File.Base,
			ContentType: x.Walker.File.ContentType,
			Done:        func(s sitemap.Summary) { sum.Summary = s },
		}
		o := x.c.Options
		o.Judged = x.page
		found := audit.Pages(ctx, x.Client, src, &o)
		if filepath.Base(name) == "robots.txt" {
			found = audit.Robots(src, &o)
		}
		for f, docErr := range found {
			if docErr != nil {
				err = docErr
				break
			}
			x.finding(&f)
		}
		x.pages(open)
	}
	if ended := x.Ended(ctx); ended != nil {
		return ended
	}
	sum.Err = err
	x.Progress.Note(&sum)
	x.document(cli.Redact(name), &sum, cli.LimitHint(err), true)
	return nil
}

// opener returns a function that opens a file as often as it is called. Standard input and pipes are
// copied to a temporary file first.
func (x *targetAudit) opener(
	name string,
) (open func() (io.ReadCloser, error), closeFile func(), err error) {
	if info, err := os.Stat(name); name != cli.Stdin && (err != nil || info.Mode().IsRegular()) {
		return func() (io.ReadCloser, error) { return x.App.Open(name) }, func() {}, nil
	}
	in, err := x.App.Open(name)
	if err != nil {
		return nil, nil, err
	}
	defer in.Close()
	f, err := tempfile.Create("sitemap-*")
	if err != nil {
		return nil, nil, err
	}
	limit := x.Flags.Limit.Bytes
	if limit <= 0 {
		limit = 10 * sitemap.ProtocolBytes
	}
	size, err := io.Copy(f, io.LimitReader(in, limit+1))
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	open = func() (io.ReadCloser, error) { return io.NopCloser(io.NewSectionReader(f, 0, size)), nil }
	return open, func() { f.Close() }, nil
}

// pages passes on the pages of a file, if they are wanted. Its audit reports read errors.
func (x *targetAudit) pages(open func() (io.ReadCloser, error)) {
	if x.c.Options.Page == nil {
		return
	}
	f, err := open()
	if err != nil {
		return
	}
	defer f.Close()
	for e, err := range parse.Entries(f, &x.Walker.File) {
		if err == nil && e.Kind == sitemap.Page {
			x.c.Options.Page(&discover.URL{Entry: e})
		}
	}
}
