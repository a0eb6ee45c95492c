// Package floors holds packages against the order of files that their documentation promises.
package floors

import (
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

// Check fails the test if a file of a package uses another file that is not below it, by the list
// of files in the documentation of the package. So no two files need each other. The packages are
// import paths and patterns, as of go list.
func Check(t *testing.T, packages ...string) {
	t.Helper()
	const format = "{{.ImportPath}}\t{{.Export}}\t{{.DepOnly}}\t{{.Dir}}\t{{join .GoFiles \"\t\"}}"
	at := map[string]string{} // the export data of each package
	lookup := func(path string) (io.ReadCloser, error) { return os.Open(at[path]) }
	fset := token.NewFileSet()
	config := types.Config{Importer: importer.ForCompiler(fset, "gc", lookup)}
	packages = slices.Concat([]string{"list", "-deps", "-export", "-f", format}, packages)
	for _, fields := range list(t, packages) { // what a package needs comes before it
		at[fields[0]] = fields[1]
		if fields[2] == "true" {
			continue
		}
		t.Run(fields[0], func(t *testing.T) {
			files := parse(t, fset, fields[3], fields[4:])
			listed := order(t, files)
			info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
			pkg, err := config.Check(fields[0], fset, files, info)
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
					t.Errorf("%s: %s needs %s, which is not below it",
						fset.Position(id.Pos()), id.Name, to)
				}
			}
		})
	}
}

// list returns what go list prints, as lines of fields that tabs separate.
func list(t *testing.T, args []string) (lines [][]string) {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		lines = append(lines, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
	}
	return lines
}

// parse parses the files of a package.
func parse(t *testing.T, fset *token.FileSet, dir string, names []string) (files []*ast.File) {
	t.Helper()
	for _, name := range names {
		const mode = parser.ParseComments | parser.SkipObjectResolution
		file, err := parser.ParseFile(fset, filepath.Join(dir, name), nil, mode)
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
		t.Fatalf("%d files, of which the documentation lists %d: %q",
			len(files), len(listed), listed)
	}
	return listed
}
