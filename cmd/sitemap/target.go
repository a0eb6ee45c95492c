package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/net/publicsuffix"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/jsonl"
)

// A targetKind is what an argument names.
type targetKind int

const (
	siteTarget    targetKind = iota // a site, whose sitemaps are found
	sitemapTarget                   // the URL of a sitemap
	fileTarget                      // a file, or "-" for standard input
)

// A target is an argument and what it names.
type target struct {
	kind  targetKind
	name  string
	given string // the argument, or the line of --from
}

// shown returns the target as it was given, without user name and password.
func (t target) shown() string { return redact(t.given) }

// label returns the name of the target in what is printed, without user name and password.
func (t target) label() string {
	if t.kind == fileTarget {
		return fileName(t.name)
	}
	return sitemap.Redact(t.name)
}

// parseTarget identifies an argument. One with a scheme is a URL: of a site if it has no path or
// that of robots.txt, else of a sitemap. Otherwise an existing file is read as a file, and anything
// else is a site. If as is "site" or "sitemap", that decides.
func parseTarget(arg, as string) (target, error) {
	if as != "" || !exists(arg) {
		arg = strings.TrimSpace(arg)
	}
	hasScheme := schemeOf(arg) != ""
	switch {
	case arg == "":
		return target{}, errors.New("empty target")
	case arg == stdin, !hasScheme && as == "" && (exists(arg) || looksLikePath(arg)):
		return target{fileTarget, arg, arg}, nil
	}
	given, rawURL, shown := arg, arg, sitemap.Redact(arg)
	if !hasScheme {
		rawURL = "https://" + arg
	}
	u, err := url.Parse(rawURL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return target{}, fmt.Errorf("%q: want a host, an http or https URL, or a file", shown)
	}
	if !hasScheme && u.User == nil {
		rawURL = "https://" + shown
	}
	ofSite := u.Path == "" || u.Path == "/" || u.Path == "/robots.txt"
	if as == "sitemap" || as == "" && hasScheme && !ofSite {
		return target{sitemapTarget, rawURL, given}, nil
	}
	return target{siteTarget, arg, given}, nil
}

// schemeOf returns the scheme of s, or "" if s does not start with scheme://.
func schemeOf(s string) string {
	scheme, _, ok := strings.Cut(s, "://")
	if !ok || strings.ContainsAny(scheme, ":/?#@ ") {
		return ""
	}
	return scheme
}

// exists reports whether name is a file to read. A folder named like a host, as mirrors of sites
// are, is not one, nor is the file that the shell made for standard output.
func exists(name string) bool {
	info, err := os.Stat(name)
	if err != nil {
		return false
	}
	if info.IsDir() {
		return !strings.Contains(name, ".") || strings.Contains(strings.TrimRight(name, "/"), "/")
	}
	out, err := os.Stdout.Stat()
	return err != nil || !info.Mode().IsRegular() || !os.SameFile(info, out)
}

// looksLikePath reports whether arg cannot be a host.
func looksLikePath(arg string) bool {
	return pathLike.MatchString(arg) || filepath.IsAbs(arg) || isMistyped(arg)
}

// isMistyped reports whether arg is the name of a file with a mistyped suffix, such as sitemap.xlm,
// and no host.
func isMistyped(arg string) bool {
	_, suffix, ok := strings.Cut(arg, ".")
	if !ok || len(suffix) < 2 || len(suffix) > 6 || strings.ContainsAny(suffix, "./:") {
		return false
	}
	if _, known := publicsuffix.PublicSuffix(suffix); known {
		return false
	}
	names := &cobra.Command{SuggestionsMinimumDistance: 2}
	for _, name := range []string{"xml", "txt", "csv", "jsonl", "atom"} {
		names.AddCommand(&cobra.Command{Use: name, Run: func(*cobra.Command, []string) {}})
	}
	return len(names.SuggestionsFor(suffix)) > 0
}

var pathLike = regexp.MustCompile(`(?i)^[.~]|\\|^[^/]+\.(xml|gz|txt|rss|atom|rdf)$`)

// parseTargets parses all arguments, so that a wrong one is reported before any work.
func parseTargets(args []string, from, as string) ([]target, error) {
	if len(args) == 0 && from == "" {
		return nil, errors.New("no TARGET given")
	}
	if from != "" && from != stdin {
		if _, err := os.Stat(from); err != nil {
			return nil, fmt.Errorf("--from: %s: %s", fileName(from), jsonl.Message("", err))
		}
	}
	all, names := []target{}, []string{from}
	for _, arg := range args {
		t, err := parseTarget(arg, as)
		if err != nil {
			return nil, err
		}
		all, names = append(all, t), append(names, t.name)
	}
	return all, readsOnce(names)
}

// readsOnce returns an error if standard input is named more than once.
func readsOnce(names []string) error {
	first := slices.Index(names, stdin)
	if first >= 0 && slices.Contains(names[first+1:], stdin) {
		return errors.New("standard input can be read only once")
	}
	return nil
}

// targets yields the arguments and then the targets in the lines of the file from, as it reads
// them. An error is about one target, or about the rest of the file.
func (a *app) targets(args []target, from, as string) iter.Seq2[target, error] {
	return func(yield func(target, error) bool) {
		for _, t := range args {
			if !yield(t, nil) {
				return
			}
		}
		if from == "" {
			return
		}
		r, err := a.open(from)
		if err != nil {
			yield(target{}, fmt.Errorf("--from: %s: %s", fileName(from), jsonl.Message("", err)))
			return
		}
		defer r.Close()
		lines, found := bufio.NewScanner(r), len(args)
		for n := 1; lines.Scan(); n++ {
			line := targetOf(lines.Text())
			if line == "" {
				continue
			}
			found++
			t, err := parseTarget(line, as)
			if err == nil && t.name == stdin && from == stdin {
				err = readsOnce([]string{from, t.name})
			}
			if err != nil {
				err = fmt.Errorf("%s, line %d: %w", fileName(from), n, err)
			}
			if !yield(t, err) {
				return
			}
		}
		err = lines.Err()
		if err == nil && found == 0 {
			err = errors.New("no target in it")
		}
		if err != nil {
			yield(target{}, fmt.Errorf("--from: %s: %s", fileName(from), jsonl.Message("", err)))
		}
	}
}

// targetOf returns the target in a line of --from, "" if there is none.
func targetOf(line string) string {
	line, _, _ = strings.Cut(" "+strings.TrimPrefix(line, "\ufeff"), " #")
	return strings.TrimSpace(line)
}

// open opens a file or standard input. Reading fails when the command is interrupted.
func (a *app) open(name string) (io.ReadCloser, error) {
	if name == stdin {
		return &input{a, io.NopCloser(a.in)}, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	return &input{a, f}, nil
}

// An input is a file that is read until the command is interrupted.
type input struct {
	app *app
	io.ReadCloser
}

func (i *input) Read(p []byte) (int, error) {
	if err := i.app.ctx.Err(); err != nil {
		return 0, err
	}
	return i.ReadCloser.Read(p)
}
