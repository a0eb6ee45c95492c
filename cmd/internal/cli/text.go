package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/dustin/go-humanize"
)

// Printable replaces characters that control a terminal, except ends of lines, and the signs of
// commands in the logs of GitHub and Azure.
func Printable(s string) string { return commandSigns.Replace(Harmless(s, "\n")) }

var commandSigns = strings.NewReplacer("##[", "#\ufffd[", "##vso[", "#\ufffdvso[")

// Harmless replaces characters that control a terminal, except those of keep.
func Harmless(s, keep string) string {
	return strings.Map(func(r rune) rune {
		if ' ' <= r && r <= '~' {
			return r
		}
		control := unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
		if control && !strings.ContainsRune(keep, r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// Plural returns "1 thing" or "1,000 things".
func Plural[N int | int64](n N, thing string) string {
	s := Thousands(int64(n)) + " " + thing
	if n == 1 {
		return s
	}
	return s + "s"
}

// Thousands returns n as 1,234,567.
func Thousands(n int64) string { return humanize.Comma(n) }

// Size returns a number of bytes as 1.5 MiB.
func Size(n int64) string {
	if n < 1024 {
		return Plural(n, "byte")
	}
	f, unit := float64(n)/1024, 0
	for f >= 1023.95 && unit < 3 {
		f, unit = f/1024, unit+1
	}
	return strconv.FormatFloat(f, 'f', 1, 64) + " " + [...]string{"KiB", "MiB", "GiB", "TiB"}[unit]
}

// Rounded returns n as 950, 1.2 k or 1.2 M.
func Rounded(n int64) string {
	return strings.TrimSpace(humanize.SIWithDigits(float64(n), 1, ""))
}

// About returns a time as 45 s, 3 min or 2 h.
func About(d time.Duration) string {
	switch {
	case d < 90*time.Second:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < 90*time.Minute:
		return fmt.Sprintf("%.0f min", d.Minutes())
	}
	return fmt.Sprintf("%.0f h", d.Hours())
}
