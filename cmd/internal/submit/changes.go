package submit

import (
	"bufio"
	"io"
	"regexp"
	"strings"

	"github.com/seed-322c453a/sitemap/cmd/internal/export"
)

// readChanges calls report with each URL that was added or changed in the output of sitemap diff or
// sitemap watch, and with both URLs of a page that has moved. It calls report with all URLs in a
// list. Unless removed is set, it leaves out URLs whose pages are gone.
func readChanges(r io.Reader, removed bool, report func(loc string)) error {
	put := func(u export.URL) {
		switch u.Change {
		case "", "added", "changed", "new", "modified":
			report(u.Loc)
		case "moved":
			if u.OldLoc == "" {
				return // only its sitemap is another one
			}
			report(u.Loc)
			if removed {
				report(u.OldLoc)
			}
		case "removed":
			if removed {
				report(u.Loc)
			}
		}
	}
	b, err := export.Text(r)
	if err != nil {
		return err
	}
	if start, _ := b.Peek(80); !changeLine.Match(start) {
		return export.Read(b, &export.Fields{}, put)
	}
	lines := bufio.NewScanner(b)
	for lines.Scan() {
		if u := parseLine(lines.Text()); u.Change != "" {
			put(u)
		}
	}
	return lines.Err()
}

// changeLine matches the start of text that sitemap diff or sitemap watch has printed.
var changeLine = regexp.MustCompile(`^\s*[-+~>!] `)

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
