package faultserver

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"sync"
)

// Entries is the number of entries of Document.
const Entries = 100

const (
	urlsetHead = `<?xml version="1.0" encoding="UTF-8"?>` + "\n" +
		`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n"
	urlsetTail = "</urlset>\n"
)

// Document returns the document of the faults: a urlset that lists http://www.example.com/0 to
// http://www.example.com/99.
func Document() []byte { return bytes.Clone(document()) }

var document = sync.OnceValue(func() []byte {
	var b bytes.Buffer
	b.WriteString(urlsetHead)
	for i := range Entries {
		b.WriteString(entry(i))
	}
	b.WriteString(urlsetTail)
	return b.Bytes()
})

func entry(i int) string {
	return fmt.Sprintf("<url><loc>http://www.example.com/%d</loc>", i) +
		"<lastmod>2024-05-06</lastmod></url>\n"
}

// Gzip returns data as one gzip member.
func Gzip(data []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(data)
	w.Close()
	return b.Bytes()
}

// noisy returns gzip data that is larger than any buffer: the document with comments that do not
// compress. So a cut or damage in its second half follows many entries.
var noisy = sync.OnceValue(func() []byte {
	var b bytes.Buffer
	b.WriteString(urlsetHead)
	const letters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_."
	seed := uint32(1)
	for i := range Entries {
		b.WriteString("<!-- ")
		for range 512 {
			seed = seed*1664525 + 1013904223
			b.WriteByte(letters[seed>>26])
		}
		b.WriteString(" -->\n" + entry(i))
	}
	b.WriteString(urlsetTail)
	return b.Bytes()
})

// Noisy returns the document of the faults with damaged gzip: the entries of Document, with
// comments between them that compress badly.
func Noisy() []byte { return bytes.Clone(noisy()) }

func truncated() []byte {
	z := Gzip(noisy())
	return z[:len(z)/2]
}

func corrupt() []byte {
	z := Gzip(noisy())
	// Damage code that a block almost certainly leaves undefined.
	for i := len(z) / 2; i < len(z)/2+64; i++ {
		z[i] ^= 0xff
	}
	return z
}

// endless returns 1000 entries, which the endless documents repeat.
var endless = sync.OnceValue(func() []byte {
	var b bytes.Buffer
	for i := range 1000 {
		b.WriteString(entry(i))
	}
	return b.Bytes()
})

// endlessGzip returns the beginning of an endless gzip member and what it repeats.
var endlessGzip = sync.OnceValues(func() (first, rest []byte) {
	first, rest, _ = deflate(flate.BestSpeed, []byte(urlsetHead), endless())
	return append([]byte(gzipHead), first...), rest
})

// writeEndless writes first, and then rest again and again until w fails.
func writeEndless(w io.Writer, first, rest []byte) {
	for _, err := w.Write(first); err == nil; {
		_, err = w.Write(rest)
	}
}

// gzipHead is the header of a gzip member.
const gzipHead = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"

// deflate compresses head with block, and block once more, which may be repeated. Tail ends the
// data.
func deflate(level int, head, block []byte) (first, rest, tail []byte) {
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, level)
	w.Write(head)
	w.Write(block)
	w.Flush() // ends at a whole byte
	one := b.Len()
	w.Write(block)
	w.Flush()
	two := b.Len()
	w.Close()
	return b.Bytes()[:one:one], b.Bytes()[one:two:two], b.Bytes()[two:]
}

// bomb returns n MiB of spaces as one gzip member, of a thousandth of that size. It compresses only
// two MiB and repeats the second.
func bomb(n int) []byte {
	mib := bytes.Repeat([]byte(" "), 1<<20)
	first, rest, tail := deflate(flate.BestCompression, nil, mib)
	out := append([]byte(gzipHead), first...)
	out = append(out, bytes.Repeat(rest, n-1)...)
	out = append(out, tail...)
	sum := uint32(0)
	for range n {
		sum = crc32.Update(sum, crc32.IEEETable, mib)
	}
	out = binary.LittleEndian.AppendUint32(out, sum)
	return binary.LittleEndian.AppendUint32(out, uint32(n)<<20)
}
