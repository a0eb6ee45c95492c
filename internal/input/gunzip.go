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
	// maxLayers is how many gzip layers are undone: a server that compresses a
	// .gz file once more is common, a third layer is only ever an attack.
	maxLayers = 2

	// maxStack is maxLayers with one more for a Content-Encoding.
	maxStack = maxLayers + 1

	// maxInnerBytes bounds the gzip data that a second layer may be fed. Deflate
	// gives at most 1,032 bytes for one, so without it a few megabytes of an outer
	// stream could feed an inner one of empty members, which has no output for
	// any other limit to count, for hours.
	maxInnerBytes = 1 << 30

	// layerBuffer is the size of the buffer of compressed bytes of one layer.
	layerBuffer = 16 << 10

	// maxEmptyReads is how often in a row a source may return no byte and no
	// error before it is given up with io.ErrNoProgress, as bufio does.
	maxEmptyReads = 100
)

// errSource stands for the error of a layer's source on its way through bufio and
// the decompressor, so that it cannot be taken for an error of the gzip data.
var errSource = errors.New("input: source failed")

// A Gunzip undoes gzip (RFC 1952), told by its magic number and never by a name
// or a media type. It undoes up to two layers, reads every member of a stream
// (section 2.2) and ignores what follows the last one. Anything else, a third
// layer included, passes through as it is.
//
// What can be decompressed is returned before an error. The errors of Read are
// sitemap.ErrTruncated for a header or stream cut short, sitemap.ErrGzip for any
// other damage (bad header, corrupt block, checksum or length mismatch),
// sitemap.ErrTooLarge for more than 1 GiB of gzip data inside gzip,
// io.ErrNoProgress, and those of the source, unchanged. The source is not read
// again after an error or io.EOF.
//
// Memory is bounded by about 64 KiB a layer, which is pooled. A Gunzip is not safe
// for concurrent use.
type Gunzip struct {
	stack  [maxStack]*layer // outermost first; all but the last are gzip
	max    int              // layers that are undone
	depth  int              // layers in use
	layers int
	junk   bool
	err    error // ends every Read once set
}

// NewEncodedGunzip returns a Gunzip that reads from src, which it does not close: a
// body whose Content-Encoding names gzip so many times. One more layer is undone if
// it does, for it is counted apart. Nothing is read before the first Read.
func NewEncodedGunzip(src io.Reader, encodings int) *Gunzip {
	g := &Gunzip{max: min(maxLayers+encodings, maxStack)}
	g.push(src, -1)
	return g
}

// Layers returns the number of gzip layers undone: 0 for plain data. It
// is known after the first Read.
func (g *Gunzip) Layers() int { return g.layers }

// TrailingJunk reports whether bytes that are no gzip member, NUL padding included,
// followed the last member of a layer. It is known once Read has returned io.EOF.
func (g *Gunzip) TrailingJunk() bool { return g.junk }

// Read reads decompressed data. It returns an error only without data.
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

// Close gives the buffers back. Reads after it fail. It never fails, and may be
// called again.
func (g *Gunzip) Close() error {
	g.end(errClosed)
	return nil
}

// push puts a layer on the stack that reads from src, at most limit bytes unless
// it is negative.
func (g *Gunzip) push(src io.Reader, limit int64) *layer {
	l := newLayer(src, limit)
	g.stack[g.depth] = l
	g.depth++
	return l
}

// end makes err the answer to every further Read and gives the buffers back.
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
	err     error // what follows the bytes returned so far

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

// release puts the layer back into the pool, without its source.
func (l *layer) release() {
	l.source = source{}
	if l.gzipped {
		l.forget()
	}
	l.buf.Reset(nil)
	layerPool.Put(l)
}

// forget makes the decompressor forget the codes of the document, which it would use for
// a block of the next one that is damaged so that it has none.
func (l *layer) forget() {
	l.blank.Reset(blank)
	for err := l.gz.Reset(&l.blank); err == nil; {
		_, err = l.gz.Read(l.scratch[:])
	}
}

// blank is a member of one block with codes of its own for letters and for distances.
var blank = func() []byte {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // a level that there is
	for i := range 200 {
		w.Write([]byte{'a' + byte(i*i%23), 'a', 'b'}) // a Buffer takes all
	}
	w.Close()
	return b.Bytes()
}()

// isGzip tells from the first two bytes whether the layer is gzip.
func (l *layer) isGzip() bool {
	head, _ := l.buf.Peek(2) // an error comes again when the bytes are read
	l.sniffed = true
	l.gzipped = len(head) == 2 && head[0] == 0x1f && head[1] == 0x8b
	return l.gzipped
}

// Read reads what is inside the layer. It may return data and an error at once.
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

// openMember reads the header of the member that starts here.
func (l *layer) openMember() error {
	// The decompressor reads names and lengths before it refuses the method; what
	// they lead it to may look like the end of the stream. Flags that are reserved
	// it ignores, as others do.
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

// maxPadding bounds the zeros between members that are passed over.
const maxPadding = 64 << 10

// nextMember looks at what follows a member: nil for another member, behind zeros perhaps that it
// was padded with, io.EOF for the end or junk. Junk may start with the two bytes of the magic
// number by chance, so the third, which is always 8, must agree where there is one.
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
		return io.EOF // it is whole without what may have come
	case err == errSource:
		return l.source.err
	case len(head) >= 2 && head[0] == 0x1f && head[1] == 0x8b && (len(head) == 2 || head[2] == 8):
		return nil
	}
	l.junk = l.junk || len(head) > 0
	return io.EOF
}

// cause tells whose fault an error of the decompressor is.
func (l *layer) cause(err error) error {
	switch err {
	case errSource:
		return l.source.err
	case io.EOF, io.ErrUnexpectedEOF:
		return sitemap.ErrTruncated
	}
	return sitemap.ErrGzip
}

// A source reads from r until its first error. Any but io.EOF it keeps and
// replaces by errSource.
type source struct {
	r     io.Reader
	limit int64 // bytes that may yet be read; negative for any number
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
