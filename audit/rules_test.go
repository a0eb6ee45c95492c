package audit

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/seed-322c453a/sitemap"
)

var updateRules = flag.Bool("update-rules", false, "write docs/rules.md")

func TestRules(t *testing.T) {
	all := Rules()
	for i, r := range all {
		if i > 0 && all[i-1].Code >= r.Code {
			t.Errorf("%s comes after %s", r.Code, all[i-1].Code)
		}
		if !regexp.MustCompile(`^[a-z0-9]+(?:_[a-z0-9]+)*$`).MatchString(string(r.Code)) {
			t.Errorf("code %q", r.Code)
		}
		if r.Severity > failure {
			t.Errorf("%s: severity %v", r.Code, r.Severity)
		}
		for name, text := range map[string]string{"Summary": r.Summary, "Why": r.Why, "Fix": r.Fix, "Source": r.Source} {
			hasStop := strings.HasSuffix(text, ".")
			switch {
			case text == "" || text != strings.Join(strings.Fields(text), " "):
				t.Errorf("%s: %s is %q", r.Code, name, text)
			case hasStop != (name == "Why" || name == "Fix"):
				t.Errorf("%s: full stop at the end of %s: %t", r.Code, name, hasStop)
			}
		}
	}
	all[0].Code = ""
	if Rules()[0].Code == "" {
		t.Error("a change of the slice has changed the rules")
	}
}

func TestRuleOf(t *testing.T) {
	for _, r := range Rules() {
		if got, ok := RuleOf(r.Code); !ok || got != r {
			t.Errorf("RuleOf(%q) is %v, %t", r.Code, got, ok)
		}
	}
	for _, code := range []sitemap.Code{"", "of_a_later_version", "zzz", "BAD_LOC"} {
		if got, ok := RuleOf(code); ok || got != (Rule{}) {
			t.Errorf("RuleOf(%q) is %v, %t", code, got, ok)
		}
	}
}

// Each constant of type sitemap.Code has a rule, each rule a constant, and no other string becomes
// a code. The rule of a problem of reading has its severity.
func TestRules_Complete(t *testing.T) {
	constants := map[string]bool{}
	for _, dir := range []string{"..", "."} {
		pkg, info := load(t, dir)
		for _, name := range pkg.Scope().Names() {
			c, ok := pkg.Scope().Lookup(name).(*types.Const)
			if !ok || !isCode(c.Type()) {
				continue
			}
			code := sitemap.Code(constant.StringVal(c.Val()))
			constants[string(code)] = true
			if r, _ := RuleOf(code); dir == ".." && r.Severity != code.Severity() {
				t.Errorf("%s: severity %v, want %v", code, r.Severity, code.Severity())
			}
		}
		for e, v := range info.Types {
			_, isLiteral := e.(*ast.BasicLit)
			call, isCall := e.(*ast.CallExpr)
			isConversion := isCall && info.Types[call.Fun].IsType()
			if isCode(v.Type) && dir == "." && (isLiteral && constant.StringVal(v.Value) != "" && !constants[constant.StringVal(v.Value)] ||
				isConversion) {
				t.Errorf("%s becomes a code", types.ExprString(e))
			}
		}
	}
	if !constants["host_down"] || !constants["page_soft_404"] || !constants["bad_loc"] {
		t.Fatalf("constants %v", constants)
	}
	for code := range constants {
		if _, ok := RuleOf(sitemap.Code(code)); !ok {
			t.Errorf("%s has no rule", code)
		}
	}
	for _, r := range Rules() {
		if !constants[string(r.Code)] {
			t.Errorf("%s has no constant", r.Code)
		}
	}
}

func isCode(t types.Type) bool {
	return t != nil && strings.HasSuffix(t.String(), "sitemap.Code")
}

// exports returns the export data of what the package imports, by path.
var exports = sync.OnceValues(func() (map[string]string, error) {
	out, err := exec.Command("go", "list", "-deps", "-export", "-f", "{{.ImportPath}} {{.Export}}",
		".").Output()
	at := map[string]string{}
	for line := range bytes.Lines(out) {
		path, file, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
		at[path] = file
	}
	return at, err
})

// load returns the package in a folder, without its tests.
func load(t *testing.T, dir string) (*types.Package, *types.Info) {
	t.Helper()
	fset := token.NewFileSet()
	var files []*ast.File
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	at, err := exports()
	if err != nil {
		t.Fatal(err)
	}
	open := func(path string) (io.ReadCloser, error) { return os.Open(at[path]) }
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	config := types.Config{Importer: importer.ForCompiler(fset, "gc", open),
		IgnoreFuncBodies: dir != "."} // of the other package only the constants count
	pkg, err := config.Check("github.com/seed-322c453a/sitemap", fset, files, info)
	if err != nil {
		t.Fatal(err)
	}
	return pkg, info
}

// docs/rules.md is what the rules say.
func TestRules_Document(t *testing.T) {
	const name = "../docs/rules.md"
	var b strings.Builder
	b.WriteString("# Rules\n\nWhat `sitemap check` judges, as `sitemap check --rules` lists it. This page is generated:\n" +
		"`go test ./audit -run TestRules_Document -update-rules`.\n")
	for _, r := range Rules() {
		fmt.Fprintf(&b, "\n## %s\n\n%s: %s.\n", r.Code, r.Severity, wrapText(r.Severity.String(), r.Summary))
		for _, text := range []string{r.Why, "Fix: " + r.Fix, "Source: " + r.Source + "."} {
			fmt.Fprintf(&b, "\n%s\n", wrapText("", text))
		}
	}
	if *updateRules {
		if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(name); err != nil || string(got) != b.String() {
		t.Errorf("%s differs from the rules (%v): run this test with -update-rules", name, err)
	}
}

// wrapText wraps text at 100 columns, of which the first line has those of start already, and
// escapes what Markdown would take for markup.
func wrapText(start, text string) string {
	text = strings.NewReplacer("<", "\\<", "*", "\\*", "_", "\\_", "[", "\\[").Replace(text)
	var b strings.Builder
	column := len(start) + len(": ")
	for i, word := range strings.Fields(text) {
		switch n := len([]rune(word)); {
		case i == 0:
			column += n
		case column+1+n > 98:
			b.WriteByte('\n')
			column = n
		default:
			b.WriteByte(' ')
			column += 1 + n
		}
		b.WriteString(word)
	}
	return b.String()
}
