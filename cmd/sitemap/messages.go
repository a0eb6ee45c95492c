package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

// messages writes whole lines to standard error, from any goroutine.
type messages struct {
	mu  sync.Mutex
	w   io.Writer
	bar io.Writer // where lines go while progress is shown, else nil
}

// printf writes a line that starts with the command's name.
func (m *messages) printf(format string, args ...any) {
	m.line("sitemap: " + fmt.Sprintf(format, args...))
}

// line writes a line. It makes control characters visible: they may come from the web.
func (m *messages) line(s string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	w := m.w
	if m.bar != nil {
		w = m.bar
	}
	io.WriteString(w, printable(s)+"\n")
}

// setBar sends lines through bar, or back to standard error if bar is nil.
func (m *messages) setBar(bar io.Writer) {
	m.mu.Lock()
	m.bar = bar
	m.mu.Unlock()
}

// printable replaces characters that control a terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// plural returns "1 thing" or "1,000 things".
func plural[N int | int64](n N, thing string) string {
	s := thousands(int64(n)) + " " + thing
	if n == 1 {
		return s
	}
	return s + "s"
}

// thousands returns n as 1,234,567.
func thousands(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// size returns a number of bytes as 1.5 MiB.
func size(n int64) string {
	if n < 1024 {
		return plural(n, "byte")
	}
	f, unit := float64(n)/1024, 0
	for f >= 1023.95 && unit < 3 {
		f, unit = f/1024, unit+1
	}
	return strconv.FormatFloat(f, 'f', 1, 64) + " " + [...]string{"KiB", "MiB", "GiB", "TiB"}[unit]
}
