package audit

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/fetch"
)

// Each bound of what an audit keeps lets a number pass, and no more.
func TestBounds(t *testing.T) {
	for name, bound := range map[string]struct {
		last    int
		hasRoom func(n int) bool // for the last one of n
	}{
		"findings of an entry": {999, func(n int) bool {
			reported := 0
			d := auditor{judge: judge{out: &reporter{found: func(Finding) { reported++ }}}}
			for range n {
				d.hold(Finding{})
			}
			return reported == 0
		}},
		"origins": {1_000, func(n int) bool {
			o := newOrigins()
			for i := range n - 1 {
				o.of(fmt.Sprintf("https://%d.example.com/", i))
			}
			return o.of("https://www.example.com/") != nil
		}},
		"text of an element": {16 << 10, func(n int) bool {
			e := entry{elements: make([]element, 1), path: []int{0}}
			e.addText([]byte(fmt.Sprintf("%0*d", n, 0)), true, 0)
			return len(e.elements[0].text) == n
		}},
		"alternates of a page": {9_999, func(n int) bool {
			isFound := false
			r := &reporter{o: new(Options), found: func(Finding) { isFound = true }}
			c := cross{siteJudge: &siteJudge{reporter: r}, documents: []string{"s.xml"}}
			g := group{isListed: true, names: map[string]bool{}}
			for i := range n {
				c.compare(&g, &record{kind: isNaming, other: fmt.Sprint(i)})
			}
			c.compare(&g, &record{kind: isNamed, other: "https://www.example.com/"})
			return isFound
		}},
		"pages before their turn": {16, func(n int) bool {
			judged := 0
			r := &reporter{o: &Options{Judged: func(PageResult) { judged++ }}}
			p := newPageAuditor(&siteJudge{reporter: r, ctx: t.Context(), client: new(discover.Client)}, nil)
			for range n {
				p.add(sampled{place: place{loc: "no URL"}})
			}
			return judged == 0
		}},
	} {
		if !bound.hasRoom(bound.last) || bound.hasRoom(bound.last+1) {
			t.Errorf("%s: the last is not the one with number %d", name, bound.last)
		}
	}
}

// A part of a document is a text that is repeated.
type part struct {
	times int
	text  string
}

// What is remembered of an entry is bounded, whatever it holds.
func TestBounds_Entry(t *testing.T) {
	text := strings.Repeat("x", maxElementText)
	const deep, many = maxElements/1_000 + 10, maxKept/maxElementText + 50
	room := make([]byte, 0, maxKept+2*maxElementText) // once, since it costs more than the rest
	for name, content := range map[string][]part{
		"depth":      {{deep, strings.Repeat("<x>", 1_000)}},
		"texts":      {{many, "<x>" + text + "</x>"}},
		"attributes": {{many, "<x a='" + text + "'/>"}},
		"late texts": {{many, "<x>"}, {many, text + "</x>"}},
	} {
		var d *auditor
		elements, kept := 0, 0
		atEnd := readerFunc(func([]byte) (int, error) {
			elements, kept = max(len(d.elements), len(d.path)), len(d.bytes)
			return 0, io.EOF
		})
		open := func() (io.ReadCloser, error) {
			readers := []io.Reader{strings.NewReader("<urlset><url><loc>https://example.com/</loc>")}
			for _, p := range content {
				for range p.times {
					readers = append(readers, strings.NewReader(p.text))
				}
			}
			return io.NopCloser(io.MultiReader(append(readers, atEnd)...)), nil
		}
		d = newAuditor(Source{Open: open}, &reporter{o: new(Options), found: func(Finding) {}})
		d.bytes = room
		d.run()
		isFull := elements >= maxElements || kept >= maxKept
		if !isFull || elements > maxElements || kept > maxKept+2*maxElementText {
			t.Errorf("%s: %d elements or levels, %d bytes are kept", name, elements, kept)
		}
	}
}

// A readerFunc reads with the function.
type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// The robots.txt files of further hosts take a bounded memory: no more are asked for when it is
// used up.
func TestSite_LargeRobots(t *testing.T) {
	asked := 0
	answer := transportFunc(func(r *http.Request) (*http.Response, error) {
		asked++
		body := io.NopCloser(strings.NewReader("User-agent: *\nAllow: /\n"))
		return &http.Response{StatusCode: 200, Body: body, Request: r}, nil
	})
	c := &discover.Client{Fetch: &fetch.Client{Transport: answer}}
	const home = "https://www.example.com/"
	for range siteSequence(t.Context(), c, nil, []string{home}, func(s *siteAuditor) error {
		s.robotsBytes = 64<<20 - 1 // of files before these
		for i := range 5 {
			loc := fmt.Sprintf("https://h%d.example.net/", i)
			s.loose.add(&discover.Sitemap{Loc: home + "s.xml"}, s.origins.of(loc),
				func() place { return place{loc: loc} })
		}
		s.end(nil)
		return nil
	}) {
	}
	if asked != 1 {
		t.Errorf("%d robots.txt files were asked for, want one for the last byte", asked)
	}
}

// A transportFunc answers requests with the function.
type transportFunc func(r *http.Request) (*http.Response, error)

func (f transportFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
