package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/seed-322c453a/sitemap"
)

// limits is the value of --limit: NAME=VALUE, again or separated by commas. A
// field that is zero was not set; a negative one lifts the limit, as in the
// packages.
type limits struct {
	bytes    int64
	entries  int
	depth    int
	sitemaps int
}

func (l *limits) document() sitemap.Limits { return sitemap.Limits{Bytes: l.bytes, Entries: l.entries} }

// Set reads NAME=VALUE, where 0 lifts the limit.
func (l *limits) Set(s string) error {
	for pair := range strings.SplitSeq(s, ",") {
		name, value, ok := strings.Cut(pair, "=")
		if !ok {
			return errors.New("want NAME=VALUE")
		}
		n, err := parseQuantity(value)
		if err != nil {
			return err
		}
		if n == 0 {
			n = -1
		}
		count := int(min(n, math.MaxInt))
		switch strings.TrimSpace(name) {
		case "bytes":
			l.bytes = n
		case "entries":
			l.entries = count
		case "depth":
			l.depth = count
		case "sitemaps":
			l.sitemaps = count
		default:
			return fmt.Errorf("no limit is called %q; there are bytes, entries, depth and sitemaps", name)
		}
	}
	return nil
}

// String returns nothing: what the limits are by default stands in the help.
func (l *limits) String() string { return "" }

// Type names the value in help.
func (l *limits) Type() string { return "NAME=VALUE" }

// units of quantities, in lower case.
var units = map[string]float64{
	"": 1, "b": 1,
	"k": 1e3, "kb": 1e3, "m": 1e6, "mb": 1e6, "g": 1e9, "gb": 1e9, "t": 1e12, "tb": 1e12,
	"ki": 1 << 10, "kib": 1 << 10, "mi": 1 << 20, "mib": 1 << 20, "gi": 1 << 30, "gib": 1 << 30, "ti": 1 << 40, "tib": 1 << 40,
}

// parseQuantity reads a number such as 50000, 50_000, 10MiB, 1.5 GB or 2k.
func parseQuantity(s string) (int64, error) {
	text := strings.TrimSpace(s)
	end := strings.IndexFunc(text, func(r rune) bool { return (r < '0' || r > '9') && r != '.' && r != '_' })
	if end < 0 {
		end = len(text)
	}
	unit, known := units[strings.ToLower(strings.TrimSpace(text[end:]))]
	digits := strings.ReplaceAll(text[:end], "_", "")
	if !known {
		return 0, fmt.Errorf("%q is no number with a unit such as 50000 or 10MiB", s)
	}
	if n, err := strconv.ParseInt(digits, 10, 64); err == nil && unit == 1 {
		return n, nil
	}
	f, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is no number with a unit such as 50000 or 10MiB", s)
	}
	if f *= unit; f >= math.MaxInt64 || f > 0 && f < 1 {
		return 0, fmt.Errorf("%q is out of range", s)
	}
	return int64(f), nil
}
