package state_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/discover/state"
)

func Example() {
	dir, err := os.MkdirTemp("", "state")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	for range 2 {
		db, err := state.Open(filepath.Join(dir, "sites.db"))
		if err != nil {
			fmt.Println(err)
			return
		}
		n := 0
		o := &discover.Options{Store: db, OnlyChanged: true}
		for _, err := range site().URLs(context.Background(), "example.com", o) {
			if err != nil {
				fmt.Println(err)
				break
			}
			n++
		}
		fmt.Println(n, "URLs are new or modified,", db.Close())
	}
	// Output:
	// 40 URLs are new or modified, <nil>
	// 0 URLs are new or modified, <nil>
}

// The state of a site travels from one machine to another.
func ExampleMemory() {
	var here, there state.Memory
	if err := here.Put("example.com/x", []byte("what a walk remembers")); err != nil {
		fmt.Println(err)
	}
	var value bytes.Buffer
	if _, err := here.WriteTo(&value); err != nil {
		fmt.Println(err)
	}
	if _, err := there.ReadFrom(&value); err != nil {
		fmt.Println(err)
	}
	got, err := there.Get("example.com/x")
	fmt.Println(string(got), err)
	// Output: what a walk remembers <nil>
}
