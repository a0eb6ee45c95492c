package audit

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/language"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/chars"
	"github.com/seed-322c453a/sitemap/internal/namespace"
)

// The limits of Google's extensions.
const (
	maxImages      = 1_000 // of an entry
	maxNews        = 1_000 // entries of a document
	maxVideoTags   = 32
	maxDescription = 2_048 // characters
	maxDuration    = 28_800
)

// An extensions judges the extensions of one entry.
type extensions struct {
	*document
	els    []element
	within span // of the extension that is judged

	images, news int
	links        []link
}

// A link is an alternate of the entry.
type link struct {
	*element
	code, href string
}

// extension judges the child i of the entry.
func (x *extensions) extension(i int) {
	e := &x.els[i]
	x.within = span{e.offset, e.end}
	switch {
	case e.is(namespace.News, "news"):
		x.judgeNews(i)
	case e.is(namespace.Image, "image"):
		if x.images++; x.images == maxImages+1 {
			x.report(
				"image_too_many",
				e,
				"",
				fmt.Sprintf("the entry has more than %d images", maxImages),
			)
		}
		if x.child(i, namespace.Image, "loc") == nil {
			x.report("image_missing_loc", e, "", "the image has no image:loc")
		}
	case e.is(namespace.Video, "video"):
		x.judgeVideo(i)
	case e.is(namespace.XHTML, "link"):
		x.judgeLink(e)
	}
}

// report emits a finding in the extension that is judged.
func (x *extensions) report(code sitemap.Code, e *element, text, message string) {
	x.named = append(x.named, x.within)
	x.find(code, e.offset, text, message)
}

// children yields the indexes of the children of the element i in a namespace.
func (x *extensions) children(i int, space namespace.Space) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for j := i + 1; j < len(x.els) && x.els[j].depth > x.els[i].depth; j++ {
			if x.els[j].depth == x.els[i].depth+1 && x.els[j].space == space && !yield(j) {
				return
			}
		}
	}
}

// child returns the first child of the element i with this name that has text or children, or nil.
func (x *extensions) child(i int, space namespace.Space, local string) *element {
	for j := range x.children(i, space) {
		e := &x.els[j]
		hasChildren := j+1 < len(x.els) && x.els[j+1].depth > e.depth
		if string(e.local) == local && (len(bytes.TrimSpace(e.text)) > 0 || hasChildren) {
			return e
		}
	}
	return nil
}

// repeated reports children of the element i that come again.
func (x *extensions) repeated(code sitemap.Code, i int, space namespace.Space) {
	seen := map[string]bool{}
	for j := range x.children(i, space) {
		e := &x.els[j]
		if seen[string(e.local)] {
			x.report(code, e, e.value(), fmt.Sprintf("a second %s in %s", e.local, x.els[i].local))
		}
		seen[string(e.local)] = true
	}
}

var newsLanguage = regexp.MustCompile(`(?i)^(?:[a-z]{2,3}|zh-cn|zh-tw)$`)

func (x *extensions) judgeNews(i int) {
	e := &x.els[i]
	x.news++
	if x.news > 1 {
		x.report("news_repeated", e, "", "a second news:news in the entry")
	} else if x.document.news++; x.document.news == maxNews+1 {
		x.report("news_too_many", e, "", fmt.Sprintf("the document has more than %d news entries", maxNews))
	}
	missing := func(in *element, local string) {
		x.report(
			sitemap.Code("news_missing_"+local),
			in,
			"",
			fmt.Sprintf("%s has no news:%s", qualified(in), local),
		)
	}
	x.repeated("news_repeated", i, namespace.News)
	if x.child(i, namespace.News, "title") == nil {
		missing(e, "title")
	}
	if date := x.child(i, namespace.News, "publication_date"); date == nil {
		missing(e, "publication_date")
	} else {
		x.newsDate(date)
	}
	for j := range x.children(i, namespace.News) {
		if publication := &x.els[j]; string(publication.local) == "publication" {
			x.publication(j, missing)
			return
		}
	}
	missing(e, "publication")
}

func (x *extensions) publication(i int, missing func(in *element, local string)) {
	x.repeated("news_repeated", i, namespace.News)
	if x.child(i, namespace.News, "name") == nil {
		missing(&x.els[i], "name")
	}
	lang := x.child(i, namespace.News, "language")
	if lang == nil {
		missing(&x.els[i], "language")
	} else if v := lang.value(); !newsLanguage.MatchString(v) {
		x.report("news_bad_language", lang, v, fmt.Sprintf("news:language %s is not a code of two or three "+
			"letters, zh-cn or zh-tw", quoted(v)))
	}
}

func (x *extensions) newsDate(e *element) {
	v := e.value()
	t, err := sitemap.ParseTime(v)
	switch {
	case err != nil:
		x.report(
			"news_bad_date",
			e,
			v,
			fmt.Sprintf("news:publication_date %s is not a W3C date", quoted(v)),
		)
	case t.End().Before(x.now.Add(-newsAge)):
		x.report(
			"news_too_old",
			e,
			v,
			fmt.Sprintf("news:publication_date %s is more than two days ago", quoted(v)),
		)
	}
}

