package state

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	bolt "go.etcd.io/bbolt"
)

// A File is a Store in one file. It holds new values in memory until Sync, which writes all of them
// or none. If the process is killed, values that were put after the last Sync are lost.
type File struct {
	path string

	mu    sync.Mutex
	db    *bolt.DB
	ended error // what operations return after Close or damage
	// pending holds records by site, for each site that was used since the last commit, under
	// their keys in the bucket of the site.
	pending map[string]map[string][]byte
}

// stamp is the key, in the bucket of a site, of the time when a walk last used it. Other keys begin
// with a slash.
const stamp = "\x00used"

// split returns the site of a key, and its rest from the slash on: the key in the bucket of the
// site.
func split(key string) (site, rest string) {
	site, _, _ = strings.Cut(key, "/")
	return site, cmp.Or(key[len(site):], "/")
}

// do runs an operation under the lock and adds the path to its error.
//
// bbolt maps the file into memory: it panics or faults at damage, and may leave its own locks held.
// So it is not called again after that: later operations, Close included, return the same error,
// and the file stays locked until the process ends.
func (f *File) do(operation func() error) (err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ended != nil {
		return f.ended
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			f.ended = f.wrap(fmt.Errorf("damaged: %v", r))
			err = f.ended
		}
	}()
	return f.wrap(operation())
}

func (f *File) wrap(err error) error {
	if err == nil {
		return nil
	}
	if errors.As(err, new(*fs.PathError)) { // it names the path
		return fmt.Errorf("state: %w", err)
	}
	return fmt.Errorf("state: %s: %w", f.path, err)
}

// records returns the pending records of a site, and marks the site as used.
func (f *File) records(site string) map[string][]byte {
	records := f.pending[site]
	if records == nil {
		records = map[string][]byte{}
		f.pending[site] = records
	}
	return records
}

// Get returns the value of a key, or nil if there is none.
func (f *File) Get(key string) (value []byte, err error) {
	site, rest := split(key)
	err = f.do(func() error {
		if pending, ok := f.records(site)[rest]; ok {
			value = bytes.Clone(pending)
			return nil
		}
		return f.db.View(func(tx *bolt.Tx) error {
			if b := tx.Bucket(bucketName(site)); b != nil {
				value = bytes.Clone(b.Get([]byte(rest)))
			}
			return nil
		})
	})
	return value, err
}

// Put sets the value of a key.
func (f *File) Put(key string, value []byte) error {
	site, rest := split(key)
	return f.do(func() error {
		f.records(site)[rest] = append([]byte{}, value...)
		return nil
	})
}

// Sync makes all values durable that were put before.
func (f *File) Sync() error { return f.do(f.commit) }

// commit writes what is pending in one transaction.
func (f *File) commit() error {
	if len(f.pending) == 0 {
		return nil
	}
	now := binary.BigEndian.AppendUint64(nil, uint64(time.Now().Unix()))
	err := f.db.Update(func(tx *bolt.Tx) error {
		b, err := tx.CreateBucketIfNotExists(formatName)
		if err != nil {
			return err
		}
		err = b.SetSequence(format)
		for site, records := range f.pending {
			records[stamp] = now
			err = cmp.Or(err, write(tx, site, records))
		}
		return err
	})
	if err == nil {
		f.pending = map[string]map[string][]byte{}
	}
	return err
}

// write stores the records of a site. Sorted keys fill the pages of the file well.
func write(tx *bolt.Tx, site string, records map[string][]byte) error {
	b, err := tx.CreateBucketIfNotExists(bucketName(site))
	if err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(records)) {
		err = cmp.Or(err, b.Put([]byte(key), records[key]))
	}
	return err
}

// Prune removes the records of each site that no walk has used for longer than age. The space
// serves new records; the file does not shrink.
func (f *File) Prune(age time.Duration) error {
	return f.do(func() error {
		if err := f.commit(); err != nil {
			return err
		}
		before := time.Now().Add(-age).Unix()
		return f.db.Update(func(tx *bolt.Tx) error {
			var old [][]byte
			err := tx.ForEach(func(name []byte, b *bolt.Bucket) error {
				used := b.Get([]byte(stamp))
				if name[0] == 's' &&
					(len(used) != 8 || int64(binary.BigEndian.Uint64(used)) < before) {
					old = append(old, bytes.Clone(name))
				}
				return nil
			})
			for _, name := range old {
				err = cmp.Or(err, tx.DeleteBucket(name))
			}
			return err
		})
	})
}

// Close syncs and closes the file. Operations after it return an error that matches [fs.ErrClosed].
func (f *File) Close() error {
	return f.do(func() error {
		err := f.commit()
		f.ended = f.wrap(fs.ErrClosed)
		return errors.Join(err, f.db.Close())
	})
}

// bucketName returns the name of the bucket of a site.
func bucketName(site string) []byte { return []byte("s" + site) }
