package watch_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-322c453a/sitemap/watch"
)

// A page is removed only when no document of its site lists it any more, and every document was
// read whole that might.
func TestRemoved(t *testing.T) {
	const day = 24 * time.Hour
	two := func(web *web) {
		web.serve("robots.txt", "Sitemap: /i")
		web.serve("i", index("a", "b"))
		web.serve("a", urlset("1", "2"))
		web.serve("b", urlset("3"))
	}
	const feed = "<rss version='2.0'><channel><item><link>https://a.test/%s</link></item></channel></rss>"
	const news = "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' " +
		"xmlns:news='http://www.google.com/schemas/sitemap-news/0.9'><url><loc>https://a.test/%s</loc>" +
		"<news:news><news:publication><news:name>A</news:name><news:language>en</news:language>" +
		"</news:publication><news:publication_date>2026-06-01</news:publication_date>" +
		"<news:title>T</news:title></news:news></url></urlset>"
	for _, test := range []struct {
		name         string
		start, event func(*web)
		want         string
	}{
		{"removed", two, func(w *web) { w.serve("a", urlset("1")) }, "removed 2"},
		{"moved", two, func(w *web) {
			w.serve("a", urlset("1"))
			w.serve("b", urlset("2", "3"))
		}, ""},
		{"moved to a new sitemap", two, func(w *web) {
			w.serve("a", urlset("1"))
			w.serve("i", index("a", "b", "c"))
			w.serve("c", urlset("2", "4"))
		}, "added 4, sitemap_added c"},
		{"in both, gone from one", func(w *web) { two(w); w.serve("b", urlset("2", "3")) },
			func(w *web) { w.serve("a", urlset("1")) }, ""},
		{"truncated", two, func(w *web) { w.serve("a", strings.TrimSuffix(urlset("1"), "</urlset>")) }, "failing a"},
		{"an entry is dropped", two, func(w *web) { w.serve("a", urlset("1")[:98]+"<url></url></urlset>") }, ""},
		{"failed", two, func(w *web) { w.fail("a", 404) }, "failing a"},
		{"damaged gzip", two, func(w *web) { w.serve("a", damaged(urlset("1", "4"))) }, "failing a"},
		{"all sitemaps gone", two, func(w *web) {
			for _, path := range []string{"i", "a", "b"} {
				w.fail(path, 404)
			}
		}, "failing"},
		{"robots.txt down", two, func(w *web) {
			w.fail("robots.txt", 503)
			w.serve("a", urlset("1", "2"))
		}, "failing"},
		{"a sitemap is gone", two, func(w *web) {
			w.serve("i", index("b"))
			w.fail("a", 404)
		}, "removed 1, removed 2, sitemap_removed a"},
		{"a sitemap is renamed", two, func(w *web) {
			w.serve("i", index("c", "b"))
			w.serve("c", urlset("1", "2"))
			w.fail("a", 404)
		}, "sitemap_added c, sitemap_removed a"},
		{"304 of the index while its child cannot be read", two, func(w *web) {
			w.serve("a", urlset("1"))
			w.fail("b", 500)
		}, "failing b"},
		{"in both, gone from both", func(w *web) { two(w); w.serve("b", urlset("2", "3")) },
			func(w *web) {
				w.serve("a", urlset("1"))
				w.serve("b", urlset("3"))
			}, "removed 2"},
		{"an index becomes a sitemap", two, func(w *web) { w.serve("i", urlset("1", "3")) },
			"removed 2, sitemap_removed a, sitemap_removed b"},
		{"window of a feed", func(w *web) {
			w.serve("robots.txt", "Sitemap: /f")
			w.serve("f", fmt.Sprintf(feed, "1"))
		}, func(w *web) { w.serve("f", fmt.Sprintf(feed, "2")) }, "added 2"},
		{"window of news", func(w *web) {
			w.serve("robots.txt", "Sitemap: /n")
			w.serve("n", fmt.Sprintf(news, "1"))
		}, func(w *web) { w.serve("n", fmt.Sprintf(news, "2")) }, "added 2"},
		{"in a feed too, gone from both", func(w *web) {
			w.serve("robots.txt", "Sitemap: /s\nSitemap: /f")
			w.serve("s", urlset("1", "2"))
			w.serve("f", fmt.Sprintf(feed, "2"))
		}, func(w *web) {
			w.serve("s", urlset("1"))
			w.serve("f", fmt.Sprintf(feed, "1"))
		}, "removed 2"},
		{"a page of another host", func(w *web) {
			two(w)
			w.serve("a", strings.Replace(urlset("1", "2"), "a.test/2", "b.test/2", 1))
		}, func(w *web) { w.serve("a", urlset("1")) }, ""},
		{"robots.txt names another sitemap", two, func(w *web) {
			w.serve("robots.txt", "Sitemap: /j")
			w.serve("j", index("b"))
		}, "removed 1, removed 2, sitemap_added j, sitemap_removed a, sitemap_removed i"},
	} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				web := newWeb()
				test.start(web)
				w := web.watcher()
				want(t, "first", once(t, w))
				want(t, "later", run(t, w, day))
				test.event(web)
				var wanted []string
				if test.want != "" {
					wanted = strings.Split(test.want, ", ")
				}
				want(t, "then", run(t, w, 6*day), wanted...)
			})
		})
	}
}

