package watch_test

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/discover/state"
	"github.com/seed-322c453a/sitemap/fetch"
	"github.com/seed-322c453a/sitemap/watch"
)

var (
	simSites = flag.Int("sites", 8, "sites of the simulation")
	simDays  = flag.Int("days", 3, "its days")
)

// The rhythms of the simulation.
const (
	often = iota // five an hour, by the hours of the day
	daily
	weekly
	never
	rhythms
)

// intensity returns how many pages a day a document publishes at a time.
func intensity(rhythm int, at time.Time) float64 {
	switch rhythm {
	case often:
		hour := float64(at.Hour()) + float64(at.Minute())/60
		return 120 * max(0, 1-1.2*math.Cos(2*math.Pi*hour/24)) / 1.08
	case daily:
		return 1
	case weekly:
		return 1.0 / 7
	}
	return 0
}

// A simDoc is a document that publishes pages at given times.
type simDoc struct {
	url   string
	feed  bool
	times []time.Time // when it published, in order
}

// newDoc returns a document that publishes from start until end, one of n of its site. At turn its
// rhythm changes.
func newDoc(url string, n, rhythm, then int, start, turn, end time.Time, r *rand.Rand) *simDoc {
	d := &simDoc{url: url, feed: rhythm == often || then == often}
	const step = time.Minute
	for at := start; at.Before(end); at = at.Add(step) {
		if at.After(turn) {
			rhythm = then
		}
		if r.Float64() < intensity(rhythm, at)/float64(n)*step.Hours()/24 {
			d.times = append(d.times, at.Add(time.Duration(r.Int64N(int64(step)))))
		}
	}
	return d
}

// published returns how many pages the document has at a time.
func (d *simDoc) published(now time.Time) int {
	n, _ := slices.BinarySearchFunc(d.times, now, func(at, now time.Time) int { return at.Compare(now.Add(1)) })
	return n
}

// body returns the document with n pages.
func (d *simDoc) body(n int) string {
	var b strings.Builder
	if d.feed {
		b.WriteString("<rss version='2.0'><channel>")
		for i := n - 1; i >= max(0, n-100); i-- {
			fmt.Fprintf(&b, "<item><link>%s-%d</link><pubDate>%s</pubDate></item>", d.url, i, d.times[i].Format(time.RFC1123Z))
		}
		return b.String() + "</channel></rss>"
	}
	b.WriteString("<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>")
	fmt.Fprintf(&b, "<url><loc>%s-home</loc></url>", d.url)
	for i := range n {
		fmt.Fprintf(&b, "<url><loc>%s-%d</loc><lastmod>%s</lastmod></url>", d.url, i, d.times[i].Format(time.RFC3339))
	}
	return b.String() + "</urlset>"
}

// A simulation is a web of sites that publish.
type simulation struct {
	mu       sync.Mutex
	docs     map[string]*simDoc
	indexes  map[string][]*simDoc
	requests map[string]map[int]int // of a host, by day
	count    int                    // requests for documents
	bytes    int64
	same     int // 304
	start    time.Time
}

func newSimulation(sites int, start, end time.Time) *simulation {
	s := &simulation{docs: map[string]*simDoc{}, indexes: map[string][]*simDoc{}, requests: map[string]map[int]int{}, start: time.Now()}
	r := rand.New(rand.NewPCG(1, 2))
	for i := range sites {
		host := fmt.Sprintf("https://s%d.test", i)
		n := 1
		if i%2 == 1 {
			n = 5
		}
		for j := range n {
			rhythm := i / 2 % rhythms
			then, turn := rhythm, end
			if r.IntN(20) == 0 {
				then, turn = r.IntN(rhythms), s.start.Add(time.Duration(r.Int64N(int64(end.Sub(s.start)))))
			}
			d := newDoc(fmt.Sprintf("%s/%d", host, j), n, rhythm, then, start, turn, end, r)
			s.docs[d.url] = d
			if n > 1 {
				s.indexes[host+"/index"] = append(s.indexes[host+"/index"], d)
			}
		}
	}
	return s
}

func (s *simulation) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	answer := &http.Response{StatusCode: 200, Header: http.Header{}, Request: r, Body: http.NoBody}
	host, now := "https://"+r.URL.Host, time.Now()
	text, tag := "", ""
	switch url := r.URL.String(); {
	case r.URL.Path == "/robots.txt" && s.indexes[host+"/index"] != nil:
		text = "Sitemap: /index"
	case r.URL.Path == "/robots.txt":
		text = "Sitemap: /0"
	case s.indexes[url] != nil:
		for _, d := range s.indexes[url] {
			tag += fmt.Sprint(d.published(now), ".")
		}
	default:
		tag = fmt.Sprint(s.docs[url].published(now))
	}
	if tag != "" {
		if s.requests[host] == nil {
			s.requests[host] = map[int]int{}
		}
		s.requests[host][int(now.Sub(s.start).Hours()/24)]++
		s.count++
		tag = `"` + tag + `"`
		answer.Header.Set("ETag", tag)
		if r.Header.Get("If-None-Match") == tag {
			answer.StatusCode = 304
			s.same++
			return answer, nil
		}
		text = s.body(r.URL.String(), now)
	}
	s.bytes += int64(len(text))
	answer.Body = io.NopCloser(strings.NewReader(text))
	return answer, nil
}

// body returns a document or an index as it is at a time.
func (s *simulation) body(url string, now time.Time) string {
	if d := s.docs[url]; d != nil {
		return d.body(d.published(now))
	}
	var b strings.Builder
	b.WriteString("<sitemapindex xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>")
	for _, d := range s.indexes[url] {
		fmt.Fprintf(&b, "<sitemap><loc>%s</loc>", d.url)
		if n := d.published(now); n > 0 {
			fmt.Fprintf(&b, "<lastmod>%s</lastmod>", d.times[n-1].Format(time.RFC3339))
		}
		b.WriteString("</sitemap>")
	}
	return b.String() + "</sitemapindex>"
}

