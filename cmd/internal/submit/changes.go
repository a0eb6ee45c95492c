package submit

import (
	"bufio"
	"bytes"
	"io"
	"strings"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/cmd/internal/export"
)

// readChanges calls report with each URL that was added, changed or removed in the output of sitemap
// diff or sitemap watch, and with both URLs of a page that has moved. It calls report with all URLs
// in a list.
func readChanges(
	r io.Reader, dropped func(sitemap.Problem), report func(loc string),
) error {
	put := func(u export.URL) {
		switch u.Change {
		case "", "added", "changed", "removed", "new", "modified":
			report(u.Loc)
		case "moved":
			if u.OldLoc != "" { // else only its sitemap is another one
				report(u.Loc)
				report(u.OldLoc)
			}
		}
	}
	b := export.Text(r)
	start, _ := b.Peek(80)
	if sign, _, _ := bytes.Cut(bytes.TrimSpace(start), []byte(" ")); !isSign(string(sign)) {
		return export.Read(b, &export.Fields{}, dropped, put)
	}
	lines := bufio.NewScanner(b)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		if u := parseLine(lines.Text()); u.Change != "" {
			put(u)
		}
	}
	return lines.Err()
}

// maxLine has room for two URLs as long as package parse returns them.
const maxLine = 3 << 20

// isSign reports whether a word starts the lines of text of sitemap diff or sitemap watch.
func isSign(word string) bool { return changeOf[word] != "" || word == "!" }

var changeOf = map[string]string{"+": "added", "~": "changed", "-": "removed", ">": "moved"}

// parseLine reads a line of such text. One about a sitemap has no Change.
func parseLine(line string) export.URL {
	sign, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	loc, more, _ := strings.Cut(rest, "  ")
	u := export.URL{Loc: loc, Change: changeOf[sign]}
	if old, now, _ := strings.Cut(more, " → "); u.Change == "moved" && now == loc {
		u.OldLoc = old
	}
	return u
}
