package batch

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/cmd/internal/output"
	"github.com/seed-322c453a/sitemap/internal/jsonl"
)

func statusCommand(a *cli.App) *cobra.Command {
	flags := &cli.PrintFlags{}
	cmd := cli.WithHelp(&cobra.Command{
		Use:  "status [flags] FOLDER",
		Args: cli.Exactly(1, "want one FOLDER"),
		RunE: func(cmd *cobra.Command, args []string) error { return status(a, cmd, args[0], flags) },
	})
	flags.Add(cmd, "text or jsonl")
	return cmd
}

// status prints how far the runs in a folder are: one, or one of each shard.
func status(a *cli.App, cmd *cobra.Command, dir string, flags *cli.PrintFlags) error {
	if err := cli.UsageOf(cmd, flags.Resolve(cmd)); err != nil {
		return err
	}
	folder, runs, err := openBatch(dir)
	if err == nil && len(runs) == 0 {
		err = errNoParts(dir)
	}
	if err != nil {
		return err
	}
	out, err := output.Create(a, flags.Out)
	if err != nil {
		return err
	}
	for i := range runs {
		r := &runs[i]
		var s shard
		if r.Shard != "" {
			err = s.Set(r.Shard)
		}
		var recent int64
		if err == nil {
			recent, err = r.count(folder, s)
		}
		if err != nil {
			break
		}
		if flags.Format == "jsonl" {
			out.Write(append(jsonl.Marshal(r), '\n'))
		} else {
			r.print(out, recent)
		}
	}
	return out.Finish(err)
}

// openBatch opens a folder of parts, with its runs. There are none if another command has written
// the parts.
func openBatch(dir string) (*batch.Folder, []batchRun, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "run*.json"))
	if err != nil {
		return nil, nil, err
	}
	var runs []batchRun
	for _, path := range paths {
		r, err := readRunFile(path)
		if err != nil {
			return nil, nil, err
		}
		runs = append(runs, r)
	}
	folder, err := batch.OpenFolder(dir)
	return folder, runs, err
}

// errNoParts says how to make parts.
func errNoParts(dir string) error {
	return fmt.Errorf("%s: no parts in it: sitemap batch FILE -o %s", dir, dir)
}

// print prints the run as text. Recent is how many targets were walked since it was started.
func (r *batchRun) print(w io.Writer, recent int64) {
	name := fmt.Sprintf("run %d", r.Run)
	if r.Shard != "" {
		name = "shard " + r.Shard + ", " + name
	}
	fmt.Fprintf(w, "%s, begun %s: %s of %s done, %s in %s\n", name, r.Begun.Format(time.RFC3339),
		cli.Thousands(r.Counts.Targets), cli.Plural(max(r.Targets, r.Counts.Targets), "site"),
		cli.Plural(r.Counts.URLs, "URL"), cli.Plural(r.Counts.Documents, "sitemap"))
	if n := r.Counts.Untrusted; n > 0 {
		fmt.Fprintf(w, "%s left out: see 'sitemap help trust'\n", cli.Plural(n, "untrusted URL"))
	}
	fmt.Fprintf(w, "%s of %s failed, in whole or in part\n", cli.Thousands(r.Failed),
		cli.Plural(r.Domains, "domain"))
	causes := slices.SortedFunc(maps.Keys(r.Causes), func(a, b string) int {
		return cmp.Or(cmp.Compare(r.Causes[b], r.Causes[a]), cmp.Compare(a, b))
	})
	for _, cause := range causes {
		fmt.Fprintf(w, "%9s  %s\n", cli.Thousands(r.Causes[cause]), cause)
	}
	if !r.Ended.IsZero() {
		fmt.Fprintf(w, "ended %s\n", r.Ended.Format(time.RFC3339))
		return
	}
	elapsed := time.Since(r.Started)
	fmt.Fprintf(w, "%.1f sites/s since %s", float64(recent)/elapsed.Seconds(),
		r.Started.Format(time.RFC3339))
	if left := r.Targets - r.Counts.Targets; recent > 0 && left > 0 {
		fmt.Fprintf(w, ", %s left", cli.About(elapsed*time.Duration(left)/time.Duration(recent)))
	}
	fmt.Fprintln(w)
}

