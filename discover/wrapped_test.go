package discover

import (
	"bytes"
	"context"
	"io"
	"testing"
	"testing/synctest"

	"github.com/seed-322c453a/sitemap/fetch"
)

// A wrapped is a Fetcher that does something with the bodies of a fetch.Client.
type wrapped struct {
	*fetch.Client
	wrap func(io.ReadCloser) io.ReadCloser
}

func (f *wrapped) Get(ctx context.Context, req fetch.Request) (*fetch.Document, error) {
	doc, err := f.Client.Get(ctx, req)
	if err == nil {
		doc.Body = f.wrap(doc.Body)
	}
	return doc, err
}

// TestFetchersThatWrap: a Fetcher may do with the documents of a fetch.Client what it likes.
func TestFetchersThatWrap(t *testing.T) {
	for name, wrap := range map[string]func(io.ReadCloser) io.ReadCloser{
		"hides": func(body io.ReadCloser) io.ReadCloser { return struct{ io.ReadCloser }{body} },
		"reads": func(body io.ReadCloser) io.ReadCloser {
			defer body.Close()
			text, err := io.ReadAll(body)
			if err != nil {
				t.Error(err)
			}
			return io.NopCloser(bytes.NewReader(text))
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := newWeb()
			w.serve("http://example.com/i.xml", index("http://example.com/1.xml", "http://example.com/2.xml"))
			w.serve("http://example.com/1.xml", urlset("http://example.com/1"))
			w.serve("http://example.com/2.xml", gz(urlset("http://example.com/2")))
			l := walkFrom(&Client{Fetcher: &wrapped{w.fetcher(), wrap}}, named("http://example.com/i.xml"), Options{})
			if l.err != nil || len(l.urls) != 2 {
				t.Errorf("%s: %q, %v", name, l.urls, l.err)
			}
		})
	}
}
