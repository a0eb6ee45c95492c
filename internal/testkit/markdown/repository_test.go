package markdown

import (
	"io/fs"
	"path"
	"regexp"
	"strings"
)

// A repository is what documents may name.
type repository struct {
	fsys      fs.FS
	documents []string        // the Markdown files
	top       map[string]bool // files and folders at the root
	functions []string        // TestXxx, FuzzXxx and BenchmarkXxx
}

var function = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark)\w*)\(`)

func openRepository(fsys fs.FS) (*repository, error) {
	r := &repository{fsys: fsys, top: map[string]bool{}}
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.Name() == ".git" && d.IsDir() {
			return fs.SkipDir
		}
		if name != "." && !strings.Contains(name, "/") {
			r.top[name] = true
		}
		switch path.Ext(name) {
		case ".md":
			r.documents = append(r.documents, name)
		case ".go":
			return r.addFunctions(name)
		}
		return nil
	})
	return r, err
}

func (r *repository) addFunctions(name string) error {
	source, err := fs.ReadFile(r.fsys, name)
	if err != nil {
		return err
	}
	for _, m := range function.FindAllSubmatch(source, -1) {
		r.functions = append(r.functions, string(m[1]))
	}
	return nil
}

// has reports whether a path, or a pattern of path.Match, names a file or a folder.
func (r *repository) has(name string) bool {
	found, err := fs.Glob(r.fsys, path.Clean(name))
	return err == nil && len(found) > 0
}

// hasFunction reports whether a test of that name exists. A name that ends in an asterisk stands
// for all that begin with it.
func (r *repository) hasFunction(name string) bool {
	prefix, isPrefix := strings.CutSuffix(name, "*")
	for _, f := range r.functions {
		if f == name || isPrefix && strings.HasPrefix(f, prefix) {
			return true
		}
	}
	return false
}
