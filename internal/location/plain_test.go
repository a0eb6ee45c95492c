package location

import (
	"bytes"
	"strings"
	"testing"
)

// isPlain is Plain for a document of one location.
func isPlain(b []byte) bool { return new(Recent).Plain(b) }

func TestPlain(t *testing.T) {
	tests := map[string]bool{
		"http://a.b":                                 false,
		"http://a.example/":                          true,
		"https://a.example/":                         true,
		"https://x/":                                 true,
		"https://www.Example.com/a/b.html?x=1#y":     true,
		"https://host-name-of-24-bytes.ex/page":      true,
		"http://192.0.2.1/a":                         true,
		"http://a.example/" + strings.Repeat("x", 9): true,
		"http://a.example/~user/(a)/[bc=d!$*+,:@|&e": true,
		"http://www.example.com/a%20b":               true,
		"http://www.example.com/caf%C3%a9":           true,

		"":                                      false,
		"http://":                               false,
		"https://":                              false,
		"http:///":                              false,
		"https:///a/b/c/d/e":                    false,
		"http:///////////////":                  false,
		"HTTP://www.example.com/a":              false,
		"ftp://www.example.com/abc":             false,
		"httpx://www.example.com/a":             false,
		"/relative/path/that/is/long":           false,
		"http://user@www.example.com/a":         false,
		"http://www.example.com:80/a":           true,
		"http://www.example.com:8080/a":         true,
		"http://www.example.com:65536/a":        false,
		"http://www.example.com:080/a":          false,
		"http://www.example.com:/a":             false,
		"http://www.example.com:80":             false,
		"http://user:80/a@www.example.com":      true,
		"http://www.example.com:8x/a":           false,
		"http://www_x.example.com/a":            false,
		"http://.www.example.com/a":             false,
		"http://[::1]/abcdefghijkl":             false,
		"http://www.example.com?x=1":            false,
		"http://www.example.com/a b":            false,
		"http://www.example.com/a%2":            false,
		"http://www.example.com/100%":           false,
		"http://www.example.com/a%2gbcd":        false,
		"http://www.example.com/%%20/abc":       false,
		"http://www.example.com/?a;b":           true,
		"http://www.example.com/?a&b;c&d":       false,
		"http://www.example.com/?a&b;c&defg":    true,
		"http://www.example.com/?a&amp;bcd":     false,
		"http://www.example.com/?a[]=b":         true,
		"http://www.example.com/]]>":            false,
		"http://www.example.com/é":              true,
		"http://www.example.com/\u3000/\u4e00":  false,
		"http://www.example.com/\u4e00":         true,
		"http://www.example.com/a\u00a0b":       false,
		"http://www.example.com/a\u200bb":       false,
		"http://www.example.com/a\u0080b":       false,
		"http://www.example.com/a\uffffb":       false,
		"http://www.exämple.com/a":              false,
		"http://www.example.com/\x7f":           false,
		"http://www.example.com/\x00":           false,
		"http://www.example.com/a\n":            false,
		" http://www.example.com/a":             false,
		"http://www.example.com/\xff":           false,
		`http://www.example.com\@evil.example/`: false,
	}
	for s, want := range tests {
		if got := isPlain([]byte(s)); got != want {
			t.Errorf("Plain(%q) = %v, want %v", s, got, want)
		}
	}
}

// Each byte is tried at each place of a word, in the host and after it.
func TestPlainBytes(t *testing.T) {
	const template = "https://www.example.com/abcdefghijklmnopqrstuvwxyz"
	var r Resolver
	for i := len("https://"); i < len(template); i++ {
		for c := range 256 {
			b := []byte(template)
			b[i] = byte(c)
			if !isPlain(b) {
				continue
			}
			if loc, codes, drop := r.Clean(append(b[:0:0], b...)); loc != string(b) ||
				len(codes) != 0 || drop != "" {
				t.Errorf("Plain(%q), but Clean gives %q, %v, %v", b, loc, codes, drop)
			}
		}
	}
	for _, n := range []int{2048, 2049} {
		b := []byte(template + strings.Repeat("x", n-len(template)))
		if got := isPlain(b); got != (n == 2048) {
			t.Errorf("Plain of %d bytes = %v", n, got)
		}
	}
}

