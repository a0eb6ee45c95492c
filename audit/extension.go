package audit

import (
	"bytes"
	"iter"
	"math"
	"strings"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/namespace"
)

// DeprecatedElement is the code of elements that Google no longer reads.
const DeprecatedElement sitemap.Code = "deprecated_element"

var _ = register(
	rule(sitemap.BadExtension, warning,
		googleRecords,
		"an incomplete or invalid record for an image, a video, news or a link",
		"What is wrong is left out, so the engine does not learn of it, or of the whole image, "+
			"video or link.",
		"Add what the record lacks, correct its value, or keep one of several, as the documentation "+
			"of the extension defines it."),
	rule(DeprecatedElement, info,
		google+`"Spring cleaning: simplifying sitemap extensions"`,
		"an element of images, videos or news that Google no longer reads",
		"It has no effect since 2022, and makes the document larger.",
		"Remove the element."),
	rule(sitemap.ExtensionNamespace, failure,
		googleRecords,
		"an extension in another namespace than the documented one",
		"Search engines know extensions by their namespaces, and ignore them in others.",
		"Declare the namespace exactly: http://www.google.com/schemas/sitemap-image/1.1, "+
			"sitemap-video/1.1 or sitemap-news/0.9, or http://www.w3.org/1999/xhtml."),
)

// extensions judges the extensions of the entry that is judged.
type extensions struct {
	*judge
	images, news int             // of the entry
	newsEntries  int             // of the document
	sound        map[string]bool // valid codes of hreflang
	codes        []string        // of the alternates of the last entry, each once
	isNamed      bool            // a rule names the defect of the extension
}

// recordOf returns the namespace of the extension that an element is read as, or NoSpace.
func recordOf(e *element) namespace.Space {
	switch string(e.local) {
	case "image":
		return namespace.Image
	case "video":
		return namespace.Video
	case "news":
		return namespace.News
	case "link":
		if _, ok := e.attr("hreflang"); ok || e.space == namespace.XHTML {
			return namespace.XHTML
		}
	}
	return namespace.NoSpace
}

// children yields the children of the element i, with their indexes.
func (j *judge) children(i int) iter.Seq2[int, *element] {
	return func(yield func(int, *element) bool) {
		depth := j.elements[i].depth
		for n := i + 1; n < len(j.elements) && j.elements[n].depth > depth; n++ {
			if e := &j.elements[n]; e.depth == depth+1 && !yield(n, e) {
				return
			}
		}
	}
}

// child returns the first child of the element i with this name that has text or children, or nil.
func (j *judge) child(i int, local string) *element {
	for n, e := range j.children(i) {
		hasChildren := n+1 < len(j.elements) && j.elements[n+1].depth > e.depth
		if string(e.local) == local && (len(bytes.TrimSpace(e.text)) > 0 || hasChildren) {
			return e
		}
	}
	return nil
}

// find reports a defect of an extension, so that a bad_extension in it is not reported as well.
func (x *extensions) find(rule Rule, e *element, text, format string, args ...any) {
	x.isNamed = true
	x.findIn(rule, e, text, format, args...)
}

// needs returns a part of the element i. If it is missing, needs reports that by the rule with this
// code, such as news_missing_title.
func (x *extensions) needs(i int, code sitemap.Code) *element {
	prefix, local, _ := strings.Cut(string(code), "_missing_")
	e := x.child(i, local)
	if e == nil {
		in := &x.elements[i]
		x.find(of(code), in, "", "%s:%s has no %s:%s", prefix, in.local, prefix, local)
	}
	return e
}

// next returns the offset of the extension after the element i of the entry.
func (x *extensions) next(i int) int64 {
	for _, e := range x.elements[i+1:] {
		if e.depth == 1 {
			return e.offset
		}
	}
	return math.MaxInt64
}

// repeated reports repeated children of the element i.
func (x *extensions) repeated(rule Rule, i int) {
	seen := map[string]bool{}
	for _, e := range x.children(i) {
		if seen[string(e.local)] {
			x.find(rule, e, string(e.value()), "a second %s in %s", e.local, x.elements[i].local)
		}
		seen[string(e.local)] = true
	}
}

// deprecated are the parts that Google no longer reads.
var deprecated = map[string]bool{
	"image:caption": true, "image:geo_location": true, "image:title": true, "image:license": true,
	"news:access": true, "news:genres": true, "news:keywords": true, "news:stock_tickers": true,
	"news:geo_locations": true, "video:category": true, "video:gallery_loc": true,
	"video:price": true, "video:tvshow": true,
}

// deprecated reports parts of a record that no longer have an effect, once for each name in a
// document.
func (x *extensions) deprecated(i int) {
	for _, e := range x.children(i) {
		name := string(x.elements[i].local) + ":" + string(e.local)
		if deprecated[name] && x.first(name) {
			x.findIn(of(DeprecatedElement), e, name, "Google no longer reads %s", name)
		}
	}
}
