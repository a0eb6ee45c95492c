package main

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"io"
	"regexp"
)

// A selector says which of the URLs are taken: those that match, each once, and
// no more than asked for.
type selector struct {
	match  *regexp.Regexp // nil: all
	unique *uniqueSet     // nil: each as often as it comes
	max    int64          // 0: any number
	taken  int64
	again  int64 // how many were left out that had come before
}

func (w *walkFlags) selector(full func()) (*selector, error) {
	s := &selector{max: w.maxURLs}
	if w.unique {
		s.unique = newUniqueSet(full)
	}
	if w.match == "" {
		return s, nil
	}
	re, err := regexp.Compile(w.match)
	if err != nil {
		return nil, fmt.Errorf("--match: %w", err)
	}
	s.match = re
	return s, nil
}

// take reports whether loc is taken.
func (s *selector) take(loc string) bool {
	if s.match != nil && !s.match.MatchString(loc) {
		return false
	}
	if s.unique != nil && !s.unique.add(loc) {
		s.again++
		return false
	}
	s.taken++
	return true
}

// done reports whether as many are taken as were asked for.
func (s *selector) done() bool { return s.max > 0 && s.taken >= s.max }

const (
	// maxUnique is how many URLs a uniqueSet remembers, in 64 MiB.
	maxUnique = 4 << 20
	minSlots  = 1 << 10
)

// A uniqueSet remembers URLs by a hash of 64 bits: that it takes two of the four
// million it can hold for one has a chance of one in two million.
type uniqueSet struct {
	seed  maphash.Seed
	slots []uint64 // open addressing; 0 is free
	n     int
	full  func() // called once, when the set is full
}

func newUniqueSet(full func()) *uniqueSet {
	return &uniqueSet{seed: maphash.MakeSeed(), slots: make([]uint64, minSlots), full: full}
}

// add reports whether s is new, as far as the set knows. A full set takes in no
// more.
func (u *uniqueSet) add(s string) bool {
	h := max(maphash.String(u.seed, s), 1)
	i := u.find(h)
	switch {
	case u.slots[i] == h:
		return false
	case u.n == maxUnique:
		if u.full != nil {
			u.full()
			u.full = nil
		}
		return true
	}
	u.slots[i] = h
	if u.n++; 2*u.n > len(u.slots) && u.n < maxUnique {
		u.grow()
	}
	return true
}

// find returns the slot that holds h, or the free one that would.
func (u *uniqueSet) find(h uint64) int {
	mask := len(u.slots) - 1
	i := int(h) & mask
	for u.slots[i] != 0 && u.slots[i] != h {
		i = (i + 1) & mask
	}
	return i
}

func (u *uniqueSet) grow() {
	old := u.slots
	u.slots = make([]uint64, 2*len(old))
	for _, h := range old {
		if h != 0 {
			u.slots[u.find(h)] = h
		}
	}
}

// recall counts the URLs of an output that was written before an interruption.
func (s *selector) recall(r io.Reader, format string) error {
	return eachURL(r, format, func(loc string) {
		s.taken++
		if s.unique != nil {
			s.unique.add(loc)
		}
	})
}

// eachURL calls f with each URL of an output.
func eachURL(r io.Reader, format string, f func(loc string)) error {
	switch format {
	case "csv":
		rows := csv.NewReader(r)
		rows.FieldsPerRecord, rows.ReuseRecord = -1, true
		for n := 0; ; n++ {
			row, err := rows.Read()
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return err
			}
			if n > 0 { // it has a header
				f(row[0])
			}
		}
	case "jsonl":
		dec := json.NewDecoder(r)
		for {
			var row struct{ Loc string }
			err := dec.Decode(&row)
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return err
			}
			f(row.Loc)
		}
	}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		f(lines.Text())
	}
	return lines.Err()
}
