package input

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// newAhead returns an inflater that may start its worker.
func newAhead(src io.Reader) *inflater {
	f := newInflater(src, 0)
	f.ahead = true
	return f
}

// goroutineID tells the current goroutine from others.
func goroutineID() string {
	var b [64]byte
	id, _, _ := strings.Cut(string(b[:runtime.Stack(b[:], false)]), " [")
	return id
}

// A guardedReader must be read on the goroutine that made it, and not after its
// end.
type guardedReader struct {
	strictReader
	t     *testing.T
	owner string
	reads int
}

func guard(t *testing.T, r io.Reader) *guardedReader {
	return &guardedReader{strictReader: strictReader{r: r}, t: t, owner: goroutineID()}
}

func (g *guardedReader) Read(p []byte) (int, error) {
	g.reads++
	if id := goroutineID(); id != g.owner {
		g.t.Errorf("source read on %s, want %s", id, g.owner)
	}
	return g.strictReader.Read(p)
}

// manyCores lets an inflater decompress ahead, whatever the machine.
func manyCores(t testing.TB) {
	if before := runtime.GOMAXPROCS(0); before < 2 {
		runtime.GOMAXPROCS(2)
		t.Cleanup(func() { runtime.GOMAXPROCS(before) })
	}
}

type aheadCase struct {
	name string
	in   string
}

// aheadCases are documents large enough to be decompressed ahead, sound and not.
func aheadCases(t testing.TB) []aheadCase {
	t.Helper()
	doc := document(1500 << 10)
	once, stored := gz(t, doc), deflated(t, doc, gzip.NoCompression)
	cases := []aheadCase{
		{"plain", doc},
		{"one member", once},
		{"stored", stored},
		{"members", gz(t, doc[:300<<10]) + gz(t, "") + gz(t, doc[300<<10:])},
		{"junk", once + "\n"},
		{"two layers", gz(t, once)},
		{"stream cut", once[:len(once)*3/4]},
		{"checksum cut", once[:len(once)-5]},
		{"wrong checksum", flip(once, -8)},
		{"wrong checksum outside", flip(gz(t, once), -8)},
		{"no such block", stored[:10+5*(5+65535)] + "\x06" + stored[10+5*(5+65535)+1:]},
		{"exactly what is read before", gz(t, doc[:aheadAfter])},
		{"exactly one block more", gz(t, doc[:aheadAfter+blockSize])},
		{"exactly the blocks more", gz(t, doc[:aheadAfter+aheadBlocks*blockSize])},
	}
	for _, c := range gunzipCases(t) {
		cases = append(cases, aheadCase{"small: " + c.name, c.in})
	}
	return cases
}

// checkAhead compares an inflater with a Gunzip of the same bytes.
func checkAhead(t *testing.T, in string, wrap func(io.Reader) io.Reader, bufSize int) {
	t.Helper()
	g := newGunzip(wrap(strings.NewReader(in)))
	defer g.Close()
	want, wantErr := io.ReadAll(g)

	f := newAhead(guard(t, wrap(strings.NewReader(in))))
	defer f.Close()
	var got []byte
	var err error
	p := make([]byte, bufSize)
	for err == nil {
		var n int
		n, err = f.Read(p)
		got = append(got, p[:n]...)
		if n > 0 && err != nil || n == 0 && err == nil {
			t.Fatalf("Read = %d, %v", n, err)
		}
	}
	if err == io.EOF {
		err = nil
	}
	if !bytes.Equal(got, want) {
		t.Errorf("read %d bytes, want %d", len(got), len(want))
	}
	if err != wantErr {
		t.Errorf("err = %v, want %v", err, wantErr)
	}
	if f.Layers() != g.Layers() || f.TrailingJunk() != g.TrailingJunk() {
		t.Errorf("%d layers, junk %t; want %d, %t", f.Layers(), f.TrailingJunk(), g.Layers(), g.TrailingJunk())
	}
}

func TestInflater(t *testing.T) {
	manyCores(t)
	for _, c := range aheadCases(t) {
		for _, r := range readers {
			if r.name == "one byte" && len(c.in) > 10<<10 {
				continue // as many switches between goroutines
			}
			t.Run(c.name+"/"+r.name, func(t *testing.T) { checkAhead(t, c.in, r.wrap, 64<<10) })
		}
	}
}

