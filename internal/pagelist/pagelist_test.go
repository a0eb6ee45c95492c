package pagelist

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/seed-322c453a/sitemap"
)

var now = time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)

// TestList: a list is read as it was stored, without what was gone for too long.
func TestList(t *testing.T) {
	day, _ := sitemap.ParseTime("2026-05-06")
	second, _ := sitemap.ParseTime("2026-05-06T07:08:09.5+02:00")
	old, recent := now.AddDate(0, 0, -31).UnixMilli(), now.AddDate(0, 0, -29).UnixMilli()
	list := List{
		{Loc: "https://a.test/"},
		{Loc: "https://a.test/b", LastMod: day, State: Untrusted},
		{Loc: "https://a.test/b/c", LastMod: second, Gone: recent, Removed: 3, State: Reported},
		{Loc: "https://a.test/d", Gone: old}, // it waits for other documents
	}
	stored := append(List{{Loc: "", Gone: old, State: Reported}}, list...)
	got, err := Decode(stored.Encode(now))
	if err != nil || !reflect.DeepEqual(got, list) {
		t.Errorf("got %v, %v; want %v", got, err, list)
	}
	if i, ok := got.Find("https://a.test/b/c"); !ok || i != 2 {
		t.Errorf("found at %d, %v", i, ok)
	}
	if _, ok := got.Find("https://a.test/x"); ok {
		t.Error("found what is not there")
	}
	if got.Listed() != 2 || !got.Vanished().Equal(time.UnixMilli(old)) {
		t.Errorf("%d are listed, the first vanished at %v", got.Listed(), got.Vanished())
	}
	double := List{{Loc: "b"}, {Loc: "a"}, {Loc: "a", LastMod: day}}.Sort()
	if len(double) != 2 || double[0].LastMod != day {
		t.Errorf("sorted: %v", double)
	}
}

// TestDecode_Damaged: damage is an error.
func TestDecode_Damaged(t *testing.T) {
	var list List
	for i := range 100 {
		list = append(list, Page{Loc: fmt.Sprintf("https://a.test/%03d", i)})
	}
	whole := list.Encode(now)
	for i := range whole {
		damaged := append([]byte{}, whole...)
		damaged[i] ^= 0x55
		if got, err := Decode(damaged); err == nil && !reflect.DeepEqual(got, list) {
			t.Errorf("damage at %d: %d pages", i, len(got))
		}
		if _, err := Decode(whole[:i]); err == nil {
			t.Errorf("cut at %d: no error", i)
		}
	}
}
