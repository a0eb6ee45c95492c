package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/engines/frontier"
	"github.com/seed-322c453a/sitemap/engines/frontier/urlfrontier"
)

func emitCommand() *cobra.Command {
	o := &operation{}
	cmd := document(&cobra.Command{Use: "emit DIR", Args: cobra.ExactArgs(1)})
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return o.emit(cmd, args[0]) }
	o.add(cmd)
	return cmd
}

// emit puts the pages of all parts in a folder.
func (o *operation) emit(cmd *cobra.Command, dir string) error {
	parts := &count{name: "parts", help: "Parts put."}
	answers := []*count{ // by their status
		urlfrontier.AckMessage_OK:      {name: "added", help: "Pages added."},
		urlfrontier.AckMessage_SKIPPED: {name: "skipped", help: "Pages skipped."},
		urlfrontier.AckMessage_FAIL:    {name: "failed", help: "Pages that failed."},
	}
	stop, err := o.start(cmd, append([]*count{parts}, answers...)...)
	if err != nil {
		return err
	}
	defer stop()
	acked := func(s urlfrontier.AckMessage_Status) {
		if int(s) < len(answers) {
			answers[s].Add(1)
		}
	}
	folder, err := batch.OpenFolder(dir)
	if err != nil {
		return err
	}
	for p, err := range folder.Parts(cmd.Context(), o.run) {
		if err == nil {
			err = frontier.Emit(cmd.Context(), o.conn, o.crawl, p.Path, acked)
		}
		if err != nil {
			return err
		}
		parts.Add(1)
	}
	if n := answers[urlfrontier.AckMessage_FAIL].Load(); n > 0 {
		return fmt.Errorf("pages that the frontier did not take: %d; run emit again", n)
	}
	if parts.Load() == 0 {
		return fmt.Errorf("%s: no parts in it", dir)
	}
	return nil
}