// damaged returns a document compressed, with another checksum.
func damaged(document string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, document)
	z.Close()
	b.Bytes()[b.Len()-8] ^= 1
	return b.String()
}

// TestRemoved_Split: the pages of a sitemap that robots.txt names are not removed when it splits,
// but a page is that none of the new ones lists.
func TestRemoved_Split(t *testing.T) {
	bubble(t, func(t *testing.T) {
		web := newWeb()
		web.serve("robots.txt", "Sitemap: /a")
		web.serve("a", urlset("1", "2", "3"))
		w := web.watcher()
		want(t, "first", append(once(t, w), run(t, w, 30*time.Hour)...))
		web.serve("robots.txt", "Sitemap: /a\nSitemap: /b")
		web.serve("a", urlset("1"))
		web.serve("b", urlset("2"))
		want(t, "split", run(t, w, 6*day), "sitemap_added b", "removed 3")
	})
}

// TestRemoved_Again: a page that is added and removed again and again is reported each time, with
// an ID of its own, whichever document lists it.
func TestRemoved_Again(t *testing.T) {
	bubble(t, func(t *testing.T) {
		web, w := watchTwo(t)
		ids := map[string]bool{}
		for i, lister := range []string{"", "b", "", "a", "", "b", ""} {
			web.serve("a", urlset("1"))
			web.serve("b", urlset("3"))
			kind := "removed"
			if lister != "" {
				web.serve(lister, urlset("1", "2", "3"))
				kind = "added"
			}
			want(t, fmt.Sprint(i), follow(t, w, ids, 48, 2*time.Hour), kind+" 2")
		}
	})
}

// TestRemoved_NewSitemap: events about a page that returns in a new sitemap have other IDs, also
// months later.
func TestRemoved_NewSitemap(t *testing.T) {
	bubble(t, func(t *testing.T) {
		web := newWeb()
		web.serve("robots.txt", "Sitemap: /i")
		w := web.watcher()
		w.Initial = true
		ids := map[string]bool{}
		var got, wanted []string
		for i, pause := range []time.Duration{3, 3, 40, 40, 3, 3} {
			list := []string{"1"}
			if i%2 == 0 {
				list = append(list, "2")
			}
			web.serve("i", index(fmt.Sprint("s", i)))
			web.serve(fmt.Sprint("s", i), urlset(list...))
			for _, event := range follow(t, w, ids, 24, pause*time.Hour) {
				if kind, ok := strings.CutSuffix(event, " 2"); ok {
					got = append(got, kind)
				}
			}
			wanted = append(wanted, []string{"added", "removed"}[i%2])
		}
		if !slices.Equal(got, wanted) {
			t.Errorf("the page was %q, want %q", got, wanted)
		}
	})
}

