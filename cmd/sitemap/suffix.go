package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// formatOfSuffix are the formats that the name of a file says.
var formatOfSuffix = map[string]string{
	".txt": "text", ".csv": "csv", ".jsonl": "jsonl", ".parquet": "parquet", ".sarif": "sarif",
}

// resolve takes the format from the suffix of -o if --format is not given. It reports a suffix that
// contradicts --format, or that the command does not print.
func (p *printFlags) resolve(cmd *cobra.Command, formats ...string) error {
	name := p.out
	if isGzip(name) {
		name = name[:len(name)-len(".gz")]
	}
	suffix := strings.ToLower(filepath.Ext(name))
	format, ok := formatOfSuffix[suffix]
	switch {
	case !ok || p.format == format:
		return nil
	case cmd.Flags().Changed("format"):
		return fmt.Errorf("--output %s contradicts --format %s", p.out, p.format)
	case !slices.Contains(formats, format):
		return fmt.Errorf("--output %s: this command prints %s", p.out, strings.Join(formats, ", "))
	}
	p.format = format
	return nil
}

// isGzip reports whether a file is to be compressed.
func isGzip(name string) bool { return strings.EqualFold(filepath.Ext(name), ".gz") }
