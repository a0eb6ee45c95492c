package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/mattn/go-runewidth"
	"golang.org/x/sys/unix"
)

// newTerminal returns both ends of a terminal of 80 columns.
func newTerminal(t *testing.T) (screen, terminal *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	fd := int(screen.Fd())
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 25, Col: 80})
	}
	if err != nil {
		t.Fatal(err)
	}
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { screen.Close() })
	return screen, terminal
}

// shown returns what stays on the screen: each "up and erase" removes the line before it.
func shown(printed string) []string {
	var lines []string
	for line := range strings.SplitSeq(strings.ReplaceAll(printed, "\r\n", "\n"), "\n") {
		for strings.HasPrefix(line, "\x1b[1A\x1b[J") {
			line = line[len("\x1b[1A\x1b[J"):]
			lines = lines[:len(lines)-1]
		}
		lines = append(lines, line)
	}
	return lines
}

// On a terminal that shows the results as well, no line of progress stays, and excerpts fit.
func TestCheckOnTerminal(t *testing.T) {
	name := writeFile(t, "s.xml", `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://example.com/`+
		strings.Repeat("a", 60)+`?a&amp;日本&b</loc><lastmod>yesterday</lastmod></url></urlset>`)
	screen, terminal := newTerminal(t)
	cmd := command(t, "check", name)
	cmd.Env = append(cmd.Env, "TERM=xterm", "NO_COLOR=1")
	cmd.Stdout, cmd.Stderr = terminal, terminal
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	terminal.Close()
	printed, _ := io.ReadAll(screen) // ends with an error when the terminal is closed
	wait(t, cmd)
	lines := shown(string(printed))
	carets := 0
	for i, line := range lines {
		if strings.Contains(line, "queued") {
			t.Errorf("progress stays: %q", line)
		}
		if strings.TrimSpace(line) != "^" {
			continue
		}
		carets++
		if w := runewidth.StringWidth(lines[i-1]); w > 80 {
			t.Errorf("%d columns: %s", w, lines[i-1])
		}
	}
	if last := lines[len(lines)-2]; carets != 3 || !strings.HasPrefix(last, "1 document, 1 URL: ") {
		t.Errorf("%d carets, the last line is %q in\n%q", carets, last, printed)
	}
}