// TestCutEntry: an entry that is cut off before its lastmod is not modified when it is whole again.
func TestCutEntry(t *testing.T) {
	bubble(t, func(t *testing.T) {
		web := newWeb()
		web.serve("robots.txt", "Sitemap: /i")
		web.serve("i", index("a", "b"))
		web.serve("a", urlset("1", "2|2026-05-01"))
		web.serve("b", urlset("3"))
		w := web.watcher()
		want(t, "first", append(once(t, w), run(t, w, day)...))
		whole := urlset("3", "2|2026-05-01")
		cut, _, _ := strings.Cut(whole, "<lastmod>")
		web.serve("a", urlset("1"))
		web.serve("b", cut)
		want(t, "cut", run(t, w, 6*day), "failing b")
		web.serve("b", whole)
		want(t, "whole", run(t, w, 6*day), "recovered b")
	})
}

// TestMoved_LastMod: a page that moves to a sitemap that lists no lastmod for it, and back, is not
// modified.
func TestMoved_LastMod(t *testing.T) {
	bubble(t, func(t *testing.T) {
		web := newWeb()
		w := web.watcher()
		web.serve("robots.txt", "Sitemap: /a\nSitemap: /b")
		for i := range 4 {
			a, b := urlset("1", "2|2026-05-20"), urlset("3")
			if i%2 == 1 {
				a, b = urlset("1"), urlset("3", "2")
			}
			web.serve("a", a)
			web.serve("b", b)
			want(t, fmt.Sprint(i), run(t, w, 6*day))
		}
	})
}

// TestRemoved_LastMod: a removed page has the latest of its lastmods, whichever sitemap drops it
// first.
func TestRemoved_LastMod(t *testing.T) {
	for _, names := range []string{"ab", "ba"} {
		bubble(t, func(t *testing.T) {
			web := newWeb()
			web.serve("robots.txt", "Sitemap: /a\nSitemap: /b")
			web.serve("a", urlset("1", "2|2026-05-20"))
			web.serve("b", urlset("3", "2|2026-05-10"))
			w := web.watcher()
			want(t, "first", once(t, w))
			for _, name := range strings.Split(names, "") {
				web.serve(name, urlset(map[string]string{"a": "1", "b": "3"}[name]))
				if name == names[:1] {
					want(t, "gone from one", run(t, w, 3*day))
				}
			}
			var lastMods []string
			for range 24 {
				time.Sleep(3 * time.Hour)
				for e, err := range w.Once(t.Context(), slices.Values([]string{"a.test"})) {
					if err != nil {
						t.Fatal(err)
					}
					lastMods = append(lastMods, short(e)+" "+e.URL.LastMod.String())
				}
			}
			want(t, names, lastMods, "removed 2 2026-05-20")
		})
	}
}

// TestRemoved_SitemapReturns: the pages of a sitemap that is dropped are removed, and those of one
// that comes back are added.
func TestRemoved_SitemapReturns(t *testing.T) {
	bubble(t, func(t *testing.T) {
		web := newWeb()
		web.serve("robots.txt", "Sitemap: /i")
		web.serve("i", index("a", "b"))
		web.serve("a", urlset("1"))
		web.serve("b", urlset("2", "3"))
		w := web.watcher()
		want(t, "first", once(t, w))
		web.serve("i", index("a"))
		want(t, "dropped", run(t, w, 3*day), "sitemap_removed b", "removed 2", "removed 3")
		web.serve("i", index("a", "b"))
		want(t, "back", run(t, w, 3*day), "sitemap_added b", "added 2", "added 3")
	})
}

