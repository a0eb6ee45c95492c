package fetch_test

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing/fstest"
	"time"

	"github.com/seed-322c453a/sitemap/fetch"
)

// A test needs no network: a folder, or a map of files, is a site.
func Example() {
	site := fstest.MapFS{"sitemap.txt": {Data: []byte("https://example.com/\n")}}
	c := fetch.Client{Transport: http.NewFileTransportFS(site)}

	doc, err := c.Get(context.Background(), fetch.Request{URL: "https://example.com/sitemap.txt"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer doc.Body.Close()
	body, err := io.ReadAll(doc.Body)
	fmt.Printf("%d %s %q %v\n", doc.Status, doc.URL, body, err)

	_, err = c.Get(context.Background(), fetch.Request{URL: "https://example.com/missing.xml"})
	fmt.Println(err)
	fmt.Println(errors.Is(err, fetch.ErrStatus))
	// Output:
	// 200 https://example.com/sitemap.txt "https://example.com/\n" <nil>
	// fetch: https://example.com/missing.xml: status 404 Not Found
	// true
}

// A crawler's own requests share the limits of the sitemaps': at most one at a time to each host.
func ExampleHostLimiter() {
	limiter := &fetch.HostLimiter{PerHost: 1}
	site := fstest.MapFS{"sitemap.txt": {Data: []byte("https://example.com/page\n")}}
	c := fetch.Client{Limiter: limiter, Transport: http.NewFileTransportFS(site)}

	page, _ := url.Parse("https://example.com/page")
	release, err := limiter.Acquire(context.Background(), page)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("requesting", page)
	release(200, 0) // the status and the Retry-After of the response

	doc, err := c.Get(context.Background(), fetch.Request{URL: "https://example.com/sitemap.txt"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer doc.Body.Close()
	fmt.Println("fetched", doc.URL)
	// Output:
	// requesting https://example.com/page
	// fetched https://example.com/sitemap.txt
}

// A second request with the validators of the first learns whether the document
// has changed.
func ExampleValidators() {
	site := fstest.MapFS{"sitemap.txt": {Data: []byte("https://example.com/\n"), ModTime: someDay}}
	c := fetch.Client{Transport: http.NewFileTransportFS(site)}

	req := fetch.Request{URL: "https://example.com/sitemap.txt"}
	for range 2 {
		doc, err := c.Get(context.Background(), req)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(doc.Status, doc.NotModified)
		doc.Body.Close()
		req.Validators = doc.Validators
	}
	// Output:
	// 200 false
	// 304 true
}

// newExampleServer returns a server for example.com on loopback. Its certificate authority is one
// that no system knows.
func newExampleServer() (s *httptest.Server, authority *x509.CertPool) {
	s = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/old.txt" {
			http.Redirect(w, r, "/new.txt", http.StatusFound)
			return
		}
		io.WriteString(w, "https://www.example.com/")
	}))
	authority = x509.NewCertPool()
	authority.AddCert(s.Certificate())
	return s, authority
}

// printDocument prints the URL of a document and its body.
func printDocument(c *fetch.Client, u string) {
	doc, err := c.Get(context.Background(), fetch.Request{URL: u})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer doc.Body.Close()
	body, err := io.ReadAll(doc.Body)
	fmt.Printf("%s: %q %v\n", doc.URL, body, err)
}

// ConnectTo asks another server for a host, here one with a certificate of a company's own
// authority. RootCAs trusts that; Insecure would trust anyone.
func ExampleClient_connectTo() {
	server, authority := newExampleServer()
	defer server.Close()

	to := map[string]string{"example.com:443": server.Listener.Addr().String()}
	printDocument(&fetch.Client{ConnectTo: to, RootCAs: authority}, "https://example.com/a.txt")
	printDocument(&fetch.Client{ConnectTo: to, Insecure: true}, "https://example.com/b.txt")
	// Output:
	// https://example.com/a.txt: "https://www.example.com/" <nil>
	// https://example.com/b.txt: "https://www.example.com/" <nil>
}

// With Map, a preview on a private address stands for a public site.
func ExampleClient_map() {
	preview, authority := newExampleServer()
	defer preview.Close()

	c := &fetch.Client{
		Map:     map[string]string{"https://www.example.com": preview.URL},
		RootCAs: authority,
	}
	printDocument(c, "https://www.example.com/old.txt")
	// Output:
	// https://www.example.com/new.txt: "https://www.example.com/" <nil>
}

// A meter counts requests by host.
type meter struct {
	next     http.RoundTripper
	requests map[string]int // with a lock, if documents are fetched side by side
}

func (m *meter) RoundTrip(r *http.Request) (*http.Response, error) {
	m.requests[r.URL.Host]++
	return m.next.RoundTrip(r)
}

// Wrap adds metrics, tracing or cookies to the Client's own transport, which still refuses what is
// not public.
func ExampleClient_wrap() {
	m := &meter{requests: map[string]int{}}
	c := &fetch.Client{Wrap: func(next http.RoundTripper) http.RoundTripper {
		m.next = next
		return m
	}}
	_, err := c.Get(context.Background(), fetch.Request{URL: "http://localhost/sitemap.xml"})
	fmt.Println(errors.Is(err, fetch.ErrRefused))
	fmt.Println(m.requests)
	// Output:
	// true
	// map[localhost:1]
}

var someDay = time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)
