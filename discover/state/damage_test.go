package state_test

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-322c453a/sitemap/discover/state"
)

var damages = flag.Int("damages", 3000, "how many damaged files to open")

// sample writes a state file that has pages of all kinds, and returns its bytes and some records.
func sample(t *testing.T) ([]byte, map[string]string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sample")
	f := open(t, path)
	records := map[string]string{}
	for round := range 3 { // later ones leave free pages
		for i := range 4000 {
			key := fmt.Sprintf("site%d.test/%d", i%3, i*i%4001)
			records[key] = fmt.Sprint(round, i)
		}
		for i := range 60 {
			records[fmt.Sprintf("small%d.test/%d", i, round)] = "inline"
		}
		records["large.test/1"] = strings.Repeat("x", 20_000+round)
		for key, value := range records {
			put(t, f, key, value)
		}
		if err := f.Sync(); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text, records
}

// damage returns a damaged copy of a file.
func damage(text []byte, r *rand.Rand) []byte {
	const size = 4096
	text = bytes.Clone(text)
	page := func() []byte { return text[r.IntN(len(text)/size)*size:][:size] }
	numbers := []uint64{0, 1, 2, 3, 4, 16, 255, 0xffff, 1 << 31, r.Uint64(), r.Uint64N(uint64(len(text) / size))}
	number := binary.NativeEndian.AppendUint64(nil, numbers[r.IntN(len(numbers))])
	switch r.IntN(9) {
	case 0:
		text[r.IntN(len(text))] ^= byte(1 + r.IntN(255))
	case 1:
		text[r.IntN(len(text))] ^= 1 << r.IntN(8)
	case 2:
		clear(page())
	case 3:
		copy(page(), page())
	case 4:
		a, b := page(), page()
		c := bytes.Clone(a)
		copy(a, b)
		copy(b, c)
	case 5:
		return text[:r.IntN(len(text))]
	case 6: // id, type, count or overflow
		at := []int{0, 8, 10, 12, 16}[r.IntN(4):][:2]
		copy(page()[at[0]:at[1]], number)
	case 7: // a number of an element
		copy(page()[16+4*r.IntN(100):][:4], number)
	case 8: // the page that an element refers to
		copy(page()[16+8*r.IntN(50):][:8], number)
	}
	return text
}

// TestFile_Damaged: all that a damaged file causes is errors that name it.
func TestFile_Damaged(t *testing.T) {
	whole, records := sample(t)
	path := filepath.Join(t.TempDir(), "damaged")
	check := func(seed int, err error) bool {
		if err != nil && (!strings.HasPrefix(err.Error(), "state: "+path+": ")) {
			t.Errorf("damage %d: %v", seed, err)
		}
		return err != nil
	}
	for seed := range *damages {
		text := damage(whole, rand.New(rand.NewPCG(uint64(seed), 0)))
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := state.Open(path)
		if check(seed, err) {
			continue
		}
		for key := range records {
			_, err := f.Get(key)
			check(seed, err)
		}
		for i := range 30 {
			check(seed, f.Put(fmt.Sprintf("site%d.test/%d", i%3, i*i*seed), []byte("new")))
			check(seed, f.Put(fmt.Sprintf("small%d.test/0", i), []byte("new")))
		}
		check(seed, f.Sync())
		check(seed, f.Prune(time.Hour))
		check(seed, f.Put("other.test/1", []byte("new")))
		check(seed, f.Prune(-time.Hour))
		check(seed, f.Close())
	}
}