// TestRemoved_IndexDates: a page is not removed that moves to another sitemap on a day whose date
// the index lists already.
func TestRemoved_IndexDates(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBusySite(2)
		b.layout = time.DateOnly
		once(t, b.w)
		for range 10 {
			time.Sleep(2 * day)
			b.publish(0, true)
			b.until(t, b.publish(1, true))
		}
		moved, _, _ := strings.Cut(b.pages[0][0], "|")
		b.pages[1] = append(b.pages[1], b.pages[0][0])
		b.pages[0] = b.pages[0][1:]
		for i := range b.pages {
			b.serve(b.name(i), urlset(b.pages[i]...))
		}
		time.Sleep(2 * day)
		b.publish(0, true)
		if got := run(t, b.w, 20*day); slices.Contains(got, "removed "+moved) {
			t.Errorf("%q", got)
		}
	})
}

// TestRemoved_Lost: a sitemap that has failed for 30 days no longer holds up removals, since its
// pages cannot be known.
func TestRemoved_Lost(t *testing.T) {
	bubble(t, func(t *testing.T) {
		web, w := watchTwo(t)
		web.fail("b", 404)
		web.serve("a", urlset("1"))
		before := web.requests["https://a.test/b"]
		var failed, removed time.Time
		for hour := 0; removed.IsZero() && hour < 24*40; hour++ {
			if slices.Contains(once(t, w), "removed 2") {
				removed = time.Now()
			}
			if failed.IsZero() && web.requests["https://a.test/b"] > before {
				failed = time.Now()
			}
			time.Sleep(time.Hour)
		}
		if wait := removed.Sub(failed); wait < 30*day || wait > 31*day+time.Hour {
			t.Errorf("removed %v after the first failure of the other sitemap", wait)
		}
	})
}

// TestRemoved_LostReturns: a page that only a lost sitemap still lists is removed if the sitemap
// comes back without it.
func TestRemoved_LostReturns(t *testing.T) {
	bubble(t, func(t *testing.T) {
		web := newWeb()
		web.serve("robots.txt", "Sitemap: /a\nSitemap: /b")
		web.serve("a", urlset("1", "2"))
		web.serve("b", urlset("2", "3"))
		w := web.watcher()
		want(t, "first", once(t, w))
		web.fail("b", 404)
		want(t, "lost", run(t, w, 40*day), "failing b")
		web.serve("a", urlset("1"))
		want(t, "gone from the other", run(t, w, 20*day))
		web.serve("b", urlset("3"))
		want(t, "back", run(t, w, 20*day), "recovered b", "removed 2")
	})
}

// TestRemoved_LostKnownPath: the pages of a sitemap that robots.txt does not name are removed in time
// if another one takes its place.
func TestRemoved_LostKnownPath(t *testing.T) {
	bubble(t, func(t *testing.T) {
		web := newWeb()
		web.serve("sitemap.xml", urlset("1", "2"))
		w := web.watcher()
		want(t, "first", append(once(t, w), run(t, w, day)...))
		web.fail("sitemap.xml", 404)
		web.serve("sitemap_index.xml", index("a"))
		web.serve("a", urlset("1"))
		want(t, "replaced", run(t, w, 20*day),
			"sitemap_added sitemap_index.xml", "sitemap_added a", "failing sitemap.xml")
		want(t, "lost", run(t, w, 60*day), "sitemap_removed sitemap.xml", "removed 2")
	})
}

// An index that is replaced no longer holds them up either.
func TestRemoved_LostIndex(t *testing.T) {
	bubble(t, func(t *testing.T) {
		web := newWeb()
		web.serve("sitemap.xml", index("a"))
		web.serve("a", urlset("1", "2"))
		w := web.watcher()
		want(t, "first", append(once(t, w), run(t, w, day)...))
		web.fail("sitemap.xml", 404)
		web.serve("sitemap_index.xml", index("a"))
		want(t, "replaced", run(t, w, 20*day),
			"sitemap_added sitemap_index.xml", "failing sitemap.xml")
		web.serve("a", urlset("1"))
		want(t, "lost", run(t, w, 60*day), "sitemap_removed sitemap.xml", "removed 2")
	})
}

