package output

import (
	"errors"
	"fmt"

	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
)

// NewPrinter returns the printer that the flags describe. Walked URLs have more columns in csv, and
// withChange one more.
func NewPrinter(flags *cli.PrintFlags, walked, withChange bool) (Printer, error) {
	p, err := newRows(flags, walked, withChange)
	switch {
	case err != nil:
		return nil, err
	case flags.Sample > maxSample:
		return nil, fmt.Errorf("--sample: want a number up to %s", cli.Thousands(maxSample))
	case flags.Sample == 0 && flags.Seed != 0:
		return nil, errors.New("--seed needs --sample N")
	case flags.Sample > 0:
		return newSample(p, flags.Sample, flags.Seed), nil
	}
	return p, nil
}

// maxSample is the size of the largest sample. It is in memory twice.
const maxSample = 1_000_000

// newRows returns the printer of the rows that the flags ask for.
func newRows(flags *cli.PrintFlags, walked, withChange bool) (Printer, error) {
	switch flags.Rows {
	case "alternates":
		return newTable(flags, appendAlternates)
	case "images":
		return newTable(flags, appendImages)
	case "videos":
		return newTable(flags, appendVideos)
	}
	if flags.Format == "parquet" {
		return newTable(flags, appendURL)
	}
	return FormatOf(flags, walked, withChange)
}

// WantsExtensions reports whether any printed field is from extensions.
func WantsExtensions(flags *cli.PrintFlags) bool {
	if flags.Rows != "" || flags.Fields == "" {
		return flags.Rows != "" || flags.Format != "text"
	}
	return hasExtended(flags.Fields)
}
