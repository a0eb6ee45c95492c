package records_test

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"testing"

	"github.com/seed-322c453a/sitemap/discover/state"
	"github.com/seed-322c453a/sitemap/internal/records"
)

// A Temp moves to a file when it grows, and what it holds travels in the form of a Memory.
func TestTemp(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Setenv("TMP", dir) // on Windows
	for _, test := range []struct{ records, files int }{{10, 0}, {140, 1}} {
		if runtime.GOOS != "windows" { // where a file that is open stays
			test.files = 0
		}
		var temp records.Temp
		value := func(i int) []byte { return bytes.Repeat([]byte{byte(i), byte(i >> 8)}, 32<<10) }
		for i := range test.records {
			if err := temp.Put(fmt.Sprintf("a.example/%d", i), value(i)); err != nil {
				t.Fatal(err)
			}
		}
		for i := range test.records { // values change their size
			if err := temp.Put("b.example/x", make([]byte, 100_000-200*i)); err != nil {
				t.Fatal(err)
			}
		}
		if err := temp.Put("b.example/x", []byte{}); err != nil {
			t.Fatal(err)
		}
		if files, err := os.ReadDir(dir); err != nil || len(files) != test.files {
			t.Errorf("%d records: %v, %v", test.records, files, err)
		}
		var stream bytes.Buffer
		n, err := temp.WriteTo(&stream)
		if err != nil || n != int64(stream.Len()) {
			t.Fatalf("wrote %d of %d bytes, %v", n, stream.Len(), err)
		}
		var memory state.Memory
		var again records.Temp
		if _, err := memory.ReadFrom(bytes.NewReader(stream.Bytes())); err != nil {
			t.Fatal(err)
		}
		again.Put("c.example/replaced", value(1))
		if n, err := again.ReadFrom(bytes.NewReader(stream.Bytes())); err != nil || n != int64(stream.Len()) {
			t.Fatalf("read %d of %d bytes, %v", n, stream.Len(), err)
		}
		if got, err := again.Get("c.example/replaced"); got != nil || err != nil {
			t.Errorf("kept %d bytes from before, %v", len(got), err)
		}
		for i := range test.records {
			key := fmt.Sprintf("a.example/%d", i)
			for _, s := range []interface{ Get(string) ([]byte, error) }{&temp, &memory, &again} {
				if got, err := s.Get(key); err != nil || !bytes.Equal(got, value(i)) {
					t.Errorf("%T: %s has %d bytes, %v", s, key, len(got), err)
				}
			}
		}
		if got, err := again.Get("b.example/x"); err != nil || got == nil || len(got) > 0 {
			t.Errorf("an empty value is %v, %v", got, err)
		}
		if _, err := again.ReadFrom(bytes.NewReader(stream.Bytes()[:stream.Len()-1])); err == nil {
			t.Error("a stream that is cut was read")
		}
		if got, err := again.Get("a.example/1"); got != nil || err != nil {
			t.Errorf("after damage: %d bytes, %v", len(got), err)
		}
		for _, temp := range []*records.Temp{&temp, &again} {
			if err := temp.Close(); err != nil {
				t.Error(err)
			}
		}
		if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
			t.Errorf("left %v, %v", files, err)
		}
	}
}
