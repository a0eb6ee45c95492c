package robots

import (
	"bytes"
	"slices"
	"strings"

	"github.com/seed-322c453a/sitemap/internal/chars"
	"github.com/seed-322c453a/sitemap/internal/pattern"
)

const quotes = "\"'<>`“”„‘’‚«»‹›"

var (
	// absolute matches the start of an absolute http or https URL.
	absolute = pattern.Of(`(?i)^https?://.`)
	// separator matches the comma, semicolon or bar after a URL of a list, up to the next URL.
	separator = pattern.Of(`(?i)[,;|]([\s\x{a0}]|$|[` + quotes + `(\[{]*https?://)`)
	// wrapped matches a URL and what precedes it in its word, as in "(URL", "[name](URL" and
	// "url=URL": no path and no query, which the URL could be part of.
	wrapped = pattern.Of(`(?i)^([^/?.#]*[^/?.#a-z])(https?://.+)$`)
	// markup matches a URL and the HTML or the half of a Markdown link that follows it.
	markup = pattern.Of(`(?i)^(https?://[^<>"]+?)(?:\]\(https?://.+|[<>"].*)$`)
	// stuck matches a URL and the key of the next line, whose line break is missing.
	stuck = pattern.Of(`(?i)^(https?://.*[^/=:&?\-_.])(?:sitemap|user-agent):$`)
)

// splitValue returns the locations in the value of a Sitemap record. It reports whether it left
// something out: quotes, brackets, markup, or words that are no URL.
func splitValue(value []byte) (locs [][]byte, cut bool) {
	list := separator().ReplaceAll(value, []byte(" $1"))
	cut = !bytes.Equal(list, value)
	var words [][]byte
	for _, word := range bytes.FieldsFunc(list, isBlank) {
		bare := bytes.TrimSuffix(bytes.TrimPrefix(word, []byte(`["`)), []byte(`"]`)) // JSON
		bare = markup().ReplaceAll(stuck().ReplaceAll(unwrap(bare), []byte("$1")), []byte("$1"))
		bare = bytes.Trim(bare, quotes)
		cut = cut || len(bare) != len(word)
		if len(bare) > 0 {
			words = append(words, bare)
		}
	}
	if len(words) < 2 {
		return words, cut
	}
	for _, w := range words {
		if absolute().Match(w) {
			locs = append(locs, w)
		}
	}
	if len(locs) == 0 && bytes.ContainsAny(words[0], "/.") {
		locs = words[:1]
	}
	return locs, cut || len(locs) < len(words)
}

// unwrap returns the URL that something precedes in its word. A closing bracket belongs to the URL
// unless its opening one precedes the URL.
func unwrap(word []byte) []byte {
	m := wrapped().FindSubmatch(word)
	if m == nil {
		return word
	}
	loc := m[2]
	for _, c := range slices.Backward(m[1]) {
		if n := strings.IndexByte("([{", c); n >= 0 {
			loc = bytes.TrimSuffix(bytes.Trim(loc, quotes), []byte{")]}"[n]})
		}
	}
	return loc
}

// isBlank reports whether r separates words: white space, NUL, or a character that does not show.
func isBlank(r rune) bool {
	return r == 0 || chars.IsSpace(r)
}

func trimBlanks(b []byte) []byte { return bytes.TrimFunc(b, isBlank) }
