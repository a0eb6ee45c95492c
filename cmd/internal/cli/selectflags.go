package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-322c453a/sitemap/discover"
)

// SelectFlags are the flags that choose documents and URLs.
type SelectFlags struct {
	Since      string
	Follow     string
	MinTrust   string
	Match      string
	Exclude    string
	knownPaths []string
	MaxURLs    int64
	Unique     bool
	Normalize  bool
	Limit      Limit
	walk       discover.Options // as far as its fields are flags
}

// Add adds the flags to a command.
func (s *SelectFlags) Add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&s.Since, "since", "",
		"leave out what has not changed since this W3C `DATETIME`, such as 2024-05-06, or within "+
			"a time, such as 7d; URLs without a lastmod stay")
	f.BoolVar(&s.walk.IgnoreIndexLastMod, "ignore-index-lastmod", false,
		"fetch sitemaps even if their index says that they have not changed")
	f.BoolVar(&s.walk.Newest, "newest", false,
		"read the sitemaps of an index in the order of their lastmod in it, the latest first")
	f.StringVar(&s.Follow, "follow", "",
		"of the sitemaps in an index, fetch those that match `REGEX`")
	f.StringVar(&s.MinTrust, "min-trust", "variant",
		"take URLs with at least this `TRUST`: untrusted, variant, verified, location, robots or caller")
	f.StringSliceVar(&s.knownPaths, "known-paths", nil,
		"try these `PATHS`, separated by commas, if robots.txt names no sitemap; 'none' tries "+
			"none; with + before the first, they are tried in any case")
	f.IntVar(&s.walk.VerifyHosts, "verify-hosts", 4,
		"ask at most `N` further hosts of the site whether their robots.txt names the sitemap")
	f.Var(&s.Limit, "limit", "read at most this: bytes or entries of a document, "+
		"depth or sitemaps of a walk; units as in 10MiB; 0 means no limit "+
		"(default bytes=500MiB, entries=500000, depth=10, sitemaps=50001)")
	Group(cmd, "Selection")
	NotNegative(cmd, "verify-hosts")
	OneOf(cmd, "min-trust", "untrusted", "variant", "verified", "location", "robots", "caller")
}

// AddURLs adds the flags that choose URLs.
func (s *SelectFlags) AddURLs(cmd *cobra.Command) {
	s.AddMatch(cmd)
	f := cmd.Flags()
	f.Int64VarP(&s.MaxURLs, "max-urls", "n", 0, "stop after `N` URLs")
	f.BoolVar(&s.Unique, "unique", false,
		fmt.Sprintf("print each URL once; remembers %s URLs", Thousands(MaxUnique)))
	Group(cmd, "Selection")
	NotNegative(cmd, "max-urls")
	s.AddNormalize(cmd, "with --unique, count URLs that RFC 3986 calls equivalent as one")
}

// AddNormalize adds the flag that compares URLs in their normal form.
func (s *SelectFlags) AddNormalize(cmd *cobra.Command, usage string) {
	cmd.Flags().BoolVar(&s.Normalize, "normalize", false, usage)
	Group(cmd, "Selection")
}

// AddMatch adds the flags that choose URLs by themselves.
func (s *SelectFlags) AddMatch(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&s.Match, "match", "", "print URLs that match `REGEX`")
	f.StringVar(&s.Exclude, "exclude", "", "leave out URLs that match `REGEX`")
	Group(cmd, "Selection")
}

// Matcher returns the function that chooses URLs by --match and --exclude.
func (s *SelectFlags) Matcher() (func(loc string) bool, error) {
	match, matchErr := compile("match", s.Match)
	exclude, excludeErr := compile("exclude", s.Exclude)
	return func(loc string) bool {
		return (match == nil || match.MatchString(loc)) &&
			(exclude == nil || !exclude.MatchString(loc))
	}, cmp.Or(matchErr, excludeErr)
}

// Options returns the options of a walk.
func (s *SelectFlags) Options() (discover.Options, error) {
	o := s.walk
	o.VerifyHosts, o.Limits = orNegative(o.VerifyHosts), s.Limit.Limits
	o.MaxDepth, o.MaxSitemaps = s.Limit.Depth, s.Limit.Sitemaps
	trustErr := o.MinTrust.UnmarshalText([]byte(s.MinTrust))
	since, sinceErr := parseSince(s.Since)
	o.Since = since
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
	follow, followErr := compile("follow", s.Follow)
	if follow != nil {
		o.Follow = func(s *discover.Sitemap) bool { return follow.MatchString(s.Loc) }
	}
	return o, cmp.Or(trustErr, sinceErr, followErr)
}

// MaxUnique is how many URLs --unique remembers, in about 60 MiB.
const MaxUnique = 4 << 20
