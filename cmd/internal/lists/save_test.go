package lists

import (
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestReplaceFile: if a body breaks off, its first part is kept. An error of the file is returned,
// and the old file stays.
func TestReplaceFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "body")
	if err := os.WriteFile(name, []byte("before"), 0o600); err != nil {
		t.Fatal(err)
	}
	want := func(text string) {
		t.Helper()
		if got, err := os.ReadFile(name); string(got) != text || err != nil {
			t.Errorf("the file holds %q, %v, want %q", got, err, text)
		}
	}
	broken := &brokenReader{"came", errors.New("reset")}
	if err := replaceFile(name, broken); err != nil {
		t.Error(err)
	}
	want("came")
	if err := replaceFile(name, &brokenReader{"new", &fs.PathError{Err: fs.ErrInvalid}}); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("error %v", err)
	}
	want("came")
	if left, err := os.ReadDir(filepath.Dir(name)); len(left) != 1 || err != nil {
		t.Errorf("left %v, %v", left, err)
	}
}

// A brokenReader yields text and then an error.
type brokenReader struct {
	text string
	err  error
}

func (b *brokenReader) Read(p []byte) (int, error) {
	n := copy(p, b.text)
	if b.text = b.text[n:]; n == 0 {
		return 0, b.err
	}
	return n, nil
}

func TestSavedName(t *testing.T) {
	for loc, want := range map[string]string{
		"https://www.example.com/sitemap.xml":             "www.example.com/sitemap.xml",
		"https://www.example.com":                         "www.example.com/%2f",
		"https://www.example.com/":                        "www.example.com/%2f",
		"https://WWW.example.com/a/":                      "www.example.com/a+",
		"http://www.example.com:8080/a/b.xml?page=2&x=%2": "http+www.example.com%3a8080/a+b.xml%3fpage=2%26x=%252",
		"https://[::1]/":                                  "%5b%3a%3a1%5d/%2f",
		"https://example.com/Sitemap.XML":                 "example.com/%53itemap.%58%4d%4c",
		"https://example.com/con.xml":                     "example.com/%63on.xml",
		"https://example.com/a.header":                    "example.com/a%2eheader",
		"https://example.com/../.a./":                     "example.com/%2e.+.a.+",
		"https://example.com/é":                           "example.com/%25%433%25%419",
	} {
		u, err := url.Parse(loc)
		if err != nil {
			t.Fatal(err)
		}
		if got := filepath.ToSlash(savedName(u)); got != want {
			t.Errorf("name of %s is %s, want %s", loc, got, want)
		}
	}
}

// TestSavedName_Distinct: names of different URLs differ also without letter case, and none is
// absolute, too long, or leads out of the folder.
func TestSavedName_Distinct(t *testing.T) {
	long := strings.Repeat("a", 200)
	plain := regexp.MustCompile(`^[a-z0-9%+=_-]([a-z0-9%.+=_-]{0,218}[a-z0-9%+=_-])?$`)
	names := map[string]string{}
	for _, host := range []string{"https://a", "http://a", "https://a:8080", "https://http+a", "https://aux", "https://..", "https://" + long + long} {
		for _, path := range []string{
			"/", "/?", "/%2f", "/%2F", "//", "/a", "/A", "/a/", "/a/b", "/a+b", "/a%2fb", "/a?b", "/a%3Fb",
			"/.", "/..", "/../..", "/a.", "/.a", "/a.header", "/a.HEADER", "/a%2eheader", "/nul", "/NUL",
			"/com1.xml", `/a\b`, "/a:b", "/a~1", "/" + long, "/" + long + "a", "/" + long + "b",
			"/" + long + long, "/" + long + "?a",
		} {
			u, err := url.Parse(host + path)
			if err != nil {
				t.Fatal(err)
			}
			name := savedName(u)
			if other := names[name]; other != "" || name != strings.ToLower(name) || !filepath.IsLocal(name) {
				t.Errorf("name of %s is %s, as of %q", u, name, other)
			}
			names[name] = u.String()
			parts := strings.Split(filepath.ToSlash(name), "/")
			if len(parts) != 2 || !plain.MatchString(parts[0]) || !plain.MatchString(parts[1]) {
				t.Errorf("name of %s is %s", u, name)
			}
		}
	}
}
