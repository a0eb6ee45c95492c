package lists

import (
	"cmp"
	"io"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/cmd/internal/output"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/discover/trust"
)

// openDocuments opens the file of --documents.
func (w *Walker) openDocuments() error {
	if w.Flags.Documents == "" {
		return nil
	}
	table, err := w.Flags.documentTable()
	if err != nil {
		return err
	}
	out, err := output.Create(w.App, w.Flags.Documents)
	if err != nil {
		return err
	}
	table.Begin(out)
	to, wait := pipe(func(r io.Reader) error {
		return readLines(r, func(l batch.Line) error { return table.Print(l.Document) })
	})
	w.documents = &sideFile{w.inOrder(to), func(err error) error {
		waitErr, endErr := wait(), table.End()
		return out.Finish(cmp.Or(err, waitErr, endErr))
	}}
	return nil
}

// noteDocument writes the line of a document that has ended.
func (v *Visit) noteDocument(s *discover.Sitemap, sum *discover.Summary) error {
	if v.Walker.documents == nil {
		return nil
	}
	var d batch.Document
	if v.docOf == s {
		d = v.doc
	}
	d.End(v.Record.Target, s, sum, cmp.Or(v.Options.MinTrust, trust.Variant))
	_, err := v.documents.Write(d.AppendTo(nil))
	return err
}
