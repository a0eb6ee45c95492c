package batch

import (
	"bufio"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/gzip"

	"github.com/seed-322c453a/sitemap/internal/filename"
)

// A Folder keeps parts and states as files. It is a [Sink] and [States], and safe for concurrent
// use. Workers in several processes may share one if each domain is walked by one of them at a time.
//
// A part is xx/DOMAIN.jsonl.gz in the run "1", and xx/DOMAIN+RUN.jsonl.gz in others; xx is the first
// byte, in hexadecimal, of the hash that [Shard] uses. The state is xx/DOMAIN.state. Names that
// Windows keeps for devices are escaped: con.com is %63on.com. Files are written in the folder
// ".tmp" and renamed.
type Folder struct {
	dir    string
	saving sync.Mutex // states
}

// OpenFolder opens a folder, which is made when something is written. It removes what processes that
// were killed have left of parts, a day later.
func OpenFolder(dir string) (*Folder, error) {
	f := &Folder{dir: dir}
	left, err := os.ReadDir(f.temp())
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	for _, entry := range left {
		if info, err := entry.Info(); err == nil && time.Since(info.ModTime()) > 24*time.Hour {
			os.Remove(filepath.Join(f.temp(), entry.Name()))
		}
	}
	return f, err
}

func (f *Folder) temp() string { return filepath.Join(f.dir, ".tmp") }

// path returns the path of a domain's file.
func (f *Folder) path(domain, suffix string) string {
	name := strings.ReplaceAll(domain, ":", "_") + suffix // of an IPv6 address
	return filepath.Join(f.dir, fmt.Sprintf("%02x", hash(domain)>>56), filename.NoDevice(name))
}

const partSuffix = ".jsonl.gz"

func (f *Folder) part(run, domain string) string {
	if run == "1" {
		return f.path(domain, partSuffix)
	}
	return f.path(domain, "+"+run+partSuffix)
}

// create begins a file.
func (f *Folder) create(path string) (*file, error) {
	name := filepath.Join(f.temp(), fmt.Sprintf("%016x", rand.Uint64()))
	const flags = os.O_WRONLY | os.O_CREATE | os.O_EXCL
	temp, err := os.OpenFile(name, flags, 0o666)
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(f.temp(), 0o777); err == nil {
			temp, err = os.OpenFile(name, flags, 0o666)
		}
	}
	return &file{temp: temp, path: path}, err
}

// Part begins the part of a domain: see [Sink].
func (f *Folder) Part(run, domain string) (Part, error) {
	p, err := f.create(f.part(run, domain))
	if err != nil {
		return nil, err
	}
	p.buf, p.gz = bufio.NewWriterSize(p.temp, 16<<10), zippers.Get().(*gzip.Writer)
	p.gz.Reset(p.buf)
	if p.gz.Extra, err = extra(Counts{}); err != nil { // room for those of Commit
		p.Discard()
		return nil, err
	}
	return p, nil
}

// Has reports whether the part of a domain was committed: see [Sink].
func (f *Folder) Has(run, domain string) (bool, error) {
	_, err := os.Lstat(f.part(run, domain))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// Load returns the state of a domain: see [States].
func (f *Folder) Load(_ context.Context, domain string) ([]byte, uint64, error) {
	b, err := os.ReadFile(f.path(domain, ".state"))
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(b) < 8 { // cut by a crash of the machine
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	return b[8:], binary.BigEndian.Uint64(b), nil
}

// Save replaces the state of a domain: see [States]. If two processes save it at the same moment,
// both may succeed.
func (f *Folder) Save(
	ctx context.Context, domain string, state []byte, revision uint64,
) (uint64, error) {
	s, err := f.create(f.path(domain, ".state"))
	if err != nil {
		return 0, err
	}
	defer s.Discard()
	if _, err := s.temp.Write(binary.BigEndian.AppendUint64(nil, revision+1)); err != nil {
		return 0, err
	}
	if _, err := s.temp.Write(state); err != nil {
		return 0, err
	}
	if err := s.close(); err != nil {
		return 0, err
	}
	f.saving.Lock()
	defer f.saving.Unlock()
	if _, current, err := f.Load(ctx, domain); err != nil || current != revision {
		return 0, cmp.Or(err, ErrStale)
	}
	return revision + 1, s.rename()
}

// A Stored is a part in a folder: a gzip file of lines.
type Stored struct {
	Run, Domain string
	Path        string
	Time        time.Time // when it was committed
	Counts      Counts
}

// Parts yields the parts of a run, or of all runs if run is "". Their order does not change. The
// error of a part that is no part names its path; the next one follows.
func (f *Folder) Parts(run string) iter.Seq2[Stored, error] {
	return func(yield func(Stored, error) bool) {
		for x := range 256 {
			dir := filepath.Join(f.dir, fmt.Sprintf("%02x", x))
			files, err := os.ReadDir(dir)
			if err != nil && !errors.Is(err, fs.ErrNotExist) && !yield(Stored{}, err) {
				return
			}
			for _, entry := range files {
				p, ok := storedAs(entry.Name())
				if !ok || run != "" && p.Run != run {
					continue
				}
				p.Path = filepath.Join(dir, entry.Name())
				err := p.readCounts()
				if err != nil {
					err = fmt.Errorf("%s: %w", p.Path, err)
				}
				if !yield(p, err) {
					return
				}
			}
		}
	}
}

// storedAs returns the run and the domain in the name of a part.
func storedAs(name string) (p Stored, ok bool) {
	p.Run = "1"
	p.Domain, ok = strings.CutSuffix(name, partSuffix)
	if i := strings.LastIndexByte(p.Domain, '+'); i >= 0 && !strings.Contains(p.Domain[i:], ".") {
		p.Domain, p.Run = p.Domain[:i], p.Domain[i+1:]
	}
	if name, err := url.PathUnescape(p.Domain); err == nil {
		p.Domain = name
	}
	if ip := strings.ReplaceAll(p.Domain, "_", ":"); isAddr(ip) {
		p.Domain = ip
	}
	return p, ok
}

func (p *Stored) readCounts() error {
	f, err := os.Open(p.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	p.Time = info.ModTime()
	p.Counts, err = ReadCounts(f)
	return err
}
