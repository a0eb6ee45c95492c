package state

import (
	"os"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/seed-322c453a/sitemap/internal/boltcheck"
)

// Open opens the state file at path and makes one if there is none. It reads the whole file to
// check that it is sound. The error matches [ErrLocked] if the file is open elsewhere.
func Open(path string) (*File, error) {
	f := &File{path: path, now: time.Now, pending: map[string]map[string][]byte{}}
	if err := f.do(f.open); err != nil {
		return nil, err
	}
	return f, nil
}

func (f *File) open() error {
	if info, err := os.Stat(f.path); err == nil && info.Size() > 0 {
		if err := f.check(); err != nil {
			return err
		}
	}
	return f.connect(false)
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
			return errNewer
		}
		return nil
	})
}
