package location

import (
	"net/url"
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/chars"
	"github.com/seed-322c453a/sitemap/internal/normal"
)

func FuzzClean(f *testing.F) {
	for _, test := range cleanTests {
		if len(test.raw) < 200 {
			f.Add([]byte(test.raw))
		}
	}
	base, err := url.Parse("https://www.example.com/dir/map.xml?v=1")
	if err != nil {
		f.Fatal(err)
	}
	r := &Resolver{Base: base}
	f.Fuzz(func(t *testing.T, raw []byte) {
		before := string(raw)
		loc, _, drop := r.Clean(raw)
		if string(raw) != before {
			t.Fatalf("Clean changed its argument %q to %q", before, raw)
		}
		if isPlain(raw) {
			loc, codes, drop := r.Clean(raw)
			if loc != before || len(codes) != 0 || drop != "" || Several(raw) != nil {
				t.Fatalf("Plain(%q), but Clean gives %q, %v, %v", raw, loc, codes, drop)
			}
		}
		if drop != "" {
			return
		}
		u, err := sitemap.ParseLoc(loc)
		if err != nil {
			t.Fatalf("ParseLoc(%q): %v", loc, err)
		}
		if again, _, drop := r.Clean([]byte(loc)); again != loc || drop != "" {
			t.Fatalf("Clean(%q) = %q, and of that %q, %v", raw, loc, again, drop)
		}
		o, path, err := ParseOrigin(loc)
		if err != nil || o.Host == "" || !strings.HasPrefix(path, "/") {
			t.Fatalf("ParseOrigin(%q) = %v, %q, %v", loc, o, path, err)
		}
		if of, err := OriginOf(u); err != nil || of != o {
			t.Fatalf("OriginOf(%q) = %v, %v; ParseOrigin %v", u, of, err, o)
		}
		if _, slow, err := ParseOrigin(u.String()); err != nil || slow != path {
			t.Fatalf("path of %q is %q, of its request form %q is %q, %v", loc, path, u, slow, err)
		}
		if !InDir(Dir(path), path) {
			t.Fatalf("%q is not in its directory %q", path, Dir(path))
		}
		if normal.Path(path) != path {
			t.Fatalf("path %q is normalised to %q", path, normal.Path(path))
		}
	})
}

// The result is that of net/url, up to escaping. References with empty segments are left out:
// net/url drops some that RFC 3986, section 5.2.4, keeps.
func FuzzResolveReference(f *testing.F) {
	for _, ref := range []string{"g", "../g", "/./g/..", "?q", "#f", "//h/p", "a/b/../../../c"} {
		f.Add("http://a/b/c/d;p?q", ref)
	}
	f.Fuzz(func(t *testing.T, base, ref string) {
		b, err := sitemap.ParseLoc(base)
		if err != nil || b.User != nil || b.Fragment != "" || !chars.IsHTTP(b.Scheme) ||
			ref == "" || chars.SchemeOf(ref) != "" {
			return
		}
		u, err := b.Parse(ref)
		if err != nil || u.Host == "" || strings.ContainsAny(ref, "%\\") ||
			strings.Contains(b.Path+ref, "//") {
			return
		}
		got, err := url.Parse(ResolveReference(b, ref))
		if err != nil || got.Path != u.Path || got.RawQuery != u.RawQuery ||
			got.Fragment != u.Fragment || got.Host != u.Host {
			t.Errorf("ResolveReference(%q, %q) = %v, %v; net/url has %v", b, ref, got, err, u)
		}
	})
}
