package main

import (
	"fmt"
	"strings"
	"testing"
)

func TestUniqueSet(t *testing.T) {
	full := 0
	u := newUniqueSet(func() { full++ })
	const n = 100_000
	for round := range 2 {
		for i := range n {
			if got, want := u.add(fmt.Sprintf("https://example.com/%d", i)), round == 0; got != want {
				t.Fatalf("round %d: add(%d) = %v, want %v", round, i, got, want)
			}
		}
	}
	if u.n != n || 2*u.n > len(u.slots) {
		t.Errorf("%d URLs in %d slots", u.n, len(u.slots))
	}
	u.n = maxUnique // as if it were full
	for range 2 {
		if !u.add("https://example.com/new") {
			t.Error("a full set refuses a new URL")
		}
	}
	if u.add("https://example.com/1") {
		t.Error("a full set has forgotten a URL")
	}
	if full != 1 {
		t.Errorf("said %d times that it is full", full)
	}
}

func TestSelectorRecall(t *testing.T) {
	for format, text := range map[string]string{
		"text":  "http://example.com/a\nhttp://example.com/\"b\",c\n",
		"jsonl": `{"loc":"http://example.com/a","kind":"page"}` + "\n" + `{"loc":"http://example.com/\"b\",c"}` + "\n",
		"csv":   "loc,kind\nhttp://example.com/a,page\n" + `"http://example.com/""b"",c",page` + "\n",
	} {
		u := newUniqueSet(nil)
		s := &selector{unique: u, max: 2}
		if err := s.recall(strings.NewReader(text), format); err != nil || !s.done() || s.taken != 2 {
			t.Errorf("%s: %v, %d taken", format, err, s.taken)
		}
		if u.add("http://example.com/a") || u.add(`http://example.com/"b",c`) || !u.add("http://example.com/c") {
			t.Errorf("%s: not recalled", format)
		}
	}
	if err := new(selector).recall(strings.NewReader("{"), "jsonl"); err == nil {
		t.Error("no error for JSON that is cut")
	}
}
