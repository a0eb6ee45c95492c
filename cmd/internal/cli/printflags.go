package cli

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// PrintFlags are the flags of all commands that print results.
type PrintFlags struct {
	Format string
	Out    string
	Fields string // of urls and parse
	Quiet  bool
	Raw    bool // csv: leave cells as they are

	formats []string // that the command prints
}

// Add adds the flags to a command. Formats are those that it prints, as in "text, jsonl or csv".
func (p *PrintFlags) Add(cmd *cobra.Command, formats string) {
	p.AddFormat(cmd, formats)
	FlagGroup(cmd, "Output", func(f *pflag.FlagSet) {
		f.StringVarP(&p.Out, "output", "o", "", "print to `FILE`, which is replaced when all is written")
		f.BoolVarP(&p.Quiet, "quiet", "q", false, "on standard error, report only what could not be read")
	})
}

// AddFormat adds --format alone.
func (p *PrintFlags) AddFormat(cmd *cobra.Command, formats string) {
	p.formats = strings.Split(strings.ReplaceAll(formats, " or ", ", "), ", ")
	FlagGroup(cmd, "Output", func(f *pflag.FlagSet) {
		f.StringVar(&p.Format, "format", "text", "print as `FORMAT`: "+formats)
	})
	Complete(cmd, "format", p.formats...)
}

// AddRaw adds --raw.
func (p *PrintFlags) AddRaw(cmd *cobra.Command) {
	FlagGroup(cmd, "Output", func(f *pflag.FlagSet) {
		f.BoolVar(&p.Raw, "raw", false,
			"in csv, put no apostrophe before cells that a spreadsheet takes for formulas")
	})
}

// AddFields adds --fields.
func (p *PrintFlags) AddFields(cmd *cobra.Command) {
	FlagGroup(cmd, "Output", func(f *pflag.FlagSet) {
		f.StringVar(&p.Fields, "fields", "",
			"print the fields `NAME,...` only: see 'sitemap help fields'")
	})
}

// Resolve takes the format from the suffix of -o if --format is not given. It reports a format that
// the command does not print.
func (p *PrintFlags) Resolve(cmd *cobra.Command) error {
	return cmp.Or(p.ResolveSuffix(cmd, p.formats...), p.CheckFormat())
}

// CheckFormat reports a format that the command does not print.
func (p *PrintFlags) CheckFormat() error {
	if slices.Contains(p.formats, p.Format) {
		return nil
	}
	last := len(p.formats) - 1
	return fmt.Errorf("unknown format %q: want %s or %s",
		p.Format, strings.Join(p.formats[:last], ", "), p.formats[last])
}

// formatOfSuffix are the formats that the name of a file says.
var formatOfSuffix = map[string]string{
	".txt": "text", ".csv": "csv", ".jsonl": "jsonl", ".parquet": "parquet", ".sarif": "sarif",
	".html": "html",
}

// ResolveSuffix takes the format from the suffix of -o if --format is not given. It reports a suffix
// that contradicts --format, or that is not one of formats.
func (p *PrintFlags) ResolveSuffix(cmd *cobra.Command, formats ...string) error {
	name := p.Out
	if IsGzip(name) {
		name = name[:len(name)-len(".gz")]
	}
	suffix := strings.ToLower(filepath.Ext(name))
	format, ok := formatOfSuffix[suffix]
	switch {
	case !ok || p.Format == format:
		return nil
	case cmd.Flags().Changed("format"):
		return fmt.Errorf("--output %s contradicts --format %s", p.Out, p.Format)
	case !slices.Contains(formats, format) && format == "html":
		return fmt.Errorf("--output %s: pages are drawn by 'sitemap report'", p.Out)
	case !slices.Contains(formats, format):
		return fmt.Errorf("--output %s: this command prints %s", p.Out, strings.Join(formats, ", "))
	}
	p.Format = format
	return nil
}

// IsGzip reports whether a file is to be compressed.
func IsGzip(name string) bool { return strings.EqualFold(filepath.Ext(name), ".gz") }
