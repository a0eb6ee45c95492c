package batch

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/klauspost/compress/gzip"
)

// Files keep files by name. A name is a path with slashes. Files are safe for concurrent use.
type Files interface {
	StateFiles
	// List yields the names of the files below a folder, sorted.
	List(ctx context.Context, folder string) iter.Seq2[string, error]
}

// StateFiles are the methods of [Files] that [NewStates] needs.
type StateFiles interface {
	// Create creates a temporary file.
	Create() (*os.File, error)
	// Replace gives a temporary file a name, whole or not at all, and replaces the file that has
	// the name. Unless the version is [AnyVersion], that file must have this version, or be missing
	// if the version is "". Otherwise the error matches [ErrStale]. It also matches if an earlier
	// attempt, whose answer was lost, has replaced the file. If Replace succeeds, it has closed the
	// temporary file, and moved or removed it.
	Replace(ctx context.Context, name string, file *os.File, version string) error
	// Open opens a file. If there is none, the error matches fs.ErrNotExist. If the file is
	// replaced while it is read, an error of its ReadAt may match [ErrStale].
	Open(ctx context.Context, name string) (*File, error)
}

// AnyVersion matches any version of a file, and a file that is missing.
const AnyVersion = "*"

// maxBuffer is how much of a file is read at once.
const maxBuffer = 1 << 20

// reader reads n bytes, buffered. It closes the file.
func (f *File) reader(at, n int64) io.ReadCloser {
	r := bufio.NewReaderSize(io.NewSectionReader(f, at, n), int(min(n, maxBuffer)))
	return &closingReader{r, f}
}

// A closingReader closes what its reader reads.
type closingReader struct {
	io.Reader
	io.Closer
}

// A FileSink is a [Sink] that keeps parts as files, under the names that [PartName] returns.
type FileSink struct{ Files Files }

// Part begins a part: see [Sink].
func (s FileSink) Part(_ context.Context, part Stored) (Part, error) {
	if err := CheckRun(part.Run); err != nil {
		return nil, err
	}
	file, err := s.Files.Create()
	if err != nil {
		return nil, err
	}
	p := &filePart{files: s.Files, name: PartName(part.Run, part.Domain), file: file}
	p.lines = buffers.Get().(*bytes.Buffer)
	p.buf = bufio.NewWriterSize(file, 16<<10)
	first := header{Version: version, Stored: part}
	p.buf.Write(newMember(typed(typePart, first))) // Flush has its error
	return p, nil
}

// A filePart is a part that is written to a temporary file. Most parts wait for their sites, so they
// buffer lines and share the compressors, which take 750 KB each.
type filePart struct {
	files Files
	name  string
	file  *os.File
	buf   *bufio.Writer
	lines *bytes.Buffer // not compressed yet; nil once the part has ended
}

// maxLines is how many bytes of lines are compressed at once.
const maxLines = 128 << 10

var (
	zippers = sync.Pool{New: func() any { return gzip.NewWriter(nil) }}
	buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}
)

func (p *filePart) Write(lines []byte) (int, error) {
	p.lines.Write(lines)
	if p.lines.Len() < maxLines {
		return len(lines), nil
	}
	return len(lines), p.flush()
}

// flush compresses the lines as a gzip member.
func (p *filePart) flush() error {
	gz := zippers.Get().(*gzip.Writer)
	defer zippers.Put(gz)
	gz.Reset(p.buf)
	_, err := p.lines.WriteTo(gz)
	return cmp.Or(err, gz.Close())
}

func (p *filePart) Commit(ctx context.Context, c Counts) error {
	err := p.flush()
	last := Stored{Time: time.Now().UTC().Truncate(time.Second), Counts: c}
	p.buf.Write(newMember(typed(typeEnd, last)))
	if err = cmp.Or(err, p.buf.Flush()); err == nil {
		err = p.files.Replace(ctx, p.name, p.file, AnyVersion)
	}
	if err == nil {
		p.end()
	}
	return err
}

