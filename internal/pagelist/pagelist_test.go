package pagelist

import (
	"fmt"
	"reflect"
	"runtime"
	"testing"
	"time"

	"github.com/seed-322c453a/sitemap"
)

// TestList: a list is read as it was stored.
func TestList(t *testing.T) {
	day, _ := sitemap.ParseTime("2026-05-06")
	second, _ := sitemap.ParseTime("2026-05-06T07:08:09.5+02:00")
	list := List{
		{Loc: "https://a.test/"},
		{Loc: "https://a.test/b", LastMod: day, State: Untrusted | Sitemap},
		{
			Loc: "https://a.test/b/c", LastMod: second, State: Settled,
			Gone: time.UnixMilli(1_780_000_000_123), Removed: 3, From: "https://a.test/s",
		},
		{Loc: "https://a.test/d", Gone: time.UnixMilli(1)},
	}
	pages := map[string]Page{}
	for _, p := range list {
		pages[p.Loc] = p
	}
	got, err := Decode(Of(pages).Encode())
	if err != nil || !reflect.DeepEqual(got, list) {
		t.Errorf("got %v, %v; want %v", got, err, list)
	}
	if p := got.Find("https://a.test/b/c"); p != &got[2] {
		t.Errorf("found %v", p)
	}
	if p := got.Find("https://a.test/x"); p != nil {
		t.Errorf("found %v", p)
	}
}

// TestDecode_Damaged: damage is an error.
func TestDecode_Damaged(t *testing.T) {
	pages := map[string]Page{}
	for i := range 100 {
		loc := fmt.Sprintf("https://a.test/%03d", i)
		pages[loc] = Page{Loc: loc}
	}
	whole := Of(pages).Encode()
	for i := range whole {
		damaged := append([]byte{}, whole...)
		damaged[i] ^= 0x55
		if got, err := Decode(damaged); err == nil && !reflect.DeepEqual(got, Of(pages)) {
			t.Errorf("damage at %d: %d pages", i, len(got))
		}
		if _, err := Decode(whole[:i]); err == nil {
			t.Errorf("cut at %d: no error", i)
		}
	}
}

// Encode does not copy long locations before it compresses them.
func TestEncode_LongLocations(t *testing.T) {
	var l List
	for i := range 1_000 {
		l = append(l, Page{Loc: fmt.Sprintf("https://example.com/%08000d", i)})
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	b := l.Encode()
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 4<<20 {
		t.Errorf("locations of 8 MB take %d bytes more", n)
	}
	if back, err := Decode(b); err != nil || !reflect.DeepEqual(back, l) {
		t.Errorf("%d pages, %v", len(back), err)
	}
}
