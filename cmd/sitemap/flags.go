package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
)

// printFlags are the flags of all commands that print results.
type printFlags struct {
	format string
	out    string
	fields string // of urls and parse
	quiet  bool
}

func (p *printFlags) add(cmd *cobra.Command, formats string) {
	defer complete(cmd, "format", strings.FieldsFunc(formats, func(r rune) bool { return r == ',' || r == ' ' })...)
	flagGroup(cmd, "Output", func(f *pflag.FlagSet) {
		f.StringVar(&p.format, "format", "text", "print as `FORMAT`: "+formats)
		f.StringVarP(&p.out, "output", "o", "", "print to `FILE`, which is replaced when all is written")
		f.BoolVarP(&p.quiet, "quiet", "q", false, "on standard error, report only what could not be read")
	})
}

// textOrJSONL reports another format.
func (p *printFlags) textOrJSONL() error {
	if p.format == "text" || p.format == "jsonl" {
		return nil
	}
	return fmt.Errorf("unknown format %q: want text or jsonl", p.format)
}

// documentFlags are the flags of commands that read files.
type documentFlags struct {
	base        string
	contentType string
}

func (d *documentFlags) add(cmd *cobra.Command) {
	d.addBase(cmd)
	flagGroup(cmd, "Target", func(f *pflag.FlagSet) {
		f.StringVar(&d.contentType, "content-type", "", "media `TYPE` of a file; its charset counts")
	})
}

func (d *documentFlags) addBase(cmd *cobra.Command) {
	flagGroup(cmd, "Target", func(f *pflag.FlagSet) {
		f.StringVar(&d.base, "base", "",
			"`URL` that a file comes from; relative locations in it are resolved against that, else dropped")
	})
}

// options returns the options to read a file with.
func (d *documentFlags) options(l limits) (sitemap.Options, error) {
	o := sitemap.Options{ContentType: d.contentType, Limits: l.document()}
	if d.base == "" {
		return o, nil
	}
	u, err := sitemap.ParseLoc(d.base)
	if err != nil {
		return o, fmt.Errorf("--base: %w", err)
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return o, fmt.Errorf("--base: %q: want an http or https URL", sitemap.Redact(d.base))
	}
	o.Base = u
	return o, nil
}

// selectFlags are the flags that choose documents and URLs.
type selectFlags struct {
	since       string
	distrust    bool // of the lastmods that indexes list
	newest      bool
	follow      string
	minTrust    string
	verifyHosts int
	match       string
	exclude     string
	knownPaths  []string
	maxURLs     int64
	unique      bool
	limit       limits
}

func (s *selectFlags) add(cmd *cobra.Command) {
	flagGroup(cmd, "Selection", func(f *pflag.FlagSet) {
		f.StringVar(&s.since, "since", "",
			"leave out what has not changed since this W3C `DATETIME`, such as 2024-05-06, "+
				"or for so long, such as 7d; URLs without a lastmod stay")
		f.BoolVar(&s.distrust, "ignore-index-lastmod", false,
			"fetch sitemaps also if their index says that they have not changed")
		f.BoolVar(&s.newest, "newest", false,
			"of the sitemaps in an index, read those first that it lists with the latest lastmod")
		f.StringVar(&s.follow, "follow", "",
			"of the sitemaps in an index, fetch those that match `REGEX`")
		f.StringVar(&s.minTrust, "min-trust", "variant",
			"least `TRUST` of the URLs: untrusted, variant, verified, location, robots or caller")
		f.StringSliceVar(&s.knownPaths, "known-paths", nil,
			"try these `PATHS`, separated by commas, if robots.txt names no sitemap; none for none; "+
				"with + before the first, also if it names one")
		f.IntVar(&s.verifyHosts, "verify-hosts", 4,
			"ask at most `N` further hosts of the site whether their robots.txt names the sitemap")
		f.Var(&s.limit, "limit", "read at most this: bytes or entries of a document, "+
			"depth or sitemaps of a walk; units as in 10MiB; 0 means no limit "+
			"(default bytes=500MiB, entries=500000, depth=10, sitemaps=50001)")
	})
}

// addURLs adds the flags that choose URLs.
func (s *selectFlags) addURLs(cmd *cobra.Command) {
	flagGroup(cmd, "Selection", func(f *pflag.FlagSet) {
		f.StringVar(&s.match, "match", "", "print URLs that match `REGEX`")
		f.StringVar(&s.exclude, "exclude", "", "leave out URLs that match `REGEX`")
		f.Int64VarP(&s.maxURLs, "max-urls", "n", 0, "stop after `N` URLs")
		f.BoolVar(&s.unique, "unique", false,
			fmt.Sprintf("print each URL once; remembers %s URLs", thousands(maxUnique)))
	})
}

