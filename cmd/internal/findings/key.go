package findings

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"regexp"

	"github.com/seed-322c453a/sitemap"
)

// A Key identifies a finding, wherever in its document it is.
type Key [16]byte

// KeyOf returns the key of a finding with these fields. A text that is a time or a number does not
// count: it may be another one in each run.
func KeyOf(code sitemap.Code, document, loc, text string) Key {
	if moves(text) {
		text = ""
	}
	h := sha256.New()
	for _, s := range []string{string(code), document, loc, text} {
		s = string([]rune(s)) // as JSON has it
		fmt.Fprintf(h, "%d:%s", len(s), s)
	}
	return Key(h.Sum(nil))
}

var number = regexp.MustCompile(`^[0-9][0-9.,]*( ?%)?$`)

// moves reports whether a text is a time or a number.
func moves(text string) bool {
	if number.MatchString(text) {
		return true
	}
	_, err := sitemap.ParseTime(text)
	_, httpErr := http.ParseTime(text)
	return err == nil || httpErr == nil
}
