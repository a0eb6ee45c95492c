package audit

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// A head is what the head of an HTML page says to search engines.
type head struct {
	noIndex   string // the directives that keep the page out of the index, or ""
	canonical string // URL, maybe relative
	modified  string // article:modified_time
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
	case strings.EqualFold(name, "robots"), strings.EqualFold(name, agent):
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
