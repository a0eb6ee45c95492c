package cli

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/fetch"
	"github.com/seed-322c453a/sitemap/internal/jsonl"
	"github.com/seed-322c453a/sitemap/internal/pattern"
)

// DocumentFailure returns the message that a document could not be read, with the cause and the way
// it was found.
func DocumentFailure(s *discover.Sitemap, err error) string {
	loc := FileName(s.Loc)
	text := loc + ": " + jsonl.Message(loc, err)
	if s.Referrer == nil && s.RobotsURL == "" {
		return text
	}
	return text + " (" + strings.TrimSuffix(s.String(), " → "+loc) + ")"
}

// TargetFailure returns why a target was not walked.
func TargetFailure(label string, err error) string {
	var none *discover.NoSitemapError
	if !errors.As(err, &none) {
		return label + ": " + jsonl.Message(label, err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %v; tried:", none.Site, discover.ErrNoSitemap)
	for _, try := range none.Tried {
		fmt.Fprintf(&b, "\n  %s: %s", try.URL, jsonl.Message(try.URL, try.Err))
	}
	return b.String()
}

// LimitHint names the flag that lifts the limit in err.
func LimitHint(err error) string {
	var walk *discover.LimitError
	hasFlag := []discover.Limit{discover.LimitDepth, discover.LimitSitemaps}
	switch {
	case errors.As(err, &walk) && slices.Contains(hasFlag, walk.What):
		return fmt.Sprintf(" (see --limit %s)", walk.What)
	case errors.Is(err, sitemap.ErrTooLarge):
		return " (see --limit bytes)"
	case errors.Is(err, sitemap.ErrTooManyEntries):
		return " (see --limit entries)"
	}
	return ""
}

// PrivateHint names the flag that allows the address of a target. It returns "" for an address that
// a server redirects to.
func PrivateHint(err error) string {
	var e *fetch.Error
	refused := errors.Is(err, fetch.ErrRefused) && errors.As(err, &e)
	if refused && len(e.Hops) == 0 && e.Status == 0 {
		return privateHint
	}
	return ""
}

// PrivateHintOf is PrivateHint for the message of an error about a target that was kept.
func PrivateHintOf(message string) string {
	if refusal().MatchString(message) {
		return privateHint
	}
	return ""
}

const privateHint = " (see --allow-private)"

// refusal matches messages about the address of a target, without a redirect.
var refusal = pattern.Of(`^(robots\.txt unreachable: \S+: )?refused: `)

const Stdin = "-"

// FileName returns the name of a file in messages.
func FileName(name string) string {
	if name == Stdin {
		return "standard input"
	}
	return Redact(name)
}

// Redact returns a URL, also a mistyped one, without user name and password. It returns the name of
// a file as it is, unless that has a colon and later an at sign, as user:password@host has.
func Redact(loc string) string {
	if before, _, ok := strings.Cut(loc, "@"); !ok || !strings.Contains(before, ":") {
		return loc
	}
	return sitemap.Redact(loc)
}

// A list is the value of a flag that may be repeated. That of pflag costs 4 KiB in each command. The
// shell goes on completing flags of its type once they are used.
type list []string

func (l *list) Set(s string) error { *l = append(*l, s); return nil }
func (l *list) String() string     { return "" }
func (l *list) Type() string       { return "stringArray" }

// SetCommandLine notes the command line of a.CommandLine: its words, without header fields and the
// user names and passwords in URLs.
func (a *App) SetCommandLine(cmd *cobra.Command, words []string) {
	var fields list
	if flag := cmd.Flags().Lookup("header"); flag != nil {
		fields = *flag.Value.(*list)
	}
	line := "sitemap"
	for _, word := range words {
		for _, field := range fields {
			name, _, _ := strings.Cut(field, ":")
			word = strings.ReplaceAll(word, field, name+":...")
		}
		if !strings.HasPrefix(word, "-") {
			word = Redact(word)
		}
		word = userInfo().ReplaceAllString(word, "//") // also in --proxy=URL
		line += " " + quoted(word)
	}
	a.CommandLine = line
}

// quoted returns a word in quotes, if it needs them.
func quoted(word string) string {
	if plainWord().MatchString(word) {
		return word
	}
	return strconv.Quote(word)
}

var (
	userInfo  = pattern.Of(`//[^/?#]*@`)
	plainWord = pattern.Of(`^[\w.,:/?=&%@+~-]+$`)
)

// A Tally counts problems, for commands that do not list them.
type Tally struct {
	mu        sync.Mutex
	codes     map[string]int
	total     int
	documents int
}

// Reporter returns a function that counts the problems that are not harmless. The problems of one
// document must follow each other.
func (t *Tally) Reporter() func(*discover.Sitemap, sitemap.Problem) {
	last := &discover.Sitemap{}
	return func(s *discover.Sitemap, p sitemap.Problem) {
		if p.Severity() == sitemap.SeverityInfo {
			return
		}
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.codes == nil {
			t.codes = map[string]int{}
		}
		if s != last {
			last = s
			t.documents++
		}
		t.codes[string(p.Code)]++
		t.total++
	}
}

// Print prints the counts in one line, if there are any.
func (t *Tally) Print(m *Log) {
	if t.total == 0 {
		return
	}
	var counts []string
	for _, code := range slices.SortedFunc(maps.Keys(t.codes), func(a, b string) int {
		return cmp.Or(cmp.Compare(t.codes[b], t.codes[a]), cmp.Compare(a, b))
	}) {
		counts = append(counts, Thousands(int64(t.codes[code]))+" "+code)
	}
	m.Printf("%s in %s: %s ('sitemap check' lists them)", Plural(t.total, "problem"),
		Plural(t.documents, "document"), strings.Join(counts, ", "))
	if n := t.codes[string(sitemap.UntrustedLoc)]; n > 0 {
		m.Printf("%s", LeftOut(int64(n)))
	}
}

// LeftOut says that URLs were left out for want of trust.
func LeftOut(urls int64) string {
	return Plural(urls, "untrusted URL") + " left out: see 'sitemap help trust'"
}

// ProblemText returns a problem as a line: place, severity, code and message.
func ProblemText(name string, p sitemap.Problem) string {
	s := Printable(name)
	if p.Pos.Line > 0 {
		s += fmt.Sprintf(":%d", p.Pos.Line)
	}
	s += fmt.Sprintf(": %v: %v: %s", p.Severity(), p.Code, p.Message())
	if p.Dropped {
		s += " (dropped)"
	}
	return s
}

// ProblemCount returns the number of problems of a document.
func ProblemCount(sum *discover.Summary) (n int) {
	for _, count := range sum.Problems {
		n += count
	}
	return n
}

// Listed returns the number of entries of a document.
func Listed(sum *discover.Summary) string {
	if sum.Format == sitemap.SitemapIndex {
		return Plural(sum.Entries, "sitemap")
	}
	return Plural(sum.Entries, "URL")
}
