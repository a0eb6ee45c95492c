package location

import (
	"bytes"
	"html"
	"strings"

	"golang.org/x/net/publicsuffix"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/chars"
	"github.com/seed-322c453a/sitemap/internal/pattern"
)

// isBogus reports whether s, a location without white space, is the output of a template without a
// URL.
func isBogus(s string) bool {
	if len(s) > len("[object%20Object]") {
		return false
	}
	switch strings.ToLower(s) {
	case "none", "null", "nil", "undefined", "nan", "n/a", "false", "(null)", "(none)", "<nil>",
		"<null>", "[object%20object]", "-", "#":
		return true
	}
	return false
}

// meant reports whether ref, which has no scheme, was meant as a reference. It was not if it holds
// markup, a template or another URL. Nor was it if it starts with a host with a comma for a dot, or
// is only a reference to a character. With spaces in it, it must start as a path or a query does.
func meant(ref string) bool {
	for _, sign := range []string{"<", ">", "{{", "}}", "{%", "${"} {
		if strings.Contains(ref, sign) {
			return false
		}
	}
	path, _, _ := strings.Cut(ref, "?")
	if strings.Contains(narrow.Replace(path), "://") ||
		startsWithHost(strings.ReplaceAll(path, ",", ".")) {
		return false
	}
	if strings.Contains(ref, "%20") && !startsAsPath(ref) {
		return false
	}
	if name, ok := strings.CutPrefix(ref, "&"); ok && strings.IndexByte(name, ';') == len(name)-1 {
		return false
	}
	return true
}

// narrow replaces the full-width forms of a colon and a slash.
var narrow = strings.NewReplacer("\uff1a", ":", "\uff0f", "/")

var anchor = pattern.Of(`(?is)^\s*<a\s[^>]*?\bhref\s*=\s*` +
	`(?:"([^"]+)"|'([^']+)'|([^"'\s>]+))[^>]*>[^<]*(?:</a>)?\s*$`)

// Anchor returns the target of an HTML link if that is all that text holds.
func Anchor(text []byte) (href []byte, ok bool) {
	if bytes.IndexByte(text, '<') < 0 {
		return nil, false
	}
	m := anchor().FindSubmatch(text)
	if m == nil {
		return nil, false
	}
	return []byte(html.UnescapeString(string(m[1]) + string(m[2]) + string(m[3]))), true
}

func startsAsPath(ref string) bool {
	return strings.HasPrefix(ref, "/") || strings.HasPrefix(ref, "./") ||
		strings.HasPrefix(ref, "../") || strings.HasPrefix(ref, "?")
}

// mistypedColon matches what stands in place of the colon after a mistyped scheme.
var mistypedColon = pattern.Of(`(?i)^(?:%20)?(?::|//|/:|(?:[;.,|-]|%3a)(?://|%2f%2f))`)

// hasMistypedScheme reports whether ref, which is not absolute, starts with http or https with a
// letter missing or doubled, or with its colon or slashes missing or misplaced.
func hasMistypedScheme(ref string) bool {
	n := 0
	for n < len(ref) && chars.IsLetter(ref[n]) {
		n++
	}
	word := strings.ToLower(ref[:n])
	return mistypedColon().MatchString(ref[n:]) &&
		(word == "http" || word == "https" || isTypo(word, "http") || isTypo(word, "https"))
}

// isTypo reports whether word is name with a letter missing or doubled.
func isTypo(word, name string) bool {
	for i := range name {
		if word == name[:i]+name[i+1:] || word == name[:i+1]+name[i:] {
			return true
		}
	}
	return false
}

// startsWithHost reports whether ref is a URL without its scheme rather than a relative reference.
// It is one if it starts with "www.", or if a slash follows its first segment and that is a host
// under a known public suffix, with or without a port.
func startsWithHost(ref string) bool {
	end := authorityLen(ref)
	host := ref[:end]
	www := len(host) > 4 && strings.EqualFold(host[:4], "www.")
	if !www && (end == len(ref) || ref[end] != '/' || strings.IndexByte(host, '.') < 0) ||
		strings.ContainsAny(host, "@%,") {
		return false
	}
	u, err := sitemap.ParseLoc("http://" + host)
	if err != nil || www {
		return err == nil
	}
	name := strings.TrimSuffix(u.Hostname(), ".")
	if _, err := publicsuffix.EffectiveTLDPlusOne(name); err != nil {
		return false
	}
	_, known := publicsuffix.PublicSuffix(name[strings.LastIndexByte(name, '.')+1:])
	return known
}

// authorityLen returns the length of the authority at the start of s.
func authorityLen(s string) int {
	for i := range len(s) {
		if c := s[i]; c == '/' || c == '?' || c == '#' {
			return i
		}
	}
	return len(s)
}