// TestRemoved_Feed: a page that has left a sitemap is removed when it leaves a feed too, but not if it
// returns in a feed only.
func TestRemoved_Feed(t *testing.T) {
	bubble(t, func(t *testing.T) {
		web := newWeb()
		feed := func(page string) {
			web.serve("f", "<rss version='2.0'><channel><item><link>https://a.test/"+page+
				"</link></item></channel></rss>")
		}
		web.serve("robots.txt", "Sitemap: /s\nSitemap: /f")
		web.serve("s", urlset("1", "2"))
		feed("2")
		w := web.watcher()
		want(t, "first", once(t, w))
		web.serve("s", urlset("1"))
		want(t, "in the feed only", run(t, w, 6*day))
		feed("1")
		want(t, "in none", run(t, w, 6*day), "removed 2")
		feed("2")
		want(t, "back in the feed", run(t, w, 6*day), "added 2")
		feed("1")
		want(t, "in none again", run(t, w, 6*day))
	})
}

// TestWindow_Dropped: a feed of which an item is always dropped keeps no items that have left it.
func TestWindow_Dropped(t *testing.T) {
	bubble(t, func(t *testing.T) {
		web := newWeb()
		web.serve("robots.txt", "Sitemap: /f")
		w := web.watcher()
		for i := range 10 {
			item := fmt.Sprintf("<item><link>https://a.test/%d</link></item>", i)
			web.serve("f", "<rss version='2.0'><channel><item><link>mailto:x</link></item>"+item+
				"</channel></rss>")
			run(t, w, 2*day)
		}
		for d, err := range w.Documents("a.test") {
			if err != nil || d.URLs != 1 || d.Failures != 0 {
				t.Errorf("%+v, %v", d, err)
			}
		}
	})
}

// TestWindow_Cut: a page of a news sitemap is not removed if its entry was once cut off before it
// said that it is news.
func TestWindow_Cut(t *testing.T) {
	bubble(t, func(t *testing.T) {
		news := func(page string) string {
			return "<url><loc>https://a.test/" + page + "</loc><n:news><n:title>T</n:title></n:news></url>"
		}
		const root = "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' " +
			"xmlns:n='http://www.google.com/schemas/sitemap-news/0.9'>"
		web := newWeb()
		web.serve("robots.txt", "Sitemap: /n")
		web.serve("n", root+news("1")+news("2")+"</urlset>")
		w := web.watcher()
		want(t, "first", once(t, w))
		cut, _, _ := strings.Cut(root+news("3")+news("1")+news("2"), "/2</loc>")
		web.serve("n", cut+"/2</loc>")
		want(t, "cut", run(t, w, 3*day), "added 3", "failing")
		web.serve("n", root+news("3")+news("1")+"</urlset>")
		want(t, "then", run(t, w, 6*day), "recovered")
		cut, _, _ = strings.Cut(root+news("3")+news("1")+news("4"), "/4</loc>")
		web.serve("n", cut+"/4</loc>")
		want(t, "cut in a new entry", run(t, w, 3*day), "added 4", "failing")
		web.serve("n", root+news("3")+news("1")+news("4")+"</urlset>")
		want(t, "whole", run(t, w, 3*day), "recovered")
		web.serve("n", root+news("3")+news("1")+"</urlset>")
		want(t, "without it", run(t, w, 6*day))
	})
}

