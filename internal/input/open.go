// Package input turns the bytes of a document into UTF-8. It undoes gzip, byte order marks and
// charsets in one place, so a file on disk and a body from the network read alike:
//
//	in := input.Open(r, o)
//	defer in.Close()
//	for len(in.Window()) > 0 || in.More() {
//		in.Advance(len(in.Window())) // or as much as was used of it
//	}
//	return in.Err()
//
// # The window
//
// A Reader holds the unread bytes of the document that are in memory. Window returns them, Advance
// moves past some of them, and More slides the rest to the front of the buffer and reads more. A
// reader of records uses only the window: if a record is cut by the end of the window, it calls
// More and reads the record again from its start. So the hot path contains no code for refilling,
// memory does not depend on the document, and a record may have up to MaxWindow bytes.
//
// The files, each building on those before it:
//
//	gunzip.go     undoes gzip
//	label.go      the charsets that a document declares
//	charset.go    chooses the charset
//	decode.go     decodes the charset and keeps invalid bytes apart
//	reader.go     Reader and its window
//	lines.go      counts lines
//	window.go     fills the window
//	archive.go    recognizes archives
//	open.go       Open
//	afterroot.go  an error after the root of XML
package input

import (
	"bufio"
	"bytes"
	"io"
	"math"
	"net/http"
	"strings"

	"github.com/seed-322c453a/sitemap"
)

// Open returns r as UTF-8 without a byte order mark. It undoes at most two layers of gzip, detected
// by its magic number. It detects the charset from the bytes, the content type and the XML
// declaration. Open reads the first window. An error there or later is returned by Err once the
// bytes before it have been read. An archive has no bytes, only an error. Limits.Bytes and all
// offsets count bytes of UTF-8 without a byte order mark.
func Open(r io.Reader, o *sitemap.Options) *Reader {
	if o == nil {
		o = new(sitemap.Options)
	}
	in := &Reader{
		gz:          NewGunzip(r, maxLayers),
		pooled:      windows.Get().(*[WindowSize + Padding]byte),
		report:      o.Report,
		member:      documentStart,
		left:        MaxBytes(o.Limits.Bytes),
		lineCounter: lineCounter{line: 1},
	}
	in.buf = in.pooled[:]
	in.src = in.gz
	in.decode(o.ContentType)
	return in
}

// MaxBytes returns the limit of bytes for an option n: the default if n is 0, and the largest int64
// if n is negative.
func MaxBytes(n int64) int64 {
	switch {
	case n < 0:
		return math.MaxInt64
	case n == 0:
		return 10 * sitemap.ProtocolBytes
	}
	return n
}

// decode detects the charset from the first window and adds a decoder to the source unless it is
// UTF-8.
func (in *Reader) decode(contentType string) {
	buf := in.buf[:WindowSize]
	n, err := io.ReadAtLeast(in.gz, buf, utf8Window)
	labels := declaredLabels(buf[:n], contentType)
	if err == nil && !onlyUTF8(labels) && byteOrderMark(buf).name != "utf-8" {
		var m int
		m, err = io.ReadFull(in.gz, buf[n:])
		n += m
		labels = declaredLabels(buf[:n], contentType) // UTF-16 has half as many characters
	}
	if err != nil {
		err = in.gz.err
	}
	prefix := buf[:n]
	if in.Layers() > 1 {
		in.problem(sitemap.DoubleGzip, documentStart, "")
	}
	if err := archiveOf(prefix); err != nil {
		in.err = &sitemap.ParseError{Pos: documentStart, Err: err}
		return
	}
	choice := sniffCharset(prefix, err == io.EOF, labels)
	in.encoding = choice.name
	if choice.fallback && (choice.refused != "" || !isMedia(prefix)) {
		in.problem(sitemap.EncodingFallback, documentStart, choice.refused)
	}
	if choice.encoding == nil && !choice.late {
		in.r, in.w, in.lineAt = choice.bom, choice.bom, choice.bom
		in.base = -int64(choice.bom)
		in.take(n-choice.bom, err)
		return
	}
	raw := io.MultiReader(bytes.NewReader(bytes.Clone(prefix[choice.bom:])), in.gz)
	if choice.late {
		in.late = &lateDecoder{buf: bufio.NewReaderSize(raw, lateWindow), labels: labels,
			choice: choice}
		in.src = in.late
	} else {
		in.src = decoder(raw, choice)
	}
	in.More()
}

// isMedia reports whether a document has the signature of an image, an archive or the like. Such
// data has no charset to report.
func isMedia(prefix []byte) bool {
	media := http.DetectContentType(prefix)
	return !strings.HasPrefix(media, "text/") && media != "application/octet-stream"
}

// utf8Window is how much of a document that declares UTF-8 is awaited before its entries are read.
// It is small, so that the entries of a slow document come early.
const utf8Window = 1 << 10
