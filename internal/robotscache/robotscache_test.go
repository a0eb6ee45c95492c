package robotscache

import (
	"strconv"
	"testing"
	"testing/synctest"
	"time"
)

type file struct{ size int64 }

func (f *file) Size() int64 { return f.size }

// TestCache_Age: a file is returned for a day, then no more, and a later one takes its place.
func TestCache_Age(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c Cache[*file]
		if got := c.Get("a"); got != nil {
			t.Errorf("an empty cache returns %v", got)
		}
		first, second := &file{1}, &file{2}
		c.Put("a", first)
		time.Sleep(maxAge)
		if got := c.Get("a"); got != first {
			t.Errorf("after a day: %v", got)
		}
		time.Sleep(time.Second)
		if got := c.Get("a"); got != nil {
			t.Errorf("after more than a day: %v", got)
		}
		c.Put("a", second)
		if got := c.Get("a"); got != second || c.size != 2 {
			t.Errorf("then: %v, %d bytes in all", got, c.size)
		}
	})
}

// TestCache_Room: the cache stays within its room, except for one file that is larger.
func TestCache_Room(t *testing.T) {
	var c Cache[*file]
	for i := range 10 {
		loc := strconv.Itoa(i)
		c.Put(loc, &file{room / 4})
		if c.Get(loc) == nil || c.size > room || len(c.files) > 4 {
			t.Fatalf("file %d: %d bytes of %d files", i, c.size, len(c.files))
		}
	}
	c.Put("large", &file{2 * room})
	if c.Get("large") == nil || len(c.files) != 1 || c.size != 2*room {
		t.Errorf("a large file: %d bytes of %d files", c.size, len(c.files))
	}
	c.Put("small", &file{1})
	if c.Get("large") != nil || c.size != 1 {
		t.Errorf("a small file after it: %d bytes", c.size)
	}
}
