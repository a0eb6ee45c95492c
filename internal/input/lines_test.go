package input

import (
	"bytes"
	"strings"
	"testing"
)

// TestHasLoneCR puts two bytes at every place of a word, between lines of all kinds.
func TestHasLoneCR(t *testing.T) {
	places := []string{""}
	for n := 1; n < 9; n++ {
		places = append(places, strings.Repeat("a", n), strings.Repeat("a\r\n", n), strings.Repeat("é", n))
	}
	var doc []byte
	for first := range 256 {
		for second := range 256 {
			pair := string([]byte{byte(first), byte(second)})
			for _, before := range places {
				doc = append(append(append(doc[:0], before...), pair...), "\n\n\r\n."...)
				want := bytes.Count(doc, []byte("\r")) > bytes.Count(doc, []byte("\r\n"))
				if got := hasLoneCR(doc); got != want {
					t.Fatalf("hasLoneCR(%q) = %v", doc, got)
				}
			}
		}
	}
	if hasLoneCR([]byte("a\r\nb\r")) {
		t.Error("the CR at the end may have an LF after it")
	}
}
