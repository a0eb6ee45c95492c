package input

import (
	"errors"
	"io"
	"runtime"
	"sync"
)

const (
	// aheadAfter is how much of a gzip document is decompressed before another
	// core is put to it: a small one would not earn back the switch.
	aheadAfter = 256 << 10

	aheadBlocks = 4         // decompressed blocks that may wait for the reader
	blockSize   = 256 << 10 // of one of them
	aheadChunks = 2         // compressed chunks: one in work, one to come
	chunkSize   = 128 << 10 // of one of them

	// lowWater is how few compressed bytes count as about to run out. It covers
	// what decompressing 32 KiB can take, with the decompressor's own buffer.
	lowWater = 48 << 10
)

// An inflater is a Gunzip that decompresses ahead of its reader on another core,
// once that is wanted, if the document is gzip, larger than aheadAfter, and there is
// one. Its bytes and errors are the Gunzip's.
//
// The source is read on the goroutine that calls Read, and only there: the worker
// that decompresses asks for compressed chunks, and Read fills them. So a source
// needs no more care than with a Gunzip, and no call to it is ever left behind.
//
// An inflater is not safe for concurrent use. It must be closed, unless it was
// read to its end.
type inflater struct {
	src     io.Reader
	gz      *Gunzip // the worker's, while there is one
	ahead   bool    // a worker may be started
	decoded int     // bytes returned before there was a worker
	work    *worker
	block   *block // the worker's block that is being read
	err     error
}

// newInflater returns an inflater of a body with so many encodings; see
// NewEncodedGunzip.
func newInflater(src io.Reader, encodings int) *inflater {
	f := &inflater{src: src}
	f.gz = NewEncodedGunzip((*feed)(f), encodings)
	return f
}

// Layers is Gunzip.Layers.
func (f *inflater) Layers() int { return f.gz.Layers() }

// TrailingJunk is Gunzip.TrailingJunk; it is known once Read has returned an error.
func (f *inflater) TrailingJunk() bool { return f.err != nil && f.gz.TrailingJunk() }

// Read reads decompressed data. It returns an error only without data.
func (f *inflater) Read(p []byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	if len(p) == 0 {
		return 0, nil
	}
	if f.work == nil && f.ahead && f.decoded >= aheadAfter && f.gz.Layers() > 0 && runtime.GOMAXPROCS(0) > 1 {
		f.work = newWorker(f.gz)
		go f.work.run() // not before it is the feed's
	}
	if f.work == nil {
		n, err := f.gz.Read(p)
		f.decoded += n
		f.err = err
		return n, err
	}
	return f.readAhead(p)
}

// readAhead reads from the worker's blocks.
func (f *inflater) readAhead(p []byte) (int, error) {
	if f.block == nil {
		f.block = f.next()
	}
	b := f.block
	n := copy(p, b.data)
	b.data = b.data[n:]
	if len(b.data) > 0 {
		return n, nil
	}
	if b.err != nil {
		if n == 0 {
			f.end(b.err)
		}
		return n, f.err
	}
	f.block = nil
	f.work.free <- b
	return n, nil
}

// next waits for the worker's next block, and fills the chunks that the worker
// asks for meanwhile. One block that is ready comes before a chunk, since reading
// the source may take long; if more are, the worker is ahead, and must not be left
// without chunks when they are read.
func (f *inflater) next() *block {
	w := f.work
	for {
		if len(w.full) == 1 {
			return <-w.full
		}
		if len(w.full) > 1 {
			select {
			case c := <-w.want:
				f.fill(c)
			default:
			}
			return <-w.full
		}
		select {
		case b := <-w.full:
			return b
		case c := <-w.want:
			f.fill(c)
		}
	}
}

// fill reads a chunk from the source. The worker asks for none after an error.
func (f *inflater) fill(c *chunk) {
	n, err := f.src.Read(c.buf[:])
	c.data, c.err = c.buf[:n], err
	f.work.got <- c
}

// Close stops the worker, waits for it, and gives the buffers back. Reads after it
// fail. Closing again does nothing.
func (f *inflater) Close() error {
	f.end(errClosed)
	return nil
}

