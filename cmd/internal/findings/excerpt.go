package findings

import (
	"strings"

	"github.com/mattn/go-runewidth"

	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
)

// fit returns the text of a line around its caret, the index of a byte, and the column of the caret
// in it, from 0. The text is at most width columns wide, unless width is 0.
func fit(line string, caret, width int) (text string, column int) {
	line = strings.ReplaceAll(line, "\t", " ")
	caret = min(caret, len(line))
	before, after := printable(line[:caret]), printable(line[caret:])
	left, right := runewidth.StringWidth(before), runewidth.StringWidth(after)
	if width == 0 || left+right <= width {
		return before + after, left
	}
	right = min(right, max(width-left, width/3))
	if room := width - right; left > room {
		before = runewidth.TruncateLeft(before, left-room+1, ellipsis)
		left = runewidth.StringWidth(before)
	}
	return before + runewidth.Truncate(after, width-left, ellipsis), left
}

const ellipsis = "…"

// printable replaces characters that control a terminal, and ends of lines.
func printable(s string) string { return cli.Harmless(s, "") }
