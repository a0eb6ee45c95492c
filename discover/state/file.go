package state

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"github.com/seed-322c453a/sitemap/discover"
)

// ErrLocked means that another process, or another File of this one, has the file open.
var ErrLocked = errors.New("state file is in use")

// A File is a Store in one file. It keeps what was put in memory until Sync, which writes all of it
// or nothing. If the process is killed, what was put after the last Sync is lost.
type File struct {
	db   *bolt.DB
	path string
	now  func() time.Time

	mu      sync.Mutex
	pending map[string]map[string][]byte // by site
	touched map[string]bool              // sites used since the last commit
}

var _ discover.Store = (*File)(nil)

const lockWait = 500 * time.Millisecond

// stamp is the key, in the bucket of a site, of the time when a walk last used it. Other keys
// follow "/" and so never equal it.
var stamp = []byte("\x00used")

// Open opens the state file at path and makes one if there is none. The error matches [ErrLocked]
// if the file is open elsewhere.
func Open(path string) (*File, error) {
	f := &File{path: path, now: time.Now}
	f.reset()
	switch err := f.open(); {
	case err == nil:
		return f, nil
	case errors.Is(err, berrors.ErrTimeout):
		return nil, f.wrap(ErrLocked)
	case errors.As(err, new(syscall.Errno)):
		return nil, fmt.Errorf("state: %w", err) // it names the path
	default:
		return nil, fmt.Errorf("state: %s is not a state file, or a damaged one: %w", path, err)
	}
}

// open opens the database and checks that the file is complete: bbolt maps it into memory, and
// faults on what is missing.
func (f *File) open() (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
		if err != nil && f.db != nil {
			f.db.Close()
		}
	}()
	f.db, err = bolt.Open(f.path, 0o600, &bolt.Options{
		Timeout: lockWait, FreelistType: bolt.FreelistMapType,
	})
	if err != nil {
		return err
	}
	return f.db.View(func(tx *bolt.Tx) error {
		if info, err := os.Stat(f.path); err != nil || info.Size() < tx.Size() {
			return errors.New("truncated file")
		}
		return nil
	})
}

func (f *File) reset() {
	f.pending, f.touched = map[string]map[string][]byte{}, map[string]bool{}
}

// Get returns the value of a key, or nil if there is none.
func (f *File) Get(key string) ([]byte, error) {
	site, name, _ := strings.Cut(key, "/")
	f.mu.Lock()
	f.touched[site] = true
	value, ok := f.pending[site][name]
	f.mu.Unlock()
	if ok {
		return bytes.Clone(value), nil
	}
	err := f.db.View(func(tx *bolt.Tx) error {
		if b := tx.Bucket(bucketName(site)); b != nil {
			value = bytes.Clone(b.Get([]byte("/" + name)))
		}
		return nil
	})
	return value, f.wrap(err)
}

// Put sets the value of a key.
func (f *File) Put(key string, value []byte) error {
	site, name, _ := strings.Cut(key, "/")
	f.mu.Lock()
	defer f.mu.Unlock()
	records := f.pending[site]
	if records == nil {
		records = map[string][]byte{}
		f.pending[site] = records
	}
	f.touched[site] = true
	records[name] = append([]byte{}, value...)
	return nil
}

// Sync makes durable what was put before.
func (f *File) Sync() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.commit()
}

// commit writes what is pending in one transaction. Sorted keys fill the pages of the file well.
func (f *File) commit() error {
	if len(f.touched) == 0 {
		return nil
	}
	now := binary.BigEndian.AppendUint64(nil, uint64(f.now().Unix()))
	err := f.db.Update(func(tx *bolt.Tx) error {
		for site := range f.touched {
			b, err := tx.CreateBucketIfNotExists(bucketName(site))
			if err != nil {
				return err
			}
			records := f.pending[site]
			for _, name := range slices.Sorted(maps.Keys(records)) {
				if err := b.Put([]byte("/"+name), records[name]); err != nil {
					return err
				}
			}
			if err := b.Put(stamp, now); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		f.reset()
	}
	return f.wrap(err)
}

// Prune removes the records of each site that no walk has used for longer than age. The space
// serves new records; the file does not shrink.
func (f *File) Prune(age time.Duration) error {
	if err := f.Sync(); err != nil {
		return err
	}
	before := f.now().Add(-age).Unix()
	return f.wrap(f.db.Update(func(tx *bolt.Tx) error {
		var old [][]byte
		err := tx.ForEach(func(site []byte, b *bolt.Bucket) error {
			if used := b.Get(stamp); len(used) != 8 || int64(binary.BigEndian.Uint64(used)) < before {
				old = append(old, bytes.Clone(site))
			}
			return nil
		})
		for _, site := range old {
			if err == nil {
				err = tx.DeleteBucket(site)
			}
		}
		return err
	}))
}

// Close syncs and closes the file.
func (f *File) Close() error {
	return errors.Join(f.Sync(), f.wrap(f.db.Close()))
}

// bucketName returns the name of a site's bucket, which must not be empty.
func bucketName(site string) []byte { return []byte("s" + site) }

func (f *File) wrap(err error) error {
	if err != nil {
		return fmt.Errorf("state: %s: %w", f.path, err)
	}
	return nil
}
