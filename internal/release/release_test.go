package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const version = "v0.9.0"

// The modules that an importer of the library has in its go.sum. Modules that only the command or
// an engine needs must not be among them: an importer would inherit its versions. Those of discover
// that the library does not require are named by its requirements, for their tests.
var (
	ofParse = []string{
		"code.dny.dev/ssrf",
		"github.com/hashicorp/go-cleanhttp",
		"github.com/hashicorp/go-retryablehttp",
		"github.com/klauspost/compress",
		"github.com/seed-322c453a/sitemap",
		"github.com/temoto/robotstxt",
		"golang.org/x/net",
		"golang.org/x/sync",
		"golang.org/x/text",
	}
	ofDiscover = []string{
		"code.dny.dev/ssrf",
		"github.com/davecgh/go-spew",
		"github.com/fatih/color",
		"github.com/google/go-cmp",
		"github.com/hashicorp/go-cleanhttp",
		"github.com/hashicorp/go-hclog",
		"github.com/hashicorp/go-retryablehttp",
		"github.com/klauspost/compress",
		"github.com/mattn/go-colorable",
		"github.com/mattn/go-isatty",
		"github.com/pmezard/go-difflib",
		"github.com/seed-322c453a/sitemap",
		"github.com/stretchr/objx",
		"github.com/stretchr/testify",
		"github.com/temoto/robotstxt",
		"go.etcd.io/bbolt",
		"golang.org/x/net",
		"golang.org/x/sync",
		"golang.org/x/sys",
		"golang.org/x/text",
	}
)

// release clones the repository as it is committed, makes a release of the clone and returns its
// folder and that of the module proxy.
func release(t *testing.T) (clone, proxy string) {
	t.Helper()
	clone, proxy = filepath.Join(t.TempDir(), "clone"), t.TempDir()
	if _, err := git(".", "clone", "-q", "../..", clone); err != nil {
		t.Fatal(err)
	}
	for key, value := range map[string]string{"user.name": "test", "user.email": "test@example.com"} {
		if _, err := git(clone, "config", key, value); err != nil {
			t.Fatal(err)
		}
	}
	tags, err := Release(clone, version, proxy)
	if err != nil {
		t.Fatal(err)
	}
	if want := "v0.9.0 engines/v0.9.0 cmd/v0.9.0"; tags != want {
		t.Errorf("tags %q, want %q", tags, want)
	}
	return clone, proxy
}

// A user is someone with an empty GOPATH, for whom a release is published.
type user struct {
	t      *testing.T
	env    []string
	gopath string
}

func newUser(t *testing.T, proxy string) *user {
	t.Helper()
	gopath := t.TempDir()
	env, err := environment(proxy, filepath.Join(gopath, "pkg", "mod"))
	if err != nil {
		t.Fatal(err)
	}
	return &user{t, append(env, "GOPATH="+gopath, "GOBIN="), gopath}
}

// run runs a program in a folder and returns what it printed.
func (u *user) run(dir, name string, args ...string) string {
	u.t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), u.env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		u.t.Fatalf("%s %q: %v\n%s%s", name, args, err, out, &stderr)
	}
	return string(out)
}

// importer makes a program that imports a package of the library, runs it, and returns the modules
// in its go.sum.
func (u *user) importer(source string) (modules []string) {
	u.t.Helper()
	dir := u.t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(source), 0o644); err != nil {
		u.t.Fatal(err)
	}
	u.run(dir, "go", "mod", "init", "example.com/importer")
	u.run(dir, "go", "get", modulePath+"@"+version)
	u.run(dir, "go", "mod", "tidy")
	u.run(dir, "go", "build", "-o", filepath.Join(dir, "importer.exe"))
	sums, err := os.ReadFile(filepath.Join(dir, "go.sum"))
	if err != nil {
		u.t.Fatal(err)
	}
	for line := range strings.Lines(string(sums)) {
		name, _, _ := strings.Cut(line, " ")
		modules = append(modules, name)
	}
	return slices.Compact(modules)
}

