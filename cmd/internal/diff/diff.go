// Package diff is the command sitemap diff, which compares the URLs of two exports, folders or
// sites.
//
// Each file builds on those below it:
//
//	diff.go     sitemap diff
//	compare.go  the changes between the two sides
//	listing.go  the URLs of both sides, in parts
package diff

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/cmd/internal/lists"
	"github.com/seed-322c453a/sitemap/cmd/internal/output"
	"github.com/seed-322c453a/sitemap/cmd/internal/target"
	"github.com/seed-322c453a/sitemap/internal/jsonl"
	"github.com/seed-322c453a/sitemap/internal/records"
)

// Command returns the command sitemap diff.
func Command(a *cli.App) *cobra.Command {
	flags := &lists.Flags{}
	cmd := cli.Command("diff [flags] OLD NEW",
		cli.Exactly(2, "want two exports, folders or sites: OLD and NEW"),
		func(cmd *cobra.Command, args []string) error { return run(a, cmd, args, flags) })
	flags.PrintFlags.Add(cmd, "text, jsonl or csv")
	flags.AddRaw(cmd)
	flags.AddAs(cmd)
	flags.SelectFlags.Add(cmd)
	flags.FetchFlags.Add(cmd)
	flags.AddNormalize(cmd, "take URLs that RFC 3986 calls equivalent for one")
	return cmd
}

// run compares two lists of URLs.
func run(a *cli.App, cmd *cobra.Command, args []string, flags *lists.Flags) error {
	var sinceErr error
	if flags.Since != "" && slices.ContainsFunc(args, func(name string) bool {
		t, err := target.Parse(name, flags.As)
		return err == nil && t.Kind == target.File && !target.IsDir(t.Name)
	}) {
		sinceErr = errors.New("--since: want sites or folders, since a file is compared as a whole")
	}
	err := cli.UsageOf(cmd, flags.Resolve(cmd), target.ReadsOnce(args), sinceErr)
	if err != nil {
		return err
	}
	w, err := lists.NewWalker(a, cmd, flags, &cli.DocumentFlags{})
	if err != nil {
		return err
	}
	w.Options.SkipExtensions = true
	ctx := cmd.Context()
	l := &listings{normalize: flags.Normalize, blocks: records.Temp{Name: "sitemap-diff-"}}
	defer l.blocks.Close()
	for side, name := range args {
		if err := l.load(ctx, w, side, name); err != nil {
			return cmp.Or(a.Ended(ctx), trouble(err))
		}
	}
	if w.Out, err = output.Create(a, flags.Out); err != nil {
		return trouble(err)
	}
	if !flags.Quiet {
		w.Problems.Print(a.Log)
	}
	header, line := changeFormat(&flags.PrintFlags)
	w.Out.Begin(header)
	differ, err := l.compare(ctx, line, w.Out)
	if differ && (err == nil || errors.Is(err, cli.ErrStopped)) {
		a.Failed.Store(true)
		w.Out.Head = -1 // a failure says that they differ, not that nothing could be read
	}
	return trouble(w.Out.Finish(err))
}

// trouble makes err, if it is not nil, end the command with exit status 2: it is not known whether
// the lists differ.
func trouble(err error) error {
	if err == nil {
		return nil
	}
	return &cli.UsageError{Err: err}
}

// signs start the lines of text.
var signs = map[string]string{"added": "+ ", "removed": "- ", "changed": "~ ", "moved": "> "}

// changeFormat returns the format that the flags name.
func changeFormat(p *cli.PrintFlags) (header string, line appendFunc) {
	switch p.Format {
	case "jsonl":
		return "", func(b []byte, c *change) []byte {
			return append(append(b, jsonl.Marshal(c)...), '\n')
		}
	case "csv":
		const header = "change,loc,lastmod,old_lastmod,sitemap,old_sitemap,old_loc\n"
		return header, func(b []byte, c *change) []byte {
			return output.AppendRow(b, p.Raw,
				c.Change, c.Loc, c.LastMod, c.OldLastMod, c.Sitemap, c.OldSitemap, c.OldLoc)
		}
	}
	return "", appendText
}

// appendText appends the line of a change to b.
func appendText(b []byte, c *change) []byte {
	b = append(append(b, signs[c.Change]...), cli.Harmless(c.Loc, "")...)
	old, now := c.OldLoc, c.Loc
	switch {
	case c.Change == "changed":
		old, now = cmp.Or(c.OldLastMod, "none"), cmp.Or(c.LastMod, "none")
	case c.Change != "moved":
		return append(b, '\n')
	case old == "":
		old, now = c.OldSitemap, c.Sitemap
	}
	return fmt.Appendf(b, "  %s → %s\n", cli.Harmless(old, ""), cli.Harmless(now, ""))
}
