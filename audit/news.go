package audit

import (
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/pattern"
)

// The codes of news.
const (
	NewsBadDate                sitemap.Code = "news_bad_date"
	NewsBadLanguage            sitemap.Code = "news_bad_language"
	NewsInFuture               sitemap.Code = "news_in_future"
	NewsMissingLanguage        sitemap.Code = "news_missing_language"
	NewsMissingName            sitemap.Code = "news_missing_name"
	NewsMissingPublication     sitemap.Code = "news_missing_publication"
	NewsMissingPublicationDate sitemap.Code = "news_missing_publication_date"
	NewsMissingTitle           sitemap.Code = "news_missing_title"
	NewsRepeated               sitemap.Code = "news_repeated"
	NewsTooMany                sitemap.Code = "news_too_many"
	NewsTooOld                 sitemap.Code = "news_too_old"
)

// newsLost is the consequence if a required part is missing.
const newsLost = "Google requires it, and may not take the article as news without it."

var _ = register(
	rule(NewsBadDate, failure, googleNews, "a publication date that is not a W3C date",
		"Search Console reports an invalid date. Google does not learn when the article appeared.",
		"Write <news:publication_date>2026-11-23</news:publication_date>, or with time and zone "+
			"2026-11-23T12:00:00+00:00."),
	rule(NewsBadLanguage, failure, googleNews,
		"a news language that is not a code of two or three letters, zh-cn or zh-tw",
		"Google does not learn the language of the publication, and may ignore the record.",
		"Write the ISO 639 code: <news:language>en</news:language>, not en-US or English."),
	rule(NewsInFuture, failure, googleNews, "news with a publication date more than a day ahead",
		"Google does not take an article as news before it is published.",
		"Write when the article was first published. Check the clock and the zone."),
	rule(NewsMissingLanguage, failure, googleNews, "a news:publication without its language",
		newsLost, "Add <news:language>en</news:language> to news:publication."),
	rule(NewsMissingName, failure, googleNews, "a news:publication without its name",
		newsLost,
		"Add the name as it is on the articles: <news:name>The Example Times</news:name>."),
	rule(NewsMissingPublication, failure, googleNews, "a news:news without its publication",
		"Search Console reports a missing publication tag. Google requires it, and may not take "+
			"the article as news without it.",
		"Add a news:publication with a news:name and a news:language to news:news."),
	rule(NewsMissingPublicationDate, failure, googleNews,
		"a news:news without its publication date",
		newsLost, "Add <news:publication_date>2026-11-23</news:publication_date> to news:news."),
	rule(NewsMissingTitle, failure, googleNews, "a news:news without its title",
		newsLost, "Add the title of the article: <news:title>…</news:title>."),
	rule(NewsRepeated, failure, googleNews,
		"a second news:news in an entry, or a field twice in a record for news",
		"Google allows one of each, and does not say which of several it uses.",
		"Keep one of them and remove the others."),
	rule(NewsTooMany, failure, googleNews, "more than 1,000 entries with news in a document",
		"Search Console reports too many URLs in a news sitemap. Google ignores the rest.",
		"Split the document, or remove articles older than two days from it."),
	rule(NewsTooOld, warning, googleNews, "news that was published more than two days ago",
		"Google takes articles of the last two days as news only.",
		"Remove the entry from the news sitemap, or its news:news."),
)

const (
	maxNews = 1_000 // entries of a document
	newsAge = 48 * time.Hour
)

var newsLanguage = pattern.Of(`(?i)^(?:[a-z]{2,3}|zh-cn|zh-tw)$`)

// judgeNews judges the news:news i.
func (x *extensions) judgeNews(i int) {
	e := &x.elements[i]
	x.news++
	if x.news > 1 {
		x.find(of(NewsRepeated), e, "", "a second news:news in the entry")
	} else if x.newsEntries++; x.newsEntries == maxNews+1 {
		x.find(of(NewsTooMany), e, "", "the document has more than %d news entries", maxNews)
	}
	x.repeated(of(NewsRepeated), i)
	x.needs(i, NewsMissingTitle)
	if date := x.needs(i, NewsMissingPublicationDate); date != nil {
		x.newsDate(date)
	}
	for n, part := range x.children(i) {
		if string(part.local) == "publication" {
			x.publication(n)
			return
		}
	}
	x.needs(i, NewsMissingPublication)
}

func (x *extensions) publication(i int) {
	x.repeated(of(NewsRepeated), i)
	x.needs(i, NewsMissingName)
	if lang := x.needs(i, NewsMissingLanguage); lang != nil {
		if v := lang.value(); !newsLanguage().Match(v) {
			x.find(of(NewsBadLanguage), lang, string(v),
				"news:language %s is not a code of two or three letters, zh-cn or zh-tw", quoted(v))
		}
	}
}

func (x *extensions) newsDate(e *element) {
	v := string(e.value())
	t, err := sitemap.ParseTime(v)
	switch {
	case err != nil:
		x.find(of(NewsBadDate), e, v, "news:publication_date %s is not a W3C date", quoted(v))
	case t.End().Before(x.now.Add(-newsAge)):
		x.find(of(NewsTooOld), e, v,
			"news:publication_date %s is more than two days ago", quoted(v))
	case t.Start().After(x.now.Add(farFuture)):
		x.find(of(NewsInFuture), e, v, "news:publication_date %s is in the future", quoted(v))
	}
}
