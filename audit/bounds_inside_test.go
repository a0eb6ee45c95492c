package audit

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap/discover"
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
	for name, content := range map[string][]part{
		"depth":      {{3 * maxElements / 1_000, strings.Repeat("<x>", 1_000)}},
		"texts":      {{3_000, "<x>" + text + "</x>"}},
		"attributes": {{3_000, "<x a='" + text + "'/>"}},
		"late texts": {{3_000, "<x>"}, {3_000, text + "</x>"}},
	} {
		open := func() (io.ReadCloser, error) {
			readers := []io.Reader{strings.NewReader("<urlset><url><loc>https://example.com/</loc>")}
			for _, p := range content {
				for range p.times {
					readers = append(readers, strings.NewReader(p.text))
				}
			}
			return io.NopCloser(io.MultiReader(readers...)), nil
		}
		d := newAuditor(Source{Open: open}, &reporter{o: new(Options), found: func(Finding) {}})
		d.run()
		if cap(d.path) > 2*maxElements || cap(d.bytes) > 2*maxKept {
			t.Errorf("%s: room for a depth of %d and %d bytes", name, cap(d.path), cap(d.bytes))
		}
	}
}
