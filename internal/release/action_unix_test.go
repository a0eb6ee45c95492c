//go:build unix

package main

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// action runs a part of the GitHub action in a folder and returns what it printed.
func action(t *testing.T, dir, part string, env ...string) (string, error) {
	t.Helper()
	script, err := filepath.Abs(filepath.Join("..", "..", ".github", "action", part))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(script)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// write writes a file, and the folder that it is in.
func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

// read returns the text of a file, and none if there is no such file.
func read(name string) string {
	text, _ := os.ReadFile(name)
	return string(text)
}

// releases serves release v0.9.0, which is the latest, and v0.9.1, whose archive is another than
// its checksum says.
func releases(t *testing.T) (url string) {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "sitemap"), "#!/bin/sh\necho sitemap\n")
	write(t, filepath.Join(dir, "tag", "v0.9.0"), "")
	for _, version := range []string{"0.9.0", "0.9.1"} {
		at, name := filepath.Join(dir, "download", "v"+version),
			"sitemap_"+version+"_linux_amd64.tar.gz"
		write(t, filepath.Join(at, name), "")
		out, err := exec.Command("tar", "-czf", filepath.Join(at, name), "-C", dir,
			"sitemap").CombinedOutput()
		if err != nil {
			t.Fatalf("tar: %v\n%s", err, out)
		}
		sum := sha256.Sum256([]byte(read(filepath.Join(at, name))))
		if version == "0.9.1" {
			sum = sha256.Sum256(nil)
		}
		write(t, filepath.Join(at, "checksums.txt"), fmt.Sprintf("%x  %s\n", sum, name))
	}
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServer(http.Dir(dir)))
	mux.Handle("/latest", http.RedirectHandler("/tag/v0.9.0", http.StatusFound))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

// TestAction_Install: the action installs the release that it is asked for, and nothing else.
func TestAction_Install(t *testing.T) {
	url := releases(t)
	for _, tt := range []struct{ version, ref, want string }{
		{"v0.9.0", "main", "v0.9.0"},
		{"", "v0.9.0", "v0.9.0"},
		{"", "main", "v0.9.0"},
		{"", "", "v0.9.0"},
		{"latest", "v0.1.0", "v0.9.0"},
		{"v0.9.1", "", ""}, // a wrong checksum
		{"v0.1.0", "", ""}, // no such release
		{"0.9.0", "", ""},
		{"v0.9.0/../v0.9.0", "", ""},
		{"v0.9.0\n/elsewhere", "", ""},
		{"$(touch v0.9.0)", "", ""},
	} {
		temp := t.TempDir()
		paths := filepath.Join(temp, "paths")
		out, err := action(t, temp, "install", "VERSION="+tt.version, "REF="+tt.ref,
			"RELEASES="+url,
			"RUNNER_OS=Linux", "RUNNER_ARCH=X64", "RUNNER_TEMP="+temp, "GITHUB_PATH="+paths)
		want := ""
		if tt.want != "" {
			want = filepath.Join(temp, "sitemap-"+tt.want) + "\n"
		}
		if got := read(paths); (err == nil) != (want != "") || got != want {
			t.Errorf("version %q, ref %q: added %q to the path, want %q: %v\n%s",
				tt.version, tt.ref, got, want, err, out)
		}
	}
}

// TestAction_Check: each line of the inputs is one argument, whatever it contains.
func TestAction_Check(t *testing.T) {
	bin := t.TempDir()
	write(t, filepath.Join(bin, "sitemap"), "#!/bin/sh\nprintf '%s|' \"$@\"\n")
	for _, tt := range []struct{ target, args, format, output, want, outputs string }{
		{"a b\n\n-c", "--root=pub lic\n--all", "github", "", "check|--format|github|--root=pub lic|--all|--|a b|-c|", ""},
		{"$(echo 1 >x)\n`echo 1 >x`; echo 1 >x", "", "text", "", "check|--format|text|--|$(echo 1 >x)|`echo 1 >x`; echo 1 >x|", ""},
		{"a", "", "sarif", "", "check|--format|sarif|--output|sitemap.sarif|--|a|", "output=sitemap.sarif\n"},
		{"a", "", "csv", "a\nb=c", "", ""},
	} {
		dir := t.TempDir()
		outputs := filepath.Join(dir, "outputs")
		out, err := action(t, dir, "check", "TARGET="+tt.target, "ARGS="+tt.args,
			"FORMAT="+tt.format,
			"OUTPUT="+tt.output, "GITHUB_OUTPUT="+outputs, "PATH="+bin+":"+os.Getenv("PATH"))
		if (err == nil) != (tt.want != "") || err == nil && out != tt.want || read(outputs) != tt.outputs {
			t.Errorf("targets %q, args %q: %v, outputs %q\n%s\nwant\n%s",
				tt.target, tt.args, err, read(outputs), out, tt.want)
		}
		if read(filepath.Join(dir, "x")) != "" {
			t.Errorf("targets %q: a command ran", tt.target)
		}
	}
}
