package extension

import (
	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/namespace"
)

// newsItem reads an article of Google's sitemap-news 0.9:
//
//	<news:news>
//	  <news:publication>
//	    <news:name>The Example</news:name> <news:language>en</news:language>
//	  </news:publication>
//	  <news:publication_date>2024-05-06</news:publication_date> <news:title>T</news:title>
//	  <news:access/> <news:genres/> <news:keywords/> <news:stock_tickers/>
//	</news:news>
func (d *Decoder) newsItem() {
	at, pos, ok := readRecord(d, &d.news, namespace.News, "news:news", d.newsItem, d.newsPart)
	if !ok {
		return
	}
	n := &d.news.current()[at]
	d.missing(pos, missingOfNews(n))
	if n.PublicationName == "" && n.Title == "" && n.PublicationDate.IsZero() {
		d.news.remove(at)
	}
}

// missingOfNews returns the name of a required part that n lacks, or "".
func missingOfNews(n *sitemap.News) string {
	switch {
	case n.PublicationName == "":
		return "news:name"
	case n.PublicationLanguage == "":
		return "news:language"
	case n.PublicationDate.IsZero():
		return "news:publication_date"
	case n.Title == "":
		return "news:title"
	}
	return ""
}

// newsPart reads a part of an article.
func (d *Decoder) newsPart(n *sitemap.News) {
	switch string(d.local()) {
	case "publication":
		for depth := d.r.Depth(); d.r.Child(depth); {
			if d.isPart(namespace.News) && !d.publicationPart(n) {
				d.leave(depth)
			}
		}
	case "name", "language":
		d.publicationPart(n)
	case "publication_date":
		take(d, &n.PublicationDate, d.time(d.value("news:publication_date")))
	case "title":
		take(d, &n.Title, d.string(d.value("news:title")))
	case "access":
		take(d, &n.Access, d.name(d.value("news:access").raw))
	case "genres":
		d.extend(&n.Genres, "news:genres")
	case "keywords":
		d.extend(&n.Keywords, "news:keywords")
	case "stock_tickers":
		d.extend(&n.StockTickers, "news:stock_tickers")
	}
}

// publicationPart reads a part of an article's publication, and reports whether it is one.
// Documents name few publications.
func (d *Decoder) publicationPart(n *sitemap.News) bool {
	switch string(d.local()) {
	case "name":
		take(d, &n.PublicationName, d.name(d.value("news:name").raw))
	case "language":
		take(d, &n.PublicationLanguage, d.name(d.value("news:language").raw))
	default:
		return false
	}
	return true
}
