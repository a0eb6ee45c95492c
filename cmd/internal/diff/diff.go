// Package diff is the command sitemap diff, which compares the URLs of two exports, folders or sites.
//
// Each file builds on those below it:
//
//	diff.go     sitemap diff
//	listing.go  the URLs of one side, sorted
package diff

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/cmd/internal/export"
	"github.com/seed-322c453a/sitemap/cmd/internal/lists"
	"github.com/seed-322c453a/sitemap/cmd/internal/output"
	"github.com/seed-322c453a/sitemap/cmd/internal/target"
	"github.com/seed-322c453a/sitemap/internal/jsonl"
)

// Command returns the command sitemap diff.
func Command(a *cli.App) *cobra.Command {
	flags := &lists.Flags{}
	cmd := cli.WithHelp(&cobra.Command{
		Use:  "diff [flags] OLD NEW",
		Args: cli.Exactly(2, "want two exports, folders or sites: OLD and NEW"),
		RunE: func(cmd *cobra.Command, args []string) error { return run(a, cmd, args, flags) },
	})
	flags.Add(cmd, "text, jsonl or csv")
	flags.AddRaw(cmd)
	return cmd
}

// run compares two lists of URLs.
func run(a *cli.App, cmd *cobra.Command, args []string, flags *lists.Flags) error {
	if err := cli.UsageOf(cmd, flags.Resolve(cmd), target.ReadsOnce(args)); err != nil {
		return err
	}
	w, err := lists.NewWalker(a, cmd, flags, &cli.DocumentFlags{})
	if err != nil {
		return err
	}
	w.Options.SkipExtensions = true
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	var sides [2]*listing
	for i, name := range args {
		if sides[i], err = openListing(ctx, w, name); err != nil {
			break
		}
	}
	if err != nil {
		if ended := a.Ended(ctx); ended != nil {
			return ended
		}
		return &cli.UsageError{Err: err} // exit status 2
	}
	a.Judges = true
	if w.Out, err = output.Create(a, flags.Out); err != nil {
		return err
	}
	print := changeFormat(&flags.PrintFlags)
	w.Out.Begin(print.header)
	differ := false
	err = compare(sides[0], sides[1], func(c *change) error {
		differ = true
		_, err := w.Out.Write(print.append(nil, c))
		return err
	})
	if differ && err == nil {
		a.Failed.Store(true)
		w.Out.Head = -1 // a failure says that they differ, not that nothing could be read
	}
	return w.Out.Finish(err)
}

// A change is a URL that two listings have otherwise.
type change struct {
	Change     string `json:"change"` // added, removed, changed or moved
	Loc        string `json:"loc"`
	LastMod    string `json:"lastmod,omitempty"`
	OldLastMod string `json:"old_lastmod,omitempty"`
	Sitemap    string `json:"sitemap,omitempty"`
	OldSitemap string `json:"old_sitemap,omitempty"`
}

// A changePrinter writes changes, each as a line.
type changePrinter struct {
	header string
	append func(b []byte, c *change) []byte
}

// signs start the lines of text.
var signs = map[string]string{"added": "+ ", "removed": "- ", "changed": "~ ", "moved": "> "}

// changeFormat returns the format that the flags name.
func changeFormat(p *cli.PrintFlags) changePrinter {
	switch p.Format {
	case "jsonl":
		return changePrinter{append: func(b []byte, c *change) []byte {
			return append(append(b, jsonl.Marshal(c)...), '\n')
		}}
	case "csv":
		const header = "change,loc,lastmod,old_lastmod,sitemap,old_sitemap\n"
		return changePrinter{header, func(b []byte, c *change) []byte {
			return output.AppendRow(b, p.Raw,
				c.Change, c.Loc, c.LastMod, c.OldLastMod, c.Sitemap, c.OldSitemap)
		}}
	}
	return changePrinter{append: appendText}
}

// appendText appends the line of a change to b.
func appendText(b []byte, c *change) []byte {
	b = append(append(b, signs[c.Change]...), cli.Printable(c.Loc)...)
	switch c.Change {
	case "changed":
		b = fmt.Appendf(b, "  %s → %s", orNone(c.OldLastMod), orNone(c.LastMod))
	case "moved":
		b = fmt.Appendf(b, "  %s → %s", cli.Printable(c.OldSitemap), cli.Printable(c.Sitemap))
	}
	return append(b, '\n')
}

func orNone(lastMod string) string {
	if lastMod == "" {
		return "none"
	}
	return lastMod
}

// compare calls report with each change between two listings, in the order of the URLs.
func compare(old, now *listing, report func(*change) error) error {
	defer old.close()
	defer now.close()
	o, okOld := old.next()
	n, okNew := now.next()
	for okOld || okNew {
		var c *change
		switch order := strings.Compare(o.Loc, n.Loc); {
		case okOld && (!okNew || order < 0):
			c = &change{Change: "removed", Loc: o.Loc, OldLastMod: o.LastMod, OldSitemap: o.Sitemap}
			o, okOld = old.next()
		case !okOld || order > 0:
			c = &change{Change: "added", Loc: n.Loc, LastMod: n.LastMod, Sitemap: n.Sitemap}
			n, okNew = now.next()
		default:
			c = changeOf(&o, &n, old.has.With(now.has))
			o, okOld = old.next()
			n, okNew = now.next()
		}
		if c == nil {
			continue
		}
		if err := report(c); err != nil {
			return err
		}
	}
	return errors.Join(old.err(), now.err())
}

// changeOf returns how two lines of one URL differ in what both listings have, or nil.
func changeOf(o, n *export.URL, has export.Fields) *change {
	c := &change{
		Loc: n.Loc, LastMod: n.LastMod, OldLastMod: o.LastMod, Sitemap: n.Sitemap,
		OldSitemap: o.Sitemap,
	}
	switch {
	case has.LastMod && !sameTime(o.LastMod, n.LastMod):
		c.Change = "changed"
	case has.Sitemap && o.Sitemap != n.Sitemap:
		c.Change = "moved"
	default:
		return nil
	}
	return c
}

// sameTime reports whether two lastmods are the same, however they are written.
func sameTime(a, b string) bool {
	if a == b {
		return true
	}
	x, err := sitemap.ParseTime(a)
	y, otherErr := sitemap.ParseTime(b)
	return err == nil && otherErr == nil && x.Precision() == y.Precision() &&
		x.Start().Equal(y.Start())
}
