package cli

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/net/http/httpguts"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/pattern"
)

// orNegative returns n, or -1 for 0. In a flag, 0 means no limit. In the packages, a negative value
// means no limit, and 0 the default.
func orNegative[N int | int64 | time.Duration](n N) N {
	if n == 0 {
		return -1
	}
	return n
}

// Limit is the value of --limit. As in the packages, a field that is 0 was not set, and a negative
// one means no limit.
type Limit struct {
	sitemap.Limits // of one document
	Depth          int
	Sitemaps       int
}

// Set reads NAME=VALUE, several of them separated by commas. A value of 0 means no limit.
func (l *Limit) Set(s string) error {
	for pair := range strings.SplitSeq(s, ",") {
		name, value, ok := strings.Cut(pair, "=")
		if !ok {
			return errors.New("want NAME=VALUE, such as sitemaps=10")
		}
		n, err := parseQuantity(value)
		if err != nil {
			return err
		}
		n = orNegative(n)
		count := int(min(n, math.MaxInt))
		switch strings.TrimSpace(name) {
		case "bytes":
			l.Bytes = n
		case "entries":
			l.Entries = count
		case "depth":
			l.Depth = count
		case "sitemaps":
			l.Sitemaps = count
		default:
			return errors.New("want bytes, entries, depth or sitemaps")
		}
	}
	return nil
}

// String returns "": the help text names the defaults.
func (l *Limit) String() string { return "" }

// Type names the value in help.
func (l *Limit) Type() string { return "NAME=VALUE" }

// parseQuantity reads a number such as 50000, 50_000, 10MiB, 1.5 GB or 2k.
func parseQuantity(s string) (int64, error) {
	s = strings.ReplaceAll(strings.TrimSpace(s), "_", "")
	n, err := humanize.ParseBytes(s)
	if err != nil || n > math.MaxInt64 || n == 0 && strings.Contains(s, ".") {
		return 0, errors.New("want 0, or a number from 1 to 9e18, such as 50000 or 10MiB")
	}
	return int64(n), nil
}

// parseHeaders reads the values of --header.
func parseHeaders(fields []string) (http.Header, error) {
	h := http.Header{}
	for _, field := range fields {
		name, value, ok := strings.Cut(field, ":")
		value = strings.TrimSpace(value)
		if !ok || !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
			return nil, errors.New("--header: want 'Name: value'")
		}
		h.Add(name, value)
	}
	if h.Get("Host") != "" {
		return nil, errors.New("--header: Host cannot be set")
	}
	return h, nil
}

// compile compiles the value of a flag. It returns nil if the flag is not set.
func compile(flag, expr string) (*regexp.Regexp, error) {
	if expr == "" {
		return nil, nil
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", flag, err)
	}
	return re, nil
}

var ago = pattern.Of(`^(\d{1,5})([hdwmy])$`)

// parseSince reads a W3C datetime, or a time before now such as 12h, 7d, 2w, 3m (months) or 1y. It
// returns the zero time for "".
func parseSince(s string) (time.Time, error) {
	if m := ago().FindStringSubmatch(s); m != nil {
		n, _ := strconv.Atoi(m[1])
		switch now := time.Now(); m[2] {
		case "h":
			return now.Add(-time.Duration(n) * time.Hour), nil
		case "d":
			return now.AddDate(0, 0, -n), nil
		case "w":
			return now.AddDate(0, 0, -7*n), nil
		case "y":
			n *= 12
			fallthrough
		default:
			t := now.AddDate(0, -n, 0)
			if t.Day() != now.Day() { // 1m before May 31 is the last day of April
				t = t.AddDate(0, 0, -t.Day())
			}
			return t, nil
		}
	}
	t, err := sitemap.ParseTime(s)
	if err != nil || t.IsZero() && s != "" {
		return time.Time{}, fmt.Errorf("--since: %q is not a W3C datetime, such as 2024-05-06 or "+
			"2024-05-06T07:08:09Z, nor a time before now, such as 7d", s)
	}
	return t.Start(), nil
}

// A checkedValue is the value of a flag that refuses some values of its type.
type checkedValue struct {
	pflag.Value
	check func(text string) error // receives the value as String returns it
}

// Set sets the value and checks it.
func (c checkedValue) Set(s string) error {
	if err := c.Value.Set(s); err != nil {
		return err
	}
	return c.check(c.String())
}

// check makes a flag check its values.
func check(cmd *cobra.Command, name string, check func(text string) error) {
	flag := cmd.Flags().Lookup(name)
	flag.Value = checkedValue{flag.Value, check}
	if flag.DefValue == "0s" {
		flag.DefValue = "0" // help leaves out this default
	}
}

// Patterns of numbers and times.
var (
	negative    = regexp.MustCompile(`^-`)
	notPositive = regexp.MustCompile(`^(-|0s?$)`)
	notParallel = regexp.MustCompile(`^(-|0$|[0-9]{5})`) // each walk takes about 1 MB
)

// refuse makes flags refuse the values that match a pattern.
func refuse(cmd *cobra.Command, names []string, refused *regexp.Regexp, want string) {
	for _, name := range names {
		check(cmd, name, func(text string) error {
			if refused.MatchString(text) {
				return errors.New("want " + want)
			}
			return nil
		})
	}
}

// NotNegative makes numbers and times refuse negative values.
func NotNegative(cmd *cobra.Command, names ...string) { refuse(cmd, names, negative, "0 or more") }

// Positive makes numbers and times refuse 0 and negative values.
func Positive(cmd *cobra.Command, names ...string) {
	refuse(cmd, names, notPositive, "more than 0")
}

// OneOf makes a flag refuse all values but its default and these, which the shell completes.
func OneOf(cmd *cobra.Command, name string, values ...string) {
	usual := cmd.Flags().Lookup(name).DefValue
	check(cmd, name, func(text string) error {
		if text == usual || slices.Contains(values, text) {
			return nil
		}
		last := len(values) - 1
		return fmt.Errorf("want %s or %s", strings.Join(values[:last], ", "), values[last])
	})
	Complete(cmd, name, func() []string { return values })
}

// Complete makes the shell complete the values of a flag. The values are computed at that time.
func Complete(cmd *cobra.Command, name string, values func() []string) {
	cmd.RegisterFlagCompletionFunc(name,
		func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return values(), cobra.ShellCompDirectiveNoFileComp
		})
}