func (p *filePart) Discard() {
	if p.lines != nil {
		p.end()
		p.file.Close()
		os.Remove(p.file.Name())
	}
}

func (p *filePart) end() {
	p.lines.Reset()
	buffers.Put(p.lines)
	p.lines = nil
}

// Stat returns a part: see [Sink].
func (s FileSink) Stat(ctx context.Context, part Stored) (Stored, error) {
	if err := CheckRun(part.Run); err != nil {
		return Stored{}, err
	}
	part, err := s.stored(ctx, PartName(part.Run, part.Domain))
	part.close()
	return part, err
}

// stored reads the ends of a part. The part stays open for Open, until close is called.
func (s FileSink) stored(ctx context.Context, name string) (Stored, error) {
	f, err := s.Files.Open(ctx, name)
	if err != nil {
		return Stored{}, err
	}
	part, err := readStored(f, f.Size)
	if err != nil {
		f.Close()
	}
	if errors.Is(err, ErrStale) {
		return s.stored(ctx, name)
	}
	if err != nil {
		return Stored{}, fmt.Errorf("%s: %w", f.Path, err)
	}
	part.Path, part.file = f.Path, &atomic.Pointer[File]{}
	part.file.Store(f)
	return part, nil
}

// take returns the file of a part that is still open, for the caller to close, or nil.
func (s *Stored) take() *File {
	if s.file == nil {
		return nil
	}
	return s.file.Swap(nil)
}

// close closes the file of a part, unless Open has taken it.
func (s *Stored) close() {
	if f := s.take(); f != nil {
		f.Close()
	}
}

// atOnce is how many parts are read side by side.
const atOnce = 64

// Parts yields the parts of a run: see [Sink]. Any file in its folder is something of a run.
func (s FileSink) Parts(ctx context.Context, run string) iter.Seq2[Stored, error] {
	return func(yield func(Stored, error) bool) {
		if err := CheckRun(run); err != nil {
			yield(Stored{}, err)
			return
		}
		var names []string
		isThere := false
		for name, err := range s.Files.List(ctx, run) {
			isThere = true
			if err != nil && (!yield(Stored{}, err) || ctx.Err() != nil) {
				return
			}
			if err == nil && strings.Count(name, "/") == 2 && strings.HasSuffix(name, PartSuffix) {
				names = append(names, name)
			}
			if len(names) == atOnce {
				if !s.yield(ctx, names, yield) {
					return
				}
				names = names[:0]
			}
		}
		if s.yield(ctx, names, yield) && !isThere {
			yield(Stored{}, fmt.Errorf("run %s: %w", run, fs.ErrNotExist))
		}
	}
}

// yield reads parts side by side and yields them in order.
func (s FileSink) yield(
	ctx context.Context, names []string, yield func(Stored, error) bool,
) bool {
	var parts [atOnce]Stored
	var errs [atOnce]error
	var reading sync.WaitGroup
	for i, name := range names {
		reading.Go(func() { parts[i], errs[i] = s.stored(ctx, name) })
	}
	reading.Wait()
	more := true
	for i := range names {
		removed := errors.Is(errs[i], fs.ErrNotExist) // meanwhile
		more = more && (removed || yield(parts[i], errs[i]))
		parts[i].close()
	}
	return more
}

// Open reads the lines of a part: see [Sink].
func (s FileSink) Open(ctx context.Context, part Stored) (io.ReadCloser, error) {
	if err := CheckRun(part.Run); err != nil {
		return nil, err
	}
	f := part.take()
	if f == nil {
		var err error
		if f, err = s.Files.Open(ctx, PartName(part.Run, part.Domain)); err != nil {
			return nil, err
		}
	}
	lines, err := gzip.NewReader(f.reader(0, f.Size))
	if err != nil {
		f.Close()
		if errors.Is(err, ErrStale) { // replaced since it was opened
			return s.Open(ctx, part)
		}
		return nil, fmt.Errorf("%s: %w: %w", f.Path, ErrDamaged, err)
	}
	return &closingReader{lines, f}, nil
}
