package audit

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/seed-322c453a/sitemap"
)

// The rules of this file are those of the protocol's schema that reading does not need: what breaks
// them is read without a problem.

const protocolNamespace = "http://www.sitemaps.org/schemas/sitemap/0.9"

// declaration matches a well-formed XML declaration (XML 1.0, section 2.8).
var declaration = regexp.MustCompile(
	`^<\?xml[ \t\r\n]+version[ \t\r\n]*=[ \t\r\n]*(?:"1\.[0-9]*"|'1\.[0-9]*')` +
		`(?:[ \t\r\n]+encoding[ \t\r\n]*=[ \t\r\n]*(?:"[A-Za-z][A-Za-z0-9._-]*"|'[A-Za-z][A-Za-z0-9._-]*'))?` +
		`(?:[ \t\r\n]+standalone[ \t\r\n]*=[ \t\r\n]*(?:"(?:yes|no)"|'(?:yes|no)'))?[ \t\r\n]*\?>`,
)

// checkDeclaration judges the XML declaration at the start of a document.
func (d *document) checkDeclaration(start []byte) {
	if !bytes.HasPrefix(start, []byte("<?xml ")) || declaration.Match(start) {
		return
	}
	text, _, _ := bytes.Cut(start[:min(len(start), 200)], []byte(">"))
	d.malformed = string(text)
}

// rootNamespace judges the namespace of the root, which must be exactly that of the protocol.
func (d *document) rootNamespace(root *element) {
	if d.malformed != "" {
		d.find(sitemap.MismatchedTag, 0, d.malformed, "the XML declaration is malformed")
	}
	for _, a := range root.attrs {
		uri := string(a.Value)
		if name := string(a.Name); name != "xmlns" && !strings.HasPrefix(name, "xmlns:") ||
			uri == protocolNamespace {
			continue
		}
		if prefix, _ := split(root.name); string(a.Name) == "xmlns" && prefix == nil ||
			prefix != nil && string(a.Name) == "xmlns:"+string(prefix) {
			if d.structure.isOwn(root.space) && !d.once["namespace"] {
				d.once["namespace"] = true
				d.find(
					sitemap.UnknownNamespace,
					root.offset,
					uri,
					fmt.Sprintf("the namespace is %s, not %s",
						quoted(uri), quoted(protocolNamespace)),
				)
			}
		}
	}
}

// fieldText judges what the schema says about the text of a field beyond its value.
func (d *document) fieldText(e *element) {
	switch text := e.text; string(e.local) {
	case "changefreq":
		if !e.cdata && len(bytes.TrimSpace(text)) < len(text) && len(bytes.TrimSpace(text)) > 0 {
			d.find(sitemap.NonstandardChangeFreq, e.offset, string(text), fmt.Sprintf(
				"changefreq %s has white space around it", quoted(string(text))))
		}
	case "loc":
		if v := e.value(); d.entry != nil && v != "" && strings.Contains(v, "://") &&
			v != d.entry.Loc &&
			v[0] >= utf8.RuneSelf {
			d.find(
				sitemap.BadLoc,
				e.offset,
				v,
				fmt.Sprintf("%s starts with a character that no URL has", quoted(v)),
			)
		}
	}
}

// minLoc is the least number of characters of a location in the schema.
const minLoc = 12

var emptyPort = regexp.MustCompile(`^https?://[^/?#]*:(?:[/?#]|$)`)

// notURI returns why a location is not the URI that the schema asks for, or "". Characters that
// must be escaped are let pass, as the schema does, except for brackets outside of the host.
func notURI(loc string, bracket bool) string {
	switch _, fragment, _ := strings.Cut(loc, "#"); {
	case len(loc) < minLoc:
		return fmt.Sprintf("%s has fewer than the schema's %d characters", quoted(loc), minLoc)
	case strings.IndexByte(fragment, '#') >= 0:
		return fmt.Sprintf("%s has two number signs", quoted(loc))
	case strings.IndexByte(loc[len("https:"):], ':') >= 0 && emptyPort.MatchString(loc):
		return fmt.Sprintf("%s has an empty port", quoted(loc))
	case bracket:
		return fmt.Sprintf("%s has brackets outside of its host", quoted(loc))
	}
	return ""
}

var (
	decimal = regexp.MustCompile(`^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)$`)
	farZone = regexp.MustCompile(
		`[+-](?:14:(?:0[1-9]|[1-5][0-9])|1[5-9]:[0-9]{2}|2[0-9]:[0-9]{2})$`,
	)
)

// bySchema returns the severity of a problem of reading. It is that of its rule unless the schema
// judges this value otherwise.
func bySchema(p sitemap.Problem) sitemap.Severity {
	text := strings.Trim(p.Text, " \t\r\n")
	switch p.Code {
	case sitemap.NonstandardLastMod:
		if _, err := sitemap.ParseTime(text); err == nil { // white space around it
			return info
		}
	case sitemap.NonstandardPriority:
		if decimal.MatchString(text) {
			return info
		}
	case sitemap.ImplausibleLastMod:
		if farZone.MatchString(text) {
			return failure
		}
	}
	return p.Severity()
}
