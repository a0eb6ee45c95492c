package fetch

import (
	"io"
	"net/http"
	"strings"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/input"
	"github.com/seed-322c453a/sitemap/internal/spool"
)

// encodings returns how often a Content-Encoding names gzip, or an ErrEncoding if it names another
// coding (RFC 9110, section 8.4). Like browsers, it ignores names of no coding: "iso-8859-1".
func encodings(h http.Header) (gzips int, err error) {
	for _, field := range h.Values("Content-Encoding") {
		for coding := range strings.SplitSeq(field, ",") {
			switch coding = strings.ToLower(strings.TrimSpace(coding)); coding {
			case "gzip", "x-gzip":
				gzips++
			case "br", "compress", "dcb", "dcz", "deflate", "x-compress", "zstd":
				detail := "unknown content encoding " + coding
				return 0, &cause{kind: ErrEncoding, detail: detail}
			}
		}
	}
	return gzips, nil
}

// A content reads a body without its Content-Encoding, bounded, and with errors that name the
// document.
type content struct {
	raw     *spool.Reader
	src     io.Reader     // raw, or gunzip
	gunzip  *input.Gunzip // nil without Content-Encoding
	fail    func(error) *Error
	left    int64 // bytes until it is too large
	isAgain bool  // of Document.Again: Close leaves the body open
	closed  bool
	err     error
}

// newContent returns a reader of raw without its Content-Encoding, which is layers times gzip.
func newContent(raw *spool.Reader, layers int, limit int64, fail func(error) *Error) *content {
	c := &content{raw: raw, src: raw, fail: fail, left: limit}
	if layers > 0 {
		c.gunzip = input.NewGunzip(raw, layers)
		c.src = c.gunzip
	}
	return c
}

func (c *content) Read(p []byte) (int, error) {
	if _, err := c.raw.Read(nil); c.closed || err == ErrClosed {
		return 0, c.fail(ErrClosed)
	}
	if c.err != nil || len(p) == 0 {
		return 0, c.err
	}
	if int64(len(p)) > c.left {
		p = p[:c.left+1] // one byte more shows that the body is too large
	}
	n, err := c.src.Read(p)
	if int64(n) > c.left {
		n, err = int(c.left), sitemap.ErrTooLarge
	}
	c.left -= int64(n)
	switch err {
	case nil:
	case io.EOF, sitemap.ErrTruncated, sitemap.ErrGzip:
		c.err = err
	default:
		c.err = c.fail(err)
	}
	if n > 0 {
		return n, nil
	}
	return 0, c.err
}

// Close closes the body too, unless it is another reader's. It may be called again.
func (c *content) Close() error {
	c.closed = true
	if c.gunzip != nil {
		c.gunzip.Close()
	}
	if c.isAgain {
		return nil
	}
	return c.raw.Close()
}
