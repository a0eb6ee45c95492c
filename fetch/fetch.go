// Package fetch gets one document over HTTP: with retries, a record of
// redirects, decompression, limits, politeness, and a guard over the addresses
// that may be connected to. It knows no format: what it returns are bytes.
//
// A Client is all there is to set up, and its zero value is ready:
//
//	var c fetch.Client
//	doc, err := c.Get(ctx, fetch.Request{URL: "https://example.com/sitemap.xml"})
//	if err != nil {
//		return err // a *fetch.Error
//	}
//	defer doc.Body.Close()
//
// # Retries
//
// Tried again, by default twice, are network errors and the statuses 408, 425,
// 429 and 5xx other than 501; never other statuses, certificate errors, unknown
// hosts, refused addresses or bad redirects. The wait before a retry is
// exponential with full jitter, up to 30 s, or what Retry-After asks for (RFC
// 9110, section 10.2.3) up to Client.RetryWait; a longer one ends the request at
// once with Error.RetryAfter set. After 429 or 503 a HostLimiter pauses the host, and the
// request is tried again, before others, when that is over. An error in the middle of a
// body is not retried here, since the bytes before it are already with the caller:
// see ErrBody.
//
// Where a connection of HTTP/2 breaks while several requests are on it, or is silent for too long,
// each may be to blame. They are tried again on connections of their own, the first time without
// that it counts as a retry if it broke. After two of these within a minute all requests to the
// host have connections of their own for a minute. So what breaks them costs no other document.
//
// What broke with a connection that it had for itself is asked for on new ones, too, for a minute.
// So is, the last time, what was answered with one of those statuses other than 429 and 503: what
// is behind one connection alone may be to blame, which, if that brings the document, is closed
// when nobody uses it any more. Where it was in vain for three documents of a host within a minute,
// it is not done. If there is no answer, since the server may have no room for one more connection,
// a try more goes over those that are kept.
//
// # Time
//
// Connecting, what a proxy says to that, and the TLS handshake may take 10 s each,
// the first byte of an answer 30 s, any pause between two bytes of a body 30 s, and
// one document with all its attempts Client.Timeout. All these clocks run only while
// the network is waited for, the wait before another attempt among it: neither a caller that reads
// slowly nor the wait for a Limiter counts.
//
// # Where a request may go
//
// Only http and https. Only addresses that are public unicast, checked on the
// address that is connected to, after name resolution, for each connection. Only
// ports 80 and 443 and those of origins that the caller named.
// Client.AllowPrivateNetworks lifts the last two.
//
// # Errors
//
// Get returns a *Error; so does reading a body, but for damage inside gzip, which
// is told as package sitemap does (ErrGzip, ErrTruncated). What went wrong is told
// by errors.Is with the sentinels of this package, sitemap.ErrTooLarge, and the
// context's errors; causes such as *net.DNSError stay reachable by errors.As. No
// error and no log line contains a user name or password of a URL.
package fetch