func TestPlainAllocates(t *testing.T) {
	b := []byte("https://www.example.com/a/b.html")
	if n := testing.AllocsPerRun(100, func() { isPlain(b) }); n != 0 {
		t.Errorf("Plain allocates %v times", n)
	}
}

func TestRecent(t *testing.T) {
	var r Recent
	for _, loc := range []string{
		"http://www.example.com/a", "http://www.example.com/a%20b", "http://www.example.com/some/longer/path?x=1&y=2", "http://www.example.com/",
		"https://www.example.com/some/longer/path", "http://www.example.com/é/some/longer/path",
		"http://www.example.com.evil.example/some/path",
		"http://www.example.com:80/some/longer/path", "http://www.example.com/" +
			strings.Repeat("x", 3000), "http://a/b", "http://a/",
		"http://" + strings.Repeat("a", 70) + ".example/some/path", "http://www.example.com/a;b",
		"http://www.example.com/a&b;c", "x", "",
	} {
		for range 2 {
			if got, want := r.Plain([]byte(loc)), isPlain([]byte(loc)); got != want {
				t.Errorf("Recent.Plain(%.80q) = %v, want %v", loc, got, want)
			}
		}
	}
}

// PlainXML reads text with undecoded references: a plain URL has no ampersand but may have a
// semicolon.
func TestRecentXML(t *testing.T) {
	var r Recent
	r.Plain([]byte("http://www.example.com/some/path"))
	for loc, want := range map[string]bool{
		"http://www.example.com/some/path":            true,
		"http://www.example.com/some/path;jsession=1": true,
		"http://www.example.com/caf%C3%A9/path":       true,
		"http://www.example.com/?a=1&amp;b=2":         false,
		"http://www.example.com/some?a=1&b=2":         false,
		"http://www.example.com/some/100%":            false,
		"http://www.example.com/some/path]]>":         false,
		"http://other.example.com/some/path":          true,
		"http://other.example.com/some/path?a&b":      false,
	} {
		if got := r.PlainXML([]byte(loc)); got != want {
			t.Errorf("PlainXML(%q) = %v", loc, got)
		}
	}
}

// PlainLine agrees with Plain: each byte is tried at each place, with each end of a line. Closing
// brackets and semicolons, which end CDATA sections and references elsewhere, have no meaning in a
// line.
func TestRecentLine(t *testing.T) {
	const origin, template = "https://www.example.com/",
		"https://www.example.com/abc%20efghijklmnop"
	marks := strings.NewReplacer("]", "_", ";", "_")
	var r Recent
	if n, _ := r.PlainLine([]byte(template + "\n")); n != 0 {
		t.Errorf("PlainLine of an unknown origin = %d", n)
	}
	r.Plain([]byte(template))
	for i := range template {
		for c := range 256 {
			for _, end := range []string{"\n", "\r\n", "\r", ""} {
				b := []byte(template + end + "next line, of other text")
				b[i] = byte(c)
				line, _, found := bytes.Cut(b, []byte("\n"))
				line, _ = bytes.CutSuffix(line, []byte("\r"))
				want := 0
				if found && isPlain([]byte(marks.Replace(string(line)))) &&
					bytes.HasPrefix(line, []byte(origin)) {
					want = len(line)
				}
				size := 0
				if want > 0 {
					size = bytes.IndexByte(b, '\n') + 1
				}
				if got, n := r.PlainLine(b); got != want || n != size {
					t.Fatalf("PlainLine(%q) = %d, %d, want %d, %d", b, got, n, want, size)
				}
			}
		}
	}
	for query, want := range map[string]bool{"a&b;c&ampere=1&": true, "a&amp;b": false,
		"a&AMP;b": false, "a&#38;b": false, "a&#x26;b": false, "a&am\np;": true} {
		if got, _ := r.PlainLine([]byte(template + query + "\n12345678 12345678")); got != 0 != want {
			t.Errorf("PlainLine with %q = %d", query, got)
		}
	}
	for _, n := range []int{2048, 2049} {
		long := template + strings.Repeat("x", n-len(template)) + "\n1234567890123456"
		if got, _ := r.PlainLine([]byte(long)); (got == n) != (n == 2048) || got != 0 && got != n {
			t.Errorf("PlainLine of %d bytes = %d", n, got)
		}
	}
}
