package faultserver

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"strings"
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
// compress. A cut or damage in its second half so comes after many entries.
var noisy = sync.OnceValue(func() []byte {
	var b bytes.Buffer
	b.WriteString(urlsetHead)
	seed := uint32(1)
	for i := range Entries {
		b.WriteString("<!-- ")
		for range 512 {
			seed = seed*1664525 + 1013904223
			b.WriteByte("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_."[seed>>26])
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

// writeEndless writes an endless urlset until w fails.
func writeEndless(w io.Writer) {
	if _, err := io.WriteString(w, urlsetHead); err != nil {
		return
	}
	for i := 0; ; {
		var b strings.Builder
		for range 1000 {
			b.WriteString(entry(i))
			i++
		}
		if _, err := io.WriteString(w, b.String()); err != nil {
			return
		}
	}
}

// bomb returns n MiB of spaces as one gzip member, of a thousandth of that size. It compresses only
// two MiB and repeats the second.
func bomb(n int) []byte {
	mib := bytes.Repeat([]byte(" "), 1<<20)
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, flate.BestCompression)
	compress := func() []byte {
		b.Reset()
		w.Write(mib)
		w.Flush() // ends at a whole byte
		return bytes.Clone(b.Bytes())
	}
	out := []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255}
	out = append(out, compress()...)
	out = append(out, bytes.Repeat(compress(), n-1)...)
	b.Reset()
	w.Close()
	out = append(out, b.Bytes()...)
	sum := uint32(0)
	for range n {
		sum = crc32.Update(sum, crc32.IEEETable, mib)
	}
	out = binary.LittleEndian.AppendUint32(out, sum)
	return binary.LittleEndian.AppendUint32(out, uint32(n)<<20)
}
