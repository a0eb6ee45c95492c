package input

import (
	"bufio"
	"bytes"
	"errors"
	"io"
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

	// maxEmptyReads is how often in a row a source may return no byte and no error before Read
	// fails with io.ErrNoProgress, as in package bufio.
	maxEmptyReads = 100
)

// errSource replaces the error of a layer's source on its way through bufio and the decompressor,
// so that it is not mistaken for an error of the gzip data.
var errSource = errors.New("input: source failed")

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
	stack  [maxLayers]*layer // outermost first; all except the last are gzip
	max    int               // maximum number of layers
	depth  int               // layers in use
	layers int
	junk   bool
	err    error // ends every Read once set
}

// NewGunzip returns a Gunzip of src that undoes at most the given number of layers, one or two. It
// does not close src, and reads nothing before the first Read.
func NewGunzip(src io.Reader, layers int) *Gunzip {
	g := &Gunzip{max: min(layers, maxLayers)}
	g.push(src, -1)
	return g
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
	top := g.stack[g.depth-1]
	for !top.sniffed && top.isGzip() {
		g.layers++
		if g.depth == g.max {
			break
		}
		top = g.push(top, maxInnerBytes)
	}
	n, err := top.Read(p)
	if err != nil {
		g.end(err)
	}
	if n > 0 {
		err = nil
	}
	return n, err
}

// Close releases the buffers. Later reads fail. It never fails, and may be called again.
func (g *Gunzip) Close() error {
	g.end(errClosed)
	return nil
}

// push adds a layer that reads from src: at most limit bytes, or any number if limit is negative.
func (g *Gunzip) push(src io.Reader, limit int64) *layer {
	l := newLayer(src, limit)
	g.stack[g.depth] = l
	g.depth++
	return l
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

	sniffed bool // gzipped is known
	gzipped bool
	open    bool // gz is inside a member
	junk    bool
	err     error // the error after the bytes returned so far

	blank   bytes.Reader // for forget
	scratch [256]byte
}

var layerPool = sync.Pool{New: func() any {
	l := new(layer)
	l.buf = bufio.NewReaderSize(nil, layerBuffer)
	return l
}}

func newLayer(src io.Reader, limit int64) *layer {
	l := layerPool.Get().(*layer)
	l.source = source{r: src, limit: limit}
	l.buf.Reset(&l.source)
	l.sniffed, l.gzipped, l.open, l.junk, l.err = false, false, false, false, nil
	return l
}

// release returns the layer to the pool, without its source.
func (l *layer) release() {
	l.source = source{}
	if l.gzipped {
		l.forget()
	}
	l.buf.Reset(nil)
	layerPool.Put(l)
}

// forget makes the decompressor forget the codes of the document. It would use them for a damaged
// block of the next document that has no codes.
func (l *layer) forget() {
	l.blank.Reset(blank)
	for err := l.gz.Reset(&l.blank); err == nil; {
		_, err = l.gz.Read(l.scratch[:])
	}
}

// blank is a member of one block with its own codes for letters and distances.
var blank = func() []byte {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // the level exists
	for i := range 200 {
		w.Write([]byte{'a' + byte(i*i%23), 'a', 'b'}) // a Buffer never fails
	}
	w.Close()
	return b.Bytes()
}()

// isGzip reports whether the first two bytes of the layer are those of gzip.
func (l *layer) isGzip() bool {
	head, _ := l.buf.Peek(2) // reading the bytes returns the error again
	l.sniffed = true
	l.gzipped = len(head) == 2 && head[0] == 0x1f && head[1] == 0x8b
	return l.gzipped
}

// Read reads the content of the layer. It may return data and an error together.
func (l *layer) Read(p []byte) (int, error) {
	if !l.gzipped {
		n, err := l.buf.Read(p)
		if err == errSource {
			err = l.source.err
		}
		return n, err
	}
	for l.err == nil {
		if !l.open {
			l.err = l.openMember()
			continue
		}
		n, err := l.gz.Read(p)
		switch err {
		case nil:
		case io.EOF:
			l.open = false
			l.err = l.nextMember()
		default:
			l.err = l.cause(err)
		}
		if n > 0 {
			return n, nil
		}
	}
	return 0, l.err
}

// openMember reads the header of the member at the current offset.
func (l *layer) openMember() error {
	// The decompressor reads names and lengths before it checks the method. Wrong ones may look
	// like the end of the stream. Like others, it ignores reserved flags.
	head, _ := l.buf.Peek(3)
	if len(head) > 2 && head[2] != 8 {
		return sitemap.ErrGzip
	}
	if err := l.gz.Reset(l.buf); err != nil {
		return l.cause(err)
	}
	l.gz.Multistream(false)
	l.open = true
	return nil
}

// maxPadding is the maximum number of zeros that are skipped between members.
const maxPadding = 64 << 10

// nextMember examines the bytes after a member. It returns nil for another member, which may follow
// padding with zeros, and io.EOF for the end or junk. Junk may start with the two bytes of the
// magic number by chance, so the third, which is always 8, must match too if there is one.
func (l *layer) nextMember() error {
	head, err := l.buf.Peek(3)
	padding := 0
	for ; len(head) > 0 && head[0] == 0 && padding < maxPadding; padding++ {
		l.junk = true
		l.buf.Discard(1)
		head, err = l.buf.Peek(3)
	}
	switch {
	case err == errSource && padding > 0:
		return io.EOF // the data is complete, whatever might follow
	case err == errSource:
		return l.source.err
	case len(head) >= 2 && head[0] == 0x1f && head[1] == 0x8b && (len(head) == 2 || head[2] == 8):
		return nil
	}
	l.junk = l.junk || len(head) > 0
	return io.EOF
}

// cause returns the error to report for an error of the decompressor: that of the source or that of
// the data.
func (l *layer) cause(err error) error {
	switch err {
	case errSource:
		return l.source.err
	case io.EOF, io.ErrUnexpectedEOF:
		return sitemap.ErrTruncated
	}
	return sitemap.ErrGzip
}

// A source reads from r until its first error. It keeps an error other than io.EOF and returns
// errSource in its place.
type source struct {
	r     io.Reader
	limit int64 // bytes that may still be read; negative for any number
	err   error
}

func (s *source) Read(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.result()
	}
	for range maxEmptyReads {
		n, err := s.r.Read(p)
		if s.limit >= 0 {
			if s.limit -= int64(n); s.limit < 0 {
				n, err = 0, sitemap.ErrTooLarge
			}
		}
		s.err = err
		if n > 0 || err != nil {
			return n, s.result()
		}
	}
	s.err = io.ErrNoProgress
	return 0, s.result()
}

func (s *source) result() error {
	if s.err == nil || s.err == io.EOF {
		return s.err
	}
	return errSource
}

var errClosed = errors.New("sitemap: document read after its end")