// The worker is for documents that are gzip and large, on more than one core.
func TestInflater_Starts(t *testing.T) {
	manyCores(t)
	large := document(2 << 20)
	for _, c := range []struct {
		name string
		in   string
		want bool
	}{
		{"plain", large, false},
		{"small gzip", gz(t, large[:aheadAfter-1]), false},
		{"gzip", gz(t, large), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newAhead(strings.NewReader(c.in))
			defer f.Close()
			started := false
			p := make([]byte, 64<<10)
			for {
				_, err := f.Read(p)
				started = started || f.work != nil
				if err != nil {
					break
				}
			}
			if started != c.want {
				t.Errorf("worker started: %t, want %t", started, c.want)
			}
		})
	}
}

func TestInflater_OneCore(t *testing.T) {
	before := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(before)
	f := newAhead(strings.NewReader(gz(t, document(2<<20))))
	defer f.Close()
	if _, err := io.CopyN(io.Discard, struct{ io.Reader }{f}, 1<<20); err != nil {
		t.Fatal(err)
	}
	if f.work != nil {
		t.Error("worker started on one core")
	}
}

func TestInflater_SourceError(t *testing.T) {
	manyCores(t)
	in := gz(t, document(2<<20))
	for _, fail := range []error{io.ErrUnexpectedEOF, errors.New("connection reset"), listError{"not", "comparable"}} {
		failing := func() io.Reader {
			return io.MultiReader(strings.NewReader(in[:len(in)*3/4]), iotest.ErrReader(fail))
		}
		g := newGunzip(failing())
		want, _ := io.ReadAll(g)

		f := newAhead(guard(t, failing()))
		got, err := io.ReadAll(f)
		if !bytes.Equal(got, want) {
			t.Errorf("read %d bytes, want %d", len(got), len(want))
		}
		if err == nil || err.Error() != fail.Error() {
			t.Errorf("err = %v, want %v", err, fail)
		}
		if err := f.Close(); err != nil {
			t.Errorf("Close() = %v", err)
		}
	}
}

// Closing stops the worker wherever it is, and the source is not read again.
func TestInflater_Close(t *testing.T) {
	manyCores(t)
	in := gz(t, gz(t, document(4<<20)))
	for n := int64(0); n < 3<<20; n += 200 << 10 {
		before := runtime.NumGoroutine()
		src := guard(t, strings.NewReader(in))
		f := newAhead(src)
		if _, err := io.CopyN(io.Discard, struct{ io.Reader }{f}, n); err != nil {
			t.Fatal(err)
		}
		reads := src.reads
		for range 2 {
			if err := f.Close(); err != nil {
				t.Errorf("Close() = %v", err)
			}
		}
		if src.reads != reads {
			t.Errorf("source read %d times by Close", src.reads-reads)
		}
		if k, err := f.Read(make([]byte, 1)); k != 0 || err == nil {
			t.Errorf("Read after Close = %d, %v; want an error", k, err)
		}
		// The worker has said that it is done; it may take a moment to be gone.
		for i := 0; runtime.NumGoroutine() > before; i++ {
			if i == 1000 {
				t.Fatalf("%d goroutines after Close at %d, %d before", runtime.NumGoroutine(), n, before)
			}
			time.Sleep(time.Millisecond)
		}
	}
}

// A source that is slow gets its bytes out without waiting for a whole block.
func TestInflater_SlowSource(t *testing.T) {
	manyCores(t)
	doc := document(2 << 20)
	src := &countingReader{r: strings.NewReader(gz(t, doc))}
	f := newAhead(src)
	defer f.Close()
	ratio := len(doc) / src.r.Len()
	got := 0
	p := make([]byte, 64<<10)
	for {
		n, err := f.Read(p)
		got += n
		if err != nil {
			break
		}
		if held := src.n*ratio - got; held > 2*blockSize {
			t.Fatalf("%d bytes held back after %d bytes", held, got)
		}
	}
	if got != len(doc) {
		t.Errorf("read %d bytes, want %d", got, len(doc))
	}
}

