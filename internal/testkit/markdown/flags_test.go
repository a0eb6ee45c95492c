package markdown

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	flagOfTest = regexp.MustCompile(`\bflag\.(?:Bool|Duration|Int|String|Uint64)\("([a-z-]+)"`)
	goldenRun  = regexp.MustCompile(`\bgolden\.Run\(`) // has the flag -update
	flagListed = regexp.MustCompile("(?m)^\\| `-([a-z-]+)[^`]*` \\| ([^|]*) \\|")
)

// TestFlags: CONTRIBUTING lists each flag of each package's tests, and no other.
func TestFlags(t *testing.T) {
	fsys := os.DirFS(filepath.Join("..", "..", ".."))
	var flags, listed []string
	err := fs.WalkDir(fsys, ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, "_test.go") {
			return err
		}
		source, err := fs.ReadFile(fsys, name)
		for _, m := range flagOfTest.FindAllStringSubmatch(string(source), -1) {
			flags = append(flags, m[1]+" "+path.Dir(name))
		}
		if goldenRun.Match(source) {
			flags = append(flags, "update "+path.Dir(name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	text, err := fs.ReadFile(fsys, "CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range flagListed.FindAllStringSubmatch(string(text), -1) {
		for pkg := range strings.SplitSeq(m[2], ", ") {
			listed = append(listed, m[1]+" "+strings.Trim(pkg, "`"))
		}
	}
	slices.Sort(flags)
	slices.Sort(listed)
	if flags = slices.Compact(flags); !slices.Equal(flags, listed) {
		t.Errorf("the tests have the flags\n%q, CONTRIBUTING lists\n%q", flags, listed)
	}
}
