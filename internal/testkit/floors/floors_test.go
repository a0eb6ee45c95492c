// Package floors holds packages against the order of files that their documentation promises.
package floors

import (
	"bytes"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/seed-322c453a/sitemap/"

// TestFloors: each file of a package uses only the files below it, by the list of files in the
// documentation of the package. So no two files need each other.
func TestFloors(t *testing.T) {
	packages := []string{
		"audit", "fetch", "discover", "discover/robots", "discover/trust", "discover/state",
		"internal/hostlimit", "internal/location",
	}
	lookup := exports(t, packages)
	for _, name := range packages {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join("..", "..", "..", filepath.FromSlash(name))
			fset := token.NewFileSet()
			files := parse(t, fset, dir)
			listed := order(t, files)
			info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
			config := types.Config{Importer: importer.ForCompiler(fset, "gc", lookup)}
			pkg, err := config.Check(module+name, fset, files, info)
			if err != nil {
				t.Fatal(err)
			}
			for id, object := range info.Uses {
				if object.Pkg() != pkg || !object.Pos().IsValid() {
					continue
				}
				from := filepath.Base(fset.Position(id.Pos()).Filename)
				to := filepath.Base(fset.Position(object.Pos()).Filename)
				if slices.Index(listed, from) > slices.Index(listed, to) {
					t.Errorf("%s: %s needs %s, which is not below it", fset.Position(id.Pos()), id.Name, to)
				}
			}
		})
	}
}

// exports returns a function that opens the export data of a package.
func exports(t *testing.T, packages []string) func(string) (io.ReadCloser, error) {
	t.Helper()
	args := []string{"list", "-deps", "-export", "-f", "{{.ImportPath}} {{.Export}}"}
	for _, name := range packages {
		args = append(args, module+name)
	}
	out, err := exec.Command("go", args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]string{}
	for line := range bytes.Lines(out) {
		path, file, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
		at[path] = file
	}
	return func(path string) (io.ReadCloser, error) { return os.Open(at[path]) }
}

// parse parses the files of a package that are no tests.
func parse(t *testing.T, fset *token.FileSet, dir string) (files []*ast.File) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	return files
}

var (
	listedFile = regexp.MustCompile(`(?m)^\s+(\w+\.go)\s`)
	upwards    = regexp.MustCompile(`(?i)each (of them )?(building|builds) on those before it`)
)

// order returns the files that the documentation of a package lists, the highest floor first.
func order(t *testing.T, files []*ast.File) (listed []string) {
	t.Helper()
	for _, file := range files {
		if file.Doc == nil {
			continue
		}
		for _, m := range listedFile.FindAllStringSubmatch(file.Doc.Text(), -1) {
			listed = append(listed, m[1])
		}
		if upwards.MatchString(strings.Join(strings.Fields(file.Doc.Text()), " ")) {
			slices.Reverse(listed)
		}
	}
	if len(listed) < len(files)-1 {
		t.Fatalf("%d files, of which the documentation lists %d: %q", len(files), len(listed), listed)
	}
	return listed
}