// options returns the options of a walk.
func (s *selectFlags) options() (discover.Options, error) {
	o := discover.Options{
		VerifyHosts: orNegative(s.verifyHosts),
		MaxDepth:    s.limit.depth,
		MaxSitemaps: s.limit.sitemaps,
		Limits:      s.limit.document(),

		IgnoreIndexLastMod: s.distrust,
		Newest:             s.newest,
	}
	if s.verifyHosts < 0 || s.maxURLs < 0 {
		return o, errors.New("--verify-hosts, --max-urls: negative number")
	}
	if o.MinTrust.UnmarshalText([]byte(s.minTrust)) != nil || o.MinTrust == 0 {
		return o, fmt.Errorf("--min-trust: unknown trust %q: "+
			"want untrusted, variant, verified, location, robots or caller", s.minTrust)
	}
	if s.since != "" {
		since, err := parseSince(s.since)
		if err != nil {
			return o, err
		}
		o.Since = since
	}
	for _, path := range s.knownPaths {
		if path == "none" {
			o.KnownPaths = []string{}
			break
		}
		path, too := strings.CutPrefix(path, "+")
		o.KnownPathsToo = o.KnownPathsToo || too
		if path != "" {
			o.KnownPaths = append(o.KnownPaths, "/"+strings.TrimPrefix(path, "/"))
		}
	}
	follow, err := compile("follow", s.follow)
	if follow != nil {
		o.Follow = func(s *discover.Sitemap) bool { return follow.MatchString(s.Loc) }
	}
	return o, err
}

// walkFlags are the flags of the commands that walk.
type walkFlags struct {
	printFlags
	selectFlags
	fetchFlags
	from, as string
	failed   string
	save     string
	parallel int
	maxTime  time.Duration
	siteTime time.Duration
	progress string
	state    string // of urls and check
	all      bool   // of urls: with state, print pages that have not changed too
}

func (w *walkFlags) add(cmd *cobra.Command, formats string) {
	flagGroup(cmd, "Target", func(f *pflag.FlagSet) {
		f.StringVar(&w.from, "from", "",
			"read further targets from `FILE` (or -), one a line; # starts a comment")
		f.StringVar(&w.as, "as", "", "treat targets as a `KIND`: site or sitemap")
		f.IntVar(&w.parallel, "parallel", 8, "walk `N` targets at once")
		f.StringVar(&w.failed, "failed", "",
			"write the targets of which something could not be read to `FILE`, for --from")
		f.DurationVar(&w.siteTime, "site-time", 0, "longest `TIME` for one target; what came is printed")
		f.DurationVar(&w.maxTime, "max-time", 0, "longest `TIME` for all targets; what came is printed")
	})
	w.printFlags.add(cmd, formats)
	flagGroup(cmd, "Output", func(f *pflag.FlagSet) {
		f.StringVar(&w.progress, "progress", "auto", "`WHEN` to show progress on standard "+
			"error: auto (on a terminal that does not show the results too), always or never")
	})
	w.selectFlags.add(cmd)
	w.fetchFlags.add(cmd)
	complete(cmd, "as", "site", "sitemap")
	complete(cmd, "progress", "auto", "always", "never")
	complete(cmd, "min-trust", "untrusted", "variant", "verified", "location", "robots", "caller")
}

// addSave adds the flag of the commands that can keep documents.
func (w *walkFlags) addSave(cmd *cobra.Command) {
	flagGroup(cmd, "Output", func(f *pflag.FlagSet) {
		f.StringVar(&w.save, "save", "", "keep each document as it was served in the folder `DIR`, "+
			"with its header fields: see 'sitemap help output'")
	})
}

// complete makes the shell complete the values of a flag.
func complete(cmd *cobra.Command, flag string, values ...string) {
	values = slices.DeleteFunc(values, func(v string) bool { return v == "or" })
	cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// check reports values that have no meaning.
func (w *walkFlags) check() error {
	switch {
	case w.parallel < 1 || w.maxTime < 0 || w.siteTime < 0:
		return errors.New("--parallel, --max-time, --site-time: want a positive number")
	case w.as != "" && w.as != "site" && w.as != "sitemap":
		return fmt.Errorf("--as: want site or sitemap, not %q", w.as)
	case w.progress != "auto" && w.progress != "always" && w.progress != "never":
		return fmt.Errorf("--progress: want auto, always or never, not %q", w.progress)
	}
	return nil
}
