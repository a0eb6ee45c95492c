package location

import "testing"

var benchLocs = map[string]string{
	"plain":   "https://www.example.com/catalogue/garden-furniture/chairs/item-000123456-oak.html",
	"escaped": "https://www.example.com/catalogue/caf%C3%A9/item-000123456-oak.html?page=2&sort=price",
	"iri":     "https://www.example.com/каталог/мебель/item-000123456.html",
}

func BenchmarkPlain(b *testing.B) {
	loc := []byte(benchLocs["plain"])
	b.SetBytes(int64(len(loc)))
	b.ReportAllocs()
	for b.Loop() {
		if !isPlain(loc) {
			b.Fatal("not plain")
		}
	}
}

func BenchmarkClean(b *testing.B) {
	for name, s := range benchLocs {
		b.Run(name, func(b *testing.B) {
			loc := []byte(s)
			var r Resolver
			b.SetBytes(int64(len(loc)))
			b.ReportAllocs()
			for b.Loop() {
				if _, _, drop := r.Clean(loc); drop != "" {
					b.Fatal(drop)
				}
			}
		})
	}
}

func BenchmarkParseOrigin(b *testing.B) {
	for name, s := range benchLocs {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := ParseOrigin(s); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
