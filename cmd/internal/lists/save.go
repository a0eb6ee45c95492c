package lists

import (
	"bytes"
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
	host := filename.Escape(strings.ToLower(u.Host), "=")
	if u.Scheme == "http" {
		host = "http+" + host
	}
	name := "%2f" // of the path "/"
	if path := strings.TrimPrefix(u.RequestURI(), "/"); path != "" {
		name = strings.ReplaceAll(filename.Escape(path, "=/"), "/", "+")
	}
	if before, isHeader := strings.CutSuffix(name, headerSuffix); isHeader {
		name = before + "%2e" + headerSuffix[1:]
	}
	return filepath.Join(host, name)
}
