package state

import (
	"errors"
	"fmt"
	"runtime"
	"syscall"
	"time"

	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

// ErrLocked means that another process, or another File of this one, has the file open.
var ErrLocked = errors.New("state file is in use")

const lockWait = 500 * time.Millisecond

// A commit that grows the map copies all that it holds, so the map begins large. The file grows by
// allocSize.
const (
	mapSize   = 256 << 20
	allocSize = 1 << 20
)

// connect opens the database. For reading only, bbolt reads nothing but the first two pages, which
// have checksums.
func (f *File) connect(readOnly bool) (err error) {
	o := &bolt.Options{ReadOnly: readOnly, Timeout: lockWait, FreelistType: bolt.FreelistMapType}
	if runtime.GOOS != "windows" { // where files have the size of their map
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
	f.db.AllocSize = allocSize
	return nil
}