// TestRelease releases a clone into a folder that is a module proxy and uses it as users would,
// with an empty module cache. The checksums are those of the modules as the go command takes them
// from git.
func TestRelease(t *testing.T) {
	clone, proxy := release(t)

	t.Run("commit", func(t *testing.T) {
		for _, tag := range []string{"engines/" + version, "cmd/" + version} {
			gomod, err := git(clone, "show", tag+":"+filepath.Dir(tag)+"/go.mod")
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(gomod, "replace") || !strings.Contains(gomod, modulePath+" "+version) {
				t.Errorf("go.mod of %s is\n%s", tag, gomod)
			}
		}
		if branches, err := git(clone, "branch", "--contains", version); err != nil || branches != "" {
			t.Errorf("the release commit is in %q, %v", branches, err)
		}
	})

	t.Run("checksums", func(t *testing.T) {
		sums, err := git(clone, "show", "cmd/"+version+":cmd/go.sum")
		if err != nil {
			t.Fatal(err)
		}
		u := newUser(t, proxy)
		u.env = append(u.env, "GOPROXY=direct", "GIT_ALLOW_PROTOCOL=file:https", "GIT_CONFIG_COUNT=1",
			"GIT_CONFIG_KEY_0=url."+fileURL(clone)+".insteadOf", "GIT_CONFIG_VALUE_0=https://"+modulePath)
		for _, name := range []string{modulePath, modulePath + "/engines"} {
			var fromGit struct{ Sum string }
			out := u.run(t.TempDir(), "go", "mod", "download", "-json", name+"@"+version)
			if err := json.Unmarshal([]byte(out), &fromGit); err != nil {
				t.Fatal(err)
			}
			if want := name + " " + version + " " + fromGit.Sum; !strings.Contains(sums, want) {
				t.Errorf("go.sum of the command lacks %q", want)
			}
		}
	})

	t.Run("command", func(t *testing.T) {
		u := newUser(t, proxy)
		u.run(t.TempDir(), "go", "install", modulePath+"/cmd/sitemap@"+version)
		command := filepath.Join(u.gopath, "bin", "sitemap")
		if got := u.run(".", command, "version"); !strings.HasPrefix(got, "sitemap "+version+", ") {
			t.Errorf("sitemap version: printed %q", got)
		}
		const document = "../../testdata/urlset/bare-text.xml"
		if got := u.run(".", command, "parse", document); !strings.HasPrefix(got, "http") {
			t.Errorf("sitemap parse: printed %q", got)
		}
	})

	t.Run("parse", func(t *testing.T) {
		got := newUser(t, proxy).importer("package main\n\nimport _ \"" + modulePath +
			"/parse\"\n\nfunc main() {}\n")
		if !slices.Equal(got, ofParse) {
			t.Errorf("an importer of parse has in its go.sum\n%q, want\n%q", got, ofParse)
		}
	})

	t.Run("discover", func(t *testing.T) {
		got := newUser(t, proxy).importer("package main\n\nimport _ \"" + modulePath +
			"/discover\"\n\nfunc main() {}\n")
		if !slices.Equal(got, ofDiscover) {
			t.Errorf("an importer of discover has in its go.sum\n%q, want\n%q", got, ofDiscover)
		}
	})
}

func TestRelease_Refused(t *testing.T) {
	for _, version := range []string{"", "0.9.0", "v0.9", "latest"} {
		if _, err := Release(t.TempDir(), version, t.TempDir()); err == nil {
			t.Errorf("Release(%q) succeeded", version)
		}
	}
}

// TestEngines_Imports: the exported API is enough to write an engine of your own.
func TestEngines_Imports(t *testing.T) {
	cmd := exec.Command("go", "list", "-f", `{{join .Imports "\n"}}`, "./...")
	cmd.Dir = filepath.Join("..", "..", "engines")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	imports := strings.Fields(string(out))
	if !slices.Contains(imports, modulePath+"/batch") {
		t.Errorf("the engines import %q", imports)
	}
	for _, name := range imports {
		if strings.HasPrefix(name, modulePath+"/internal/") {
			t.Errorf("an engine imports %s", name)
		}
	}
}
