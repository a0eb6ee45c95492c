// Package fetch gets one document over HTTP, with retries, redirects, limits, politeness, and a
// guard over the addresses that may be connected to. It knows no format: a document is bytes.
//
//	var c fetch.Client
//	doc, err := c.Get(ctx, fetch.Request{URL: "https://example.com/sitemap.xml"})
//	if err != nil {
//		return err // a *fetch.Error
//	}
//	defer doc.Body.Close()
//	for e, err := range parse.Entries(doc.Body, &sitemap.Options{Base: doc.URL}) {
//
// # The body
//
// [Client.Get] reads a body to its end before it returns: into memory up to 8 MiB, and 32 MiB for
// all documents of a [Client], then into a temporary file. So a body that breaks off is retried
// like any other failure, a slow reader loses nothing, and no connection waits for a reader. The
// file is gone when the Body is closed.
//
// # Retries
//
// Network errors, bodies that break off, and the statuses 408, 425, 429 and 5xx other than 501 are
// retried, by default twice. The wait doubles from 1 s to 30 s, with full jitter, or is the
// Retry-After of the response (RFC 9110, section 10.2.3) up to [Client.RetryWait]; a longer one
// fails at once with [Error.RetryAfter] set. Answers of 429 and 503 do not count as retries, up to
// ten of them. Certificate errors, unknown hosts, refused addresses and bad redirects are not
// retried.
//
// # Time
//
// Connecting and the TLS handshake may take 10 s each, the header of a response 30 s, any pause in
// a body 30 s, and one document with all its attempts [Client.Timeout]. Waits for the Limiter and
// for a busy host do not count.
//
// # Where a request may go
//
// Requests go to http and https URLs, to ports 80 and 443 and those of origins that the caller
// named, and to public unicast addresses. The address is checked when a connection is made, after
// name resolution; with a proxy, the host is resolved and checked before the proxy is used.
// [Client.AllowPrivateNetworks] allows every address and port. At most ten redirects are followed,
// each checked alike. A user name and password in a URL, and header fields that may be secret, go
// to origins that the caller named only: see [Request].
//
// # Politeness
//
// A [Limiter] grants each attempt. A [HostLimiter], the default, bounds the requests under way,
// keeps a Crawl-delay, pauses a host that answers 429 or 503, and stops asking a host that is down.
//
// # Errors
//
// Get returns a [*Error], and so does reading a Body, except for damage in the gzip of its
// Content-Encoding: that is [sitemap.ErrTruncated] or [sitemap.ErrGzip]. Use [errors.Is] with the
// sentinels of this package, [sitemap.ErrTooLarge] and the context's errors, and [errors.As] for
// causes such as *net.DNSError. No error and no log line contains the credentials of a URL.
//
// # Files
//
// Each file builds on those below it:
//
//	get.go          Get: one request a hop, and the Document of the last
//	redirect.go     where a redirect leads, and where a request may go
//	retry.go        which failures are retried, and after how long
//	client.go       Client and its stack of RoundTrippers
//	limit.go        waits for the Limiter before each attempt
//	hostlimiter.go  HostLimiter: slots in all, of hosts and of addresses
//	host.go         the pauses of one host
//	spool.go        reads a body to its end
//	guard.go        the transport: refuses addresses, finds proxies
//	exchange.go     what the layers share about one document
//	errors.go       errors
//	document.go     Request, Document
package fetch
