package state_test

import (
	"bytes"
	"compress/gzip"
	"encoding/gob"
	"os"
	"path/filepath"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"

	"github.com/seed-322c453a/sitemap/discover/state"
)

// format opens the database of a state file, which has its format in the sequence of a bucket.
func format(t *testing.T, path string, use func(tx *bolt.Tx) error) {
	t.Helper()
	db, err := bolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Update(use); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestOpen_NewerFormat(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sites.db")
	f := open(t, path)
	put(t, f, "a.test/1", "one")
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	format(t, path, func(tx *bolt.Tx) error { return tx.Bucket([]byte("format")).SetSequence(2) })
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = state.Open(path)
	if err == nil || err.Error() != "state: "+path+": a newer version of this module wrote it" {
		t.Errorf("Open: %v", err)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the file was changed, %v", err)
	}
}

// TestOpen_NoFormat: files of the time before the format had a number are read, and get one.
func TestOpen_NoFormat(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sites.db")
	f := open(t, path)
	put(t, f, "a.test/1", "one")
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	format(t, path, func(tx *bolt.Tx) error { return tx.DeleteBucket([]byte("format")) })
	f = open(t, path)
	want(t, f, "a.test/1", "one")
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	format(t, path, func(tx *bolt.Tx) error {
		if n := tx.Bucket([]byte("format")).Sequence(); n != 1 {
			t.Errorf("format %d", n)
		}
		return nil
	})
}

// TestMemory_Formats: nothing is taken from a newer stream, nor from one without a format.
func TestMemory_Formats(t *testing.T) {
	type record struct {
		Key   string
		Value []byte
	}
	some := record{"a.test/1", []byte("one")}
	const (
		newer   = "state: a newer version of this module wrote it"
		damaged = "state: a damaged or truncated state: "
	)
	for _, test := range []struct {
		values []any
		want   string
	}{
		{[]any{2, some}, newer},
		{[]any{2, "what version 2 writes"}, newer},
		{[]any{some}, damaged},
		{[]any{0, some}, damaged},
		{nil, damaged},
	} {
		var b bytes.Buffer
		zip := gzip.NewWriter(&b)
		out := gob.NewEncoder(zip)
		for _, value := range test.values {
			if err := out.Encode(value); err != nil {
				t.Fatal(err)
			}
		}
		if err := zip.Close(); err != nil {
			t.Fatal(err)
		}
		m := &state.Memory{}
		put(t, m, "b.test/1", "stays")
		_, err := m.ReadFrom(&b)
		if err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%v: %v, want %s", test.values, err, test.want)
		}
		want(t, m, "b.test/1", "stays")
		want(t, m, "a.test/1", "absent")
	}
}
