// Gen writes a generated document to standard output, for measurements:
//
//	go run ./internal/testkit/gen -kind urlset -n 50000 >a.xml
//
// The same flags give the same bytes.
package main

import (
	"compress/gzip"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/seed-322c453a/sitemap/internal/testkit/gen/gendoc"
)

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(args []string, out, errs io.Writer) error {
	flags := flag.NewFlagSet("gen", flag.ContinueOnError)
	flags.SetOutput(errs)
	kind := flags.String("kind", gendoc.URLSet, "kind of document: "+strings.Join(gendoc.Kinds(),
		", "))
	n := flags.Int("n", 50_000, "number of entries")
	seed := flags.Uint64("seed", 1, "seed of the random choices")
	zip := flags.Bool("gzip", false, "compress")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if !*zip {
		return gendoc.Write(out, *kind, *n, *seed)
	}
	z := gzip.NewWriter(out)
	if err := gendoc.Write(z, *kind, *n, *seed); err != nil {
		return err
	}
	return z.Close()
}
