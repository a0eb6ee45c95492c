package batch_test

import (
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap/batch"
)

// A domain that can be the name of a file is one; other characters are escaped.
func TestFileName(t *testing.T) {
	for domain, want := range map[string]string{
		"a.example": "a.example", "a.example~0f": "a.example~0f", "xn--bcher-kva.example": "xn--bcher-kva.example",
		"ba/nana": "ba%2fnana", "..": "%2e%2e", "2001:db8::1": "2001%3adb8%3a%3a1", "": "", "con": "%63on", "A.example": "%41.example",
	} {
		if _, got, _ := strings.Cut(batch.FileName(domain), "/"); got != want {
			t.Errorf("%q: %q, want %q", domain, got, want)
		}
	}
	long := strings.Repeat("a", 300)
	if n := len(batch.FileName(long)); n > 240 {
		t.Errorf("a long domain has a name of %d bytes", n)
	}
	for n := range len(long) { // a name is as long as can be before it is made shorter
		_, name, _ := strings.Cut(batch.FileName("A"+strings.Repeat("a", n)), "/")
		if isWhole := name == "%41"+strings.Repeat("a", n); isWhole != (n+len("%41") <= 200) {
			t.Errorf("%d letters: %q", n+1, name)
		}
	}
	if batch.FileName(long) == batch.FileName(long+"a") {
		t.Error("two long domains have one name")
	}
}
