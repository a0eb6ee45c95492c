package cli

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// PrintFlags are the flags of all commands that print results.
type PrintFlags struct {
	Format string
	Out    string
	Fields string // of urls, parse and batch cat
	Rows   string // of urls and batch cat
	Sample int    // of these
	Seed   int64
	Quiet  bool
	Raw    bool // csv: leave cells as they are

	formats []string // that the command prints
}

// Add adds the flags to a command. Formats are those that it prints, as in "text, jsonl or csv".
func (p *PrintFlags) Add(cmd *cobra.Command, formats string) {
	p.AddFormat(cmd, formats)
	f := cmd.Flags()
	f.StringVarP(&p.Out, "output", "o", "",
		"print to `FILE`, which is replaced when all is written")
	f.BoolVarP(&p.Quiet, "quiet", "q", false,
		"on standard error, report only what could not be read")
	Group(cmd, "Output")
}

// AddFormat adds --format alone.
func (p *PrintFlags) AddFormat(cmd *cobra.Command, formats string) {
	p.formats = strings.Split(strings.ReplaceAll(formats, " or ", ", "), ", ")
	cmd.Flags().StringVar(&p.Format, "format", "text", "print as `FORMAT`: "+formats)
	Group(cmd, "Output")
	OneOf(cmd, "format", p.formats...)
}

// AddRaw adds --raw.
func (p *PrintFlags) AddRaw(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&p.Raw, "raw", false,
		"in csv, put no apostrophe before cells that a spreadsheet takes for formulas")
	Group(cmd, "Output")
}

// AddFields adds --fields.
func (p *PrintFlags) AddFields(cmd *cobra.Command) {
	cmd.Flags().StringVar(&p.Fields, "fields", "",
		"print the fields `NAME,...` only: see 'sitemap help fields'")
	Group(cmd, "Output")
}

// AddRows adds the flags that choose rows.
func (p *PrintFlags) AddRows(cmd *cobra.Command) {
	p.AddFields(cmd)
	f := cmd.Flags()
	f.StringVar(&p.Rows, "rows", "",
		"print a row for each of the `ITEMS` of the URLs: alternates, images or videos")
	Group(cmd, "Output")
	f.IntVar(&p.Sample, "sample", 0, "print `N` URLs that are chosen at random")
	f.Int64Var(&p.Seed, "seed", 0, "seed of --sample: the same `N` chooses the same URLs")
	Group(cmd, "Selection")
	NotNegative(cmd, "sample")
	OneOf(cmd, "rows", "alternates", "images", "videos")
}

// Resolve sets the format by the suffix of -o, if --format is not given.
func (p *PrintFlags) Resolve(cmd *cobra.Command) error { return p.ResolveSuffix(cmd, p.formats...) }

// formatOfSuffix maps suffixes of file names to formats.
var formatOfSuffix = map[string]string{
	".txt": "text", ".csv": "csv", ".jsonl": "jsonl", ".parquet": "parquet", ".sarif": "sarif",
	".html": "html", ".ndjson": "jsonl",
	// These are not text, and --format has to name their format.
	".json": "", ".tsv": "", ".xlsx": "", ".xml": "", ".xls": "", ".htm": "", ".pq": "", ".cvs": "",
}

// FormatOf returns the format by the suffix of a file name, or "".
func FormatOf(name string) (format string, ok bool) {
	format, ok = formatOfSuffix[suffixOf(name)]
	return format, ok
}

// suffixOf returns the suffix of a file name, in lower case and without .gz.
func suffixOf(name string) string {
	if IsGzip(name) {
		name = name[:len(name)-len(".gz")]
	}
	return strings.ToLower(filepath.Ext(name))
}

// nearSuffix returns the suffix that a mistyped one may mean, or "". Short ones do not count, since
// .com and .test differ from .csv and .tsv by two letters.
func nearSuffix(suffix string) string {
	isShort := func(s string) bool { return len(s) < len(".json") }
	if isShort(suffix) {
		return ""
	}
	known := slices.Sorted(maps.Keys(formatOfSuffix))
	return Nearest(suffix, slices.DeleteFunc(known, isShort))
}

// ResolveSuffix sets the format by the suffix of -o, if --format is not given. It returns an error
// for a suffix that contradicts --format, is not one of formats or seems to be mistyped.
func (p *PrintFlags) ResolveSuffix(cmd *cobra.Command, formats ...string) error {
	format, ok := FormatOf(p.Out)
	suffix, isGiven := suffixOf(p.Out), cmd.Flags().Changed("format")
	near := nearSuffix(suffix)
	switch {
	case !ok && !isGiven && near != "":
		return fmt.Errorf("--output %s: %s means no format; did you mean %s? "+
			"--format allows any suffix", p.Out, suffix, near)
	case !ok || p.Format == format || format == "" && p.Format != "text":
		return nil
	case isGiven:
		return fmt.Errorf("--output %s contradicts --format %s", p.Out, p.Format)
	case !slices.Contains(formats, format) && format == "html":
		return fmt.Errorf("--output %s: 'sitemap report' writes HTML", p.Out)
	case !slices.Contains(formats, format):
		return fmt.Errorf("--output %s: this command prints %s", p.Out, strings.Join(formats, ", "))
	}
	p.Format = format
	return nil
}

// DifferentFiles returns an error if two flags name the same file. Its arguments are flags, each
// followed by the name of its file, which may be empty.
func DifferentFiles(flags ...string) error {
	named := map[string]string{}
	for pair := range slices.Chunk(flags, 2) {
		flag, name := pair[0], pair[1]
		if name == "" || name == Stdin {
			continue
		}
		name, _ = filepath.Abs(name)
		if path, err := filepath.EvalSymlinks(name); err == nil {
			name = path
		}
		if other, again := named[name]; again {
			return fmt.Errorf("%s and %s name the same file", other, flag)
		}
		named[name] = flag
	}
	return nil
}

// IsGzip reports whether a file is to be compressed.
func IsGzip(name string) bool { return strings.EqualFold(filepath.Ext(name), ".gz") }