// A tally sums the delays of events.
type tally struct {
	events int
	delay  time.Duration
}

func (t *tally) add(d time.Duration) { t.events++; t.delay += d }

func (t *tally) mean() time.Duration { return t.delay / time.Duration(max(t.events, 1)) }

// fixed returns the delays of polling all documents at a fixed interval with a number of requests.
func (s *simulation) fixed(requests int, end time.Time) (t tally) {
	interval := end.Sub(s.start) * time.Duration(len(s.docs)+len(s.indexes)) / time.Duration(requests)
	r := rand.New(rand.NewPCG(3, 4))
	for _, d := range s.docs {
		phase := s.start.Add(time.Duration(r.Int64N(int64(interval))))
		for _, at := range d.times {
			if at.After(s.start) {
				t.add(interval - ((at.Sub(phase)%interval + interval) % interval))
			}
		}
	}
	return t
}

// nutch returns the delays and requests of Apache Nutch's AdaptiveFetchSchedule: an interval of an
// hour, then 1.4 times as long after each request that saw no change, and 0.8 times after others.
func (s *simulation) nutch(end time.Time) (t tally, requests int) {
	const least, most = 5 * time.Minute, 14 * 24 * time.Hour
	r := rand.New(rand.NewPCG(5, 6))
	one := func(times []time.Time, count bool) {
		interval, seen := time.Hour, 0
		for seen < len(times) && times[seen].Before(s.start) {
			seen++
		}
		for at := s.start.Add(time.Duration(r.Int64N(int64(interval)))); at.Before(end); at = at.Add(interval) {
			requests++
			changed := false
			for seen < len(times) && times[seen].Before(at) {
				if count {
					t.add(at.Sub(times[seen]))
				}
				seen, changed = seen+1, true
			}
			if changed {
				interval = max(interval*4/5, least)
			} else {
				interval = min(interval*7/5, most)
			}
		}
	}
	for _, d := range s.docs {
		one(d.times, true)
	}
	for _, docs := range s.indexes {
		var times []time.Time
		for _, d := range docs {
			times = append(times, d.times...)
		}
		slices.SortFunc(times, time.Time.Compare)
		one(times, false)
	}
	return t, requests
}

// TestSimulation: the delays of a Watcher are less than half of those of polling at a fixed
// interval with as many requests, and much less than those of Nutch's rule by the same measure.
func TestSimulation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		time.Sleep(30 * 24 * time.Hour) // the documents have published for a month
		now := time.Now()
		end := now.Add(time.Duration(*simDays) * 24 * time.Hour)
		s := newSimulation(*simSites, start, end)
		var sites []string
		for i := range *simSites {
			sites = append(sites, fmt.Sprintf("s%d.test", i))
		}
		limiter := &fetch.HostLimiter{Total: 16, PerHost: 4}
		w := &watch.Watcher{
			Client: &discover.Client{Fetch: &fetch.Client{Transport: s, Limiter: limiter}}, Store: &state.Memory{},
		}
		ctx, cancel := context.WithDeadline(t.Context(), end)
		defer cancel()
		var got tally
		seen := map[string]bool{}
		published := map[string]time.Time{}
		for _, d := range s.docs {
			for i, at := range d.times {
				published[fmt.Sprintf("%s-%d", d.url, i)] = at
			}
		}
		for e, err := range w.Events(ctx, slices.Values(sites)) {
			switch {
			case err != nil && ctx.Err() == nil:
				t.Fatal(err)
			case e.Kind == watch.Added:
				if seen[e.URL.Loc] {
					t.Fatalf("%s was added twice", e.URL.Loc)
				}
				seen[e.URL.Loc] = true
				got.add(e.Time.Sub(published[e.URL.Loc]))
			case err == nil && e.Kind != watch.Quiet:
				t.Fatalf("%+v", e)
			}
		}
		s.compare(t, got, end)
	})
}

// compare reports the table of delays, and fails the test if they are too long.
func (s *simulation) compare(t *testing.T, got tally, end time.Time) {
	fixed := s.fixed(s.count, end)
	nutch, requests := s.nutch(end)
	nutchFixed := s.fixed(requests, end)
	ratio := float64(got.mean()) / float64(fixed.mean())
	nutchRatio := float64(nutch.mean()) / float64(nutchFixed.mean())
	most := 0
	for host, days := range s.requests {
		for day, n := range days {
			if n > 105 {
				t.Errorf("%s: %d requests on day %d", host, n, day)
			}
			most = max(most, n)
		}
	}
	row := func(name string, requests int, t tally, ratio float64) string {
		return fmt.Sprintf("%-16s %8d requests %7d events, mean delay %10s, of fixed %.2f\n", name,
			requests, t.events, t.mean().Round(time.Second), ratio)
	}
	t.Log("\n" + row("this", s.count, got, ratio) + row("fixed", s.count, fixed, 1) +
		row("Nutch's rule", requests, nutch, nutchRatio) + row("fixed", requests, nutchFixed, 1) +
		fmt.Sprintf("%d MB, %d %% of the answers 304, at most %d requests for a site in a day\n",
			s.bytes>>20, 100*s.same/s.count, most))
	if ratio > 0.45 || ratio > 0.6*nutchRatio {
		t.Errorf("the mean delay is %.2f of polling at a fixed interval; by Nutch's rule %.2f",
			ratio, nutchRatio)
	}
	if got.events < fixed.events*98/100 {
		t.Errorf("%d of %d pages were seen", got.events, fixed.events)
	}
}
