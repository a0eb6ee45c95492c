package frontier

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"

	"google.golang.org/grpc"

	"github.com/seed-322c453a/sitemap/batch"
	pb "github.com/seed-322c453a/sitemap/engines/internal/urlfrontier"
)

// An Answer is the answer of a frontier to a page.
type Answer string

// The answers of a frontier.
const (
	Added   Answer = "ok"      // the page is new
	Skipped Answer = "skipped" // the frontier has or had it, or does not take such URLs
	Failed  Answer = "fail"    // the page should be put again
)

// Emit puts the pages in the lines of a part into a crawl of a frontier, as URLs that were
// discovered. "" means [DefaultCrawl]. Emit calls answered with the answer to each page, from one
// goroutine. A part may be emitted twice. The queue of a page is its host. If the lines cannot be
// read to their end, the error matches [batch.ErrDamaged].
//
// The metadata of a URL have the keys that StormCrawler's SiteMapParserBolt gives it, isSitemap and
// sitemap.lastModified, and also sitemap.url and sitemap.trust. The time is as in a sitemap, such
// as 2024-05-06 or 2024-05-06T07:08:09Z. A key whose value is unknown is left out.
func Emit(
	ctx context.Context, conn grpc.ClientConnInterface, crawl string, lines io.Reader,
	answered func(Answer),
) error {
	crawl = cmp.Or(crawl, DefaultCrawl)
	return put(ctx, conn, pages(lines, crawl),
		func(a *pb.AckMessage) { answered(answerOf(a.Status)) })
}

// answerOf returns the answer in an acknowledgement.
func answerOf(s pb.AckMessage_Status) Answer {
	switch s {
	case pb.AckMessage_OK:
		return Added
	case pb.AckMessage_SKIPPED:
		return Skipped
	}
	return Failed
}

// pages yields the pages in the lines of a part.
func pages(lines io.Reader, crawl string) iter.Seq2[*pb.URLItem, error] {
	return func(yield func(*pb.URLItem, error) bool) {
		for line, err := range batch.Lines(lines) {
			if err != nil {
				yield(nil, fmt.Errorf("%w: %w", batch.ErrDamaged, err))
				return
			}
			if line.URL != nil && !yield(item(line.URL, crawl), nil) {
				return
			}
		}
	}
}

// item converts a page for the frontier.
func item(p *batch.URL, crawl string) *pb.URLItem {
	u := &pb.URLInfo{Url: p.Loc, CrawlID: crawl, Metadata: map[string]*pb.StringList{}}
	for key, value := range map[string]string{
		"isSitemap":            "false",
		"sitemap.lastModified": p.LastMod.String(),
		"sitemap.url":          p.Sitemap,
		"sitemap.trust":        p.Trust.String(),
	} {
		if value != "" {
			u.Metadata[key] = &pb.StringList{Values: []string{value}}
		}
	}
	return &pb.URLItem{Discovered: &pb.DiscoveredURLItem{Info: u}}
}