// end makes err the answer to every further Read and gives everything back.
func (f *inflater) end(err error) {
	if f.err == nil {
		f.err = err
	}
	if f.work != nil {
		f.work.close()
		f.work, f.block = nil, nil
	}
	f.gz.Close()
	f.src = nil
}

// A feed is the compressed side of an inflater: the source itself, or the chunks
// that are filled from it.
type feed inflater

func (f *feed) Read(p []byte) (int, error) {
	if f.work == nil {
		return f.src.Read(p)
	}
	return f.work.read(p)
}

// A block carries decompressed bytes to the reader.
type block struct {
	data []byte // of buf, what is not read yet
	err  error  // follows the data and is the last
	buf  [blockSize]byte
}

// A chunk carries compressed bytes to the worker.
type chunk struct {
	data []byte // of buf, what is not decompressed yet
	err  error  // follows the data
	buf  [chunkSize]byte
}

var (
	blockPool = sync.Pool{New: func() any { return new(block) }}
	chunkPool = sync.Pool{New: func() any { return new(chunk) }}
)

// errStopped ends the worker of a reader that does not want the rest.
var errStopped = errors.New("input: stopped")

// A worker decompresses on a goroutine of its own. Blocks and chunks go round:
// each is owned by who took it from a channel, and every channel has room for all
// of its kind, so that only receiving ever waits.
type worker struct {
	gz   *Gunzip
	full chan *block // to the reader
	free chan *block // and back
	want chan *chunk // to the reader, to be filled
	got  chan *chunk // and back
	stop chan struct{}
	done chan struct{}

	cur    *chunk // being decompressed
	blocks [aheadBlocks]*block
	chunks [aheadChunks]*chunk
}

// newWorker returns a worker that is to go on reading from gz.
func newWorker(gz *Gunzip) *worker {
	w := &worker{
		gz:   gz,
		full: make(chan *block, aheadBlocks),
		free: make(chan *block, aheadBlocks),
		want: make(chan *chunk, aheadChunks),
		got:  make(chan *chunk, aheadChunks),
		stop: make(chan struct{}),
		done: make(chan struct{}),
	}
	for i := range w.blocks {
		w.blocks[i] = blockPool.Get().(*block)
		w.free <- w.blocks[i]
	}
	for i := range w.chunks {
		w.chunks[i] = chunkPool.Get().(*chunk)
		w.want <- w.chunks[i]
	}
	return w
}

// close stops the worker, waits for it and gives its buffers back. The reader must
// not be in the middle of filling a chunk.
func (w *worker) close() {
	close(w.stop)
	<-w.done
	for _, b := range w.blocks {
		b.data, b.err = nil, nil
		blockPool.Put(b)
	}
	for _, c := range w.chunks {
		c.data, c.err = nil, nil
		chunkPool.Put(c)
	}
}

// run fills blocks until the end of the data.
func (w *worker) run() {
	defer close(w.done)
	for {
		select {
		case b := <-w.free:
			w.fill(b)
			w.full <- b
			if b.err != nil {
				return
			}
		case <-w.stop:
			return
		}
	}
}

// fill fills a block, or less of it where the next bytes may have to be waited
// for.
func (w *worker) fill(b *block) {
	n := 0
	for n == 0 || n < len(b.buf) && !w.low() {
		var m int
		m, b.err = w.gz.Read(b.buf[n:])
		n += m
		if b.err != nil {
			break
		}
	}
	b.data = b.buf[:n]
}

// low reports whether the compressed bytes at hand may soon run out.
func (w *worker) low() bool {
	return len(w.got) == 0 && (w.cur == nil || w.cur.err == nil && len(w.cur.data) < lowWater)
}

// read is the source of gz.
func (w *worker) read(p []byte) (int, error) {
	if w.cur == nil {
		select {
		case w.cur = <-w.got:
		case <-w.stop:
			return 0, errStopped
		}
	}
	c := w.cur
	n := copy(p, c.data)
	c.data = c.data[n:]
	if len(c.data) > 0 {
		return n, nil
	}
	if c.err != nil {
		return n, c.err
	}
	w.cur = nil
	w.want <- c
	return n, nil
}
