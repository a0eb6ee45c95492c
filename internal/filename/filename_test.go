package filename

import "testing"

func TestNoDevice(t *testing.T) {
	for name, want := range map[string]string{
		"con": "%63on", "con.com": "%63on.com", "AUX.txt": "%41UX.txt", "com1.de.jsonl.gz": "%63om1.de.jsonl.gz",
		"console": "console", "com": "com", "com1+2.gz": "com1+2.gz", "www.con.com": "www.con.com", "": "",
	} {
		if got := NoDevice(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}
