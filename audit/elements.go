package audit

import "github.com/seed-322c453a/sitemap/internal/namespace"

// judgeEntry judges the elements of the entry that was read.
func (x *extensions) judgeEntry() {
	x.images, x.news, x.links, x.named = 0, 0, x.links[:0], x.named[:0]
	for i := range x.elements {
		e := &x.elements[i]
		if e.own {
			x.attributes(e)
		}
		if e.depth != 1 {
			continue
		}
		switch recordOf(e) {
		case namespace.News:
			x.judgeNews(i)
		case namespace.Image:
			x.judgeImage(i)
		case namespace.Video:
			x.judgeVideo(i)
		case namespace.XHTML:
			x.judgeLink(e)
		}
	}
	x.endLinks()
}
