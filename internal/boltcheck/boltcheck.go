// Package boltcheck checks what bbolt takes for granted of its files. bbolt follows page numbers
// and lengths blindly: a page that refers to itself overflows the stack, which ends the process,
// and a list of free pages with one that is in use leads to such a page later.
//
// The format, in the byte order of the machine:
//
//	page           id 8 bytes, type 2, count 2, overflow (pages that continue it) 4; elements
//	branch element position of the key from here 4 bytes, its length 4, id of the page below 8
//	leaf element   flags 4 bytes, position 4, length of the key 4, of the value that follows it 4
//	bucket         value of an element with flag 1: id of its root 8 bytes, sequence 8;
//	               if the id is 0, a leaf page follows
//	free list      ids of 8 bytes; if the count is 0xffff, the first is their number
package boltcheck

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"slices"

	bolt "go.etcd.io/bbolt"
)

// A checker records which pages of a file it has seen.
type checker struct {
	file *os.File
	size int    // of a page
	seen []bool // by page
}

// unit is the size of the heads of pages, of elements and of buckets.
const unit = 16

const (
	branchType = 1
	leafType   = 2
	freeType   = 16
)

var order = binary.NativeEndian

// A damage is what a checker panics with.
type damage string

// Check reads each page of the file of a read-only transaction once, as long as the file is. It
// returns an error if bbolt could not use the file safely.
func Check(tx *bolt.Tx) (err error) {
	file, err := os.Open(tx.DB().Path())
	if err != nil {
		return err
	}
	defer file.Close()
	defer func() {
		switch r := recover().(type) {
		case nil:
		case damage:
			err = fmt.Errorf("damaged: %s", string(r))
		default:
			panic(r)
		}
	}()
	if info, err := file.Stat(); err != nil || info.Size() < tx.Size() {
		panic(damage("truncated"))
	}
	c := &checker{file: file, size: tx.DB().Info().PageSize}
	c.seen = make([]bool, tx.Size()/int64(c.size))
	meta := c.page(uint64(tx.ID() % 2))
	c.require(order.Uint64(meta[64:]) == uint64(tx.ID()), 0)
	c.seen[0], c.seen[1] = true, true
	c.free(order.Uint64(meta[48:]))
	root := uint64(tx.Cursor().Bucket().Root())
	c.tree(root, c.page(root), nil, nil)
	if id := slices.Index(c.seen, false); id >= 0 {
		c.require(false, uint64(id))
	}
	return nil
}

func (c *checker) require(ok bool, id uint64) {
	if !ok {
		panic(damage(fmt.Sprintf("page %d", id)))
	}
}

// claim notes that page id is in use or free. Each page is only one of these, and once.
func (c *checker) claim(id uint64) {
	c.require(id < uint64(len(c.seen)) && !c.seen[id], id)
	c.seen[id] = true
}

// page reads a page, with those that continue it.
func (c *checker) page(id uint64) []byte {
	c.claim(id)
	p := c.read(id, 1)
	c.require(order.Uint64(p) == id, id)
	n := u32(p[12:])
	for i := range n {
		c.claim(id + 1 + i)
	}
	if n > 0 {
		p = c.read(id, 1+n)
	}
	return p
}

func (c *checker) read(id, n uint64) []byte {
	p := make([]byte, n*uint64(c.size))
	if _, err := c.file.ReadAt(p, int64(id)*int64(c.size)); err != nil {
		panic(damage(err.Error()))
	}
	return p
}

// free checks the list of free pages.
func (c *checker) free(id uint64) {
	p := c.page(id)
	n, ids := uint64(order.Uint16(p[10:])), p[unit:]
	if n == 0xffff {
		n, ids = order.Uint64(ids), ids[8:]
	}
	c.require(order.Uint16(p[8:]) == freeType && n <= uint64(len(ids)/8), id)
	for i := range n {
		c.claim(order.Uint64(ids[8*i:]))
	}
}

// tree checks page p and those below it, and returns the last key. Keys ascend, and those of p
// follow last. A branch repeats the first key of each page below; first is that of p, or nil if p
// is a root.
func (c *checker) tree(id uint64, p, first, last []byte) []byte {
	kind, n := order.Uint16(p[8:]), int(order.Uint16(p[10:]))
	c.require(kind == leafType && (n > 0 || first == nil) || kind == branchType && n > 0, id)
	c.require(unit*(n+1) <= len(p), id)
	for i := range n {
		e := p[unit*(i+1):]
		at, keySize, valueSize := u32(e[4:]), u32(e[8:]), u32(e[12:])
		if kind == branchType {
			at, keySize, valueSize = u32(e), u32(e[4:]), 0
		}
		c.require(at+keySize+valueSize <= uint64(len(e)), id)
		key, value := e[at:at+keySize], e[at+keySize:at+keySize+valueSize]
		c.require(bytes.Compare(last, key) < 0, id)
		c.require(i > 0 || first == nil || bytes.Equal(first, key), id)
		if kind == branchType {
			below := order.Uint64(e[8:])
			last = c.tree(below, c.page(below), key, last)
			continue
		}
		if u32(e)&1 != 0 {
			c.bucket(id, value)
		}
		last = key
	}
	return last
}

// bucket checks a bucket, whose value is in page id.
func (c *checker) bucket(id uint64, value []byte) {
	c.require(len(value) >= unit, id)
	if root := order.Uint64(value); root != 0 {
		c.tree(root, c.page(root), nil, nil)
		return
	}
	p := value[unit:]
	c.require(len(p) >= unit && order.Uint64(p) == 0 && order.Uint16(p[8:]) == leafType, id)
	c.tree(id, p, nil, nil)
}

func u32(b []byte) uint64 { return uint64(order.Uint32(b)) }
