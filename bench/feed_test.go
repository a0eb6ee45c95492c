package bench

import (
	"bytes"
	"testing"

	"github.com/mmcdole/gofeed"

	"github.com/seed-322c453a/sitemap/feed"
	"github.com/seed-322c453a/sitemap/internal/testkit/gen/gendoc"
)

// entries is how many entries the feeds have.
const entries = 10_000

// An entry holds the fields of a feed's entry that both readers return.
type entry struct {
	loc  string
	date int64 // seconds since 1970
}

// ours reads a feed with this module.
func ours(doc []byte, yield func(entry)) error {
	for e, err := range feed.Entries(bytes.NewReader(doc), nil) {
		if err != nil {
			return err
		}
		yield(entry{e.Loc, e.LastMod.Start().Unix()})
	}
	return nil
}

// theirs reads a feed with gofeed.
func theirs(doc []byte, yield func(entry)) error {
	f, err := gofeed.NewParser().Parse(bytes.NewReader(doc))
	if err != nil {
		return err
	}
	for _, item := range f.Items {
		date := item.UpdatedParsed
		if date == nil {
			date = item.PublishedParsed
		}
		yield(entry{item.Link, date.Unix()})
	}
	return nil
}

var readers = []struct {
	name string
	read func([]byte, func(entry)) error
}{{"sitemap", ours}, {"gofeed", theirs}}

func TestSameEntries(t *testing.T) {
	for _, kind := range []string{gendoc.RSS, gendoc.Atom} {
		doc := gendoc.Bytes(kind, 100)
		var got [2][]entry
		for i, r := range readers {
			if err := r.read(doc, func(e entry) { got[i] = append(got[i], e) }); err != nil {
				t.Fatalf("%s, %s: %v", kind, r.name, err)
			}
		}
		if len(got[0]) != 100 || len(got[1]) != 100 {
			t.Fatalf("%s: %d and %d entries, want 100", kind, len(got[0]), len(got[1]))
		}
		for i := range got[0] {
			if got[0][i] != got[1][i] {
				t.Errorf("%s: entry %d is %v here, %v there", kind, i, got[0][i], got[1][i])
			}
		}
	}
}

func BenchmarkFeed(b *testing.B) {
	for _, kind := range []string{gendoc.RSS, gendoc.Atom} {
		doc := gendoc.Bytes(kind, entries)
		for _, r := range readers {
			b.Run(kind+"/"+r.name, func(b *testing.B) {
				b.SetBytes(int64(len(doc)))
				b.ReportAllocs()
				for b.Loop() {
					n := 0
					if err := r.read(doc, func(entry) { n++ }); err != nil || n != entries {
						b.Fatalf("%d entries, %v", n, err)
					}
				}
			})
		}
	}
}
