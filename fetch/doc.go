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
// The files of a Client take at most 1 GiB for documents that are fetched before they are needed
// ([Request.Ahead]), and 1 GiB for all others. Without room there or on the disk, Get fails with
// [ErrNoRoom] if Ahead is set. Otherwise it drops the connection, waits until other Bodies are
// closed, and requests the document again. Only a document larger than 1 GiB takes more.
//
// # Retries
//
// Network errors, bodies that break off, and the statuses 408, 425, 429 and 5xx other than 501 are
// retried, by default twice. The wait doubles from 1 s to 30 s, with full jitter, or is the
// Retry-After of the response (RFC 9110, section 10.2.3). A Retry-After beyond [Client.RetryWait],
// or beyond what is left of [Client.Timeout], fails the document at once with [Error.RetryAfter]
// set. Certificate errors, unknown hosts, refused addresses and bad redirects are not retried.
//
// # Time
//
// Connecting and the TLS handshake may take 10 s each, the header of a response 30 s, and any pause
// in a body 30 s. [Client.Timeout] bounds one document, with its attempts and the waits between
// them. Waits for the Limiter, and for room in temporary files, do not count.
//
// # Where a request may go
//
// Requests go to http and https URLs, to ports 80 and 443 and those of origins that the caller
// named, and to public unicast addresses. The address is checked when a connection is made, after
// name resolution. A proxy resolves names itself; [Client.Proxy] says what is refused before.
// [Client.AllowPrivateNetworks] allows every address and port; [Client.ConnectTo] and [Client.Map]
// allow those that they name. At most ten redirects are followed, each checked alike. A user name
// and password in a URL, and header fields that may be secret, go only to origins that the caller
// named, and to https of their hosts: see [Request].
//
// # Politeness
//
// A [Limiter] grants each attempt. A [HostLimiter], the default, bounds the requests under way and
// keeps a Crawl-delay. A host that answers 429 or 503 pauses for all its documents, and then gets
// one request at a time until it has recovered. Its documents fail at once while it is busy
// ([ErrBusy]) or down ([ErrHostDown]).
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
//	request.go      what is requested, and which header fields go where
//	content.go      undoes the Content-Encoding of a body
//	client.go       Client and its stack of RoundTrippers
//	retry.go        which failures are retried, and after how long
//	limit.go        waits for the Limiter before each attempt
//	hostlimiter.go  HostLimiter, by package hostlimit
//	spool.go        reads a body to its end, by package spool
//	map.go          requests other URLs in place of public ones
//	redirect.go     where a redirect leads, and where a request may go
//	transport.go    connects, through proxies too
//	guard.go        refuses addresses that are not public
//	exchange.go     what the layers share about one document
//	errors.go       errors
//	document.go     Request, Document
package fetch