// TestRemoved_Busy: a page is removed in time though the other sitemaps take all that PerDay allows.
func TestRemoved_Busy(t *testing.T) {
	bubble(t, func(t *testing.T) {
		web, names := newWeb(), []string{}
		web.serve("robots.txt", "Sitemap: /i")
		w := web.watcher()
		w.PerDay = 24
		isGone := false
		for i := range 30 {
			name := fmt.Sprint("s", i)
			names = append(names, name)
			web.pages["https://a.test/"+name] = func() string {
				page := fmt.Sprint(name, "-1|", time.Now().UTC().Format(time.RFC3339))
				if i == 15 && !isGone {
					return urlset(page, "2")
				}
				return urlset(page)
			}
		}
		web.serve("i", index(names...))
		ctx, cancel := context.WithTimeout(t.Context(), 40*day)
		defer cancel()
		time.AfterFunc(5*day, func() { web.mu.Lock(); isGone = true; web.mu.Unlock() })
		for e := range w.Events(ctx, slices.Values([]string{"a.test"})) {
			if short(e) == "removed 2" {
				return
			}
		}
		t.Error("it was not removed in 35 days")
	})
}

// TestSince: a watch whose Since moves on, as that of a cron job, removes no page that is listed.
func TestSince(t *testing.T) {
	bubble(t, func(t *testing.T) {
		web := newWeb()
		web.serve("robots.txt", "Sitemap: /i\nSitemap: /b")
		web.serve("i", index("a|2026-05-20", "c"))
		web.serve("a", urlset("1|2026-05-20"))
		web.serve("b", urlset("2|2026-05-20", "3"))
		web.serve("c", urlset("4"))
		w := web.watcher()
		var got []string
		for i := range 24 {
			if i == 15 {
				web.serve("i", index("a|2026-05-20", "c", "d"))
				web.serve("b", urlset("2|2026-05-20", "3", "5"))
				web.serve("d", urlset("6"))
			}
			w.Options.Since = time.Now().Add(-20 * day)
			got = append(got, once(t, w)...)
			time.Sleep(day)
		}
		want(t, "all", got, "added 5", "added 6", "sitemap_added d")
	})
}

// TestRemoved_MovesOn: a page that moves to a sitemap that cannot be read, and from there to
// another one, is not removed.
func TestRemoved_MovesOn(t *testing.T) {
	for name, test := range map[string]struct {
		end  func(*web)
		want []string
	}{
		"is named no more": {func(w *web) { w.serve("i", index("a", "c")) },
			[]string{"sitemap_removed b", "removed 3"}},
		"can be read": {func(w *web) { w.serve("b", urlset("3")) }, []string{"recovered b"}},
	} {
		bubble(t, func(t *testing.T) {
			web := newWeb()
			web.serve("robots.txt", "Sitemap: /i")
			web.serve("i", index("a", "b", "c"))
			web.serve("a", urlset("1", "2"))
			web.serve("b", urlset("3"))
			web.serve("c", urlset("4"))
			w := web.watcher()
			want(t, "first", once(t, w))
			web.serve("a", urlset("1"))
			web.fail("b", 404)
			want(t, "it moves", run(t, w, 5*day), "failing b")
			for asked := web.requests["https://a.test/c"]; web.requests["https://a.test/c"] == asked; {
				want(t, "still", once(t, w))
				time.Sleep(time.Hour)
			}
			test.end(web)
			web.serve("c", urlset("4", "2"))
			want(t, "b "+name, run(t, w, 6*day), test.want...)
		})
	}
}

// TestRemoved_MovesTwice: a page is not removed that moves to a sitemap and from there, before that
// one is read, to another one that has just been read.
func TestRemoved_MovesTwice(t *testing.T) {
	bubble(t, func(t *testing.T) {
		web := newWeb()
		web.serve("robots.txt", "Sitemap: /a\nSitemap: /b\nSitemap: /c")
		home := "a"
		for _, path := range []string{"b", "c"} {
			web.pages["https://a.test/"+path] = func() string {
				if home == path {
					return urlset("of-"+path, "2")
				}
				if home == "not read yet" {
					home = path // from the other one
				}
				return urlset("of-" + path)
			}
		}
		web.serve("a", urlset("1", "2"))
		w := web.watcher()
		w.PerDay = 6
		want(t, "first", append(once(t, w), run(t, w, day)...))
		web.pages["https://a.test/a"] = func() string {
			if home == "a" {
				home = "not read yet"
			}
			return urlset("1")
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*day)
		defer cancel()
		for e := range w.Events(ctx, slices.Values([]string{"a.test"})) {
			if ctx.Err() == nil {
				t.Errorf("it moves: %s", short(e))
			}
		}
		if home == "a" || home == "not read yet" {
			t.Error("no other sitemap was read")
		}
	})
}

