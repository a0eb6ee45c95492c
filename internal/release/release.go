package main

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
	"golang.org/x/mod/zip"
)

const modulePath = "github.com/seed-322c453a/sitemap"

// modules are the folders of the modules that are released. Each needs only those before it.
var modules = []string{".", "engines", "cmd"}

// Release makes the release commit of a clone at root and its tags, whose names it returns. The
// folder proxy becomes a module proxy with the modules.
func Release(root, version, proxy string) (tags string, err error) {
	if semver.Canonical(version) != version {
		return "", fmt.Errorf("%q is no version: want one like v0.9.0", version)
	}
	changed, err := git(root, "status", "--porcelain")
	if err != nil {
		return "", err
	}
	if changed != "" {
		return "", errors.New("the clone has changes that are not committed:\n" + changed)
	}
	parent, err := os.MkdirTemp("", "release")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(parent)
	work := filepath.Join(parent, "tree") // main stays checked out in the clone
	env, err := environment(proxy, filepath.Join(parent, "cache"))
	if err != nil {
		return "", err
	}
	if _, err := git(root, "worktree", "add", "--detach", work); err != nil {
		return "", err
	}
	defer git(root, "worktree", "remove", "--force", work)
	for i, dir := range modules {
		if err := pin(work, dir, modules[:i], version, env); err != nil {
			return "", fmt.Errorf("%s: %w", dir, err)
		}
		if err := publish(root, work, dir, version, proxy); err != nil {
			return "", fmt.Errorf("%s: %w", dir, err)
		}
	}
	if _, err := git(work, "commit", "-qm", "Release "+version); err != nil {
		return "", err
	}
	for _, dir := range modules {
		tag := path.Join(dir, version)
		if _, err := git(work, "tag", "-a", "-m", "Release "+version, tag); err != nil {
			return "", err
		}
		tags += " " + tag
	}
	return tags[1:], nil
}

// nameOf returns the path of the module in a folder of the repository.
func nameOf(dir string) string { return path.Join(modulePath, dir) }

// pin lets a module require others by version, with their checksums, and not by folder.
func pin(work, dir string, others []string, version string, env []string) error {
	if len(others) == 0 {
		return nil
	}
	edit := []string{"mod", "edit"}
	for _, other := range others {
		edit = append(edit, "-dropreplace="+nameOf(other), "-require="+nameOf(other)+"@"+version)
	}
	for _, args := range [][]string{edit, {"mod", "tidy"}} {
		cmd := exec.Command("go", args...)
		cmd.Dir, cmd.Env = filepath.Join(work, dir), append(os.Environ(), env...)
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, out)
		}
	}
	return nil
}

// publish puts the module in a folder of work, a worktree of root, into the folder of a proxy.
func publish(root, work, dir, version, proxy string) (err error) {
	at := filepath.Join(proxy, filepath.FromSlash(nameOf(dir)), "@v")
	if err := os.MkdirAll(at, 0o755); err != nil {
		return err
	}
	gomod, err := os.ReadFile(filepath.Join(work, dir, "go.mod"))
	if err != nil {
		return err
	}
	info := fmt.Sprintf(`{"Version":%q,"Time":%q}`, version, time.Now().UTC().Format(time.RFC3339))
	for suffix, text := range map[string]string{
		"list": version + "\n", version + ".mod": string(gomod), version + ".info": info,
	} {
		if err := os.WriteFile(filepath.Join(at, suffix), []byte(text), 0o644); err != nil {
			return err
		}
	}
	f, err := os.Create(filepath.Join(at, version+".zip"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return archive(f, root, work, dir, version)
}

// archive writes the zip file of a module. It is made from what git has, as the go command makes it
// from a tag, so that the checksums agree: a worktree has further files, such as its .git.
func archive(w io.Writer, root, work, dir, version string) error {
	if _, err := git(work, "add", "--update"); err != nil {
		return err
	}
	tree, err := git(work, "write-tree")
	if err != nil {
		return err
	}
	subdir := strings.TrimPrefix(dir, ".") // none for the module at the root
	v := module.Version{Path: nameOf(dir), Version: version}
	return zip.CreateFromVCS(w, v, root, tree, subdir)
}

// environment is that of a go command with a module cache of its own, for which the modules in the
// folder of a proxy are published. Those of other projects come from the module cache of whoever
// runs the program, or from their earlier source. With -trimpath, what it compiles does not depend
// on the folder of the source, so that one build cache serves all.
func environment(proxy, cache string) ([]string, error) {
	out, err := exec.Command("go", "env", "GOPROXY", "GONOSUMDB", "GOMODCACHE").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	before := strings.Split(string(out), "\n")
	downloads := filepath.Join(before[2], "cache", "download")
	return []string{
		"GOWORK=off", "GOFLAGS=-mod=mod -modcacherw -trimpath", "GOMODCACHE=" + cache,
		"GOPROXY=" + fileURL(proxy) + "," + fileURL(downloads) + "," + before[0],
		"GONOSUMDB=" + strings.TrimPrefix(before[1]+","+modulePath, ","),
	}, nil
}

// fileURL returns the URL of a folder.
func fileURL(dir string) string {
	return (&url.URL{Scheme: "file", Path: path.Join("/", filepath.ToSlash(dir))}).String()
}

// git runs git in a folder and returns what it printed.
func git(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("git %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out)), nil
}
