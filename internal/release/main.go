// Release makes the commit and the tags of a release, in a clone of the repository:
//
//	GOWORK=off go run -C internal/release . v0.9.0
//
// The three modules are released together. In the branch main, each finds the others in the
// checkout, by replace lines; nobody could install them so. The release commit drops these lines
// and requires the others by version, with their checksums. It is tagged v0.9.0, engines/v0.9.0 and
// cmd/v0.9.0, and no branch contains it. Nothing is pushed.
//
// The flag -proxy names a folder in which the modules are left as a module proxy, for GOPROXY. The
// checksums need no server: they are those of the files there. Modules of other projects come from
// where GOPROXY says.
//
// The program is a module of its own, outside of go.work.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr,
			"usage: GOWORK=off go run -C internal/release . [-proxy DIR] VERSION")
		flag.PrintDefaults()
	}
	proxy := flag.String("proxy", "", "leave the modules in this `folder` as a module proxy")
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(flag.Arg(0), *proxy); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// run releases the repository that the program is in.
func run(version, proxy string) error {
	root, err := filepath.Abs("../..")
	if err != nil {
		return err
	}
	if proxy == "" {
		proxy, err = os.MkdirTemp("", "release")
		if err != nil {
			return err
		}
		defer os.RemoveAll(proxy)
	}
	tags, err := Release(root, version, proxy)
	if err != nil {
		return err
	}
	fmt.Println("made:", tags)
	fmt.Println("to publish: git push origin", tags)
	return nil
}