// TestRemoved_Pages: no page is removed that moves down or up a list of sitemaps while these are
// read, whether an index or robots.txt names them.
func TestRemoved_Pages(t *testing.T) {
	for name, test := range map[string]struct{ isUp, isIndex bool }{
		"down": {false, true}, "up": {true, true}, "down, without an index": {false, false},
	} {
		bubble(t, func(t *testing.T) {
			web, start := newWeb(), time.Now()
			var list []string
			publish := func() {
				list = list[:0]
				for i := range 40 + int(time.Since(start)/(4*time.Hour)) {
					list = append(list, fmt.Sprint("page-", i))
				}
				if slices.Reverse(list); test.isUp { // the oldest are first, and leave
					slices.Reverse(list)
					list = list[len(list)-40:]
				}
				var names []string
				for part := range slices.Chunk(list, 5) {
					names = append(names, fmt.Sprint("s", len(names)))
					web.serve(names[len(names)-1], urlset(part...))
				}
				web.serve("i", index(names...))
				web.serve("robots.txt", "Sitemap: /i")
				if !test.isIndex {
					web.serve("robots.txt", "Sitemap: /"+strings.Join(names, "\nSitemap: /"))
				}
			}
			w := web.watcher()
			w.PerDay = 24
			w.Client.Fetch.Transport = roundTripper(func(r *http.Request) (*http.Response, error) {
				publish()
				return web.RoundTrip(r)
			})
			ctx, cancel := context.WithTimeout(t.Context(), 8*day)
			defer cancel()
			n := map[watch.Kind]int{}
			for e := range w.Events(ctx, slices.Values([]string{"a.test"})) {
				n[e.Kind]++
				isListed := slices.Contains(list, strings.TrimPrefix(e.URL.Loc, "https://a.test/"))
				if e.Kind == watch.Removed && isListed {
					t.Errorf("%s: %s", name, short(e))
				}
			}
			if n[watch.Added] < 30 || test.isUp && n[watch.Removed] < 30 {
				t.Errorf("%s: %v", name, n)
			}
		})
	}
}

// TestRemoved_Nested: a removal waits for no index that another one stands for, and the other is not
// requested again and again.
func TestRemoved_Nested(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBusySite(1)
		b.serve("robots.txt", "Sitemap: /root")
		root := func() {
			b.serve("root", index("i|"+time.Now().UTC().Format(time.RFC3339), "other"))
		}
		b.serve("other", urlset("x", "y"))
		for range 10 {
			root()
			b.publish(0, true)
			run(t, b.w, day)
		}
		b.serve("other", urlset("x"))
		asked := b.asked("root")
		if got := run(t, b.w, 2*day); !slices.Contains(got, "removed y") {
			t.Errorf("%v", got)
		}
		if n := b.asked("root") - asked; n > 20 {
			t.Errorf("%d requests for the index of the index", n)
		}
	})
}

// TestRemoved_DamagedIndex: an index that was damaged from the start is like any document that
// fails: after 30 days, no removal waits for it.
func TestRemoved_DamagedIndex(t *testing.T) {
	bubble(t, func(t *testing.T) {
		web := newWeb()
		web.serve("robots.txt", "Sitemap: /a\nSitemap: /i")
		web.serve("a", urlset("1", "2"))
		web.serve("i", damaged(index("b")))
		w := web.watcher()
		want(t, "first", run(t, w, day), "failing i")
		web.serve("a", urlset("1"))
		want(t, "later", run(t, w, 40*day), "removed 2")
	})
}
