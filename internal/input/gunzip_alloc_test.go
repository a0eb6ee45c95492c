//go:build !race

// The race detector makes sync.Pool drop values at random.

package input

import (
	"strings"
	"testing"
)

// The buffers are pooled: a document allocates only its Gunzip, and some words for each layer.
func TestGunzip_Allocs(t *testing.T) {
	for _, in := range []string{"<urlset/>", gz(t, document(20<<10)),
		gz(t, gz(t, document(20<<10)))} {
		src := strings.NewReader(in)
		p := make([]byte, 64<<10)
		got := testing.AllocsPerRun(100, func() {
			src.Reset(in)
			g := newGunzip(src)
			for {
				if _, err := g.Read(p); err != nil {
					break
				}
			}
			g.Close()
		})
		if want := 8.0; got > want {
			t.Errorf("%.1f allocations for %d bytes, want %.1f", got, len(in), want)
		}
	}
}
