package robots_test

import (
	"fmt"
	"net/url"
	"runtime"
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap/discover/robots"
)

// TestRobots_Size: the estimate is about the memory that is held, whatever the file is full of.
func TestRobots_Size(t *testing.T) {
	for name, line := range map[string]string{
		"one agent":  "user-agent: %d",
		"groups":     "user-agent: %d\nallow: /",
		"long names": "user-agent: %d" + strings.Repeat("x", 500),
		"rules":      "allow: /%d",
		"long rules": "disallow: /%d" + strings.Repeat("*x", 300),
		"sitemaps":   "sitemap: /%d",
		"problems":   "sitemap: ftp://%d" + strings.Repeat("x", 200),
		"delays":     "user-agent: %d\ncrawl-delay: 1",
		"long lines": "site-map: \x00%d" + strings.Repeat("x y ", 60_000),
		"comments":   "# %d" + strings.Repeat("x", 500),
	} {
		var b strings.Builder
		for i := 0; b.Len() < robots.MaxBytes/4; i++ {
			fmt.Fprintf(&b, line+"\n", i)
		}
		text := "user-agent: a\n" + b.String()
		before := heap()
		f, err := robots.Parse(strings.NewReader(text), &url.URL{Scheme: "https", Host: "a.test"})
		if err != nil {
			t.Fatal(err)
		}
		const noise = 64 << 10
		if held, size := heap()-before, f.Size(); held > 2*size+noise || size > 4*held+noise {
			t.Errorf("%s: %d bytes held, %d estimated", name, held, size)
		}
		runtime.KeepAlive([]any{f, text})
	}
}

func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestRobots_SizeOfRecords: the records that precede all groups are counted too.
func TestRobots_SizeOfRecords(t *testing.T) {
	const n = 8_000
	f, err := robots.Parse(strings.NewReader("x-key: "+strings.Repeat("x", n)), nil)
	if err != nil || len(f.Other("a")) != 1 || f.Size() < n {
		t.Errorf("%d records, %d bytes estimated, %v", len(f.Other("a")), f.Size(), err)
	}
}
