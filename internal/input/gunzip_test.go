package input

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	kgzip "github.com/klauspost/compress/gzip"

	"github.com/seed-322c453a/sitemap"
)

// newGunzip returns a Gunzip of a body without a Content-Encoding.
func newGunzip(src io.Reader) *Gunzip { return NewGunzip(src, maxLayers) }

// deflated returns one gzip member with the content s.
func deflated(t testing.TB, s string, level int) string {
	t.Helper()
	var b strings.Builder
	w, err := gzip.NewWriterLevel(&b, level)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, s); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func gz(t testing.TB, s string) string { t.Helper(); return deflated(t, s, gzip.BestSpeed) }

// flip returns s with one byte changed; a negative index counts from the end.
func flip(s string, i int) string {
	if i < 0 {
		i += len(s)
	}
	b := []byte(s)
	b[i] ^= 0xff
	return string(b)
}

// readers return the same bytes in different pieces.
var readers = []struct {
	name string
	wrap func(io.Reader) io.Reader
}{
	{"whole", func(r io.Reader) io.Reader { return r }},
	{"one byte", iotest.OneByteReader},
	{"half", iotest.HalfReader},
	{"data with error", iotest.DataErrReader},
	{"pausing", func(r io.Reader) io.Reader { return &pausingReader{r: r} }},
	{"strict", func(r io.Reader) io.Reader { return &strictReader{r: r} }},
}

// A pausingReader returns nothing every second time.
type pausingReader struct {
	r     io.Reader
	pause bool
}

func (p *pausingReader) Read(b []byte) (int, error) {
	if p.pause = !p.pause; p.pause {
		return 0, nil
	}
	return p.r.Read(b)
}

var errReadAgain = errors.New("source read again after its end")

// A strictReader must not be read after its end.
type strictReader struct {
	r    io.Reader
	done bool
}

func (s *strictReader) Read(b []byte) (int, error) {
	if s.done {
		return 0, errReadAgain
	}
	n, err := s.r.Read(b)
	s.done = err != nil
	return n, err
}

