// Package target identifies what the arguments of a command name.
//
// Each file builds on those below it:
//
//	folder.go  a folder in place of a site, and the site that it belongs to
//	target.go  sites, sitemaps and files
package target

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/net/publicsuffix"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/internal/pattern"
	"github.com/seed-322c453a/sitemap/internal/siteurl"
)

// A Kind is what an argument names.
type Kind int

const (
	Site    Kind = iota // a site, whose sitemaps are found
	Sitemap             // the URL of a sitemap
	File                // a file, or "-" for standard input
)

// A Target is an argument and what it names.
type Target struct {
	Kind  Kind
	Name  string
	Given string // the argument, or the line of --from
}

// Shown returns the target as it was given, without user name and password.
func (t Target) Shown() string { return cli.Redact(t.Given) }

// Label returns the name of the target for output, without user name and password.
func (t Target) Label() string {
	if t.Kind == File {
		return cli.FileName(t.Name)
	}
	return sitemap.Redact(t.Name)
}

// URLs walks a site or a sitemap.
func (t Target) URLs(
	ctx context.Context, c *discover.Client, o *discover.Options,
) iter.Seq2[discover.URL, error] {
	if t.Kind == Sitemap {
		return c.Walk(ctx, []*discover.Sitemap{{Loc: t.Name}}, o)
	}
	return c.URLs(ctx, t.Name, o)
}

// Parse identifies an argument. One with a scheme is a URL: of a site if it has no path or
// that of robots.txt, else of a sitemap. Otherwise an existing file is read as a file, and anything
// else is a site. If as is "site" or "sitemap", that decides.
func Parse(arg, as string) (Target, error) {
	if as != "" || !exists(arg) {
		arg = strings.TrimSpace(arg)
	}
	switch {
	case arg == "":
		return Target{}, errors.New("empty target")
	case arg == cli.Stdin,
		as == "" && siteurl.IsBare(arg) && (exists(arg) || looksLikePath(arg)):
		return Target{File, arg, arg}, nil
	}
	shown := sitemap.Redact(arg)
	site, err := siteurl.Parse(arg)
	if err == nil {
		_, err = batch.DomainOf(arg) // whether the host is one
	}
	if err != nil {
		return Target{}, fmt.Errorf("%.200q: want a host, an http or https URL, or a file", shown)
	}
	path := site.URL.Path
	ofSite := path == "" || path == "/" || path == "/robots.txt"
	switch {
	case as != "sitemap" && (as != "" || site.Bare || ofSite):
		return Target{Site, arg, arg}, nil
	case !site.Bare:
		return Target{Sitemap, arg, arg}, nil
	case site.User == nil:
		return Target{Sitemap, "https://" + strings.TrimPrefix(shown, "//"), arg}, nil
	}
	return Target{Sitemap, "https://" + strings.TrimPrefix(arg, "//"), arg}, nil
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

// looksLikePath reports whether arg is probably not a host, such as public/ without that folder.
func looksLikePath(arg string) bool {
	first, _, isNested := strings.Cut(arg, "/")
	isFolder := isNested && first != "localhost" && !strings.ContainsAny(first, ".:@")
	return isFolder || pathLike().MatchString(arg) || filepath.IsAbs(arg) || isMistyped(arg)
}

// isMistyped reports whether arg is the name of a file with a mistyped suffix, such as sitemap.xlm,
// and no host.
func isMistyped(arg string) bool {
	_, suffix, ok := strings.Cut(strings.ToLower(arg), ".")
	if !ok || len(suffix) < 2 || len(suffix) > 6 || strings.ContainsAny(suffix, "./:") {
		return false
	}
	if _, known := publicsuffix.PublicSuffix(suffix); known || suffix == "test" { // RFC 6761
		return false
	}
	return cli.Nearest(suffix, []string{"xml", "txt", "csv", "jsonl", "atom"}) != ""
}

var pathLike = pattern.Of(`(?i)^[.~]|\\|^[^/]+\.(xml|gz|txt|rss|atom|rdf)$`)

// ParseAll parses all arguments, so that a wrong one is reported before any work.
func ParseAll(args []string, from, as string) ([]Target, error) {
	if len(args) == 0 && from == "" {
		return nil, errors.New("no TARGET given")
	}
	all, names := []Target{}, []string{from}
	for _, arg := range args {
		t, err := Parse(arg, as)
		if err != nil {
			return nil, err
		}
		all, names = append(all, t), append(names, t.Name)
	}
	return all, ReadsOnce(names)
}

// ReadsOnce returns an error if standard input is named more than once.
func ReadsOnce(names []string) error {
	first := slices.Index(names, cli.Stdin)
	if first >= 0 && slices.Contains(names[first+1:], cli.Stdin) {
		return errors.New("standard input can be read only once")
	}
	return nil
}
