package input

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"math"
	"sync"

	"github.com/klauspost/compress/gzip"

	"github.com/seed-322c453a/sitemap"
)

const (
	// maxLayers is the maximum number of gzip layers that are undone. Servers often compress a .gz
	// file once more; a third layer is always an attack.
	maxLayers = 2

	// maxInnerBytes bounds the gzip data for a second layer. Deflate expands one byte to at most
	// 1,032. Without the bound, an outer stream of a few megabytes could feed the inner one with
	// empty members for hours. These have no output that another limit would count.
	maxInnerBytes = 1 << 30

	// layerBuffer is the size of the buffer of compressed bytes of one layer.
	layerBuffer = 16 << 10

	// maxPadding is the maximum number of zeros that are skipped between members.
	maxPadding = 64 << 10

	// maxEmptyReads is how often in a row a source may return no byte and no error before Read
	// fails with io.ErrNoProgress, as in package bufio.
	maxEmptyReads = 100
)

// A Gunzip undoes gzip (RFC 1952), which it detects by the magic number, never by a name or a media
// type. It undoes up to two layers, reads every member of a stream (section 2.2) and ignores bytes
// after the last one. Anything else, a third layer included, passes through unchanged.
//
// Read returns everything that can be decompressed before an error. Its errors are
// [sitemap.ErrTruncated] for a header or stream that is cut short, [sitemap.ErrGzip] for other
// damage (bad header, corrupt block, wrong checksum or length), [sitemap.ErrTooLarge] for more than
// 1 GiB of gzip data inside gzip, io.ErrNoProgress, and those of the source, unchanged. The source
// is not read again after an error or io.EOF.
//
// A layer needs about 64 KiB of memory, which is pooled. A Gunzip is not safe for concurrent use.
type Gunzip struct {
	src    io.Reader
	stack  [maxLayers]*layer // outermost first; all except the last are gzip
	max    int               // maximum number of layers
	depth  int               // layers in use
	layers int
	junk   bool
	err    error // ends every Read once set
	read   int64 // bytes returned so far
	member int64 // start of the member read last; the checksums confirm the bytes before it
}

// NewGunzip returns a Gunzip of src that undoes at most the given number of layers, one or two. It
// does not close src, and reads nothing before the first Read.
func NewGunzip(src io.Reader, layers int) *Gunzip {
	return &Gunzip{src: src, max: min(layers, maxLayers)}
}

// Layers returns the number of gzip layers, 0 for plain data. It is known after the first Read.
func (g *Gunzip) Layers() int { return g.layers }

// TrailingJunk reports whether bytes other than a gzip member, such as NUL padding, followed the
// last member of a layer. It is known once Read has returned io.EOF.
func (g *Gunzip) TrailingJunk() bool { return g.junk }

// Read reads decompressed data. It never returns data and an error together.
func (g *Gunzip) Read(p []byte) (int, error) {
	if g.err != nil {
		return 0, g.err
	}
	if len(p) == 0 {
		return 0, nil
	}
	if g.depth == 0 {
		g.open()
	}
	top := g.stack[g.depth-1]
	n, err := top.Read(p)
	g.read += int64(n)
	if g.layers > 0 {
		g.member = g.stack[g.layers-1].member
	}
	if err != nil {
		g.end(err)
	}
	if n > 0 {
		err = nil
	}
	return n, err
}

// open detects the layers.
func (g *Gunzip) open() {
	top := newLayer(g.src, math.MaxInt64)
	for {
		g.stack[g.depth] = top
		g.depth++
		if !top.isGzip() {
			return
		}
		if g.layers++; g.depth == g.max {
			return
		}
		top = newLayer(top, maxInnerBytes)
	}
}

// Close releases the buffers. Later reads fail. It never fails, and may be called again.
func (g *Gunzip) Close() error {
	g.end(errClosed)
	return nil
}

// end makes err the result of every further Read and releases the buffers.
func (g *Gunzip) end(err error) {
	if g.err == nil {
		g.err = err
	}
	for i, l := range g.stack[:g.depth] {
		g.junk = g.junk || l.junk
		l.release()
		g.stack[i] = nil
	}
	g.depth = 0
}

// A layer is one gzip stream, or plain data.
type layer struct {
	source source
	buf    *bufio.Reader // over source
	gz     gzip.Reader   // over buf

	gzipped bool // not plain data
	inside  bool // gz is inside a member
	junk    bool
	err     error // the error after the bytes returned so far
	read    int64 // bytes decompressed so far
	member  int64 // start of the current member
}

