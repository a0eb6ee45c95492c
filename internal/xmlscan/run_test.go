package xmlscan

import (
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap/internal/input"
	"github.com/seed-322c453a/sitemap/internal/namespace"
)

// An element that ends no run is searched for once, not once for each element of the run.
func TestReader_SkipRun_Once(t *testing.T) {
	const n = 1_500
	doc := `<r xmlns:a="urn:a" xmlns:b="urn:b">` + strings.Repeat("<a:x/><b:x/>", n) + "<c/></r>"
	in := input.Open(strings.NewReader(doc), nil)
	defer in.Close()
	r, asked := NewReader(in, nil), 0
	r.IsExtension = func(namespace.Space) bool { asked++; return true }
	children := 0
	for r.Child(0) {
		for r.Child(1) {
			children++
			r.SkipRun()
		}
	}
	if children != 2*n+1 || asked > 10*n {
		t.Errorf("%d children, %d extensions looked at, want %d and at most %d", children, asked,
			2*n+1, 10*n)
	}
}