// A countingReader returns at most 1 KiB at once, and counts the bytes.
type countingReader struct {
	r *strings.Reader
	n int
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p[:min(len(p), 1<<10)])
	c.n += n
	return n, err
}

func FuzzInflater(f *testing.F) {
	f.Add(uint64(1), -1, uint8(0), uint16(1))
	f.Add(uint64(2), 100000, uint8(1), uint16(65535))
	f.Add(uint64(3), 5, uint8(7), uint16(4096))
	once := gz(f, document(1<<20))
	docs := []string{once, gz(f, once), once[:len(once)-1], once + "\n", once + once[:len(once)/3]}
	f.Fuzz(func(t *testing.T, seed uint64, damage int, doc uint8, bufSize uint16) {
		in := docs[int(doc)%len(docs)]
		if damage >= 0 {
			in = flip(in, damage%len(in))
		}
		rnd := rand.New(rand.NewPCG(seed, 0))
		sizes := make([]int, 100)
		for i := range sizes {
			sizes[i] = rnd.IntN(100 << 10)
		}
		wrap := func(r io.Reader) io.Reader { return &raggedReader{r: r, sizes: sizes} }
		checkAhead(t, in, wrap, int(bufSize)+1)
	})
}

// A raggedReader returns as many bytes as it is told, which may be none.
type raggedReader struct {
	r     io.Reader
	sizes []int
	i     int
}

func (r *raggedReader) Read(p []byte) (int, error) {
	r.i++
	return r.r.Read(p[:min(len(p), r.sizes[r.i%len(r.sizes)])])
}

// benchmarkGunzip reads the gzip form of 10 MB of urlset, at cost to the reader of
// about what parsing it takes.
func benchmarkGunzip(b *testing.B, cores int, open func(io.Reader) io.ReadCloser, parse bool) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
	doc := document(10 << 20)
	in := deflated(b, doc, gzip.DefaultCompression)
	b.SetBytes(int64(len(doc)))
	b.ReportAllocs()
	p := make([]byte, 64<<10)
	for b.Loop() {
		r := open(strings.NewReader(in))
		for {
			n, err := r.Read(p)
			if parse {
				simulatedParse(p[:n])
			}
			if err != nil {
				break
			}
		}
		r.Close()
	}
	b.ReportMetric(float64(len(doc))/float64(len(in)), "ratio")
}

var sink int

// simulatedParse takes about as long as parsing does, some 1.6 GB/s.
func simulatedParse(p []byte) {
	for len(p) > 0 {
		i := bytes.IndexByte(p, '<')
		if i < 0 {
			return
		}
		for _, c := range p[i:min(len(p), i+16)] {
			sink += int(c)
		}
		p = p[i+1:]
	}
}

func BenchmarkGunzip(b *testing.B) {
	gunzip := func(r io.Reader) io.ReadCloser { return newGunzip(r) }
	inflate := func(r io.Reader) io.ReadCloser { return newAhead(r) }
	b.Run("alone", func(b *testing.B) { benchmarkGunzip(b, 1, gunzip, false) })
	b.Run("parse/serial", func(b *testing.B) { benchmarkGunzip(b, 1, gunzip, true) })
	b.Run("parse/one core", func(b *testing.B) { benchmarkGunzip(b, 1, inflate, true) })
	b.Run("parse/ahead", func(b *testing.B) { benchmarkGunzip(b, 2, inflate, true) })
}

func BenchmarkSimulatedParse(b *testing.B) {
	doc := []byte(document(10 << 20))
	b.SetBytes(int64(len(doc)))
	for b.Loop() {
		simulatedParse(doc)
	}
}

// Nobody need close what only the start was looked at of.
func TestReader_Ahead(t *testing.T) {
	manyCores(t)
	in := Open(strings.NewReader(gz(t, document(2<<20))), nil)
	defer in.Close()
	for in.More() {
	}
	if in.gz.work != nil {
		t.Error("worker started before Ahead")
	}
	in.Ahead()
	in.Advance(len(in.Window()))
	in.More()
	if in.gz.work == nil {
		t.Error("no worker after Ahead")
	}
	in.Close()
	in.Ahead()
}