var layerPool = sync.Pool{New: func() any {
	return &layer{buf: bufio.NewReaderSize(nil, layerBuffer)}
}}

// newLayer returns a layer that reads at most limit bytes from src.
func newLayer(src io.Reader, limit int64) *layer {
	l := layerPool.Get().(*layer)
	l.source = source{r: src, left: limit}
	l.buf.Reset(&l.source)
	return l
}

// release returns the layer to the pool, without its source. The decompressor would use the codes
// of this document for a damaged block of the next document that has no codes, so it first reads a
// member that replaces them.
func (l *layer) release() {
	if l.gzipped {
		l.gz.Reset(bytes.NewReader(blank())) // is sound
		io.Copy(io.Discard, &l.gz)
	}
	*l = layer{buf: l.buf, gz: l.gz}
	l.buf.Reset(nil)
	layerPool.Put(l)
}

// blank returns a member of one block with its own codes for letters and distances. It is made only
// if it is needed, since a writer takes a megabyte.
var blank = sync.OnceValue(func() []byte {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // the level exists
	for i := range 200 {
		w.Write([]byte{'a' + byte(i*i%23), 'a', 'b'}) // a Buffer never fails
	}
	w.Close()
	return b.Bytes()
})

// isGzip reports whether the first two bytes of the layer are those of gzip.
func (l *layer) isGzip() bool {
	head, _ := l.buf.Peek(2) // reading the bytes returns the error again
	l.gzipped = string(head) == "\x1f\x8b"
	return l.gzipped
}

// Read reads the content of the layer. It may return data and an error together.
func (l *layer) Read(p []byte) (int, error) {
	if !l.gzipped {
		return l.buf.Read(p)
	}
	for l.err == nil {
		if !l.inside {
			l.err = l.openMember()
			continue
		}
		n, err := l.gz.Read(p)
		switch err {
		case nil:
		case io.EOF:
			l.inside = false
			l.err = l.nextMember()
		default:
			l.err = l.cause(err)
		}
		if n > 0 {
			l.read += int64(n)
			return n, nil
		}
	}
	return 0, l.err
}

// openMember reads the header of the member at the current offset.
func (l *layer) openMember() error {
	l.inside, l.member = true, l.read
	// The decompressor reads names and lengths before it checks the method. Wrong ones may look
	// like the end of the stream. Like others, it ignores reserved flags.
	if head, _ := l.buf.Peek(3); len(head) > 2 && head[2] != 8 {
		return sitemap.ErrGzip
	}
	if err := l.gz.Reset(l.buf); err != nil {
		return l.cause(err)
	}
	l.gz.Multistream(false)
	return nil
}

// nextMember examines the bytes after a member. It returns nil for another member, which may follow
// padding with zeros, and io.EOF for the end or junk. Junk may start with the two bytes of the
// magic number by chance, so the third, which is always 8, must match too if there is one.
func (l *layer) nextMember() error {
	head, _ := l.buf.Peek(3)
	for padding := 0; len(head) > 0 && head[0] == 0 && padding < maxPadding; padding++ {
		l.junk = true
		l.buf.Discard(1)
		head, _ = l.buf.Peek(3)
	}
	switch {
	case len(head) < 3 && l.source.failed():
		return l.source.err
	case len(head) >= 2 && bytes.HasPrefix([]byte("\x1f\x8b\x08"), head):
		return nil
	}
	l.junk = l.junk || len(head) > 0
	return io.EOF
}

// cause returns the error to report for an error of the decompressor: that of the source or that of
// the data.
func (l *layer) cause(err error) error {
	switch {
	case l.source.failed():
		return l.source.err
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		return sitemap.ErrTruncated
	}
	return sitemap.ErrGzip
}

// A source reads from r until its first error, which it keeps.
type source struct {
	r    io.Reader
	left int64 // bytes that may still be read
	err  error
}

// Read implements io.Reader.
func (s *source) Read(p []byte) (n int, err error) {
	for range maxEmptyReads {
		if s.err == nil {
			n, s.err = s.r.Read(p)
			if s.left -= int64(n); s.left < 0 {
				n, s.err = 0, sitemap.ErrTooLarge
			}
		}
		if n > 0 || s.err != nil {
			return n, s.err
		}
	}
	s.err = io.ErrNoProgress
	return 0, s.err
}

// failed reports whether the source ended with an error.
func (s *source) failed() bool { return s.err != nil && s.err != io.EOF }

var errClosed = errors.New("sitemap: document read after its end")