func (x *extensions) judgeVideo(i int) {
	e := &x.els[i]
	missing := func(local, name string) {
		x.report(sitemap.Code("video_missing_"+local), e, "", "the video has no "+name)
	}
	for _, local := range []string{"thumbnail_loc", "title", "description"} {
		if x.child(i, namespace.Video, local) == nil {
			missing(local, "video:"+local)
		}
	}
	if x.child(i, namespace.Video, "content_loc") == nil &&
		x.child(i, namespace.Video, "player_loc") == nil {
		missing("content_or_player_loc", "video:content_loc and no video:player_loc")
	}
	tags := 0
	for j := range x.children(i, namespace.Video) {
		if x.els[j].is(namespace.Video, "tag") {
			if tags++; tags == maxVideoTags+1 {
				x.report(
					"video_too_many_tags",
					&x.els[j],
					"",
					fmt.Sprintf("the video has more than %d tags", maxVideoTags),
				)
			}
			continue
		}
		x.videoField(&x.els[j])
	}
}

func (x *extensions) videoField(e *element) {
	v := e.value()
	switch string(e.local) {
	case "duration":
		if n, err := strconv.Atoi(v); v != "" && (err != nil || n < 1 || n > maxDuration) {
			x.report(
				"video_bad_duration",
				e,
				v,
				fmt.Sprintf(
					"video:duration %s is not a number of seconds from 1 to %d",
					quoted(v),
					maxDuration,
				),
			)
		}
	case "rating":
		if f, err := strconv.ParseFloat(v, 64); v != "" && (err != nil || !(0 <= f && f <= 5)) {
			x.report(
				"video_bad_rating",
				e,
				v,
				fmt.Sprintf("video:rating %s is not a number from 0 to 5", quoted(v)),
			)
		}
	case "content_loc", "player_loc":
		if x.entry != nil && v == x.entry.Loc {
			x.report(
				"video_loc_is_page",
				e,
				v,
				fmt.Sprintf("video:%s is the URL of the page itself", e.local),
			)
		}
	case "description":
		if n := utf8.RuneCountInString(v); n > maxDescription {
			x.report(
				"video_description_too_long",
				e,
				v,
				fmt.Sprintf(
					"video:description has %d characters; %d are allowed",
					n,
					maxDescription,
				),
			)
		}
	}
}

func (x *extensions) judgeLink(e *element) {
	rel, _ := e.attr("rel")
	code, hasCode := e.attr("hreflang")
	if !hasCode || !strings.EqualFold(rel, "alternate") {
		return
	}
	href, _ := e.attr("href")
	switch {
	case href == "":
		x.report(
			"hreflang_missing_href",
			e,
			code,
			fmt.Sprintf("the alternate for %s has no href", quoted(code)),
		)
	case chars.SchemeOf(href) == "":
		x.report(
			"hreflang_relative",
			e,
			href,
			fmt.Sprintf("the alternate %s is a relative URL", quoted(href)),
		)
	}
	if !x.sound[code] && !isHreflang(code) {
		x.report(
			"hreflang_bad_code",
			e,
			code,
			fmt.Sprintf(
				"hreflang %s is not a language with an optional region, nor x-default",
				quoted(code),
			),
		)
	} else {
		x.sound[code] = true
	}
	x.links = append(x.links, link{e, code, href})
}

// isHreflang reports whether code is x-default or a language (ISO 639), optionally with a script
// (ISO 15924) and a country (ISO 3166-1).
func isHreflang(code string) bool {
	if strings.EqualFold(code, "x-default") {
		return true
	}
	parts := strings.Split(code, "-")
	if _, err := language.ParseBase(parts[0]); err != nil {
		return false
	}
	parts = parts[1:]
	if len(parts) > 0 && len(parts[0]) == 4 {
		if _, err := language.ParseScript(parts[0]); err != nil {
			return false
		}
		parts = parts[1:]
	}
	if len(parts) == 0 {
		return true
	}
	region, err := language.ParseRegion(parts[0])
	return err == nil && len(parts) == 1 && len(parts[0]) == 2 && region.IsCountry() &&
		region.Canonicalize() == region
}

// end judges what the extensions are together.
func (x *extensions) end() {
	if len(x.links) == 0 {
		return
	}
	self := x.entry == nil
	clear(x.seen)
	for _, l := range x.links {
		self = self || sameURL(l.href, x.entry.Loc)
		code := strings.ToLower(l.code)
		switch {
		case !x.seen[code]:
		case code == "x-default":
			x.report(
				"hreflang_two_x_defaults",
				l.element,
				l.href,
				"a second alternate for x-default",
			)
		default:
			x.report("hreflang_repeated_code", l.element, l.code,
				fmt.Sprintf("a second alternate for %s", quoted(l.code)))
		}
		x.seen[code] = true
	}
	if !self {
		x.report(
			"hreflang_no_self",
			&x.els[0],
			"",
			"none of the entry's alternates is the entry itself",
		)
	}
}

// qualified returns the name of an element of the news namespace with its usual prefix.
func qualified(e *element) string { return "news:" + string(e.local) }
