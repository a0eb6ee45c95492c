package filename

import (
	"strings"
	"testing"
)

func TestEscape(t *testing.T) {
	for text, want := range map[string]string{
		"con": "%63on", "con.com": "%63on.com", "AUX.txt": "%41%55%58.txt", "com1.de.jsonl.gz": "%63om1.de.jsonl.gz",
		"console": "console", "com": "com", "com1~2.gz": "com1~2.gz", "www.con.com": "www.con.com", "": "",
		"..": "%2e%2e", ".a.b.": "%2ea.b%2e", "a/b": "a%2fb", "é%": "%c3%a9%25", "a_b-c": "a_b-c",
	} {
		if got := Escape(text, "~"); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	long := strings.Repeat("a", 200)
	if got := Escape(long, ""); got != long {
		t.Errorf("a name of 200 bytes is %q", got)
	}
	if a, b := Escape(long+"a", ""), Escape(long+"b", ""); a == b || len(a) > 200 {
		t.Errorf("long names are %q and %q", a, b)
	}
}
