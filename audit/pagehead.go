package audit

import (
	"bytes"
	"cmp"
	"strings"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const maxPage = 1 << 20 // bytes of a page that are read

// A head is what the head of an HTML page says to search engines.
type head struct {
	noIndex   string // the directives that keep the page out of the index, or ""
	canonical string // URL, maybe relative
	modified  string // article:modified_time
	refresh   string // URL of a meta refresh, or ""
	robots    string // all directives for the agent or for all
}

// readHead reads the head of a page. Directives count if they are for agent or for all.
func readHead(page []byte, agent string) (h head) {
	for t := html.NewTokenizer(bytes.NewReader(page)); ; {
		switch t.Next() {
		case html.ErrorToken:
			return h
		case html.StartTagToken, html.SelfClosingTagToken:
			tag := t.Token()
			switch tag.DataAtom {
			case atom.Body:
				return h
			case atom.Meta:
				h.meta(&tag, agent)
			case atom.Link:
				if h.canonical == "" && hasWord(attrOf(&tag, "rel"), "canonical") {
					h.canonical = strings.TrimSpace(attrOf(&tag, "href"))
				}
			}
		}
	}
}

func (h *head) meta(tag *html.Token, agent string) {
	name, content := attrOf(tag, "name"), attrOf(tag, "content")
	switch {
	case strings.EqualFold(attrOf(tag, "http-equiv"), "refresh"):
		h.refresh = cmp.Or(h.refresh, refreshTarget(content))
	case strings.EqualFold(name, "robots"), strings.EqualFold(name, agent):
		h.robots += content + ","
		if h.noIndex == "" && isNoIndex(content) {
			h.noIndex = content
		}
	case strings.EqualFold(attrOf(tag, "property"), "article:modified_time"):
		h.modified = strings.TrimSpace(content)
	}
}

func attrOf(tag *html.Token, name string) string {
	for _, a := range tag.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func hasWord(s, word string) bool {
	for field := range strings.FieldsSeq(s) {
		if strings.EqualFold(field, word) {
			return true
		}
	}
	return false
}

// isNoIndex reports whether a list of directives has noindex or none.
func isNoIndex(directives string) bool {
	for d := range strings.SplitSeq(directives, ",") {
		if d = strings.TrimSpace(d); strings.EqualFold(d, "noindex") ||
			strings.EqualFold(d, "none") {
			return true
		}
	}
	return false
}

// noIndexHeader returns the value of the first X-Robots-Tag field that keeps a page out of the
// index, for agent or for all, or "".
func noIndexHeader(fields []string, agent string) string {
	for _, field := range fields {
		directives := field
		if name, rest, ok := strings.Cut(field, ":"); ok && !strings.ContainsAny(name, ", ") &&
			!strings.EqualFold(
				name,
				"unavailable_after",
			) && !strings.HasPrefix(strings.ToLower(name), "max-") {
			if !strings.EqualFold(strings.TrimSpace(name), agent) {
				continue
			}
			directives = rest
		}
		if isNoIndex(directives) {
			return field
		}
	}
	return ""
}

// canonicalHeader returns the URL of the first Link field with rel=canonical (RFC 8288), or "".
func canonicalHeader(fields []string) string {
	for _, field := range fields {
		for rest := field; ; {
			_, after, ok := strings.Cut(rest, "<")
			target, params, closed := strings.Cut(after, ">")
			if !ok || !closed {
				break
			}
			params, next, _ := strings.Cut(params, "<")
			for p := range strings.SplitSeq(params, ";") {
				name, value, _ := strings.Cut(strings.TrimRight(strings.TrimSpace(p), ", "), "=")
				if strings.EqualFold(strings.TrimSpace(name), "rel") &&
					hasWord(strings.Trim(value, `" `), "canonical") {
					return target
				}
			}
			if rest = "<" + next; next == "" {
				break
			}
		}
	}
	return ""
}

// refreshTarget returns the URL in the content of a meta refresh, or "".
func refreshTarget(content string) string {
	_, target, _ := strings.Cut(content, ";")
	target = strings.TrimSpace(target)
	if len(target) < 4 || !strings.EqualFold(target[:3], "url") {
		return ""
	}
	_, target, _ = strings.Cut(target, "=")
	return strings.Trim(target, ` 	"'`)
}

// unavailableAfter returns the date of a directive after which a page wants to be left out, or "",
// if it has passed.
func unavailableAfter(directives string, now time.Time) string {
	lower := strings.ToLower(directives)
	i := strings.Index(lower, "unavailable_after")
	if i < 0 {
		return ""
	}
	_, value, _ := strings.Cut(directives[i:], ":")
	value = strings.TrimSpace(value)
	for _, layout := range []string{time.RFC3339, "2006-01-02", time.RFC850, time.RFC1123, time.RFC1123Z,
		"02-Jan-2006 15:04:05 MST", "2 Jan 2006 15:04:05 MST"} {
		for n := len(value); n >= min(len(value), len("2006-01-02")) && n > 0; n-- {
			if t, err := time.Parse(layout, strings.TrimSpace(value[:n])); err == nil && t.Before(now) {
				return strings.TrimSpace(value[:n])
			}
		}
	}
	return ""
}
