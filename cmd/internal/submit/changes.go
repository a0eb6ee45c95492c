package submit

import (
	"bytes"
	"io"
	"strings"

	"github.com/seed-322c453a/sitemap/cmd/internal/export"
)

// readChanges calls report with each URL that was added or changed in the output of sitemap diff or
// sitemap watch, and with both URLs of a page that has moved. It calls report with all URLs in a
// list. Without removed, URLs where no page is any more are left out.
func readChanges(r io.Reader, removed bool, report func(loc string)) error {
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
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
	first, _, _ := bytes.Cut(bytes.TrimSpace(text), []byte("\n"))
	if len(first) < 2 || first[1] != ' ' || strings.IndexByte("+-~>!", first[0]) < 0 {
		return export.Read(bytes.NewReader(text), &export.Fields{}, put)
	}
	for line := range strings.Lines(string(text)) {
		put(parseLine(line))
	}
	return nil
}

var changeOf = map[string]string{"+": "added", "~": "changed", "-": "removed", ">": "moved"}

// parseLine reads a line of text that sitemap diff or sitemap watch has printed.
func parseLine(line string) export.URL {
	sign, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	loc, more, _ := strings.Cut(rest, "  ")
	u := export.URL{Loc: loc, Change: changeOf[sign]}
	if u.Change == "" {
		u.Change = sign // about a sitemap
	}
	if old, now, _ := strings.Cut(more, " → "); u.Change == "moved" && now == loc {
		u.OldLoc = old
	}
	return u
}
