package state

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"time"

	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"github.com/seed-322c453a/sitemap/internal/boltcheck"
	"github.com/seed-322c453a/sitemap/internal/records"
)

// ErrLocked means that another process, or another File of this one, has the file open.
var ErrLocked = errors.New("state file is in use")

// A commit that grows the map copies all that it holds, so the map begins large.
const mapSize = 256 << 20

// Open opens the state file at path. It creates the file if it does not exist, and reads all of an
// existing one to check that it is sound. The error matches [ErrLocked] if the file is open
// elsewhere.
func Open(path string) (*File, error) {
	f := &File{path: path, pending: map[string]map[string][]byte{}}
	if err := f.do(f.open); err != nil {
		return nil, err
	}
	return f, nil
}

func (f *File) open() error {
	info, err := os.Stat(f.path)
	isNew := errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0
	if !isNew {
		if err := f.check(); err != nil {
			return err
		}
	}
	err = f.connect(false)
	if isNew && err != nil && !errors.Is(err, ErrLocked) {
		os.Truncate(f.path, 0) // first pages that do not fit on the disk would count as damage
	}
	return err
}

// check reads the whole file. It refuses a newer format.
func (f *File) check() error {
	if err := f.connect(true); err != nil {
		return err
	}
	defer f.db.Close()
	return f.db.View(func(tx *bolt.Tx) error {
		if err := boltcheck.Check(tx); err != nil {
			return err
		}
		if b := tx.Bucket(formatName); b != nil && b.Sequence() > format {
			return records.ErrNewer
		}
		return nil
	})
}

// connect opens the database. For reading only, bbolt reads nothing but the first two pages, which
// have checksums.
func (f *File) connect(readOnly bool) (err error) {
	o := &bolt.Options{
		ReadOnly: readOnly, Timeout: 500 * time.Millisecond, FreelistType: bolt.FreelistMapType,
	}
	// On Windows files have the size of their map. Words of 32 bits have few addresses.
	if runtime.GOOS != "windows" && strconv.IntSize == 64 {
		o.InitialMmapSize = mapSize
	}
	f.db, err = bolt.Open(f.path, 0o600, o)
	switch {
	case errors.Is(err, berrors.ErrTimeout):
		return ErrLocked
	case errors.As(err, new(syscall.Errno)):
		return err
	case err != nil:
		return fmt.Errorf("damaged, or not a state file: %w", err)
	}
	f.db.AllocSize = 1 << 20 // by which the file grows
	return nil
}