func catCommand(a *cli.App) *cobra.Command {
	flags, run := &cli.PrintFlags{}, ""
	cmd := cli.WithHelp(&cobra.Command{
		Use:  "cat [flags] FOLDER",
		Args: cli.Exactly(1, "want one FOLDER"),
		RunE: func(cmd *cobra.Command, args []string) error { return cat(a, cmd, args[0], run, flags) },
	})
	flags.Add(cmd, "text, jsonl, csv or parquet")
	flags.AddFields(cmd)
	cli.FlagGroup(cmd, "Selection", func(f *pflag.FlagSet) {
		f.StringVar(&run, "run", "", "print run `N` (default the last), or all")
	})
	cmd.Flags().Lookup("format").DefValue, flags.Format = "jsonl", "jsonl"
	return cmd
}

// cat prints the URLs in the parts of a folder.
func cat(a *cli.App, cmd *cobra.Command, dir, run string, flags *cli.PrintFlags) error {
	formatErr := flags.Resolve(cmd)
	f, fieldsErr := output.FormatOf(flags, true, true)
	var runErr error
	if n, err := strconv.Atoi(run); run != "" && run != "all" && (err != nil || n < 1) {
		runErr = fmt.Errorf("--run: want a number from 1 or all, not %q", run)
	}
	if err := cli.UsageOf(cmd, formatErr, fieldsErr, runErr); err != nil {
		return err
	}
	folder, runs, err := openBatch(dir)
	if err != nil {
		return err
	}
	if run == "" && len(runs) > 0 {
		last := slices.MaxFunc(runs, func(a, b batchRun) int { return a.Run - b.Run })
		run = last.name()
	}
	if run == "all" {
		run = ""
	}
	out, err := output.Create(a, flags.Out)
	if err != nil {
		return err
	}
	c := &concatenation{app: a, out: out, format: f, raw: flags.Format == "jsonl" && flags.Fields == ""}
	if flags.Format == "parquet" {
		c.parquet, err = output.NewParquet(out, flags.Fields)
	} else {
		out.Begin(f.Header)
	}
	parts := 0
	names := []string{run}
	if run == "" {
		names, err = folder.Runs()
	}
	for _, name := range names {
		for p, partErr := range folder.Parts(a.Context, name) {
			if err = cmp.Or(err, a.Context.Err()); err != nil {
				break
			}
			parts++
			if partErr == nil {
				partErr = c.part(folder, p)
			}
			if partErr != nil {
				a.Fail("%s", jsonl.Message("", partErr))
			}
			err = c.failed
		}
	}
	if c.parquet != nil {
		err = cmp.Or(err, c.parquet.Close())
	}
	if parts == 0 && len(runs) == 0 {
		err = cmp.Or(err, errNoParts(dir))
	}
	return out.Finish(err)
}

// A concatenation prints the lines of parts.
type concatenation struct {
	app     *cli.App
	out     *output.Writer
	format  output.Format
	raw     bool // print lines as they are
	parquet *output.Parquet
	failed  error // of the output
}

// part prints the URLs of a part. Its error is that of the part.
func (c *concatenation) part(folder *batch.Folder, p batch.Stored) error {
	f, err := folder.Open(c.app.Context, p)
	if err != nil {
		return err
	}
	defer f.Close()
	for line, err := range batch.Lines(f) {
		if err != nil {
			return fmt.Errorf("%s: %w", p.Path, err)
		}
		if line.URL != nil && c.failed == nil {
			c.url(line)
		}
	}
	return nil
}

// url prints the URL of a line.
func (c *concatenation) url(line batch.Line) {
	switch {
	case c.raw:
		_, c.failed = c.out.Write(line.Text)
	case c.parquet != nil:
		c.failed = c.parquet.Write([]output.ParquetRow{output.RowOf(line.URL)})
	default:
		_, c.failed = c.out.Write(c.format.Append(nil, line.URL))
	}
}
