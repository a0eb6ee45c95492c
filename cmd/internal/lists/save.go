package lists

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-322c453a/sitemap/cmd/internal/output"
	"github.com/seed-322c453a/sitemap/fetch"
	"github.com/seed-322c453a/sitemap/internal/filename"
)

// headerSuffix is the end of the names of files with header fields.
const headerSuffix = ".header"

// saveDocument keeps a document below dir: its body in one file, and its status and header fields
// in another one beside it. If the body broke off, its first part is kept.
func saveDocument(dir string, doc *fetch.Document) error {
	asked := doc.URL
	if len(doc.Hops) > 0 {
		asked, _ = url.Parse(doc.Hops[0].URL) // fetch has parsed it
	}
	name := filepath.Join(dir, savedName(asked))
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	body := doc.Again()
	defer body.Close()
	if err := replaceFile(name, body); err != nil {
		return err
	}
	return replaceFile(name+headerSuffix, bytes.NewReader(savedHeader(doc)))
}

// replaceFile replaces a file by what r yields. An error of r ends the file early.
func replaceFile(name string, r io.Reader) error {
	return output.Replace(name, func(w io.Writer) error {
		_, err := io.Copy(w, r)
		if e := (*fs.PathError)(nil); errors.As(err, &e) {
			return err // of the file
		}
		return nil
	})
}

// savedHeader returns the redirects, the status and the header fields as text.
func savedHeader(doc *fetch.Document) []byte {
	var b []byte
	for _, hop := range append(slices.Clone(doc.Hops), fetch.Hop{
		URL: doc.URL.String(), Status: doc.Status,
	}) {
		b = fmt.Appendf(b, "GET %s\n%d %s\n", hop.URL, hop.Status, http.StatusText(hop.Status))
	}
	for _, name := range slices.Sorted(maps.Keys(doc.Header)) {
		for _, value := range doc.Header[name] {
			b = fmt.Appendf(b, "%s: %s\n", name, value)
		}
	}
	return b
}

// savedName returns the name of the file for a URL. It has a folder for the host, which begins with
// "http+" if the scheme is http, and in it a name for path and query, with "+" for a slash:
//
//	https://www.example.com/blog/sitemap.xml?page=2  www.example.com/blog+sitemap.xml%3fpage=2
//
// Different URLs have different names, also on file systems that ignore letter case.
func savedName(u *url.URL) string {
	host := shortened(escaped(strings.ToLower(u.Host)))
	if u.Scheme == "http" {
		host = "http+" + host
	}
	name := "%2f" // of the path "/"
	if path := strings.TrimPrefix(u.RequestURI(), "/"); path != "" {
		name = shortened(escaped(path))
	}
	return filepath.Join(host, name)
}

// maxName is the length of the longest name that is not shortened. Systems allow 255 bytes.
const maxName = 180

// shortened replaces the end of a long name with a checksum. No other name is as long as the
// result.
func shortened(name string) string {
	if len(name) <= maxName {
		return name
	}
	return fmt.Sprintf("%s-%x", name[:maxName], sha256.Sum256([]byte(name)))[:maxName+1+32]
}

// escaped returns text as the name of a file. It escapes the bytes that some file systems do not
// allow or do not distinguish, and the suffix of header files.
func escaped(text string) string {
	var b []byte
	for i := range len(text) {
		switch c := text[i]; {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', strings.IndexByte("-_=", c) >= 0,
			c == '.' && i > 0 && i < len(text)-1:
			b = append(b, c)
		case c == '/':
			b = append(b, '+')
		default:
			b = fmt.Appendf(b, "%%%02x", c)
		}
	}
	name := filename.NoDevice(string(b))
	if before, ok := strings.CutSuffix(name, headerSuffix); ok {
		name = before + "%2e" + headerSuffix[1:]
	}
	return name
}
