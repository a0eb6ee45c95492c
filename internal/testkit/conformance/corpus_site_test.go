package conformance

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/discover/robots"
	"github.com/seed-322c453a/sitemap/discover/trust"
	"github.com/seed-322c453a/sitemap/fetch"
)

// A fakeSite is a site.json: the responses of a small web.
type fakeSite struct {
	Start struct {
		Homepage, Sitemap string
		RobotsTxt         string `json:"robots_txt"`
	}
	Responses []fakeResponse
	Default   fakeResponse

	mu      sync.Mutex
	fetched map[string]int
}

type fakeResponse struct {
	URL     string
	Status  int
	Headers map[string]string
	Body    string // a file
	Times   int

	body []byte
}

// RoundTrip answers with the URL's responses in order, each Times times and the last one forever.
func (s *fakeSite) RoundTrip(req *http.Request) (*http.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	loc := req.URL.String()
	n := s.fetched[loc]
	s.fetched[loc]++
	answer := s.Default
	for _, r := range s.Responses {
		if r.URL != loc {
			continue
		}
		answer = r
		if n -= max(1, r.Times); n < 0 {
			break
		}
	}
	res := &http.Response{
		StatusCode: answer.Status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(answer.body)),
		ContentLength: int64(len(answer.body)), Request: req,
	}
	for k, v := range answer.Headers {
		res.Header.Set(k, v)
	}
	return res, nil
}

// siteFaults walks a fake site.
func (c *corpusCase) siteFaults(t *testing.T) (why []string) {
	site := &fakeSite{fetched: map[string]int{}}
	if err := json.Unmarshal(readFile(t, c.dir, "site.json"), site); err != nil {
		t.Fatal(err)
	}
	for i := range site.Responses {
		if name := site.Responses[i].Body; name != "" {
			site.Responses[i].body = readFile(t, c.dir, name)
		}
	}
	client := &discover.Client{Fetch: &fetch.Client{Transport: site, Retries: -1}}
	from, faults := c.seeds(t, client, site)
	why = append(why, faults...)

	failed := map[string]error{}
	var visited []string
	o := &discover.Options{MinTrust: trust.Untrusted,
		Done: func(s *discover.Sitemap, sum discover.Summary) {
			visited = append(visited, s.Loc)
			if sum.Err != nil {
				failed[s.Loc] = sum.Err
			}
		}}
	var walkErr error
	k := 0
	for u, err := range client.Walk(t.Context(), from, o) {
		switch {
		case err != nil:
			if _, ok := errors.AsType[*discover.WalkError](err); !ok {
				why = append(why, fmt.Sprintf("error %v, want a WalkError", err))
			}
			walkErr = err
		case k < len(c.URLs) && c.URLs[k].is(u.Entry):
			if in := c.URLs[k].InScope; in.present && in.value != (u.Trust >= trust.Verified) {
				why = append(why, fmt.Sprintf("%s is %s, want in scope %v", u.Loc, u.Trust,
					in.value))
			}
			k++
		case !slices.ContainsFunc(c.Recoverable, func(l listed) bool { return l.is(u.Entry) }):
			why = append(why, "not to be found: "+u.Loc)
		}
	}
	for _, l := range c.URLs[k:] {
		why = append(why, "not found: "+l.Loc)
	}
	return append(why, c.fetchFaults(site, visited, failed, walkErr)...)
}

// seeds returns the sitemaps that the case starts from.
func (c *corpusCase) seeds(t *testing.T, client *discover.Client,
	site *fakeSite) (from []*discover.Sitemap, why []string) {
	t.Helper()
	switch {
	case site.Start.Sitemap != "":
		return []*discover.Sitemap{{Loc: site.Start.Sitemap}}, nil
	case site.Start.Homepage != "":
		from, err := client.Find(t.Context(), site.Start.Homepage)
		if err != nil {
			return nil, []string{err.Error()}
		}
		return from, nil
	}
	base, err := url.Parse(site.Start.RobotsTxt)
	if err != nil {
		t.Fatal(err)
	}
	var body []byte
	for _, r := range site.Responses {
		if r.URL == site.Start.RobotsTxt {
			body = r.body
		}
	}
	r, err := robots.Parse(bytes.NewReader(body), base)
	if err != nil {
		return nil, []string{err.Error()}
	}
	if got := robotsLocs(r); !slices.Equal(got, c.RobotsSitemaps) && c.RobotsSitemaps != nil {
		why = append(why, fmt.Sprintf("robots.txt names %q, want %q", got, c.RobotsSitemaps))
	}
	for _, s := range r.Sitemaps {
		from = append(from, &discover.Sitemap{Loc: s.Loc, RobotsURL: site.Start.RobotsTxt,
			Line: s.Line, Grants: trust.Grants(trust.FromRobots, site.Start.RobotsTxt, nil, nil)})
	}
	return from, why
}

// fetchFaults compares the requests and the failures.
func (c *corpusCase) fetchFaults(site *fakeSite, visited []string, failed map[string]error,
	walkErr error) (why []string) {
	for loc, n := range c.FetchCounts {
		if site.fetched[loc] != n {
			why = append(why, fmt.Sprintf("%s fetched %d times, want %d", loc, site.fetched[loc],
				n))
		}
	}
	for _, loc := range c.SitemapsVisited {
		if !slices.Contains(visited, loc) {
			why = append(why, "not visited: "+loc)
		}
	}
	for _, f := range c.Failed {
		err := failed[f.URL]
		if f.URL == "" {
			err = walkErr // of any document, or of the walk
		}
		if status, ok := strings.CutPrefix(f.Error, "http-"); ok {
			fe, is := errors.AsType[*fetch.Error](err)
			if !is || strconv.Itoa(fe.Status) != status {
				why = append(why, fmt.Sprintf("%s: error %v, want status %s", f.URL, err, status))
			}
		} else if err == nil {
			why = append(why, fmt.Sprintf("%s: no error, want %s", f.URL, f.Error))
		}
	}
	if len(c.Failed) == 0 && len(failed) > 0 {
		why = append(why, fmt.Sprintf("errors %v", failed))
	}
	return why
}
