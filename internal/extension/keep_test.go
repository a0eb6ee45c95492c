package extension_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/testkit/gen/gendoc"
	"github.com/seed-322c453a/sitemap/parse"
)

// The extensions of an entry do not change although entries share memory.
func TestTake_EntriesCanBeKept(t *testing.T) {
	var kept []*sitemap.Extensions
	var then []string
	for e, err := range parse.Entries(bytes.NewReader(gendoc.Bytes(gendoc.Extensions, 2000)), nil) {
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(e.Extensions)
		if err != nil {
			t.Fatal(err)
		}
		kept, then = append(kept, e.Extensions), append(then, string(text))
	}
	if len(kept) != 2000 {
		t.Fatalf("%d entries", len(kept))
	}
	for i, ext := range kept {
		if now, _ := json.Marshal(ext); string(now) != then[i] {
			t.Fatalf("entry %d was %s, is %s", i, then[i], now)
		}
	}
}

func BenchmarkElement(b *testing.B) {
	doc := gendoc.Bytes(gendoc.Extensions, 2000)
	b.SetBytes(int64(len(doc)))
	b.ReportAllocs()
	for b.Loop() {
		for _, err := range parse.Entries(bytes.NewReader(doc), nil) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}