// document returns a urlset of about n bytes, which deflates about 7:1.
func document(n int) string {
	rnd := rand.New(rand.NewPCG(1, 2))
	words := make([]string, 2000)
	for i := range words {
		words[i] = strconv.FormatUint(rnd.Uint64N(1<<30)+1<<20, 36)
	}
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n")
	b.WriteString(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n")
	for b.Len() < n {
		fmt.Fprintf(&b, "  <url>\n    <loc>https://www.example.com/%s/%s-%s-%s.html?id=%d</loc>\n",
			words[rnd.IntN(20)], words[rnd.IntN(2000)], words[rnd.IntN(2000)],
			words[rnd.IntN(2000)], rnd.IntN(1e6))
		fmt.Fprintf(&b, "    <lastmod>2024-%02d-%02dT%02d:%02d:%02d+00:00</lastmod>\n",
			1+rnd.IntN(12), 1+rnd.IntN(28), rnd.IntN(24), rnd.IntN(60), rnd.IntN(60))
		fmt.Fprintf(&b,
			"    <changefreq>weekly</changefreq>\n    <priority>0.%d</priority>\n  </url>\n",
			rnd.IntN(10))
	}
	b.WriteString("</urlset>\n")
	return b.String()
}

type gunzipCase struct {
	name   string
	in     string
	want   string // the output, or a prefix of it if err and cut are set
	cut    bool
	err    error
	layers int
	junk   bool
}

func gunzipCases(t testing.TB) []gunzipCase {
	const doc = "<urlset/>"
	long := document(200 << 10)
	member, empty := gz(t, doc), gz(t, "")
	half := gz(t, long)
	half = half[:len(half)/2]
	stored := deflated(t, long, gzip.NoCompression)
	const storedBlock = 65535
	second := 10 + 5 + storedBlock                          // offset of the second block
	damaged := stored[:second] + "\x06" + stored[second+1:] // a type of block that does not exist
	named := "\x1f\x8b\x08\x08\x00\x00\x00\x00\x00\x03sitemap.xml\x00" + member[10:]
	return []gunzipCase{
		{name: "empty"},
		{name: "plain", in: doc, want: doc},
		{name: "plain, long", in: long, want: long},
		{name: "plain, one byte of the magic", in: "\x1f", want: "\x1f"},
		{name: "plain, zlib", in: "\x78\x9c\x85", want: "\x78\x9c\x85"},
		{name: "one member", in: member, want: doc, layers: 1},
		{name: "one member, long", in: gz(t, long), want: long, layers: 1},
		{name: "one member, neither short nor long", in: gz(t, long[:20<<10]), want: long[:20<<10],
			layers: 1},
		{name: "name in the header", in: named, want: doc, layers: 1},
		{name: "stored", in: stored, want: long, layers: 1},
		{name: "sound but empty", in: empty, layers: 1},
		{name: "a block without codes",
			in: "\x1f\x8b\b\x00\x00\x00<\"(\xb3\r:\x00\x00\x04\xf6\xff\x00\t\x00\xf6\xff<urlset/>\x01\x00\x00\xbc\xbc\xbc\xbc\xbc\xfc\t\x00\x00\x00", err: sitemap.ErrGzip, layers: 1},
		{name: "two members", in: member + member, want: doc + doc, layers: 1},
		{name: "empty members between", in: empty + member + empty + empty + member + empty,
			want: doc + doc, layers: 1},
		{name: "100,000 empty members", in: strings.Repeat(empty, 100_000) + member, want: doc,
			layers: 1},
		{name: "line feed after", in: member + "\n", want: doc, layers: 1, junk: true},
		{name: "NULs after", in: member + strings.Repeat("\x00", 512), want: doc, layers: 1,
			junk: true},
		{name: "NULs, then a member", in: member + strings.Repeat("\x00", 512) + member, want: doc +
			doc, layers: 1, junk: true},
		{name: "too many NULs, then a member", in: member + strings.Repeat("\x00", maxPadding+1) +
			member, want: doc, layers: 1, junk: true},
		{name: "text after", in: member + "<html>", want: doc, layers: 1, junk: true},
		{name: "half a magic after", in: member + "\x1f", want: doc, layers: 1, junk: true},
		{name: "other method after", in: member + "\x1f\x8b\x07junk", want: doc, layers: 1,
			junk: true},
		{name: "junk, then a member", in: member + "\n" + member, want: doc, layers: 1, junk: true},
		{name: "two layers", in: gz(t, member), want: doc, layers: 2},
		{name: "two layers, long", in: gz(t, gz(t, long)), want: long, layers: 2},
		{name: "two layers of two members", in: gz(t, member[:9]) + gz(t, member[9:]+member),
			want: doc + doc, layers: 2},
		{name: "two layers, junk inside", in: gz(t, member+"\n"), want: doc, layers: 2, junk: true},
		{name: "two layers, junk outside", in: gz(t, member) + "\n", want: doc, layers: 2,
			junk: true},
		{name: "three layers", in: gz(t, gz(t, member)), want: member, layers: 2},
		{name: "magic only", in: "\x1f\x8b", err: sitemap.ErrTruncated, layers: 1},
		{name: "magic only after a member", in: member + "\x1f\x8b", want: doc,
			err: sitemap.ErrTruncated, layers: 1},
		{name: "header cut", in: member[:7], err: sitemap.ErrTruncated, layers: 1},
		{name: "name cut", in: named[:15], err: sitemap.ErrTruncated, layers: 1},
		{name: "header of a second member cut", in: member + member[:8], want: doc,
			err: sitemap.ErrTruncated, layers: 1},
		{name: "stream cut", in: half, want: long, cut: true, err: sitemap.ErrTruncated, layers: 1},
		{name: "checksum cut", in: member[:len(member)-5], want: doc, err: sitemap.ErrTruncated,
			layers: 1},
		{name: "length cut", in: member[:len(member)-1], want: doc, err: sitemap.ErrTruncated,
			layers: 1},
		{name: "inner stream cut", in: gz(t, half), want: long, cut: true,
			err: sitemap.ErrTruncated, layers: 2},
		{name: "outer stream cut", in: gz(t, gz(t, long))[:len(half)], want: long, cut: true,
			err: sitemap.ErrTruncated, layers: 2},
		{name: "other method", in: "\x1f\x8bABC", err: sitemap.ErrGzip, layers: 1},
		{name: "reserved flags", in: "\x1f\x8b\x08invalid", err: sitemap.ErrTruncated, layers: 1},
		{name: "corrupt at once", in: member[:10] + "\xff\xff\xff\xff" + member[14:],
			err: sitemap.ErrGzip, layers: 1},
		{name: "corrupt later", in: damaged, want: long[:storedBlock], err: sitemap.ErrGzip,
			layers: 1},
		{name: "wrong checksum", in: flip(member, -8), want: doc, err: sitemap.ErrGzip, layers: 1},
		{name: "wrong length", in: flip(member, -1), want: doc, err: sitemap.ErrGzip, layers: 1},
		{name: "wrong checksum of nothing", in: flip(empty, -8), err: sitemap.ErrGzip, layers: 1},
		{name: "wrong checksum, long", in: flip(gz(t, long), -8), want: long, err: sitemap.ErrGzip,
			layers: 1},
		{name: "wrong checksum inside", in: gz(t, flip(member, -8)), want: doc,
			err: sitemap.ErrGzip, layers: 2},
		{name: "wrong checksum outside", in: flip(gz(t, member), -8), want: doc,
			err: sitemap.ErrGzip, layers: 2},
	}
}

// check compares the output with that of the case.
func (c gunzipCase) check(t *testing.T, got string, err error, layers int, junk bool) {
	t.Helper()
	switch {
	case c.cut && (!strings.HasPrefix(c.want, got) || len(got) < len(c.want)/3):
		t.Errorf("read %d bytes, want at least a third of the first of %d", len(got), len(c.want))
	case !c.cut && got != c.want:
		t.Errorf("read %.60q (%d bytes), want %.60q (%d bytes)", got, len(got), c.want, len(c.want))
	}
	if err != c.err {
		t.Errorf("err = %v, want %v", err, c.err)
	}
	if layers != c.layers {
		t.Errorf("Layers() = %d, want %d", layers, c.layers)
	}
	if junk != c.junk {
		t.Errorf("TrailingJunk() = %t, want %t", junk, c.junk)
	}
}

func TestGunzip(t *testing.T) {
	for _, c := range gunzipCases(t) {
		for _, r := range readers {
			t.Run(c.name+"/"+r.name, func(t *testing.T) {
				g := newGunzip(r.wrap(strings.NewReader(c.in)))
				defer g.Close()
				got, err := io.ReadAll(g)
				c.check(t, string(got), err, g.Layers(), g.TrailingJunk())
			})
		}
	}
}

// A small buffer gets the same output, and errors come without data.
func TestGunzip_SmallReads(t *testing.T) {
	for _, c := range gunzipCases(t) {
		t.Run(c.name, func(t *testing.T) {
			g := newGunzip(strings.NewReader(c.in))
			defer g.Close()
			var got []byte
			var p [7]byte
			for {
				n, err := g.Read(p[:])
				got = append(got, p[:n]...)
				if err == nil && n > 0 {
					continue
				}
				if n != 0 || err == nil {
					t.Fatalf("Read = %d, %v", n, err)
				}
				if err == io.EOF {
					err = nil
				}
				c.check(t, string(got), err, g.Layers(), g.TrailingJunk())
				return
			}
		})
	}
}

func (idle) Read([]byte) (int, error) { return 0, nil }

func TestGunzip_Close(t *testing.T) {
	for _, in := range []string{"", "<urlset/>", gz(t, document(100<<10))} {
		src := &strictReader{r: strings.NewReader(in)}
		g := newGunzip(src)
		var p [4]byte
		g.Read(p[:])
		for range 2 {
			if err := g.Close(); err != nil {
				t.Errorf("Close() = %v", err)
			}
		}
		if n, err := g.Read(p[:]); n != 0 || err == nil || err == errReadAgain {
			t.Errorf("Read after Close = %d, %v; want an error", n, err)
		}
	}
}

// A pooled layer forgets the document before, however that ended.
func TestGunzip_Reuse(t *testing.T) {
	cases := slices.DeleteFunc(gunzipCases(t),
		func(c gunzipCase) bool { return len(c.in) > 20<<10 })
	for i := range cases {
		for j := range cases {
			g := newGunzip(strings.NewReader(cases[i].in))
			g.Read(make([]byte, 5))
			g.Close()

			g = newGunzip(strings.NewReader(cases[j].in))
			got, err := io.ReadAll(g)
			cases[j].check(t, string(got), err, g.Layers(), g.TrailingJunk())
		}
	}
}

func FuzzGunzip(f *testing.F) {
	for _, c := range gunzipCases(f) {
		if len(c.in) < 10<<10 {
			f.Add([]byte(c.in))
		}
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		g := newGunzip(bytes.NewReader(in))
		const bound = 1 << 20
		got, err := io.ReadAll(io.LimitReader(g, bound))
		layers, junk := g.Layers(), g.TrailingJunk()
		if len(got) == bound {
			g.Close()
			return
		}
		if layers == 0 && (err != nil || !bytes.Equal(got, in)) {
			t.Errorf("plain data came out as %q, %v", got, err)
		}

		one := newGunzip(iotest.OneByteReader(bytes.NewReader(in)))
		slow, slowErr := io.ReadAll(one)
		if !bytes.Equal(slow, got) || slowErr != err || one.Layers() != layers ||
			one.TrailingJunk() != junk {
			t.Errorf("byte by byte: %q, %v; at once: %q, %v", slow, slowErr, got, err)
		}

		want, layersWant, sound := standard(in)
		if sound && (err != nil || junk || layers != layersWant || !bytes.Equal(got, want)) {
			t.Errorf("read %q, %v, %d layers, junk %t; compress/gzip reads %q, %d layers",
				got, err, layers, junk, want, layersWant)
		}
	})
}

// standard undoes up to two layers with compress/gzip, if they are sound to it and to the
// decompressor of this package. The latter refuses a stored block with padding bits other than
// zero, which RFC 1951 ignores.
func standard(in []byte) (out []byte, layers int, sound bool) {
	for layers < maxLayers && bytes.HasPrefix(in, []byte("\x1f\x8b")) {
		z, err := gzip.NewReader(bytes.NewReader(in))
		if err != nil {
			return nil, 0, false
		}
		if k, err := kgzip.NewReader(bytes.NewReader(in)); err != nil {
			return nil, 0, false
		} else if _, err := io.Copy(io.Discard, k); err != nil {
			return nil, 0, false
		}
		if in, err = io.ReadAll(z); err != nil {
			return nil, 0, false
		}
		layers++
	}
	return in, layers, true
}
